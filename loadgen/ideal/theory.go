package ideal

import (
	"fmt"
	"math"
)

// Queue is Poisson arrivals before servers that take them in order. Times are in
// mean service times.
type Queue struct {
	Servers     int
	Exponential bool    // exponential service times; otherwise all are 1
	Load        float64 // arrival rate over Servers: the utilisation, below 1
}

// String is Kendall's notation.
func (q Queue) String() string {
	kind := "D"
	if q.Exponential {
		kind = "M"
	}
	return fmt.Sprintf("M/%s/%d", kind, q.Servers)
}

// Rate is the arrival rate, per mean service time.
func (q Queue) Rate() float64 { return q.Load * float64(q.Servers) }

// Waits is the stationary distribution of the time that a request waits before it
// starts.
type Waits struct {
	Mean float64
	CDF  func(t float64) float64 // for t ≥ 0; CDF(0) is the chance not to wait
}

// Waits returns what theory says of q.
func (q Queue) Waits() Waits {
	if q.Exponential {
		return q.exponential()
	}
	return q.fixed()
}

// exponential is M/M/c: whoever waits, which Erlang's C is the chance of, waits an
// exponential time of rate c(1 − ρ) (A. K. Erlang, 1917; Kleinrock, Queueing
// Systems I, section 3.5). With one server C is ρ, and the mean ρ/(1 − ρ).
func (q Queue) exponential() Waits {
	wait, drain := erlangC(q.Servers, q.Rate()), float64(q.Servers)*(1-q.Load)
	return Waits{
		Mean: wait / drain,
		CDF:  func(t float64) float64 { return 1 - wait*math.Exp(-drain*t) },
	}
}

// erlangC is the chance to wait before c servers under an offered load of a, by the
// recursion for Erlang's B.
func erlangC(c int, a float64) float64 {
	blocked := 1.0
	for k := 1; k <= c; k++ {
		blocked = a * blocked / (float64(k) + a*blocked)
	}
	return blocked / (1 - a/float64(c)*(1-blocked))
}

// fixed is M/D/c. Whoever is in service at t has left at t + 1, and nobody else has,
// which gives the number in the system in steps of a service time (C. D. Crommelin,
// P.O.E.E. Journal 25, 1932); the waiting time follows from it without alternating
// sums (G. J. Franx, Operations Research Letters 29, 2001). With one server the mean
// is that of Pollaczek and Khinchine, ρ/(2(1 − ρ)).
func (q Queue) fixed() Waits {
	p := q.numbers()
	queued := 0.0
	atMost := make([]float64, len(p)) // atMost[n]: the chance of n or fewer in the system
	sum := 0.0
	for n, v := range p {
		queued += max(0, float64(n-q.Servers)) * v
		sum += v
		atMost[n] = sum
	}
	return Waits{
		Mean: queued / q.Rate(), // Little's law for the queue
		CDF: func(t float64) float64 {
			k := int(math.Floor(t)) + 1
			left := (float64(k) - t) * q.Rate()
			total, term := 0.0, math.Exp(-left)
			for j := range k * q.Servers {
				total += term * atMost[min(k*q.Servers-1-j+q.Servers, len(atMost)-1)]
				term *= left / float64(j+1)
			}
			return min(total, 1)
		},
	}
}

// numbers is the stationary distribution of the number in an M/D/c system, by
// iteration from an empty one. It is cut off where its tail, which falls by a fifth
// for each request more at ρ = 0.9, is nothing to double precision.
func (q Queue) numbers() []float64 {
	size := 10*q.Servers + int(40/(1-q.Load))
	arrive := []float64{math.Exp(-q.Rate())}
	for k := 1; k < size && (float64(k) < q.Rate() || arrive[k-1] > 1e-18); k++ {
		arrive = append(arrive, arrive[k-1]*q.Rate()/float64(k))
	}
	p := make([]float64, size)
	p[0] = 1
	for next := make([]float64, size); ; p, next = next, p {
		clear(next)
		for n, v := range p {
			for k, a := range arrive {
				next[min(max(n-q.Servers, 0)+k, size-1)] += v * a
			}
		}
		moved := 0.0
		for n := range p {
			moved += math.Abs(next[n] - p[n])
		}
		if moved < 1e-14 {
			return next
		}
	}
}

// Quantile is the smallest t with CDF(t) ≥ p, for p below 1.
func (w Waits) Quantile(p float64) float64 {
	if w.CDF(0) >= p {
		return 0
	}
	low, high := 0.0, 1.0
	for w.CDF(high) < p {
		low, high = high, 2*high
	}
	for high-low > 1e-12*high {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if w.CDF(mid) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
