package clock_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// A minute of virtual time takes no time: the clock jumps from one timer to the next.
func Example() {
	c := clock.NewVirtual()
	c.At(time.Minute, func() {
		fmt.Println("a minute:", c.Now())
		c.Stop()
	})
	c.At(time.Second, func() {
		fmt.Println("a second:", c.Now())
		c.At(c.Now()+time.Millisecond, func() { fmt.Println("and a bit:", c.Now()) })
	})
	if err := c.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a second: 1s
	// and a bit: 1.001s
	// a minute: 1m0s
}
