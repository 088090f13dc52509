package cpuprofile

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

const pkg = "github.com/cadence-bench/cadence-bench/"

// encoded is a profile of stacks, given outermost first. A frame in brackets is
// code without symbols in that file.
func encoded(t *testing.T, stacks ...Stack) []byte {
	t.Helper()
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType:    &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:        int64(10 * time.Millisecond),
		DurationNanos: int64(2 * time.Second),
	}
	for _, s := range stacks {
		sample := &profile.Sample{Value: []int64{s.Samples, s.Samples * p.Period}}
		for i := range s.Frames {
			name := s.Frames[len(s.Frames)-1-i]
			at := &profile.Location{ID: uint64(len(p.Location) + 1)}
			if file, ok := strings.CutPrefix(name, "["); ok {
				m := &profile.Mapping{ID: uint64(len(p.Mapping) + 1), File: "/opt/lib/" + strings.TrimSuffix(file, "]")}
				p.Mapping = append(p.Mapping, m)
				at.Mapping = m
				// The Go runtime gives such code a function without a name.
				name = ""
			}
			fn := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
			p.Function = append(p.Function, fn)
			at.Line = []profile.Line{{Function: fn}}
			p.Location = append(p.Location, at)
			sample.Location = append(sample.Location, at)
		}
		p.Sample = append(p.Sample, sample)
	}
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	return b.Bytes()
}

func TestReadFolds(t *testing.T) {
	p, err := Read(bytes.NewReader(encoded(t,
		Stack{[]string{"main.main", "main.b"}, 2},
		Stack{[]string{"main.main", "main.a"}, 3},
		Stack{[]string{"main.main", "main.b"}, 4},
		Stack{[]string{"main.main"}, 1},
		Stack{[]string{"main.idle"}, 0},
		Stack{[]string{"runtime._ExternalCode", "[libggml-cpu-zen4.so]"}, 5},
	)))
	require.NoError(t, err)
	require.Equal(t, []Stack{
		{[]string{Foreign, "[libggml-cpu-zen4.so]"}, 5},
		{[]string{"main.main"}, 1},
		{[]string{"main.main", "main.a"}, 3},
		{[]string{"main.main", "main.b"}, 6},
	}, p.Stacks)
	require.Equal(t, int64(15), p.Samples())
	require.Equal(t, int64(5), p.ForeignSamples())
	require.Equal(t, 100.0, p.Hz())
	require.Equal(t, 2*time.Second, p.Duration)
	require.Equal(t, 150*time.Millisecond, p.Busy(p.Samples()))

	var folded strings.Builder
	require.NoError(t, p.WriteFolded(&folded))
	require.Equal(t, Foreign+";[libggml-cpu-zen4.so] 5\nmain.main 1\nmain.main;main.a 3\nmain.main;main.b 6\n", folded.String())
}

// TestReadInlined: a location with several lines holds inlined calls,
// innermost first.
func TestReadInlined(t *testing.T) {
	outer, inner := &profile.Function{ID: 1, Name: "main.outer"}, &profile.Function{ID: 2, Name: "main.inner"}
	at := &profile.Location{ID: 1, Line: []profile.Line{{Function: inner}, {Function: outer}}}
	require.Equal(t, []string{"main.outer", "main.inner"}, framesOf(&profile.Sample{Location: []*profile.Location{at}}))
}

func TestReadRefuses(t *testing.T) {
	_, err := Read(strings.NewReader("not a profile"))
	require.ErrorContains(t, err, "CPU profile:")

	heap := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}}, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}}
	var b bytes.Buffer
	require.NoError(t, heap.Write(&b))
	_, err = Read(&b)
	require.ErrorContains(t, err, "no samples of CPU time")
}

func TestComponentOf(t *testing.T) {
	call := []string{"github.com/jupiterrider/ffi.Call", "github.com/ebitengine/purego.SyscallN", "runtime.cgocall"}
	step := []string{pkg + "engine/clock.(*Wall).Go.func1", pkg + "engine.(*Engine).step", pkg + "engine/llamacpp.(*Context).Step"}
	loop := []string{"main.(*loadedCell).run.func1", pkg + "engine/clock.(*Wall).Run", pkg + "engine.(*Engine).pump"}
	join := func(parts ...[]string) []string {
		var all []string
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, tt := range []struct {
		frames []string
		want   Component
	}{
		{join(step, []string{pkg + "engine/llamacpp.(*stepCall).decode"}, call), Forward},
		{join(step, []string{pkg + "engine/llamacpp.(*stepCall).synchronize"}, call), Forward},
		{[]string{Foreign, "[libggml-cpu-zen4.so]"}, Forward},
		{[]string{Foreign, "[libc.so.6]"}, Forward},
		{join(step, []string{pkg + "engine/llamacpp.(*Context).sample", pkg + "engine/llamacpp.argmax"}), Sampling},
		{join(step, []string{pkg + "engine/llamacpp.(*Context).sample", pkg + "engine/llamacpp.(*stepCall).logits"}, call), Sampling},
		{join(step, []string{pkg + "engine/llamacpp.(*Context).apply", "github.com/hybridgroup/yzma/pkg/llama.MemorySeqRm"}, call), KV},
		{join(loop, []string{pkg + "engine.(*Scheduler).Plan", pkg + "kv.(*Paged).Admit"}), KV},
		{join(step, []string{pkg + "engine/llamacpp.(*Context).fill"}), Batch},
		{join(loop, []string{pkg + "engine.(*Scheduler).Plan", "runtime.growslice", "runtime.mallocgc"}), Scheduling},
		{join(loop, []string{pkg + "engine.(*queue).next"}), Scheduling},
		{loop, EventLoop},
		{[]string{"main.(*loadedCell).run.func1", pkg + "loadgen.(*Driver).send"}, EventLoop},
		{join([]string{pkg + "loadgen.(*Driver).send", "main.(*llamaMachine).Encode", pkg + "engine/llamacpp.(*Model).tokenize"}, call), Tokenising},
		{[]string{"main.(*llamaMachine).Encode", "runtime.mallocgc"}, Tokenising},
		{[]string{"runtime.gcBgMarkWorker", "runtime.scanobject"}, GoRuntime},
		{[]string{"runtime.mcall", "runtime.findnull", "indexbytebody"}, GoRuntime},
		{[]string{"runtime._System", externalCode}, Other},
		{[]string{"os/signal.loop"}, Other},
		{nil, Other},
	} {
		require.Equal(t, tt.want, ComponentOf(tt.frames), "%v", tt.frames)
	}
}

func TestSharesAddUp(t *testing.T) {
	p := &Profile{Period: 10 * time.Millisecond, Stacks: []Stack{
		{[]string{Foreign}, 90},
		{[]string{"runtime.mcall"}, 3},
		{[]string{pkg + "kv.(*Paged).Admit"}, 7},
	}}
	shares := p.Shares()
	require.Len(t, shares, len(Components()))
	require.Equal(t, Share{Forward, 90, 900 * time.Millisecond, 0.90}, shares[0])
	require.Equal(t, Share{KV, 7, 70 * time.Millisecond, 0.07}, shares[1])
	require.Equal(t, Share{GoRuntime, 3, 30 * time.Millisecond, 0.03}, shares[2])
	sum := 0.0
	for _, s := range shares {
		sum += s.Share
	}
	require.InDelta(t, 1, sum, 1e-12)

	for _, s := range new(Profile).Shares() {
		require.Zero(t, s.Share, "an empty profile has no shares, and no NaN")
	}
}
