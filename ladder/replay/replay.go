// Package replay decides a recorded cell again: the scheduler and the admission policy get
// the recorded times of every request and every step, and must decide each exactly as they
// did. The same batches, given to a simulated machine, say how far its cost model is off.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// Result is what a replay found.
type Result struct {
	// Mismatch is the first decision that was not the recorded one; nil when there is none.
	Mismatch *Mismatch
	Steps    int // that were compared
	// Measured and Modelled are how long the steps with rows took in all, by the trace and
	// by the machine's backend, which had the very same batches. A backend that is no model
	// leaves Modelled 0.
	Measured, Modelled time.Duration
	// Ratios are modelled over measured for each of these steps, in order.
	Ratios []float64
}

// Mismatch is the first decision of a replay that was not the recorded one.
type Mismatch struct {
	Step     int64
	Field    string // of results.StepRow, or which request's admission
	Recorded string
	Replayed string
}

// String is a sentence fragment.
func (m *Mismatch) String() string {
	return fmt.Sprintf("step %d: %s was %s and is now %s", m.Step, m.Field, m.Recorded, m.Replayed)
}

// Cell serves a recorded cell again without a model: requests are handed over and
// withdrawn when the records say, and every step begins and ends when its trace says.
// The scheduler must then decide each step exactly as it did, and so must the rung's
// admission policy, if it has one, on every request. The machine of the setup gives
// prompts and limits, and must be of the layout that the cell was measured in.
//
// Answers are not recorded, so the replay's are arbitrary tokens: a prompt that a
// later request shares with an answer would be found in the recorded cache only. No
// built-in workload has one.
func Cell(s cell.Setup, was results.Cell, records []results.Record, steps []results.StepRow) (Result, error) {
	t, err := cell.NewTapes(s.Machine).At(&s.Config, was.OfferedRPS, was.Seed, true)
	if err != nil {
		return Result{}, err
	}
	if t.Hash != was.TapeHash {
		return Result{}, fmt.Errorf("the tape of %s is %.12s… now and was %.12s… then: the workload has changed, so the cell cannot be replayed", was.Name(), t.Hash, was.TapeHash)
	}
	b, err := s.Machine.Open(s.Shape)
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	serve := s.Rung.Engine(s.Machine.Unified())
	r := &replay{
		steps: steps, records: records, prompts: t.Prompts, events: handovers(records),
		trace:      cell.StepTrace{BlockTokens: max(1, serve.Cache.BlockTokens)},
		thresholds: slices.ContainsFunc(records, func(r results.Record) bool { return r.Admission.V.Threshold.OK }),
	}
	r.clock.play = r.play
	serve.OnStep = r.trace.Add
	if serve.Admission, r.slo, err = cell.Admission(s.Rung, &s.Config, b.Limits(), was.Key, t.Tape); err != nil {
		return Result{}, err
	}
	_, err = cell.Serve(context.Background(), &r.clock, &recorded{Backend: b, clock: &r.clock, found: &r.found}, serve, r)
	r.found.Steps = len(r.trace.Steps)
	return r.found, err
}

// handover is a request that was handed over or withdrawn, or turned away before its
// start, for which the engine must have looked at its queue.
type handover struct {
	at    time.Duration
	index int
	what  event
}

type event uint8

const (
	submit event = iota
	cancel
	look
)

// handovers are what happened to an engine from outside, in the order in which it did.
// Times are those of the driver's loop, so that two are equal only when one callback
// did both: it sends in the order of the tape.
func handovers(records []results.Record) []handover {
	var events []handover
	for i := range records {
		r := &records[i]
		if r.Sent.OK {
			events = append(events, handover{at: r.Sent.V, index: i})
		}
		if r.Outcome == results.TimedOut && r.Ended.OK {
			events = append(events, handover{at: r.Ended.V, index: i, what: cancel})
		}
		if r.Dropped() && r.Ended.OK {
			events = append(events, handover{at: r.Ended.V, index: i, what: look})
		}
	}
	slices.SortStableFunc(events, func(a, b handover) int { return cmp.Compare(a.at, b.at) })
	return events
}

// replay is a replay under way.
type replay struct {
	eng     *engine.Engine
	clock   scriptClock
	steps   []results.StepRow
	records []results.Record
	prompts [][]engine.Token
	events  []handover // still to come
	trace   cell.StepTrace
	found   Result
	slo     time.Duration // of a rung with an admission policy
	// thresholds says that the records have those of decisions, as older ones have not.
	thresholds bool
	decided    *Mismatch // the first decision of that policy that was not the recorded one
}

// Begin implements cell.Client. The clock plays the rest.
func (r *replay) Begin(eng *engine.Engine, _ func()) { r.eng = eng }

// play is the run of the clock.
func (r *replay) play() { r.found.Mismatch = r.firstMismatch() }

func (r *replay) firstMismatch() *Mismatch {
	for k := range r.steps {
		r.clock.step = &r.steps[k]
		m := r.begin(k)
		if r.decided != nil {
			m = r.decided
		}
		if m != nil {
			return m
		}
	}
	m := r.commit(len(r.steps))
	if m == nil && r.slo > 0 {
		m = r.rest()
	}
	return m
}

// rest hands over who came after the last step, and was refused.
func (r *replay) rest() *Mismatch {
	r.feed(math.MaxInt64)
	if r.decided == nil && r.clock.stepping() {
		n := len(r.steps)
		return &Mismatch{Step: int64(n), Field: "steps so far", Recorded: fmt.Sprint(n), Replayed: fmt.Sprint(n + 1)}
	}
	return r.decided
}

