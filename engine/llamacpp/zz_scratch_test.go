package llamacpp_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

func rss() int64 {
	d, _ := os.ReadFile("/proc/self/status")
	for _, l := range strings.Split(string(d), "\n") {
		if strings.HasPrefix(l, "RssAnon:") {
			var k int64
			fmt.Sscanf(l, "RssAnon: %d kB", &k)
			return k << 10
		}
	}
	return 0
}

func TestZZMem(t *testing.T) {
	m := llamatest.Open(t)
	for _, p := range []llamacpp.Params{
		{Seqs: 24, SeqCells: 1024, Rows: 512, UBatch: 512, Threads: 1, FlashAttn: llamacpp.FlashOn},
		{Seqs: 24, SeqCells: 1024, Rows: 512, UBatch: 512, Threads: 1, FlashAttn: llamacpp.FlashOff},
		{Seqs: 64, KVUnified: true, Cells: 24576, Rows: 512, UBatch: 512, Threads: 1, FlashAttn: llamacpp.FlashOn},
		{Seqs: 64, KVUnified: true, Cells: 24576, Rows: 512, UBatch: 512, Threads: 1, FlashAttn: llamacpp.FlashOff},
	} {
		before := rss()
		r := newRun(t, p)
		for s := range int32(p.Seqs) {
			if int(s)*380 > 24000 { break }
			r.add(s, tokens(380, 1)...)
			r.step()
		}
		grown := rss() - before
		t.Logf("%+v: rss %d MiB, estimate %d MiB", p, grown>>20, llamacpp.Estimate(p, m.Info())>>20)
		r.Close()
	}
}

func TestZZGaps(t *testing.T) {
	r := newRun(t, llamacpp.Params{Seqs: 32, SeqCells: 512, Rows: 512, UBatch: 512, Threads: 1, FlashAttn: llamacpp.FlashOn})
	for s := range int32(32) {
		r.add(s, tokens(200, uint64(s))...)
		r.step()
	}
	for name, seqs := range map[string][]int32{
		"16 adjacent": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		"16 adjacent, shuffled": {7, 1, 12, 3, 4, 15, 6, 0, 8, 14, 10, 11, 2, 13, 9, 5},
		"16, one gap": {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16},
		"16 every other": {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
	} {
		var d []time.Duration
		for range 30 {
			r.batch.Rows = r.batch.Rows[:0]
			for _, s := range seqs {
				r.batch.Rows = append(r.batch.Rows, engine.Row{Token: 500, Pos: r.Next(s), Seq: s, Output: true})
			}
			r.step()
			d = append(d, r.res.Model)
		}
		slices.Sort(d)
		t.Logf("%s: best %v median %v", name, d[0], d[15])
	}
}

func TestZZThreads(t *testing.T) {
	m := llamatest.Open(t)
	for _, seqs := range []int{1, 8} {
		for range 3 {
			rows, err := llamacpp.MeasureThreads(m, llamacpp.Params{Seqs: seqs, FlashAttn: llamacpp.FlashOn})
			t.Logf("seqs %d %+v %v", seqs, rows, err)
		}
	}
}

func TestZZLoad(t *testing.T) {
	start := time.Now()
	fmt.Println(llamacpp.Load("/tmp/lib"), time.Since(start))
}
