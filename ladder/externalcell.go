package ladder

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/httptarget"
	"github.com/cadence-bench/cadence-bench/results"
)

// gcPercent is the garbage collector's target while a server is measured: with it
// the p99 dispatch lag at 1,000 streams a second was about half of what it is with
// Go's default of 100.
const gcPercent = 800

// external measures a cell on a server that is there already. It has no probes,
// for a server cannot be had alone; before and after the cell the server gives a
// short answer, which shows that it is there, opens the way to it, and leaves
// nothing of this cell for the next one to wait behind.
func (c *cellRun) external(ctx context.Context, tape *loadgen.Tape, cell *results.Cell) ([]results.Record, error) {
	server := c.cfg.server(*c.rung.External, c.key, c.models)
	prompts, err := c.externalPrompts(tape)
	if err != nil {
		return nil, err
	}
	if err := c.answers(ctx, server, "before "+c.mark); err != nil {
		return nil, err
	}
	// Many short-lived buffers on a small heap would have the collector run ten times
	// a second, each time for longer than a request may be late.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	clk := clock.NewFineWall()
	target := httptarget.New(clk, server, func(r *loadgen.Request) httptarget.Prompt { return prompts[r.Index] })
	defer target.Close()
	records, err := c.drive(ctx, clk, target, site{load: func() (int, int) { return 0, 0 }}, tape, cell)
	if err != nil {
		return nil, err
	}
	target.Close()
	stats := target.Stats()
	if stats.Exhausted > 0 {
		cell.Violations = append(cell.Violations, fmt.Sprintf(
			"%d requests were not offered: this machine is out of file descriptors (ulimit -n) or local ports", stats.Exhausted))
	}
	cell.Params = c.externalParams(server, stats)
	if err := c.answers(ctx, server, "after "+c.mark); err != nil {
		cell.Params["after"] = err.Error()
	}
	return records, ctx.Err()
}

// answers waits until the server has given a short answer.
func (c *cellRun) answers(ctx context.Context, server httptarget.Config, mark string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.patience(), fmt.Errorf("nothing within %v", c.cfg.patience()))
	defer cancel()
	return httptarget.Try(ctx, server, greeting(mark))
}

// externalPrompts renders a tape's prompts, with the cell's mark before each.
func (c *cellRun) externalPrompts(tape *loadgen.Tape) ([]httptarget.Prompt, error) {
	marked := *tape
	marked.Requests = slices.Clone(tape.Requests)
	if !c.cfg.SharedCache {
		for i := range marked.Requests {
			r := &marked.Requests[i]
			if r.System == "" {
				r.System = c.mark
			} else {
				r.System = c.mark + "\n" + r.System
			}
		}
	}
	prompts := make([]httptarget.Prompt, len(marked.Requests))
	for i, r := range marked.Requests {
		prompts[i] = httptarget.Prompt{System: r.System, History: r.History, User: r.User}
	}
	if !c.cfg.TokenIDs {
		return prompts, nil
	}
	ids, err := newEncoder(c.m).encode(&marked)
	if err != nil {
		return nil, err
	}
	for i := range ids {
		prompts[i].Tokens = make([]int32, len(ids[i]))
		for k, token := range ids[i] {
			prompts[i].Tokens[k] = int32(token)
		}
	}
	return prompts, nil
}

// externalParams are the parameters of a cell on a server, and how its answers
// were read.
func (c *cellRun) externalParams(server httptarget.Config, s httptarget.Stats) map[string]string {
	p := map[string]string{
		"url": server.URL, "api": string(server.API), "target_model": server.Model, "answer_end": string(server.Ending),
		"token_ids": strconv.FormatBool(c.cfg.TokenIDs), "chunks_with_several_tokens": strconv.Itoa(s.Several),
		"usage_out_of_range": strconv.Itoa(s.BadUsage),
	}
	if !c.cfg.SharedCache {
		p["mark"] = c.mark
	}
	for _, how := range []httptarget.Counting{httptarget.ByIDs, httptarget.ByUsage, httptarget.ByChunk} {
		p["counted_by_"+string(how)] = strconv.Itoa(s.Counted[how])
	}
	return p
}
