package ideal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
)

// replication is one run of a queue from empty to empty.
type replication struct {
	queue   Queue
	service time.Duration // mean
	tape    *loadgen.Tape
	times   []time.Duration // of service, by request
	driver  *loadgen.Driver
}

// newReplication draws the arrivals of about so many requests and their services.
// Arrivals come from loadgen's own stream of the seed.
func newReplication(q Queue, service time.Duration, seed uint64, requests int) *replication {
	rate := q.Rate() / service.Seconds()
	length := time.Duration(float64(requests) / rate * 1e9)
	r := &replication{queue: q, service: service, tape: &loadgen.Tape{Workload: "ideal", RPS: rate, Seed: seed, Duration: length}}
	kind := uint64(q.Servers) << 1
	if q.Exponential {
		kind |= 1
	}
	draw := rand.New(rand.NewPCG(seed, kind))
	for i, at := range arrival.Poisson(rate, seed, length) {
		r.tape.Requests = append(r.tape.Requests, loadgen.Request{Index: i, At: at, Group: -1, MaxTokens: 1, StopTokens: 1})
		t := service
		if q.Exponential {
			t = time.Duration(draw.ExpFloat64() * float64(service))
		}
		r.times = append(r.times, t)
	}
	return r
}

// patience is beyond any wait of a stable queue.
const patience = 1e6 * time.Hour / 1000

// attach puts the replication's server and driver on a clock. done is called at
// the end.
func (r *replication) attach(clk clock.Clock, done func()) error {
	server := NewServer(clk, r.queue.Servers, func(i int) time.Duration { return r.times[i] })
	var err error
	r.driver, err = loadgen.NewDriver(clk, r.tape, server, loadgen.DriverConfig{Timeout: patience, Done: done})
	if err == nil {
		clk.At(0, r.driver.Start)
	}
	return err
}

// waits returns how long each request waited, in mean service times, as the records
// have it: from the intended arrival to the token, less the service. It checks them
// on the way.
func (r *replication) waits() ([]float64, error) {
	records := r.driver.Records()
	waits := make([]float64, len(records))
	for i := range records {
		rec := &records[i]
		if err := rec.Validate(); err != nil {
			return nil, err
		}
		token := rec.FirstToken()
		if !token.OK || token.V-r.times[i] != rec.Started.V {
			return nil, fmt.Errorf("request %d: started at %v and took %v, but its token is at %v", i, rec.Started.V, r.times[i], token.V)
		}
		waits[i] = float64(token.V-r.times[i]-rec.Intended) / float64(r.service)
	}
	if late := r.driver.Late(); late != (loadgen.Late{}) {
		return nil, fmt.Errorf("calls after the end: %+v", late)
	}
	return waits, nil
}

// run drives replications together on one clock and returns the waits of each.
func run(ctx context.Context, clk clock.Clock, rs []*replication) ([][]float64, error) {
	left := len(rs)
	for _, r := range rs {
		if err := r.attach(clk, func() {
			if left--; left == 0 {
				clk.Stop()
			}
		}); err != nil {
			return nil, err
		}
	}
	if err := clk.Run(ctx); err != nil {
		return nil, err
	}
	all := make([][]float64, len(rs))
	for i, r := range rs {
		var err error
		if all[i], err = r.waits(); err != nil {
			return nil, fmt.Errorf("%v at ρ = %g, seed %d: %w", r.queue, r.queue.Load, r.tape.Seed, err)
		}
	}
	return all, nil
}
