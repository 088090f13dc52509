package loadgen

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/loadgen/params"
	"github.com/cadence-bench/cadence-bench/loadgen/random"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

// sessions are conversations: each with a system prompt of its own, user's turns
// like the shared-prompt mix's, and answers of its lengths. A think time is
// exponential, as is usual where nothing is known of the people.
type sessions struct {
	turns, system int
	think         time.Duration
}

func readSessions(o *params.Reader) sessions {
	return sessions{
		turns:  o.Whole("turns", 4, 1, 1000),
		think:  o.Duration("think", 2*time.Second, 0),
		system: o.Whole("system", 128, 1, text.MaxTokens),
	}
}

func (p sessions) open(seed uint64) source { return &sessionSource{p: p, draws: newDraws(seed)} }

// draws are the streams that the sources have in common.
type draws struct {
	seed                                   uint64
	mix, output, stopping, sampling, think *rand.Rand
	n                                      int // requests so far
}

func newDraws(seed uint64) draws {
	return draws{
		seed: seed,
		mix:  random.Stream(seed, "mix"), output: random.Stream(seed, "output"), stopping: random.Stream(seed, "stopping"),
		sampling: random.Stream(seed, "sampling"), think: random.Stream(seed, "think"),
	}
}

// text returns the stream of the next request's text.
func (d *draws) text() *rand.Rand {
	d.n++
	return random.Stream(d.seed, "text/"+strconv.Itoa(d.n-1))
}

func (d *draws) request(class string) Request {
	return Request{Class: class, Group: -1, Seed: d.sampling.Uint64()}
}

type sessionSource struct {
	p sessions
	draws
	session int
}

// next implements source: it returns a whole conversation.
func (s *sessionSource) next() []Request {
	s.session++
	all := make([]Request, s.p.turns)
	var said []string
	system := ""
	for i := range all {
		words := s.text()
		r := s.request("later")
		if i == 0 {
			r.Class = "first"
			system = text.Prose(words, s.p.system)
		} else {
			r.Think = time.Duration(math.Round(-math.Log1p(-s.think.Float64()) * float64(s.p.think)))
		}
		r.Session, r.Turn, r.System, r.History = s.session, i, system, said[:len(said):len(said)]
		r.User = text.UserTurn(words, text.OwnTurns)
		r.MaxTokens = requestedOutput(s.output)
		r.StopTokens = naturalStop(s.stopping, r.MaxTokens)
		said = append(said, r.User, text.Prose(words, r.StopTokens))
		all[i] = r
	}
	return all
}

// repetition is the workload of vllm bench serve's prefix_repetition data set, with
// a share of requests that are left out of the sharing.
type repetition struct {
	prefixes, prefix, suffix, answer int
	share                            float64
}

func readRepetition(o *params.Reader) repetition {
	return repetition{
		prefixes: o.Whole("prefixes", 10, 1, 1_000_000),
		prefix:   o.Whole("prefix", 256, 1, text.MaxTokens),
		suffix:   o.Whole("suffix", 64, 1, text.MaxTokens),
		answer:   o.Whole("output", uniformOutput, 1, text.MaxTokens),
		share:    o.Number("share", 0.9, 0, 1),
	}
}

func (p repetition) open(seed uint64) source {
	return &repetitionSource{repetition: p, draws: newDraws(seed), texts: map[int]string{}}
}

type repetitionSource struct {
	repetition
	draws
	texts map[int]string // prefixes, by number
}

// next implements source.
func (s *repetitionSource) next() []Request {
	words := s.text()
	shared, group := s.mix.Float64() < s.share, s.mix.IntN(s.prefixes)
	r := s.request("unique")
	if shared {
		r.Class, r.Group, r.System = "shared", group, s.prefixText(group)
	} else {
		r.System = text.Prose(words, s.prefix)
	}
	r.User = text.Prose(words, s.suffix)
	r.MaxTokens, r.StopTokens = s.answer, s.answer
	return []Request{r}
}

func (s *repetitionSource) prefixText(group int) string {
	if s.texts[group] == "" {
		s.texts[group] = text.Prose(random.Stream(s.seed, "prefix/"+strconv.Itoa(group)), s.prefix)
	}
	return s.texts[group]
}

// bimodal has two kinds of requests, each of fixed lengths in tokens.
type bimodal struct {
	answer, prompt [2]int // short, long
	share          float64
}

func readBimodal(o *params.Reader) bimodal {
	p := bimodal{answer: [2]int{o.Whole("short", 32, 1, text.MaxTokens), o.Whole("long", 400, 1, text.MaxTokens)}}
	p.share = o.Number("share", 0.2, 0, 1)
	p.prompt = [2]int{o.Whole("short-prompt", 256, 1, text.MaxTokens), o.Whole("long-prompt", 256, 1, text.MaxTokens)}
	return p
}

func (p bimodal) open(seed uint64) source { return &bimodalSource{p, newDraws(seed)} }

type bimodalSource struct {
	bimodal
	draws
}

// next implements source.
func (s *bimodalSource) next() []Request {
	kind, class := 0, "short"
	if s.mix.Float64() < s.share {
		kind, class = 1, "long"
	}
	r := s.request(class)
	r.User = text.Prose(s.text(), s.prompt[kind])
	r.MaxTokens, r.StopTokens = s.answer[kind], s.answer[kind]
	return []Request{r}
}

// chat has short prompts and long answers, with nothing to share: nearly all of the work is
// decoding, which is where a batch gains. Its lengths are means, in tokens.
type chat struct{ prompt, answer int }

func readChat(o *params.Reader) chat {
	return chat{prompt: o.Whole("prompt", 150, 8, text.MaxTokens/4), answer: o.Whole("output", 150, 1, text.MaxTokens/16)}
}

func (p chat) open(seed uint64) source { return &chatSource{p, newDraws(seed)} }

type chatSource struct {
	chat
	draws
}

// promptSigma makes nine of ten prompts 0.4 to 2 times as long as the mean.
const promptSigma = 0.5

// next implements source. Answers have the tail of the predecessor's workload, stretched to
// the mean.
func (s *chatSource) next() []Request {
	r := s.request("chat")
	normal := math.Sqrt2 * math.Erfinv(2*s.mix.Float64()-1)
	tokens := float64(s.prompt) * math.Exp(promptSigma*normal-promptSigma*promptSigma/2)
	r.User = text.Prose(s.text(), int(min(max(math.Round(tokens), 1), 4*float64(s.prompt))))
	r.MaxTokens = max(1, requestedOutput(s.output)*s.answer/uniformOutput)
	r.StopTokens = naturalStop(s.stopping, r.MaxTokens)
	return []Request{r}
}
