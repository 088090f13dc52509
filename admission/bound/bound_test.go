package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

const ms = time.Millisecond

func TestUpper(t *testing.T) {
	job := func(at, slo, least int) Job {
		return Job{Arrives: time.Duration(at) * ms, Deadline: time.Duration(at+slo) * ms, Least: time.Duration(least) * ms}
	}
	for _, it := range []struct {
		name string
		jobs []Job
		want float64
	}{
		{"none", nil, 0},
		{"one that fits", []Job{job(0, 100, 100)}, 1},
		{"one that is longer than its time", []Job{job(0, 100, 101)}, 0},
		{"two that share the time", []Job{job(0, 100, 60), job(0, 100, 60)}, 1 + 40.0/60},
		{"the cheapest first", []Job{job(0, 100, 90), job(0, 100, 30), job(0, 100, 30)}, 2 + 40.0/90},
		{"one after the other", []Job{job(0, 100, 100), job(100, 100, 100)}, 2},
		{"what overlaps", []Job{job(0, 100, 100), job(50, 100, 100)}, 1.5},
		{"what costs nothing", []Job{job(0, 100, 0), job(0, 100, 100)}, 2},
		{"alone it would be late", []Job{{Deadline: 100 * ms, Least: 10 * ms, Alone: 101 * ms}}, 0},
	} {
		require.InDelta(t, it.want, Upper(it.jobs), 1e-9, it.name)
	}
}

// simplex solves the programme as it is defined: time is cut at every arrival and
// deadline, and x and the time spent on each job in each slot are variables.
func simplex(t *testing.T, jobs []Job) float64 {
	var cuts []time.Duration
	for _, j := range jobs {
		cuts = append(cuts, j.Arrives, j.Deadline)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	slots, n := len(cuts)-1, len(jobs)
	// Variables: spent[i][s], then a slack for each slot, then one for each job.
	vars := n*slots + slots + n
	a := mat.NewDense(slots+n, vars, nil)
	b, c := make([]float64, slots+n), make([]float64, vars)
	for s := range slots {
		for i := range n {
			a.Set(s, i*slots+s, 1)
		}
		a.Set(s, n*slots+s, 1)
		b[s] = (cuts[s+1] - cuts[s]).Seconds()
	}
	for i, j := range jobs {
		for s := range slots {
			if cuts[s] >= j.Arrives && cuts[s+1] <= j.Deadline {
				a.Set(slots+i, i*slots+s, 1)
				c[i*slots+s] = -1 / j.Least.Seconds()
			}
		}
		a.Set(slots+i, n*slots+slots+i, 1)
		b[slots+i] = j.Least.Seconds()
	}
	value, _, err := lp.Simplex(c, a, b, 1e-9, nil)
	require.NoError(t, err)
	return -value
}

func TestUpperIsTheOptimumOfTheProgramme(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for round := range 300 {
		var jobs []Job
		slo := time.Duration(20+rng.IntN(100)) * ms
		for range 1 + rng.IntN(7) {
			at := time.Duration(rng.IntN(150)) * ms
			jobs = append(jobs, Job{Arrives: at, Deadline: at + slo, Least: time.Duration(1+rng.IntN(int(slo/ms))) * ms})
		}
		require.InDelta(t, simplex(t, jobs), Upper(jobs), 1e-6, "round %d: %v", round, jobs)
	}
}

// Whatever set of jobs some order answers in time is no larger than the bound.
func TestUpperIsAboveEverySchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for round := range 500 {
		var jobs []Job
		for range 1 + rng.IntN(40) {
			at := time.Duration(rng.IntN(400)) * ms
			least := time.Duration(1+rng.IntN(60)) * ms
			jobs = append(jobs, Job{at, at + time.Duration(30+rng.IntN(100))*ms, least, least})
		}
		now, done := time.Duration(0), 0
		for _, i := range rng.Perm(len(jobs)) {
			j := jobs[i]
			if end := max(now, j.Arrives) + j.Least; end <= j.Deadline {
				now, done = end, done+1
			}
		}
		require.LessOrEqual(t, float64(done), Upper(jobs)+1e-9, fmt.Sprint("round ", round))
	}
}

func TestRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for range 200 {
		n := 1 + rng.IntN(40)
		r, naive := newRange(n), make([]float64, n)
		for i := range naive {
			naive[i] = rng.Float64()
			r.set(i, naive[i])
		}
		r.build()
		for range 60 {
			from := rng.IntN(n + 1)
			to := from + rng.IntN(n+1-from)
			if v := rng.Float64() - 0.5; rng.IntN(2) == 0 {
				r.add(from, to, v)
				for i := from; i < to; i++ {
					naive[i] += v
				}
				continue
			}
			want := math.Inf(1)
			for _, v := range naive[from:to] {
				want = min(want, v)
			}
			if math.IsInf(want, 1) {
				require.Equal(t, want, r.least(from, to))
			} else {
				require.InDelta(t, want, r.least(from, to), 1e-12)
			}
		}
	}
}

// A request more, an earlier arrival, a later deadline or less work never lower it.
func TestUpperIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	for range 300 {
		var jobs []Job
		for range 2 + rng.IntN(20) {
			at := time.Duration(rng.IntN(300)) * ms
			jobs = append(jobs, Job{Arrives: at, Deadline: at + 80*ms, Least: time.Duration(1+rng.IntN(80)) * ms})
		}
		all := Upper(jobs)
		require.LessOrEqual(t, Upper(jobs[1:]), all+1e-9)
		require.LessOrEqual(t, all, float64(len(jobs))+1e-9)
		less := slices.Clone(jobs)
		less[0].Least /= 2
		require.GreaterOrEqual(t, Upper(less)+1e-9, all)
	}
}
