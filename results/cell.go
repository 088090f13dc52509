package results

import "time"

// Key names a cell: one (rung, offered rate, seed) run. A run may measure the same one
// more than once; Replicate and Anchor then tell the cells apart.
type Key struct {
	Rung       string  `json:"rung" doc:"name of the configuration"`
	OfferedRPS float64 `json:"offered_rps" unit:"1/s" doc:"rate at which the tape offers requests"`
	Seed       uint64  `json:"seed" doc:"seed of the tape; cells of equal workload, rate and seed replay the same requests"`
	// Replicate counts the measurements of one rung, rate and seed, from 0. Replicates
	// replay one tape, so they say how far a measurement repeats and nothing about
	// other tapes: they are no further seeds.
	Replicate int `json:"replicate,omitempty" doc:"how many times the same cell was measured before in the run; left out when 0"`
	// Anchor marks a cell that was measured again after all others, to price
	// comparisons across the sweep. It stands in no table or chart of the rungs.
	Anchor bool `json:"anchor,omitempty" doc:"whether the cell was measured again after all others, to price comparisons across the sweep; left out when false"`
}

// Probe is a fixed greedy generation on the idle engine: the machine's speed
// beside a cell. TokensPerS is output tokens over the whole probe.
type Probe struct {
	PrefillTokensPerS float64 `json:"prefill_tokens_per_s"`
	DecodeTokensPerS  float64 `json:"decode_tokens_per_s"`
}

// Steps sums up a cell's engine steps.
type Steps struct {
	Count      int64   `json:"count"`
	Rows       int64   `json:"rows"`        // tokens put through the model
	OutputRows int64   `json:"output_rows"` // rows that gave a token
	ModelS     float64 `json:"model_s"`     // inside the forward pass
	HostS      float64 `json:"host_s"`      // batch building and sampling
	ScheduleS  float64 `json:"schedule_s"`  // planning and committing on the loop; 0 in virtual time
}

// Roofline is the least work that a cell's tape is, and how fast the idle engine did such
// work before the cell: prompts in steps of 512 rows, answers in a full batch.
type Roofline struct {
	PromptRows      int     `json:"prompt_rows"` // each beginning that prompts share once, where the rung caches
	DecodeRows      int     `json:"decode_rows"` // output tokens but for each answer's first
	PrefillRowsPerS float64 `json:"prefill_rows_per_s"`
	DecodeRowsPerS  float64 `json:"decode_rows_per_s"`
}

// Least is how long the engine takes for the work at least.
func (r *Roofline) Least() time.Duration {
	seconds := float64(r.PromptRows)/r.PrefillRowsPerS + float64(r.DecodeRows)/r.DecodeRowsPerS
	return time.Duration(seconds * float64(time.Second))
}

// Usage is what the process took of the machine while a cell was offered.
type Usage struct {
	CPUS  float64 `json:"cpu_s"`  // user and system time of the whole process
	WallS float64 `json:"wall_s"` // from the start of the offer until the last outcome
	Cores int     `json:"cores"`  // that the process may use
	// EngineInside says that the engine ran in this process, so that CPUS is not
	// the load generator's alone.
	EngineInside bool `json:"engine_inside"`
}

// Cell describes one run. It is kept as JSON in the Parquet file's metadata, so
// that a cell file can be read alone.
type Cell struct {
	Schema int `json:"schema"`
	Key
	Order    int    `json:"order"` // position in the sweep, from 0
	Backend  string `json:"backend"`
	Workload string `json:"workload"`
	TapeHash string `json:"tape_hash"`
	Arrivals string `json:"arrivals,omitempty"` // the arrival process; poisson in files that do not say
	// ArrivalRPS is the rate of what comes by itself: OfferedRPS over the turns of a
	// conversation; null where that is OfferedRPS.
	ArrivalRPS Opt[float64] `json:"arrival_rps"`
	// StartedAt is the calendar's, and zero in a simulation, which has no date: the
	// same one, made twice, is the same bytes.
	StartedAt time.Time `json:"started_at"`

	DurationS float64 `json:"duration_s"` // arrivals are offered over [0, DurationS)
	WarmupS   float64 `json:"warmup_s"`   // arrivals before it are flagged
	TimeoutS  float64 `json:"timeout_s"`  // client timeout, from the intended arrival
	SLOS      float64 `json:"slo_s"`      // E2E objective
	EndedS    float64 `json:"ended_s"`    // when the last request's outcome was decided

	// Requests is how many the tape has; null in files that do not say.
	Requests Opt[int] `json:"requests"`
	// OutstandingS is the integral over the cell of how many requests were
	// outstanding (sent and not yet ended), as the driver counted them while it
	// ran, in request-seconds; null where nobody counted.
	OutstandingS Opt[float64] `json:"outstanding_s"`
	// Usage is null in virtual time, and where the system does not tell.
	Usage Opt[Usage] `json:"usage"`

	// Disturbance is null in virtual time, and where nobody asked.
	Disturbance Opt[Disturbance] `json:"disturbance,omitzero"`

	ProbeBefore Opt[Probe] `json:"probe_before"`
	ProbeAfter  Opt[Probe] `json:"probe_after"`
	Steps       Steps      `json:"steps"`
	// Extrapolated is the share of the steps that were larger than those which the
	// twin's cost model was fitted on; null when the engine was real.
	Extrapolated Opt[float64] `json:"extrapolated,omitzero"`
	// UpperRequests is how many requests of the steady window (arrivals from WarmupS on)
	// no policy of admission could have passed in answers within the SLO; a linear
	// programme's optimum, and so not whole. Null when the engine was real.
	UpperRequests Opt[float64] `json:"upper_requests,omitzero"`
	// Roofline is null unless it was asked for, and where lengths are the model's to choose.
	Roofline Opt[Roofline] `json:"roofline,omitzero"`
	// Params are the rung's and the engine's parameters, by documented name.
	Params map[string]string `json:"params"`
	// Mixed lists what differed from the run's manifest when the cell was measured; it is
	// empty unless the run was gone on with in spite of that.
	Mixed []Change `json:"mixed,omitempty"`
	// Violations say what is wrong with the measurement itself, one rule each,
	// such as a token time before its request's start. A cell that has any is
	// invalid in every report. WriteCell and ReadCell add those of the rows.
	Violations []string `json:"violations,omitempty"`
}
