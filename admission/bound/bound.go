// Package bound says how many requests no policy whatever could have answered in
// time: what the arms of admission are measured against.
//
// The bound is the optimum of a linear programme. A request i has its arrival a,
// its deadline d, and the least engine time c that its answer takes in any batch. A
// share x of it, 0 … 1, is answered by spending x·c of the engine's time within
// [a, d]; the engine is one machine, so the time spent within any interval is at most
// its length. The programme maximises the sum of the x. A policy that answers a set of
// requests in time, with any scheduler, spends at least c on each within its interval,
// and so is a feasible point with x of 0 and 1: the optimum is at least what it
// reached. It knows every length and all of the future, may stop and go on at no cost,
// and may answer a share of a request, none of which an engine can.
package bound

import (
	"cmp"
	"slices"
	"time"
)

// Job is one request.
type Job struct {
	Arrives, Deadline time.Duration
	// Least is the least engine time that its answer takes.
	Least time.Duration
	// Alone is the least time from its arrival to its end on an idle engine: whoever
	// has not that much until the deadline cannot be answered in time. It may be 0.
	Alone time.Duration
}

// Upper returns the optimum of the programme: no policy answers more of the jobs in
// time. The jobs need no order; it costs O(n log n) where the deadlines have the order
// of the arrivals, as with one SLO for all. Where they have not, it widens intervals
// until they do, which keeps the bound a bound.
//
// The time that can be spent on the jobs is a polymatroid: the feasible vectors are
// those that no interval [a of one, d of another] forbids. So the greedy algorithm,
// cheapest job first, each as far as the constraints let it, finds the optimum
// (Edmonds 1970; Federgruen and Groenevelt 1986 for scheduling).
func Upper(jobs []Job) float64 {
	jobs = possible(jobs)
	n := len(jobs)
	if n == 0 {
		return 0
	}
	agree(jobs)
	// With P the sums of what is spent on the first jobs, the interval from the
	// arrival of i to the deadline of j holds P(j) − P(i−1) ≤ d(j) − a(i).
	ends, starts := newRange(n), newRange(n)
	for i, j := range jobs {
		ends.set(i, j.Deadline.Seconds())   // d(j) − P(j): its minimum counts
		starts.set(i, -j.Arrives.Seconds()) // −(a(i) − P(i−1)): its minimum counts
	}
	ends.build()
	starts.build()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[a].Least, jobs[b].Least) })
	total := 0.0
	for _, k := range order {
		least := jobs[k].Least.Seconds()
		if least <= 0 {
			total++
			continue
		}
		spend := min(least, ends.least(k, n)+starts.least(0, k+1))
		if spend <= 0 {
			continue
		}
		ends.add(k, n, -spend)
		starts.add(k+1, n, spend)
		total += spend / least
	}
	return total
}

// possible returns the jobs that an idle engine could answer in time, by arrival.
func possible(jobs []Job) []Job {
	var kept []Job
	for _, j := range jobs {
		if j.Deadline-j.Arrives >= max(j.Least, j.Alone) {
			kept = append(kept, j)
		}
	}
	slices.SortStableFunc(kept, func(a, b Job) int {
		return cmp.Or(cmp.Compare(a.Arrives, b.Arrives), cmp.Compare(a.Deadline, b.Deadline))
	})
	return kept
}

// agree raises deadlines until they have the order of the arrivals.
func agree(jobs []Job) {
	latest := jobs[0].Deadline
	for i := range jobs {
		latest = max(latest, jobs[i].Deadline)
		jobs[i].Deadline = latest
	}
}
