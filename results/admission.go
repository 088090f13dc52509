package results

import "time"

// Admission is what an admission policy decided about a request when it arrived, and
// what it saw of the engine then. What became of the request is its outcome:
//
//   - not Admitted: Shed, at once.
//   - Admitted, and dropped when it was about to start: Shed too. It waited, and missed
//     the SLO for it.
//   - Admitted, and aborted while it ran: Failed, for AbortedReason. That is a violation
//     of the SLO too, and not a fault.
type Admission struct {
	Admitted bool
	Reason   string // why, in a word of package admission
	// Estimate and Bound are the E2E latency that was expected and that was promised;
	// null where the policy predicts none.
	Estimate, Bound Opt[time.Duration]
	Chance          Opt[float64] // estimated, of meeting the SLO
	Regime          string       // idle, partial or queued
	// Propensity is the probability with which a request like this one was taken.
	Propensity float64
	Forced     bool // taken in spite of the bound
	RetryAfter Opt[time.Duration]
	Cached     int32   // prompt tokens that the prefix cache had
	Queued     int32   // requests that waited
	Running    int32   // requests in the batch
	Prefill    int32   // prompt tokens of those that waited and ran, still to be computed
	FreeKV     float64 // share of the KV cells that it could have had, 0 … 1
	Threshold  Opt[AdmissionThreshold]
}

// AdmissionThreshold is the threshold that a request was held against, of a policy that moves
// one. It is null for others, and in files that were written before it was kept.
type AdmissionThreshold struct {
	// Theta is θ of the account that the request belongs to, and Threshold what was asked
	// for in its place when the open requests were counted in; as −log(1 − level).
	Theta, Threshold float64
	At               string // where Theta stands: least, interior or most
	RefusedBy        string // what its bound did not pass; "" if it did
}

// Refused reports whether the request was turned away when it arrived. Without an
// admission policy, or on a server, that is every request that was shed.
func (r *Record) Refused() bool {
	return r.Outcome == Shed && !(r.Admission.OK && r.Admission.V.Admitted)
}

// Aborted reports whether it was taken, and ended while it ran because it could not end
// in time any more.
func (r *Record) Aborted() bool { return r.Outcome == Failed && r.Reason.V == AbortedReason }

// AbortedReason is the Reason of a request that the admission policy aborted.
const AbortedReason = "aborted by admission: it could not end in time"

// Dropped reports whether it was taken, and turned away before it started.
func (r *Record) Dropped() bool { return r.Outcome == Shed && !r.Refused() }

