package classic

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

var inFlightCapKind = admission.Kind{
	Name:   "inflight-cap",
	Source: "a fixed limit on concurrency, such as Netflix concurrency-limits' FixedLimit or a server's maximum of connections",
	Doc:    "refuses while a fixed number of requests wait or run",
	Params: []admission.Param{
		{Name: "limit", Default: 0, Min: 0, Max: 1 << 20, Unit: "requests", Doc: "most in flight; 0 is as many as may run at once", Search: admission.Range{Low: 1, High: 256, Whole: true}},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		limit := int(p["limit"])
		if limit == 0 {
			limit = env.MaxBatch
		}
		return &inFlightCap{limit: max(1, limit)}, nil
	},
}

// inFlightCap is a fixed limit on what is in flight.
type inFlightCap struct {
	admission.Base
	limit int
}

// Decide implements Policy.
func (c *inFlightCap) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	return underLimit(s, c.limit)
}
