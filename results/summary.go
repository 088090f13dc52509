package results

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// CellSummary is one cell's figures, over the steady window unless the key says
// otherwise. Its tags are the documentation of summary.json: `null` is what null
// means there.
type CellSummary struct {
	Schema int `json:"schema" doc:"version of these keys"`
	Key
	Order    int    `json:"order" doc:"place of the cell in the run, from 0"`
	Backend  string `json:"backend" doc:"what ran the model; twin for a simulation"`
	Workload string `json:"workload" doc:"name of the workload"`

	DurationS float64 `json:"duration_s" unit:"s" doc:"arrivals are offered over [0, duration_s)"`
	WarmupS   float64 `json:"warmup_s" unit:"s" doc:"the steady window begins here"`
	SLOS      float64 `json:"slo_s" unit:"s" doc:"E2E objective that goodput and attainment count by"`

	Arrivals  int `json:"arrivals" doc:"requests that arrived in the steady window, however they ended"`
	Completed int `json:"completed" doc:"of the arrivals, those that reached their end"`
	Shed      int `json:"shed" doc:"of the arrivals, those refused at admission or dropped before their start"`
	Timeouts  int `json:"timeouts" doc:"of the arrivals, those whose client gave up"`
	Cancelled int `json:"cancelled" doc:"of the arrivals, those whose client went away"`
	Failed    int `json:"failed" doc:"of the arrivals, those that the engine or the transport failed"`

	AchievedRPS         Opt[float64] `json:"achieved_rps" unit:"1/s" null:"the steady window is empty" doc:"arrivals really sent, per second"`
	ThroughputRPS       Opt[float64] `json:"throughput_rps" unit:"1/s" null:"the steady window is empty" doc:"requests completed, per second"`
	ThroughputTokensPS  Opt[float64] `json:"throughput_tokens_per_s" unit:"tokens/s" null:"the steady window is empty" doc:"output tokens of all requests, per second"`
	CompletedTokensPS   Opt[float64] `json:"completed_tokens_per_s" unit:"tokens/s" null:"the steady window is empty" doc:"output tokens of the arrivals that completed, per second"`
	GoodputRPS          Opt[float64] `json:"goodput_rps" unit:"1/s" null:"the steady window is empty" doc:"requests completed within the SLO, per second, over all arrivals"`
	Attainment          Opt[float64] `json:"attainment" null:"no arrivals" doc:"share of all arrivals that completed within the SLO"`
	AttainmentAdmitted  Opt[float64] `json:"attainment_admitted" null:"nothing was admitted" doc:"share of the arrivals that were not refused on arrival that completed within the SLO"`
	ShedShare           Opt[float64] `json:"shed_share" null:"no arrivals" doc:"share of all arrivals that were shed"`
	Dropped             Opt[int]     `json:"dropped" null:"the rung has no admission policy" doc:"of the shed, those that were taken on arrival and turned away before their start"`
	Aborted             Opt[int]     `json:"aborted" null:"as dropped" doc:"of the failed, those that the admission policy ended while they ran"`
	Forced              Opt[int]     `json:"forced" null:"as dropped" doc:"arrivals that were taken in spite of the policy's bound"`
	ViolationRate       Opt[float64] `json:"violation_rate" null:"as dropped, or nothing was taken but what was forced" doc:"share of the arrivals that were taken and not forced that did not complete within the SLO, whatever the cause"`
	TTFTP50S            Opt[float64] `json:"ttft_p50_s" unit:"s" null:"nothing was admitted" doc:"median time to first token, from the intended arrival; a lower bound when listed in lower_bounds"`
	TTFTP99S            Opt[float64] `json:"ttft_p99_s" unit:"s" null:"as ttft_p50_s" doc:"99th percentile of the same"`
	ITLP50S             Opt[float64] `json:"itl_p50_s" unit:"s" null:"no request has two tokens" doc:"median gap between the output tokens of a request"`
	ITLP99S             Opt[float64] `json:"itl_p99_s" unit:"s" null:"as itl_p50_s" doc:"99th percentile of the same"`
	E2EP50S             Opt[float64] `json:"e2e_p50_s" unit:"s" null:"nothing was admitted" doc:"median time to the last token, from the intended arrival; a lower bound when listed in lower_bounds"`
	E2EP99S             Opt[float64] `json:"e2e_p99_s" unit:"s" null:"as e2e_p50_s" doc:"99th percentile of the same"`
	HitRate             Opt[float64] `json:"hit_rate" null:"there is no prefix cache, or nothing started" doc:"share of prompt tokens served from a prefix cache"`
	HitCeiling          Opt[float64] `json:"hit_ceiling" null:"as hit_rate, or the rows do not say how much of a prompt is shared" doc:"the same share for a cache without bounds: the shared tokens of every request but the first of its group to start in the cell"`
	HitReached          Opt[float64] `json:"hit_of_ceiling" null:"as hit_ceiling, or the ceiling is 0" doc:"hit_rate over hit_ceiling"`
	DispatchLagP99S     Opt[float64] `json:"dispatch_lag_p99_s" unit:"s" null:"nothing was sent" doc:"99th percentile of how long after its intended arrival a request was sent"`
	ProbeBeforeTokensPS Opt[float64] `json:"probe_before_tokens_per_s" unit:"tokens/s" null:"not probed" doc:"decode rate of the idle engine just before the cell"`
	ProbeAfterTokensPS  Opt[float64] `json:"probe_after_tokens_per_s" unit:"tokens/s" null:"not probed" doc:"decode rate of the idle engine just after the cell"`

	Extrapolated Opt[float64] `json:"extrapolated" null:"the engine was real" doc:"share of a simulation's steps that were larger than those which its cost model was fitted on"`

	LowerBounds    []string `json:"lower_bounds" doc:"the keys above whose true value is larger than the one given: a quantile that fell on a request that was not answered, or a count within an SLO that is longer than some client waited"`
	Valid          bool     `json:"valid" doc:"whether the cell may be used; false exactly when invalid_reasons has any"`
	InvalidReasons []string `json:"invalid_reasons" doc:"what makes it invalid"`

	Warnings []Caution `json:"warnings" doc:"what else to know of the cell, of its rung at its rate over all seeds, and of its rung: each with a code, what it is about (cell, rate or rung), its figures by name, and a text"`
}

