package kv_test

import (
	"fmt"
	"log"

	"github.com/cadence-bench/cadence-bench/kv"
)

// A conversation's second turn begins with its first, which is still in the cache: only
// what is new must be computed. A request that can never fit is refused with the reason.
func Example() {
	cache, err := kv.NewPaged(kv.Config{Blocks: 8, BlockTokens: 4, Prefix: true})
	if err != nil {
		log.Fatal(err)
	}
	turn := func(prompt []int32, output ...int32) {
		grant, verdict := cache.Admit(kv.Request{Prompt: prompt, MaxTokens: len(output)})
		if verdict.Decision != kv.Fits {
			fmt.Println(verdict)
			return
		}
		fmt.Printf("%d of %d prompt tokens are cached\n", grant.Hit, len(prompt))
		all := append(prompt, output...)
		if err := cache.Reserve(grant.Lease, len(all)); err != nil {
			log.Fatal(err)
		}
		if err := cache.Commit(grant.Lease, len(all)); err != nil { // the backend has computed them
			log.Fatal(err)
		}
		if err := cache.Release(grant.Lease, all); err != nil { // done: keep them for others
			log.Fatal(err)
		}
	}
	first := []int32{1, 2, 3, 4, 5, 6}
	turn(first, 7, 8)
	turn([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 11, 12)
	turn(make([]int32, 40), 1)
	// Output:
	// 0 of 6 prompt tokens are cached
	// 8 of 10 prompt tokens are cached
	// prompt and output need 41 tokens of KV cache, the pool has 32 in all
}
