package cell

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/httptarget"
)

// Server is a server that is measured in place of an engine, and how it is asked.
type Server struct {
	httptarget.Config
	// Mark is a word of this cell alone. It begins every prompt, unless SharedCache, so
	// that a server that stays up between cells has nothing of earlier ones in its prefix
	// cache.
	Mark        string
	SharedCache bool
	// TokenIDs sends prompts as token ids of the machine's model.
	TokenIDs bool
	// Patience is how long the server may take for the few tokens that show that it is
	// there.
	Patience time.Duration
}

// gcPercent is the garbage collector's target while a server is measured: with it
// the p99 dispatch lag at 1,000 streams a second was about half of what it is with
// Go's default of 100.
const gcPercent = 800

// server measures a cell on a server that is there already. It has no probes,
// for a server cannot be had alone; before and after the cell the server gives a
// short answer, which shows that it is there, opens the way to it, and leaves
// nothing of this cell for the next one to wait behind.
func (s *Setup) server(ctx context.Context, t *Tape, r *Result) error {
	prompts, err := s.Server.prompts(s.Machine, t.Tape)
	if err != nil {
		return err
	}
	if err := s.Server.answers(ctx, "before "+s.Server.Mark); err != nil {
		return err
	}
	// Many short-lived buffers on a small heap would have the collector run ten times
	// a second, each time for longer than a request may be late.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	clk := clock.NewFineWall()
	target := httptarget.New(clk, s.Server.Config, func(q *loadgen.Request) httptarget.Prompt { return prompts[q.Index] })
	defer target.Close()
	o := &offering{clk: clk, tick: s.Tick}
	err = s.offer(clk, t, target, o, r, func() error {
		clk.At(0, func() { o.Begin(nil, clk.Stop) })
		return clk.Run(ctx)
	})
	if err != nil {
		return err
	}
	target.Close()
	stats := target.Stats()
	if stats.Exhausted > 0 {
		r.Cell.Violations = append(r.Cell.Violations, fmt.Sprintf(
			"%d requests were not offered: this machine is out of file descriptors (ulimit -n) or local ports", stats.Exhausted))
	}
	r.Cell.Params = s.Server.params(stats)
	if err := s.Server.answers(ctx, "after "+s.Server.Mark); err != nil {
		r.Cell.Params["after"] = err.Error()
	}
	return ctx.Err()
}

// Greeting is a prompt of the probe's, which no tape has.
func Greeting(mark string) httptarget.Prompt {
	return httptarget.Prompt{System: mark + "\n" + probeSystem, User: probeUser}
}

// answers waits until the server has given a short answer.
func (s *Server) answers(ctx context.Context, mark string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Patience, fmt.Errorf("nothing within %v", s.Patience))
	defer cancel()
	return httptarget.Try(ctx, s.Config, Greeting(mark))
}

// prompts renders a tape's prompts, with the cell's mark before each.
func (s *Server) prompts(m Model, tape *loadgen.Tape) ([]httptarget.Prompt, error) {
	marked := *tape
	marked.Requests = slices.Clone(tape.Requests)
	if !s.SharedCache {
		for i := range marked.Requests {
			r := &marked.Requests[i]
			if r.System == "" {
				r.System = s.Mark
			} else {
				r.System = s.Mark + "\n" + r.System
			}
		}
	}
	prompts := make([]httptarget.Prompt, len(marked.Requests))
	for i, r := range marked.Requests {
		prompts[i] = httptarget.Prompt{System: r.System, History: r.History, User: r.User}
	}
	if !s.TokenIDs {
		return prompts, nil
	}
	ids, err := NewTapes(m).encode(&marked)
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

// params are the parameters of a cell on a server, and how its answers were read.
func (s *Server) params(st httptarget.Stats) map[string]string {
	p := map[string]string{
		"url": s.URL, "api": string(s.API), "target_model": s.Model, "answer_end": string(s.Ending),
		"token_ids": strconv.FormatBool(s.TokenIDs), "chunks_with_several_tokens": strconv.Itoa(st.Several),
		"usage_out_of_range": strconv.Itoa(st.BadUsage),
	}
	if !s.SharedCache {
		p["mark"] = s.Mark
	}
	for _, how := range []httptarget.Counting{httptarget.ByIDs, httptarget.ByUsage, httptarget.ByChunk} {
		p["counted_by_"+string(how)] = strconv.Itoa(st.Counted[how])
	}
	return p
}