// Caution is one thing that a reader must know of a figure.
type Caution struct {
	Code string `json:"code"`
	// About is what it is about: the cell, all cells of its rung at its rate, or its rung.
	About   string             `json:"about"`
	Figures map[string]float64 `json:"figures,omitempty"`
	Text    string             `json:"text"` // one sentence without its full stop
}

// What a Caution can be about.
const (
	AboutCell = "cell"
	AboutRate = "rate"
	AboutRung = "rung"
)

// WriteSummary writes one JSON array with an object for each cell, atomically. A
// number that is not finite is an error that names the cell and the key.
func WriteSummary(path string, cells []CellSummary) error {
	out := slices.Clone(cells)
	if out == nil {
		out = []CellSummary{}
	}
	for i := range out {
		c := &out[i]
		c.Schema = SchemaVersion
		if c.InvalidReasons == nil {
			c.InvalidReasons = []string{}
		}
		if c.LowerBounds == nil {
			c.LowerBounds = []string{}
		}
		if c.Warnings == nil {
			c.Warnings = []Caution{}
		}
		for _, f := range summaryFields() {
			if _, err := json.Marshal(reflect.ValueOf(c).Elem().FieldByIndex(f.Index).Interface()); err != nil {
				return fmt.Errorf("write %s: cell %d (%s): %s: %w", path, c.Order, c.Name(), f.Tag.Get("json"), err)
			}
		}
	}
	return WriteJSON(path, out)
}

// ReadSummary reads a file of WriteSummary.
func ReadSummary(path string) ([]CellSummary, error) {
	data, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var objects []json.RawMessage
	if err := json.Unmarshal(data, &objects); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	cells := make([]CellSummary, len(objects))
	for i, o := range objects {
		if err := checkSchema(o); err != nil {
			return nil, fmt.Errorf("read %s: cell %d: %w", path, i, err)
		}
		if err := json.Unmarshal(o, &cells[i]); err != nil {
			return nil, fmt.Errorf("read %s: cell %d: %w", path, i, err)
		}
	}
	return cells, nil
}

// summaryFields are the fields of CellSummary that have a key, in order.
func summaryFields() []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[CellSummary]()),
		func(f reflect.StructField) bool { return f.Tag.Get("json") == "" })
}
