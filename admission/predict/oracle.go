package predict

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

// OracleKind is what no server can be: it is told how long answers will be.
var OracleKind = admission.Kind{
	Name: "oracle", Source: "the work model of ours, with true lengths in place of expected ones",
	Doc:   "takes a request iff it and all that were taken end in time by a forecast with their true lengths, the dearest left out while not all fit",
	Knows: true,
	Params: []admission.Param{
		{Name: "slack", Default: 1.2, Min: 0.5, Max: 3, Doc: "factor by which the forecast is taken to be too fast",
			Search: admission.Range{Low: 1, High: 1.6}},
		{Name: "price", Default: 4, Min: 0, Max: 100, Doc: "how much shorter than the mean a request must be when none fits, in means",
			Search: admission.Range{Low: 0.5, High: 20}},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		return &oracle{env: env, slack: p["slack"], price: p["price"]}, nil
	},
}

// oracle bounds what better predictions of lengths could still gain on the same engine.
// It is no upper bound of everything: it takes requests as they come, where the
// programme of package bound knows what comes, too.
type oracle struct {
	admission.Base
	env          admission.Env
	slack, price float64
	cost         stepCost
	run          forecast
	scarce, work float64 // moving means: of arrivals that did not fit, and of their work in seconds
	seen         int
}

// Decide implements Policy.
func (o *oracle) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	d := admission.Decision{Regime: s.Regime(), Admit: true, Reason: admission.Fits, Propensity: 1}
	if !o.cost.known() {
		d.Reason = admission.Uncalibrated
		return d
	}
	o.seen++
	own := o.ownWork(r)
	o.work += (own - o.work) / min(float64(o.seen), WorkMemory)
	fits := o.allInTime(r, s)
	if d.Regime != admission.Empty {
		missed := 1.0
		if fits {
			missed = 0
		}
		o.scarce += (missed - o.scarce) / ScarceMemory
	}
	if dear := own > o.work/max(o.price*o.scarce, 1e-9); !fits || dear && d.Regime != admission.Empty {
		d.Admit, d.Reason, d.Propensity = false, admission.TooLate, 0
	}
	return d
}

// ownWork is how long the engine works for r in a full batch, in seconds.
func (o *oracle) ownWork(r *admission.Request) float64 {
	output := float64(o.env.Output(r.ID))
	c := &o.cost.Cost
	return c[termPrompt]*float64(max(r.Fresh(), 1)) + output*(c[termDecode]+c[termContext]*(float64(r.Prompt)+output/2)/1000)
}

// allInTime says whether r ends in time, and nobody who would end in time without it
// ends late with it.
func (o *oracle) allInTime(r *admission.Request, s *admission.Snapshot) bool {
	o.load(s)
	with := request{prompt: float64(max(r.Fresh(), 1)), context: float64(r.Cached), remain: float64(o.env.Output(r.ID))}
	if r.Cached > 0 {
		with.copies = 1
	}
	o.run.run(len(s.Batch), s.StepAge.Seconds())
	late := 0
	for i := range o.run.requests {
		if !o.inTime(s, i, workOf(s, i).Deadline.Seconds()) {
			late++
		}
	}
	o.load(s)
	o.run.requests = append(o.run.requests, with)
	o.run.run(len(s.Batch), s.StepAge.Seconds())
	last := len(o.run.requests) - 1
	if !o.inTime(s, last, r.Deadline.Seconds()) {
		return false
	}
	for i := range last {
		if !o.inTime(s, i, workOf(s, i).Deadline.Seconds()) {
			late--
		}
	}
	return late >= 0
}

func (o *oracle) inTime(s *admission.Snapshot, i int, deadline float64) bool {
	j := &o.run.requests[i]
	return s.Now.Seconds()+o.slack*o.run.clock(j.first+j.remain) <= deadline
}

// load puts what is in the engine into the forecast.
func (o *oracle) load(s *admission.Snapshot) {
	o.run.reset(&o.cost, s.MaxBatch, s.StepTokens)
	for i := range len(s.Batch) + len(s.Queue) {
		w := workOf(s, i)
		left := float64(o.env.Output(w.ID) - w.Output)
		o.run.requests = append(o.run.requests, request{prompt: float64(w.Prefill), context: float64(w.Context), remain: max(left, 1)})
	}
}

// Dequeue implements Policy: what is late is dropped.
func (o *oracle) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	out := o.Base.Dequeue(r, d, s)
	if s.Now >= r.Deadline {
		out.Admit, out.Reason, out.Propensity = false, admission.Expired, 0
	}
	return out
}

// Stepped implements Policy.
func (o *oracle) Stepped(st admission.Step) { o.cost.observe(&st) }
