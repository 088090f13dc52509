package riskcontrol

import "math"

const (
	// floorClasses are those of requests by the longest answer that they ask for: the
	// thirds of the latest arrivals, as the report has them.
	floorClasses = 3
	// floorMemory is over how many arrivals shares reach, and floorStart how many of each
	// class count as taken before there are any.
	floorMemory = 200
	floorStart  = 3
	// floorBins part the longest answers, eight for each doubling.
	floorBins = 8 * 20
	// floorRaise is by how much the price of others rises for each request of a class
	// below its floor that is refused, in prices, and floorMost how far.
	floorRaise, floorMost = 0.05, 20
)

// floors keeps a class of requests from being starved: a class that is taken less often than
// share times as often as all are pays no price for its work, and while that is not
// enough the others pay more, so that there is room. What is taken has the chance that the
// threshold asks for, as everything else. The zero floors does nothing.
type floors struct {
	share float64
	bins  [floorBins]float64 // arrivals by longest answer, forgotten slowly
	all   float64            // sum of bins
	// seen and taken are counts of arrivals by class, forgotten at the pace of floorMemory.
	seen, taken [floorClasses]float64
	raise       float64
	class       int  // of the request at hand
	owed        bool // its class is below its floor
}

// arrive notes a request that is about to be decided.
func (f *floors) arrive(longest int) {
	if f.share == 0 {
		return
	}
	k := min(int(8*math.Log2(float64(max(longest, 1)))), floorBins-1)
	below, keep := 0.0, 1-1.0/(floorClasses*floorMemory)
	for i := range f.bins {
		f.bins[i] *= keep
		if i < k {
			below += f.bins[i]
		}
	}
	f.all = f.all*keep + 1
	f.bins[k]++
	f.class = min(int(floorClasses*(below+f.bins[k]/2)/f.all), floorClasses-1)
	if f.all == 1 {
		f.seen = [floorClasses]float64{floorStart, floorStart, floorStart}
		f.taken = f.seen
	}
	seen, taken := 0.0, 0.0
	for i := range f.seen {
		f.seen[i] *= 1 - 1.0/floorMemory
		f.taken[i] *= 1 - 1.0/floorMemory
		seen, taken = seen+f.seen[i], taken+f.taken[i]
	}
	f.owed = f.taken[f.class]*seen < f.share*taken*f.seen[f.class]
	f.seen[f.class]++
	if !f.owed {
		f.raise *= 1 - 1.0/floorMemory
	}
}

// took notes that the request at hand is taken.
func (f *floors) took() {
	if f.share > 0 {
		f.taken[f.class]++
	}
}

// price is how many times the price of its work the request at hand pays.
func (f *floors) price() float64 {
	switch {
	case f.share == 0:
		return 1
	case f.owed:
		f.raise = min(f.raise+floorRaise, floorMost)
		return 0
	}
	return 1 + f.raise
}
