package artifact

import (
	"github.com/cadence-bench/cadence-bench/admission/fit"
)

// Record is what the judgement of a fit says: every number of its tables.
type Record struct {
	Backend  string    `json:"backend"`
	Model    string    `json:"model"`
	Workload string    `json:"workload"`
	SLOS     float64   `json:"slo_s"`
	Rates    []float64 `json:"rates"`
	Seeds    []uint64  `json:"seeds"`
	HeldOut  string    `json:"held_out"`
	Folds    int       `json:"folds"`
	Blocks   int       `json:"blocks"`
	Requests int       `json:"requests"`
	NotEnded int       `json:"not_ended"` // requests of which the whole E2E is not known; nothing is made of them

	Judgements []fit.Judgement `json:"judgements"`
	ByRate     []fit.Judgement `json:"by_rate,omitempty"`
	Importance []Importance    `json:"importance"`
}
