package riskcontrol

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// BenchmarkDecide times every decision by itself, of a policy that has seen a minute of
// load, about requests and engines that are drawn at random: nothing runs (idle), there is
// room in the batch (busy), it is full and others wait (full), and thousands do (flooded). A
// mean would hide the slow ones. alone-p99-ns is of the least that each of 256 situations
// took: what the slow ones cost when nobody else takes the processor in the middle. machine
// is a loop of arithmetic of about that length, whose p99 is what the machine adds.
func BenchmarkDecide(b *testing.B) {
	b.Run("machine", func(b *testing.B) {
		x := 1.0
		timed(b, 1, func(int) {
			for range 900 {
				x += 1 / x
			}
		}, func() {})
	})
	for _, c := range []struct {
		name         string
		batch, queue [2]int // from, to
	}{{"idle", [2]int{0, 0}, [2]int{0, 0}}, {"busy", [2]int{1, 23}, [2]int{0, 0}}, {"full", [2]int{24, 24}, [2]int{1, 60}}, {"flooded", [2]int{24, 24}, [2]int{1000, 8000}}} {
		b.Run(c.name, func(b *testing.B) {
			p := controlled(b, 0.05, work, 9)
			serve(p, 3, 9, 60*time.Second)
			states, requests := situations(c.batch, c.queue)
			timed(b, len(states),
				func(i int) { p.Decide(&requests[i], states[i]) },
				func() { p.flights, p.lastTaken = p.flights[:0], states[0].Now })
		})
	}
}

// timed times one of n things after another, with what is done in between apart.
func timed(b *testing.B, n int, do func(i int), between func()) {
	took, least := make([]time.Duration, 0, 1<<18), make([]time.Duration, n)
	for i := range least {
		least[i] = time.Hour
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i = (i + 1) % n {
		from := time.Now()
		do(i)
		d := time.Since(from)
		if len(took) < cap(took) {
			took = append(took, d)
		}
		least[i] = min(least[i], d)
		between()
	}
	least = slices.DeleteFunc(least, func(d time.Duration) bool { return d == time.Hour })
	for _, m := range []struct {
		of    []time.Duration
		share float64
		unit  string
	}{{took, 0.5, "p50-ns"}, {took, 0.99, "p99-ns"}, {least, 0.99, "alone-p99-ns"}} {
		slices.Sort(m.of)
		b.ReportMetric(float64(m.of[int(m.share*float64(len(m.of)))]), m.unit)
	}
}

// situations are engines with so many requests in the batch and behind it, and a newcomer
// to each.
func situations(batch, queue [2]int) (states []*admission.Snapshot, requests []admission.Request) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 256 {
		s := someSnapshot(r, batch[0]+r.IntN(batch[1]-batch[0]+1), queue[0]+r.IntN(queue[1]-queue[0]+1))
		q := admission.Request{ID: 1e6, Class: "unique", Prompt: 500 + r.IntN(150), MaxTokens: 16 + r.IntN(496), Arrived: s.Now, Deadline: s.Now + testSLO}
		if r.IntN(10) < 7 {
			q.Class, q.Cached = "shared", q.Prompt-50
		}
		states, requests = append(states, s), append(requests, q)
	}
	return states, requests
}
