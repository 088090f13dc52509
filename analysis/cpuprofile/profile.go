package cpuprofile

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Profile is a CPU profile, folded: how often a busy thread was seen in which
// stack. Threads that wait are not seen.
type Profile struct {
	Period   time.Duration // of a thread's CPU time, between its samples
	Duration time.Duration // on the wall
	Stacks   []Stack       // each once, in order of their frames
}

// Stack is a chain of calls. Its frames are function names, outermost first; code
// without symbols is named by its file, such as [libllama.so]. Of a thread that
// Go did not start only the innermost frame is known; above it stands Foreign.
type Stack struct {
	Frames  []string
	Samples int64
}

// Foreign is the outermost frame on a thread that the process has besides Go's.
const Foreign = "[thread of a C library]"

// Read folds a CPU profile in the form that runtime/pprof writes.
func Read(r io.Reader) (*Profile, error) {
	raw, err := profile.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("CPU profile: %w", err)
	}
	count := slices.IndexFunc(raw.SampleType, func(t *profile.ValueType) bool { return t.Type == "samples" })
	if count < 0 || raw.PeriodType == nil || raw.PeriodType.Type != "cpu" || raw.PeriodType.Unit != "nanoseconds" {
		return nil, fmt.Errorf("CPU profile: it holds no samples of CPU time; give one that runtime/pprof's StartCPUProfile wrote")
	}
	p := &Profile{Period: time.Duration(raw.Period), Duration: time.Duration(raw.DurationNanos)}
	for _, s := range raw.Sample {
		p.Stacks = append(p.Stacks, Stack{framesOf(s), s.Value[count]})
	}
	p.fold()
	return p, nil
}

// externalCode is what the Go runtime puts above code that it does not know.
const externalCode = "runtime._ExternalCode"

// framesOf lists a sample's functions, inlined ones included, outermost first.
func framesOf(s *profile.Sample) []string {
	var frames []string
	for _, at := range slices.Backward(s.Location) {
		named := false
		for _, line := range slices.Backward(at.Line) {
			if line.Function != nil && line.Function.Name != "" {
				frames, named = append(frames, line.Function.Name), true
			}
		}
		if !named {
			frames = append(frames, objectOf(at))
		}
	}
	if len(frames) > 0 && frames[0] == externalCode {
		frames[0] = Foreign
	}
	return frames
}

func objectOf(at *profile.Location) string {
	if at.Mapping == nil || at.Mapping.File == "" {
		return "[unknown]"
	}
	return "[" + strings.Trim(path.Base(at.Mapping.File), "[]") + "]"
}

// fold sorts the stacks and joins equal ones.
func (p *Profile) fold() {
	slices.SortFunc(p.Stacks, func(a, b Stack) int { return slices.Compare(a.Frames, b.Frames) })
	folded := p.Stacks[:0]
	for _, s := range p.Stacks {
		if last := len(folded) - 1; last >= 0 && slices.Equal(folded[last].Frames, s.Frames) {
			folded[last].Samples += s.Samples
		} else if s.Samples > 0 {
			folded = append(folded, s)
		}
	}
	p.Stacks = folded
}

// Samples is how many samples there are.
func (p *Profile) Samples() int64 {
	var n int64
	for _, s := range p.Stacks {
		n += s.Samples
	}
	return n
}

// ForeignSamples is how many of them are of threads that Go did not start.
func (p *Profile) ForeignSamples() int64 {
	var n int64
	for _, s := range p.Stacks {
		if len(s.Frames) > 0 && s.Frames[0] == Foreign {
			n += s.Samples
		}
	}
	return n
}

// Hz is how many samples a busy thread gives in a second of its CPU time.
func (p *Profile) Hz() float64 {
	if p.Period <= 0 {
		return 0
	}
	return float64(time.Second) / float64(p.Period)
}

// Busy is the CPU time that n samples stand for.
func (p *Profile) Busy(n int64) time.Duration { return time.Duration(n) * p.Period }

// WriteFolded writes a line per stack, its frames joined by semicolons and its
// number of samples: what other flame graph tools read.
func (p *Profile) WriteFolded(w io.Writer) error {
	for _, s := range p.Stacks {
		if _, err := fmt.Fprintf(w, "%s %d\n", strings.Join(s.Frames, ";"), s.Samples); err != nil {
			return err
		}
	}
	return nil
}

// Share is what one component took of the busy time.
type Share struct {
	Component Component     `json:"component"`
	Samples   int64         `json:"samples"`
	Busy      time.Duration `json:"busy_ns"`
	Share     float64       `json:"share"` // of all samples
}

// Shares gives every component's share, the largest first. They add up to 1, and
// a component without a sample has 0, which means: too little to be seen.
func (p *Profile) Shares() []Share {
	count := map[Component]int64{}
	for _, s := range p.Stacks {
		count[ComponentOf(s.Frames)] += s.Samples
	}
	total := max(p.Samples(), 1)
	var shares []Share
	for _, c := range Components() {
		n := count[c]
		shares = append(shares, Share{c, n, p.Busy(n), float64(n) / float64(total)})
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Samples, a.Samples) })
	return shares
}
