package classic

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var bouncerKind = admission.Kind{
	Name: "bouncer",
	Source: "Bouncer (Xu and Colmenares, Admission Control with Response Time Objectives for Low-latency Online Data Systems, " +
		"SIGMOD 2024); a query's type is the power of two of the longest answer it asks for, what is in flight beyond the " +
		"parallelism is the queue, while nothing is known no more than that is taken, and what nobody adds to is forgotten",
	Doc: "estimates the wait by the mean work queued, adds a percentile of the type's processing times, and refuses what is beyond the SLO",
	Params: []admission.Param{
		{Name: "percentile", Default: 0.9, Min: 0.01, Max: 0.999, Doc: "of the processing times, that the SLO is compared with", Search: admission.Range{Low: 0.5, High: 0.99}},
		{Name: "parallel", Default: 0, Min: 0, Max: 1e4, Unit: "requests", Doc: "how many are served at a time without slowing each other, there the number of processes; 0 is as many as may run at once", Search: admission.Range{Low: 1, High: 24, Whole: true}},
		{Name: "interval", Default: 10, Min: 0.1, Max: 3600, Unit: "s", Doc: "how long a histogram is filled before it is used, and used before the next is", Search: admission.Range{Low: 2, High: 60}},
		{Name: "samples", Default: 20, Min: 1, Max: 1e6, Unit: "requests", Doc: "fewest processing times of a histogram that is used"},
		{Name: "allowance", Default: 0, Min: 0, Max: 1, Doc: "probability with which what is refused is taken all the same (acceptance allowance)"},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		b := &bouncer{
			percentile: p["percentile"], allowance: p["allowance"], parallel: int(p["parallel"]), slo: env.SLO,
			coin: coinOf(env.Seed, "bouncer"),
		}
		if b.parallel == 0 {
			b.parallel = env.MaxBatch
		}
		b.parallel = max(1, b.parallel)
		for i := range b.times {
			b.times[i] = doubleHistogram{interval: p.Seconds("interval"), samples: p["samples"]}
		}
		return b, nil
	},
}

// queryTypes is how many types there are, for the longest answers of 1 to 2¹⁵ tokens
// and above; anyType is the histogram of all.
const (
	queryTypes = 16
	anyType    = queryTypes
)

// bouncer keeps the processing times of each type of request.
type bouncer struct {
	admission.Base
	percentile, allowance float64
	parallel              int
	slo                   time.Duration
	times                 [queryTypes + 1]doubleHistogram
	coin                  *rand.Rand
}

// typeOf is a request's type, of the longest answer it asks for.
func typeOf(maxTokens int) int { return min(queryTypes-1, bits.Len(uint(max(0, maxTokens)))) }

// of is the histogram to use for a type: that of all where its own has too little; nil
// if that has too.
func (b *bouncer) of(kind int, now time.Duration) *histogram {
	if h := b.times[kind].use(now); h != nil {
		return h
	}
	return b.times[anyType].use(now)
}

// Decide implements Policy.
func (b *bouncer) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	own := b.of(typeOf(r.MaxTokens), s.Now)
	if own == nil {
		d := underLimit(s, b.parallel)
		if d.Admit {
			d.Reason = admission.Uncalibrated
		}
		return d
	}
	wait := b.wait(s)
	d := takes(s)
	d.Reason = admission.Fits
	d.Estimate, d.Bound = admission.Seconds(wait+own.mean()), admission.Seconds(wait+own.quantile(b.percentile))
	if d.Bound <= b.budget(r, s) {
		return d
	}
	d.Propensity = b.allowance
	if b.allowance > 0 && b.coin.Float64() < b.allowance {
		d.Reason, d.Forced = admission.Explore, true
		return d
	}
	d.Admit, d.Reason = false, admission.TooLate
	return d
}

// budget is how long a request may take from now.
func (b *bouncer) budget(r *admission.Request, s *admission.Snapshot) time.Duration {
	if r.Deadline == 0 {
		return b.slo
	}
	return r.Deadline - s.Now
}

// wait is the mean processing time of all that is in flight beyond the first few, which
// are in service, shared by these; in seconds.
func (b *bouncer) wait(s *admission.Snapshot) float64 {
	sum := b.work(s.Batch[min(b.parallel, len(s.Batch)):], s.Now)
	sum += b.work(s.Queue[min(max(0, b.parallel-len(s.Batch)), len(s.Queue)):], s.Now)
	return sum / float64(b.parallel)
}

// work is the mean processing time of all of these together, in seconds.
func (b *bouncer) work(all []admission.Work, now time.Duration) (sum float64) {
	for i := range all {
		if h := b.of(typeOf(all[i].MaxTokens), now); h != nil {
			sum += h.mean()
		}
	}
	return sum
}

// Ended implements Policy.
func (b *bouncer) Ended(o *admission.Outcome) {
	if o.Finished {
		x := (o.E2E() - o.Waited).Seconds()
		b.times[typeOf(o.Request.MaxTokens)].add(x, o.At)
		b.times[anyType].add(x, o.At)
	}
}