// begin brings the engine to the start of step k. It is planned in the callback that
// committed the one before, in that of a request which was handed over or withdrawn
// while nothing ran, or when the engine had asked to be woken.
func (r *replay) begin(k int) *Mismatch {
	if m := r.commit(k); m != nil {
		return m
	}
	start := r.steps[k].Start
	r.feed(start)
	for !r.clock.stepping() && len(r.events) > 0 && r.events[0].at == start {
		r.next()
	}
	r.clock.now = start
	if !r.clock.stepping() {
		r.clock.ring()
	}
	if !r.clock.stepping() || r.clock.began != start {
		return &Mismatch{Step: int64(k), Field: "Start", Recorded: start.String(), Replayed: fmt.Sprintf("%v (in flight: %t)", r.clock.began, r.clock.stepping())}
	}
	return nil
}

// commit ends the last of the first n steps, and compares it.
func (r *replay) commit(n int) *Mismatch {
	if n > 0 {
		at := r.steps[n-1].Committed
		r.feed(at)
		r.clock.now = at
		r.clock.finish()
	}
	return r.compare(n)
}

// feed hands over and withdraws what came before a time.
func (r *replay) feed(before time.Duration) {
	for len(r.events) > 0 && r.events[0].at < before {
		r.next()
	}
}

// next hands over or withdraws what is next.
func (r *replay) next() {
	e := r.events[0]
	r.events = r.events[1:]
	if e.what == look {
		if !r.clock.stepping() {
			r.clock.now = e.at
			r.clock.ring()
		}
		return
	}
	r.clock.now = e.at
	rec := &r.records[e.index]
	id := int(rec.Request)
	if e.what == cancel {
		r.eng.Cancel(id)
		return
	}
	// The answer ends where the recorded one did: that is all that matters of its stop.
	stop := func(_ engine.Token, n int) bool { return rec.Outcome == results.Completed && n >= len(rec.Tokens) }
	req := engine.Request{ID: id, Class: rec.Class, Prompt: r.prompts[id], MaxTokens: int(rec.MaxTokens)}
	if r.slo == 0 {
		r.eng.Submit(req, stop, unheard{})
		return
	}
	req.Late, req.Deadline = e.at-rec.Intended, rec.Intended+r.slo
	r.eng.Submit(req, stop, witness{r: r, rec: rec})
}

// witness holds the decision about a request against the recorded one.
type witness struct {
	unheard
	r   *replay
	rec *results.Record
}

// Decided implements engine.AdmissionObserver.
func (w witness) Decided(r *admission.Request, s *admission.Snapshot, d *admission.Decision) {
	is := results.Some(cell.AdmissionOf(r, s, d))
	if !w.r.thresholds {
		is.V.Threshold = results.Opt[results.AdmissionThreshold]{}
	}
	if w.r.decided == nil && is != w.rec.Admission {
		w.r.decided = &Mismatch{Step: int64(len(w.r.trace.Steps)), Field: fmt.Sprintf("admission of request %d", r.ID),
			Recorded: fmt.Sprintf("%+v", w.rec.Admission.V), Replayed: fmt.Sprintf("%+v", is.V)}
	}
}

// compare checks that the first n steps were traced, and the last of them against its
// record.
func (r *replay) compare(n int) *Mismatch {
	if len(r.trace.Steps) != n {
		at := min(n, len(r.trace.Steps))
		return &Mismatch{Step: int64(at), Field: "steps so far", Recorded: fmt.Sprint(n), Replayed: fmt.Sprint(len(r.trace.Steps))}
	}
	if n == 0 {
		return nil
	}
	return differ(&r.steps[n-1], &r.trace.Steps[n-1])
}

// measured are the fields of a step that are the backend's and not decided.
var measured = []string{"Model", "Host", "Cells", "TopCell"}

// differ returns the first field in which two steps differ.
func differ(was, is *results.StepRow) *Mismatch {
	a, b := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if slices.Contains(measured, name) {
			continue
		}
		x, y := a.Field(i), b.Field(i)
		if x.Kind() == reflect.Slice && x.Len() == 0 && y.Len() == 0 || reflect.DeepEqual(x.Interface(), y.Interface()) {
			continue
		}
		return &Mismatch{Step: was.Step, Field: name, Recorded: fmt.Sprintf("%+v", x), Replayed: fmt.Sprintf("%+v", y)}
	}
	return nil
}

// unheard is an observer that ignores a request.
type unheard struct{}

func (unheard) Started(time.Duration, int)        {}
func (unheard) Token(engine.Token, time.Duration) {}
func (unheard) Ended(error, time.Duration)        {}

// recorded is a backend that has no slot when the trace says so.
type recorded struct {
	engine.Backend
	clock *scriptClock
	found *Result
}

// Step implements engine.Backend.
func (b *recorded) Step(batch *engine.Batch, res *engine.StepResult) error {
	err := b.Backend.Step(batch, res)
	if err == nil && b.clock.step.Error.OK {
		res.Tokens = res.Tokens[:0]
		return engine.ErrNoSlot
	}
	if took := b.clock.step.End - b.clock.step.Start; err == nil && len(batch.Rows) > 0 && took > 0 {
		b.found.Measured += took
		b.found.Modelled += res.Modelled
		b.found.Ratios = append(b.found.Ratios, float64(res.Modelled)/float64(took))
	}
	return err
}
