package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// loadedCell is a run of one rung that is to be profiled. Unlike a ladder's cell
// it has no probes, and each prompt is tokenised when it arrives, as in a server.
type loadedCell struct {
	machine *llamaMachine
	rung    spec.Rung
	timeout time.Duration
}

// loadedRun is what came of it.
type loadedRun struct {
	steps     engine.Stats
	completed int
	took      time.Duration // from the first moment to the last end
}

// run offers a tape until all of it has ended. A CPU profile of just that is
// written to into, unless it is nil.
func (c *loadedCell) run(ctx context.Context, tape *loadgen.Tape, into *bytes.Buffer) (loadedRun, error) {
	shape, err := c.shape(tape)
	if err != nil {
		return loadedRun{}, err
	}
	backend, err := c.machine.Open(shape)
	if err != nil {
		return loadedRun{}, err
	}
	defer backend.Close()
	stopAbort := context.AfterFunc(ctx, backend.Abort)
	defer stopAbort()

	clk := c.machine.NewClock()
	eng, err := engine.New(clk, backend, c.rung.Engine(c.machine.unified))
	if err != nil {
		return loadedRun{}, err
	}
	over := false
	stopWhenOver := func() {
		if over && eng.Idle() {
			clk.Stop()
		}
	}
	eng.OnIdle(stopWhenOver)
	driver, err := loadgen.NewDriver(clk, tape, &tokenisingTarget{c.machine, eng}, loadgen.DriverConfig{
		Timeout: c.timeout, Scripted: true, Done: func() { over = true; stopWhenOver() },
	})
	if err != nil {
		return loadedRun{}, err
	}
	clk.At(0, driver.Start)

	runtime.GC() // what came before is not this run's to pay for
	if into != nil {
		if err := pprof.StartCPUProfile(into); err != nil {
			return loadedRun{}, err
		}
	}
	ran := make(chan error)
	go func() { ran <- clk.Run(ctx) }() // so that the loop's stacks do not begin at main
	err = <-ran
	if into != nil {
		pprof.StopCPUProfile()
	}
	if err = errors.Join(err, eng.Err()); err != nil {
		return loadedRun{}, err
	}
	run := loadedRun{steps: eng.Stats(), took: clk.Now()}
	for _, r := range driver.Records() {
		if r.Outcome == results.Completed {
			run.completed++
		}
	}
	return run, nil
}

// shape is the size in which the rung can serve the tape.
func (c *loadedCell) shape(tape *loadgen.Tape) (cell.Shape, error) {
	longest := 0
	for i, r := range tape.Requests {
		prompt, err := c.machine.Encode(r.System, r.User, r.History...)
		if err != nil {
			return cell.Shape{}, err
		}
		longest = max(longest, len(prompt)+r.MaxTokens)
		if room := c.machine.MaxContext(); longest > room {
			return cell.Shape{}, coded(exitInput, fmt.Errorf("request %d needs %d tokens and the model's context is %d; give another --model", i, longest, room))
		}
	}
	return cell.ShapeFor([]spec.Rung{c.rung}, longest), nil
}

// bound bounds the idle cached cells by what they cost. How long prompts are is seen
// from a few of the workload's, of a seed that no profile has by default.
func (c *loadedCell) bound(rule ladder.RetainRule, workload string) (results.Choice, error) {
	tape, err := loadgen.Make(loadgen.Spec{Workload: workload, RPS: 1, Seed: 0xCADE, Duration: 100 * time.Second})
	if err != nil {
		return results.Choice{}, coded(exitInput, err)
	}
	longest := 0
	for _, r := range tape.Requests {
		prompt, err := c.machine.Encode(r.System, r.User, r.History...)
		if err != nil {
			return results.Choice{}, err
		}
		longest = max(longest, len(prompt))
	}
	choice := rule(longest)
	c.rung.Cache.RetainCells, err = strconv.Atoi(choice.Value)
	return choice, err
}

// tokenisingTarget hands requests to the engine as a server would: the text
// comes in, and is tokenised on the loop.
type tokenisingTarget struct {
	machine *llamaMachine
	eng     *engine.Engine
}

// Send implements loadgen.Target.
func (t *tokenisingTarget) Send(r *loadgen.Request, to loadgen.Sink) (cancel func()) {
	prompt, err := t.machine.Encode(r.System, r.User, r.History...)
	if err != nil {
		to.Done(results.Failed, err.Error(), r.At)
		return nil
	}
	to.Prompt(len(prompt))
	stop := func(_ engine.Token, n int) bool { return n >= r.StopTokens }
	t.eng.Submit(engine.Request{ID: r.Index, Class: r.Class, Prompt: prompt, MaxTokens: r.MaxTokens}, stop, sinkObserver{to})
	return func() { t.eng.Cancel(r.Index) }
}

// sinkObserver passes on to the driver what the engine tells.
type sinkObserver struct{ sink loadgen.Sink }

// Started implements engine.Observer.
func (o sinkObserver) Started(at time.Duration, _ int) { o.sink.Started(at) }

// Token implements engine.Observer.
func (o sinkObserver) Token(_ engine.Token, at time.Duration) { o.sink.Token(at) }

// Ended implements engine.Observer.
func (o sinkObserver) Ended(err error, at time.Duration) {
	switch {
	case err == nil:
		o.sink.Done(results.Completed, "", at)
	case errors.Is(err, engine.ErrCancelled):
		o.sink.Done(results.Cancelled, "", at)
	default:
		o.sink.Done(results.Failed, err.Error(), at)
	}
}
