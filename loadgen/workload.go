package loadgen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/loadgen/params"
)

// Workload is what requests say and how long they are, whenever they come: a pure
// function of a seed.
type Workload struct {
	spec string
	// perArrival is how many requests an arrival brings in the mean: more than one
	// where conversations arrive.
	perArrival float64
	open       func(seed uint64) source
	recorded   *arrival.Process // of a trace that has times
	label      string           // what tapes are named, if not by spec: not where a file is
	frozen     bool             // a tape: every seed is the same
}

// source draws the requests of one seed, arrival by arrival.
type source interface {
	// next returns the requests of the next arrival: one, or the turns of a
	// conversation in order; none when a trace has no more. Index and At are the
	// caller's to set.
	next() []Request
}

const (
	// SharedPrompt is the default workload: 70% of the requests carry one of four
	// system prompts, 30% one of their own of like length, and output lengths
	// have a heavy tail. The classes differ in whether a prompt can be reused and
	// in nothing else.
	SharedPrompt = "shared-prompt"
	// Uniform is the control: every prompt is of one length and nobody else's,
	// and every answer has the same length, known in advance. There is no tail to
	// schedule around and no prefix to reuse, so policies that serve the same
	// batch sizes should look alike on it.
	Uniform = "uniform"
	// Sessions are conversations of several turns: each carries what was said
	// before, and is due a think time after the answer to the one before.
	Sessions = "sessions"
	// PrefixRepetition has prompts of one length, a share of which begin with one
	// of some prefixes.
	PrefixRepetition = "prefix-repetition"
	// Bimodal has answers of two lengths.
	Bimodal = "bimodal"
	// Chat has short prompts and long answers.
	Chat = "chat"
	// Trace replays a file: see Formats.
	Trace = "trace"
)

// Workloads lists the names that ParseWorkload takes and that need no file. Trace
// is the one that does.
func Workloads() []string {
	return []string{SharedPrompt, Uniform, Sessions, PrefixRepetition, Bimodal, Chat}
}

// WorkloadsHelp describes the specs that ParseWorkload takes, one a line, each with
// the defaults of its parameters.
const WorkloadsHelp = `  shared-prompt                   70% carry one of four system prompts; heavy-tailed answers
  uniform                         prompts and answers of one length, nothing to share
  chat:prompt=150,output=150      short prompts, long answers, nothing to share; mean tokens
  sessions:turns=4,think=2s,system=128
                                  conversations; think is a mean, system in tokens
  prefix-repetition:prefixes=10,prefix=256,suffix=64,output=69,share=0.9
                                  lengths in tokens; the rest has a prefix of its own
  bimodal:short=32,long=400,share=0.2,short-prompt=256,long-prompt=256
                                  answers of two lengths in tokens; share is that of the long
  trace:FILE                      a recording: ShareGPT, BurstGPT, Azure, Mooncake, or a tape`

// ErrUnknownWorkload is wrapped by the error for a name that Workloads lacks.
var ErrUnknownWorkload = errors.New("unknown workload")

// ParseWorkload reads a spec of WorkloadsHelp. The file of a trace is read.
func ParseWorkload(spec string) (Workload, error) {
	name, rest := params.Split(spec)
	o := params.New("workload", name, rest, name == Trace)
	w := Workload{perArrival: 1}
	switch name {
	case SharedPrompt, Uniform:
		w.open = func(seed uint64) source { return newContent(name, seed) }
	case Chat:
		w.open = readChat(o).open
	case Sessions:
		p := readSessions(o)
		w.perArrival = float64(p.turns)
		w.open = p.open
	case PrefixRepetition:
		w.open = readRepetition(o).open
	case Bimodal:
		w.open = readBimodal(o).open
	case Trace:
		w = openTrace(o)
	default:
		known := append(Workloads(), Trace)
		return Workload{}, fmt.Errorf("%w %q: %schoose from %s", ErrUnknownWorkload, name, params.DidYouMean(name, known), strings.Join(known, ", "))
	}
	var err error
	if w.spec, err = o.Done(); err != nil {
		return Workload{}, err
	}
	return w, nil
}

// String returns the spec, in its canonical form.
func (w Workload) String() string { return w.spec }

// Frozen says that every seed gives the same requests: the workload is a tape.
func (w Workload) Frozen() bool { return w.frozen }

// name is what a tape calls its workload.
func (w Workload) name() string {
	if w.label != "" {
		return w.label
	}
	return w.spec
}
