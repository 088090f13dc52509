package ideal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/results"
)

// Stub is one check of the driver against a server that takes 100 ms.
type Stub struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Measured string `json:"measured"`
	OK       bool   `json:"ok"`
}

const (
	stubService = 100 * time.Millisecond
	stubLength  = time.Minute
)

// Stubs runs, in virtual time, 5 requests/s for a minute against a server that takes
// 100 ms for each however many there are, and 20/s against one that can do 10, whose
// latency must grow without bound: a closed loop would level off.
func Stubs(ctx context.Context, seed uint64) ([]Stub, error) {
	calm, err := stub(ctx, 5, 0, seed)
	if err != nil {
		return nil, err
	}
	over, err := stub(ctx, 20, 1, seed)
	if err != nil {
		return nil, err
	}
	return append(calmChecks(calm), overloadCheck(over)), nil
}

func stub(ctx context.Context, rps float64, places int, seed uint64) ([]results.Record, error) {
	clk := clock.NewVirtual()
	tape := &loadgen.Tape{Workload: "ideal", RPS: rps, Seed: seed, Duration: stubLength}
	for i, at := range arrival.Poisson(rps, seed, stubLength) {
		tape.Requests = append(tape.Requests, loadgen.Request{Index: i, At: at, Group: -1, MaxTokens: 1, StopTokens: 1})
	}
	server := NewServer(clk, places, func(int) time.Duration { return stubService })
	driver, err := loadgen.NewDriver(clk, tape, server, loadgen.DriverConfig{Timeout: patience, Done: clk.Stop})
	if err != nil {
		return nil, err
	}
	clk.At(0, driver.Start)
	if err := clk.Run(ctx); err != nil {
		return nil, err
	}
	return driver.Records(), nil
}

func calmChecks(recs []results.Record) []Stub {
	want := 5 * stubLength.Seconds()
	off := (float64(len(recs)) - want) / math.Sqrt(want)
	shortest, longest, lag := time.Duration(math.MaxInt64), time.Duration(0), time.Duration(0)
	for _, r := range recs {
		e2e := r.Ended.V - r.Intended
		shortest, longest = min(shortest, e2e), max(longest, e2e)
		lag = max(lag, r.Sent.V-r.Intended)
	}
	return []Stub{
		{"λ = 5/s for 60 s: requests", fmt.Sprintf("%.0f ± 4 SD (%.0f)", want, math.Sqrt(want)), fmt.Sprint(len(recs)), math.Abs(off) <= 4},
		{"λ = 5/s against 100 ms each: E2E, least and most", "100ms, 100ms", fmt.Sprintf("%v, %v", shortest, longest), shortest == stubService && longest == stubService},
		{"the same: largest dispatch lag", "0s", lag.String(), lag == 0},
	}
}

// overloadCheck compares the median E2E of each quarter. Work comes at twice the
// rate at which it is done, so that the wait of an arrival at t is about t: A(t)/10 − t
// with A(t) Poisson of mean 20 t.
func overloadCheck(recs []results.Record) Stub {
	const quarters = 4
	e2e := make([][]float64, quarters)
	for _, r := range recs {
		q := int(r.Intended * quarters / stubLength)
		e2e[q] = append(e2e[q], (r.Ended.V - r.Intended).Seconds())
	}
	s := Stub{What: "λ = 20/s against 10/s: median E2E by quarter, s", OK: true}
	for q := range quarters {
		at := (float64(q) + 0.5) * stubLength.Seconds() / quarters
		want, sd := at+stubService.Seconds(), math.Sqrt(20*at)/10
		slices.Sort(e2e[q])
		got := e2e[q][len(e2e[q])/2]
		s.OK = s.OK && math.Abs(got-want) <= 4*sd
		if q > 0 {
			s.Expected, s.Measured = s.Expected+", ", s.Measured+", "
		}
		s.Expected += fmt.Sprintf("%.1f ± %.1f", want, 4*sd)
		s.Measured += fmt.Sprintf("%.1f", got)
	}
	return s
}
