package classic

import (
	"math"
	"time"
)

// Buckets of a histogram: 8 for each doubling from a millisecond on, to 17 minutes and
// above. A quantile is exact to 5%.
const (
	perDoubling = 8
	buckets     = 20 * perDoubling
	lowestEdge  = 1e-3
)

// histogram has times in seconds, in buckets of equal ratio.
type histogram struct {
	n, sum float64
	counts [buckets]float32
}

func (h *histogram) add(x float64) {
	i := int(perDoubling * math.Log2(max(x, lowestEdge)/lowestEdge))
	h.counts[min(buckets-1, i)]++
	h.n++
	h.sum += x
}

// mean is that of the times. There must be one.
func (h *histogram) mean() float64 { return h.sum / h.n }

// quantile is the middle, in ratio, of the bucket that has it.
func (h *histogram) quantile(p float64) float64 {
	below := 0.0
	for i, n := range h.counts {
		if below += float64(n); below >= p*h.n && n > 0 {
			return lowestEdge * math.Exp2((float64(i)+0.5)/perDoubling)
		}
	}
	return math.Inf(1)
}

// doubleHistogram fills one histogram while another is used.
type doubleHistogram struct {
	interval time.Duration
	samples  float64 // fewest for a histogram to be used

	filling, using histogram
	since          time.Duration // the last exchange
	last           time.Duration // the last time that was added
}

// staleAfter is how many intervals without a new time it takes to forget all.
const staleAfter = 3

// use returns the histogram to be used, or nil when none has enough.
func (d *doubleHistogram) use(now time.Duration) *histogram {
	d.exchange(now)
	if d.using.n < d.samples {
		return nil
	}
	return &d.using
}

func (d *doubleHistogram) add(x float64, now time.Duration) {
	d.exchange(now)
	d.filling.add(x)
	d.last = now
}

// exchange begins to use what is being filled when it has enough and its time has come;
// while there is none to use, that is at once.
func (d *doubleHistogram) exchange(now time.Duration) {
	switch {
	case now-d.last >= staleAfter*d.interval:
		if d.using.n+d.filling.n > 0 {
			d.using, d.filling = histogram{}, histogram{}
		}
	case d.filling.n >= d.samples && (now-d.since >= d.interval || d.using.n == 0):
		d.using, d.filling, d.since = d.filling, histogram{}, now
	}
}
