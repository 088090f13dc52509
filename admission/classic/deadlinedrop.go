package classic

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var deadlineDropKind = admission.Kind{
	Name:   "deadline-drop",
	Source: "deadline propagation, as gRPC servers and the SRE book (Handling Overload) have it: no work is begun that nobody waits for any more",
	Doc:    "takes everything, and drops before its start what cannot end in time",
	Params: []admission.Param{
		{Name: "need", Default: 1, Min: 0, Max: 100, Doc: "time that must be left at the start, in mean times from start to end; 0 drops only what is late already", Search: admission.Range{Low: 0, High: 4}},
		{Name: "weight", Default: 0.05, Min: 1e-3, Max: 1, Doc: "weight of the last request in that moving mean"},
	},
	New: func(p admission.Params, _ admission.Spec, _ admission.Env) (admission.Policy, error) {
		return &deadlineDrop{need: p["need"], service: movingMean{weight: p["weight"]}}, nil
	},
}

// deadlineDrop drops from the queue what is hopeless. What it knows of a request's
// need is the mean of those before it: the queue of one engine has one length.
type deadlineDrop struct {
	admission.Base
	need    float64
	service movingMean // seconds from start to end
}

// Dequeue implements Policy. On an engine that runs nothing else a request is dropped
// only when it is late already: the mean comes from a busier time.
func (p *deadlineDrop) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	var need time.Duration
	if len(s.Batch) > 0 {
		need = time.Duration(p.need * p.service.mean * float64(time.Second))
	}
	if r.Deadline > 0 && s.Now+need >= r.Deadline {
		return sheds(s, admission.Expired)
	}
	return p.Base.Dequeue(r, d, s)
}

// Ended implements Policy.
func (p *deadlineDrop) Ended(o *admission.Outcome) {
	if o.Finished {
		p.service.add((o.E2E() - o.Waited).Seconds())
	}
}

// movingMean is an exponentially weighted mean. It begins at its first value.
type movingMean struct {
	weight, mean float64
	some         bool
}

func (m *movingMean) add(x float64) {
	if !m.some {
		m.mean, m.some = x, true
		return
	}
	m.mean += m.weight * (x - m.mean)
}