// admissionColumns come last in a cell file.
var admissionColumns = []column[Record]{
	{Column{"admitted", Bool, "", noAdmission, "the admission policy took it when it arrived; whether it was served is its outcome: shed means dropped before its start, failed may mean aborted"},
		inAdmission(func(a *Admission) *bool { return &a.Admitted }, same, same), false},
	{Column{"admission", String, "", noAdmission, "why it was taken or not: open, fits, idle, explore, alive, uncalibrated; too-late, infeasible, over-limit, overloaded, expired"},
		inAdmission(func(a *Admission) *string { return &a.Reason }, text, unText[string]), false},
	{Column{"estimate_ns", Int64, "ns", "as admitted, or the policy predicts none", "E2E latency that the policy expected, from the intended arrival"},
		maybeInAdmission(func(a *Admission) *Opt[time.Duration] { return &a.Estimate }, ns, duration), true},
	{Column{"bound_ns", Int64, "ns", "as estimate_ns", "E2E latency that it promised"},
		maybeInAdmission(func(a *Admission) *Opt[time.Duration] { return &a.Bound }, ns, duration), true},
	{Column{"chance", Double, "", "as admitted, or the policy estimates none", "estimated probability of meeting the SLO"},
		maybeInAdmission(func(a *Admission) *Opt[float64] { return &a.Chance }, same, same), false},
	{Column{"regime", String, "", noAdmission, "how loaded the engine was: idle, partial (there was room in the batch) or queued"},
		inAdmission(func(a *Admission) *string { return &a.Regime }, text, unText[string]), false},
	{Column{"propensity", Double, "", noAdmission, "probability with which a request like this one was taken: 1 or 0 unless the policy tosses a coin"},
		inAdmission(func(a *Admission) *float64 { return &a.Propensity }, same, same), false},
	{Column{"forced", Bool, "", noAdmission, "it was taken in spite of the bound, to learn or to stay alive, and does not count in the policy's promise"},
		inAdmission(func(a *Admission) *bool { return &a.Forced }, same, same), false},
	{Column{"retry_after_ns", Int64, "ns", "as admitted, or nothing was said", "when a refused client may try again"},
		maybeInAdmission(func(a *Admission) *Opt[time.Duration] { return &a.RetryAfter }, ns, duration), true},
	{Column{"probed_tokens", Int32, "tokens", noAdmission, "prompt tokens that the prefix cache had when it arrived"},
		inAdmission(func(a *Admission) *int32 { return &a.Cached }, same, same), false},
	{Column{"queued", Int32, "", noAdmission, "requests that waited when it arrived"},
		inAdmission(func(a *Admission) *int32 { return &a.Queued }, same, same), false},
	{Column{"running", Int32, "", noAdmission, "requests that ran when it arrived"},
		inAdmission(func(a *Admission) *int32 { return &a.Running }, same, same), false},
	{Column{"backlog_tokens", Int32, "tokens", noAdmission, "prompt tokens of those that were still to be computed"},
		inAdmission(func(a *Admission) *int32 { return &a.Prefill }, same, same), false},
	{Column{"free_kv", Double, "", noAdmission, "share of the KV cells that it could have had"},
		inAdmission(func(a *Admission) *float64 { return &a.FreeKV }, same, same), false},
	{Column{"theta", Double, "", noTheta, "θ of the account that the request belongs to, as −log(1 − level): the level that its chance must have"},
		inThreshold(func(g *AdmissionThreshold) *float64 { return &g.Theta }, same, same), false},
	{Column{"theta_at", String, "", noTheta, "where θ stood: at its lower limit (least), between its limits (interior) or at its upper limit (most)"},
		inThreshold(func(g *AdmissionThreshold) *string { return &g.At }, text, unText[string]), false},
	{Column{"threshold", Double, "", noTheta, "what was in force in place of θ, with what was foreseen of the open requests"},
		inThreshold(func(g *AdmissionThreshold) *float64 { return &g.Threshold }, same, same), false},
	{Column{"refused_by", String, "", noTheta, "the first of least, theta, harm, brake, price and hysteresis that its chance did not pass; empty if it passed all"},
		inThreshold(func(g *AdmissionThreshold) *string { return &g.RefusedBy }, text, unText[string]), false},
}

const (
	noAdmission = "the rung has no admission policy, or it was never asked"
	noTheta     = "as admitted, the policy moves no threshold or had nothing yet to hold against it, or the file is older than the column"
)

// inAdmission stores a field of Record.Admission, null where that is.
func inAdmission[P, F any](field func(*Admission) *F, to func(F) P, from func(P) F) codec[Record] {
	return columnCodec[Record, P]{
		get: func(_ *Cell, r *Record) (P, bool) { return to(*field(&r.Admission.V)), r.Admission.OK },
		set: func(r *Record, v P) {
			r.Admission.OK = true
			*field(&r.Admission.V) = from(v)
		},
		nullable: true,
	}
}

// maybeInAdmission stores a field of it that may be null by itself.
func maybeInAdmission[P, F any](field func(*Admission) *Opt[F], to func(F) P, from func(P) F) codec[Record] {
	return columnCodec[Record, P]{
		get: func(_ *Cell, r *Record) (P, bool) {
			o := field(&r.Admission.V)
			return to(o.V), r.Admission.OK && o.OK
		},
		set:      func(r *Record, v P) { *field(&r.Admission.V) = Some(from(v)) },
		nullable: true,
	}
}

// inThreshold stores a field of Admission.Threshold, null where that is.
func inThreshold[P, F any](field func(*AdmissionThreshold) *F, to func(F) P, from func(P) F) codec[Record] {
	return columnCodec[Record, P]{
		get: func(_ *Cell, r *Record) (P, bool) {
			g := &r.Admission.V.Threshold
			return to(*field(&g.V)), r.Admission.OK && g.OK
		},
		set: func(r *Record, v P) {
			r.Admission.V.Threshold.OK = true
			*field(&r.Admission.V.Threshold.V) = from(v)
		},
		nullable: true,
	}
}
