package loadgen_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/ideal"
)

// A tape is drawn from a seed and frozen. The same values give the same requests, which
// the hash says; another rate gives the same requests at another pace.
func ExampleMake() {
	slow, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: 1, Seed: 7, Duration: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	fast, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: 2, Seed: 7, Duration: 30 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := slow.Requests[3], fast.Requests[3]
	fmt.Println("same text:", a.User == b.User, "same limit:", a.MaxTokens == b.MaxTokens)
	fmt.Printf("pace: %.1f\n", float64(a.At)/float64(b.At))
	// Output:
	// same text: true same limit: true
	// pace: 2.0
}

// Arrivals are pure functions of a rate, a seed and a duration.
func ExampleParseArrivals() {
	for _, spec := range []string{"poisson", "gamma:burstiness=0.25", "constant"} {
		process, err := loadgen.ParseArrivals(spec)
		if err != nil {
			fmt.Println(err)
			return
		}
		at := process.Times(2, 1, 10*time.Minute)
		fmt.Printf("%-22s CV %.1f, about %d00 arrivals\n", process, process.CV(), (len(at)+50)/100)
	}
	// Output:
	// poisson                CV 1.0, about 1200 arrivals
	// gamma:burstiness=0.25  CV 2.0, about 1200 arrivals
	// constant               CV 0.0, about 1200 arrivals
}

// A Driver offers a tape in open loop. Here a server of one place takes 300 ms for each
// of three requests that come at once: the third waits for two, and its latency begins
// at its intended arrival.
func ExampleDriver() {
	tape := &loadgen.Tape{Workload: "example", RPS: 3, Duration: time.Second}
	for i := range 3 {
		tape.Requests = append(tape.Requests, loadgen.Request{Index: i, Group: -1, MaxTokens: 1, StopTokens: 1})
	}
	clk := clock.NewVirtual()
	server := ideal.NewServer(clk, 1, func(int) time.Duration { return 300 * time.Millisecond })
	driver, err := loadgen.NewDriver(clk, tape, server, loadgen.DriverConfig{Timeout: time.Minute, Done: clk.Stop})
	if err != nil {
		fmt.Println(err)
		return
	}
	clk.At(0, driver.Start)
	if err := clk.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range driver.Records() {
		fmt.Println(r.Request, r.Outcome, r.LastToken().V-r.Intended)
	}
	// Output:
	// 0 completed 300ms
	// 1 completed 600ms
	// 2 completed 900ms
}
