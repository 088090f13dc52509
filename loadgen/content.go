package loadgen

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/cadence-bench/cadence-bench/loadgen/random"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

const (
	sharedShare = 0.7 // of requests; the predecessor's workload

	// Requested output lengths: exp(Normal(outputMu, outputSigma)) rounded and
	// clipped to [minOutput, maxOutput]; mean 132, median 100.
	outputMu, outputSigma = 4.6, 0.8
	minOutput, maxOutput  = 16, 512

	// limitShare of the answers run into MaxTokens; the others end after a
	// Beta(2, 3) share of it (mean 0.4). In all an answer has 0.52 of what was
	// asked for, 69 tokens in the mean: the predecessor's model gave 63 to 75
	// against 136 requested.
	limitShare = 0.2

	// uniformOutput makes the control's mean output that of the mix.
	uniformOutput = 69
)

// content draws what requests say and how long their answers are. Scalars come
// from one stream per subsystem and text from one per request, so that request i
// of a seed is the same at every rate.
type content struct {
	workload                        string
	seed                            uint64
	i                               int
	mix, output, stopping, sampling *rand.Rand
}

func newContent(workload string, seed uint64) *content {
	return &content{
		workload: workload, seed: seed,
		mix:      random.Stream(seed, "mix"),
		output:   random.Stream(seed, "output"),
		stopping: random.Stream(seed, "stopping"),
		sampling: random.Stream(seed, "sampling"),
	}
}

// next implements source.
func (c *content) next() []Request {
	c.i++
	return []Request{c.request(c.i - 1)}
}

// request draws request i. Calls must be made in order from i = 0.
func (c *content) request(i int) Request {
	words := random.Stream(c.seed, "text/"+strconv.Itoa(i))
	r := Request{Index: i, Group: -1, Seed: c.sampling.Uint64()}
	if c.workload == Uniform {
		r.Class = "uniform"
		r.System = text.SystemPrompt(words, text.MeanWords)
		r.User = text.UserTurn(words, text.OwnTurns)
		r.MaxTokens, r.StopTokens = uniformOutput, uniformOutput
		return r
	}
	shared, group := c.mix.Float64() < sharedShare, c.mix.IntN(len(text.Shared()))
	if shared {
		p := text.Shared()[group]
		r.Class, r.Group = "shared", group
		r.System, r.User = p.System, text.UserTurn(words, p.Turns)
	} else {
		r.Class = "unique"
		r.System = text.SystemPrompt(words, text.MinWords+words.IntN(text.MaxWords-text.MinWords+1))
		r.User = text.UserTurn(words, text.OwnTurns)
	}
	r.MaxTokens = requestedOutput(c.output)
	r.StopTokens = naturalStop(c.stopping, r.MaxTokens)
	return r
}

// requestedOutput draws a clipped lognormal length by inversion.
func requestedOutput(r *rand.Rand) int {
	normal := math.Sqrt2 * math.Erfinv(2*r.Float64()-1)
	n := math.Round(math.Exp(outputMu + outputSigma*normal))
	return int(min(max(n, minOutput), maxOutput))
}

// naturalStop draws where an answer of at most limit tokens ends by itself. A
// Beta(2, 3) variate is the second smallest of four uniform ones.
func naturalStop(r *rand.Rand, limit int) int {
	runsIn := r.Float64() < limitShare
	first, second := 1.0, 1.0
	for range 4 {
		u := r.Float64()
		if u < first {
			first, second = u, first
		} else {
			second = min(second, u)
		}
	}
	if runsIn {
		return limit
	}
	return max(1, int(math.Round(float64(limit)*second)))
}
