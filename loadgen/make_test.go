package loadgen

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func mustMake(t testing.TB, s Spec) *Tape {
	t.Helper()
	tape, err := Make(s)
	require.NoError(t, err)
	return tape
}

// A change of these hashes means that measured runs can no longer be repeated
// with the same load: rewrite them on purpose only.
func TestTapeHashGolden(t *testing.T) {
	var b strings.Builder
	for _, w := range Workloads() {
		for _, rps := range []float64{0.5, 1, 4} {
			for _, seed := range []uint64{1, 2} {
				tape := mustMake(t, Spec{w, rps, seed, 60 * time.Second})
				fmt.Fprintf(&b, "%-13s %3g/s seed %d  60s %3d requests %s\n", w, rps, seed, len(tape.Requests), tape.Hash())
			}
		}
	}
	golden.Equal(t, "tapes.txt", b.String())
}

func TestTapeGolden(t *testing.T) {
	var b strings.Builder
	for _, w := range Workloads() {
		tape := mustMake(t, Spec{w, 1, 1, 9 * time.Second})
		for _, r := range tape.Requests {
			if r.Group >= 0 {
				r.System, _, _ = strings.Cut(r.System, ".")
			}
			fmt.Fprintf(&b, "#%d at %v %s group %d max %d stop %d seed %016x\n%s\n\n%s\n\n",
				r.Index, r.At, r.Class, r.Group, r.MaxTokens, r.StopTokens, r.Seed, r.System, r.User)
		}
	}
	golden.Equal(t, "requests.txt", b.String())
}

// Every field of a tape and of its requests must reach the hash.
func TestHashCoversEveryField(t *testing.T) {
	spec := Spec{SharedPrompt, 2, 7, 10 * time.Second}
	base := mustMake(t, spec)
	require.Equal(t, base.Hash(), mustMake(t, spec).Hash())
	change := func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Uint64:
			v.SetUint(v.Uint() + 1)
		case reflect.Float64:
			v.SetFloat(math.Nextafter(v.Float(), 9))
		case reflect.Slice:
			if v.Len() == 0 {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
				return
			}
			v.Set(v.Slice(0, v.Len()-1))
		default:
			t.Fatalf("a field of kind %v: teach Hash and this test about it", v.Kind())
		}
	}
	for i := range reflect.TypeFor[Tape]().NumField() {
		changed := *base
		change(reflect.ValueOf(&changed).Elem().Field(i))
		require.NotEqual(t, base.Hash(), changed.Hash(), reflect.TypeFor[Tape]().Field(i).Name)
	}
	for i := range reflect.TypeFor[Request]().NumField() {
		changed := *base
		changed.Requests = slices.Clone(base.Requests)
		change(reflect.ValueOf(&changed.Requests[1]).Elem().Field(i))
		require.NotEqual(t, base.Hash(), changed.Hash(), reflect.TypeFor[Request]().Field(i).Name)
	}
}

// Text may not wander from one string into the next.
func TestHashSeparatesStrings(t *testing.T) {
	a := Tape{Requests: []Request{{System: "ab", User: "c"}}}
	b := Tape{Requests: []Request{{System: "a", User: "bc"}}}
	require.NotEqual(t, a.Hash(), b.Hash())
}

func TestMakeRefuses(t *testing.T) {
	good := Spec{SharedPrompt, 1, 1, time.Minute}
	for _, c := range []struct {
		spec func(*Spec)
		want string
	}{
		{func(s *Spec) { s.RPS = math.NaN() }, "rate NaN requests/s: must be a positive number"},
		{func(s *Spec) { s.RPS = math.Inf(1) }, "rate +Inf"},
		{func(s *Spec) { s.RPS = 0 }, "rate 0"},
		{func(s *Spec) { s.RPS = -2 }, "rate -2"},
		{func(s *Spec) { s.Duration = 0 }, "duration 0s: must be positive"},
		{func(s *Spec) { s.Duration = -time.Second }, "duration -1s"},
		{func(s *Spec) { s.RPS = 1e9 }, "expects 6e+10 arrivals, at most 1000000 fit a tape"},
		{func(s *Spec) { s.RPS = math.MaxFloat64 }, "at most 1000000"},
		{func(s *Spec) { s.RPS = math.SmallestNonzeroFloat64 }, "fewer than one"},
		{func(s *Spec) { s.RPS = 0.01 }, "expects 0.6 arrivals, fewer than one; raise the rate or the duration"},
		{func(s *Spec) { s.Workload = "shared-promt" }, `unknown workload "shared-promt": did you mean "shared-prompt"? choose from shared-prompt, uniform, sessions`},
		{func(s *Spec) { s.Workload = "chatter" }, `unknown workload "chatter": choose from`},
	} {
		s := good
		c.spec(&s)
		_, err := Make(s)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := Make(Spec{"nope", 1, 1, time.Minute})
	require.ErrorIs(t, err, ErrUnknownWorkload)
}
