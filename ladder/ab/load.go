package ab

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Load is the work of a segment. Nothing of it is left to a measurement: what one side
// chose otherwise than the other would be no equal work.
type Load struct {
	Rung, Ladder, Model, Workload string
	Requests, MaxBatch, Threads   int
	KVLayout, FlashAttn           string
	Retain                        int // KV cells of prefixes that nobody uses; 0 is 4096
}

// The work of a segment is a burst, so that from the first request to the last the
// engine has its batch full and the time is the engine's alone: all requests come within
// the first 20 ms of a second. Short segments and many of them tell more than long ones:
// on the machine the gate was made on, two runs of one segment in a row differ by as much
// whether they last 1.3 s or 1.7 s, since what differs is the machine's pace.
//
// One thread, because two wait for each other at every operation, so that a stall of
// either is one of both: there two segments in a row differ by 5 to 10% with one thread,
// and by 22 to 25% with two.
const (
	burst    = "spike:at=0s,for=20ms,to=1000"
	workload = "prefix-repetition:prefixes=3,prefix=96,suffix=32,output=32,share=0.8"
)

// defaultRetain is many times what the default work shares.
const defaultRetain = 4096

// DefaultLoad is the work unless another is asked for.
func DefaultLoad() Load {
	return Load{Rung: "prefix", Workload: workload, Requests: 10, MaxBatch: 8, Threads: 1, KVLayout: "unified", FlashAttn: "on", Retain: defaultRetain}
}

// DefaultTapes are seeds whose two tapes have 9 requests each, which take 0.9 s on the
// machine the gate was made on.
func DefaultTapes() []uint64 { return []uint64{1, 3} }

// Check is an error that names the flag of a value that makes no sense.
func (l *Load) Check() error {
	switch {
	case l.Requests < 1 || l.MaxBatch < 1 || l.Threads < 1 || l.Retain < 0:
		return fmt.Errorf("--requests, --max-batch and --threads: give 1 or more, and --kv-retain no less than 0")
	case l.KVLayout != "unified" && l.KVLayout != "streams":
		return fmt.Errorf("--kv-layout: %q: give unified or streams", l.KVLayout)
	case l.FlashAttn != "on" && l.FlashAttn != "off":
		return fmt.Errorf("--flash-attn: %q: give on or off", l.FlashAttn)
	}
	return nil
}

// Command is the command line of a segment, without its tape, its folder and what makes
// an arm. It has no flag that is younger than the commits one would compare.
func (l *Load) Command() []string {
	args := []string{
		"ladder", "--rungs", l.Rung, "--rates", strconv.Itoa(l.Requests), "--duration", "1s", "--warmup", "0s", "--timeout", "2m", "--slo", "2s",
		"--workload", l.Workload, "--arrivals", burst, "--max-batch", strconv.Itoa(l.MaxBatch),
		"--threads", strconv.Itoa(l.Threads), "--kv-layout", l.KVLayout, "--flash-attn", l.FlashAttn,
		"--kv-retain", strconv.Itoa(cmp.Or(l.Retain, defaultRetain)), "--share-wait", spec.DefaultShareWait.String(),
	}
	if l.Ladder != "" {
		args = append(args, "--ladder", l.Ladder)
	}
	if l.Model != "" {
		args = append(args, "--model", l.Model)
	}
	return args
}
