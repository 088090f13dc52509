package ladder

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// studyConfig is a study of a knob of a rung, one of the engine, and one that is as it is.
func studyConfig(t *testing.T) Config {
	c := smallConfig(t)
	c.Rungs, c.Rates, c.SLO, c.Seeds = nil, []float64{6}, 2*time.Second, []uint64{1, 2}
	c.Repeats = Repeats{Replicates: 3, Of: "prefix"}
	c.Study = &results.Study{Base: "prefix", Arms: []results.Arm{
		{Knob: "max-batch", Value: "1"}, {Knob: "max-batch", Value: "24"}, {Knob: "kv-layout", Value: "streams"}, {Knob: "prefill-budget", Value: spec.Unchunked},
	}}
	return c
}

// varied is a fake machine of either KV layout.
type varied struct{ *celltest.Machine }

func (m varied) Vary(v spec.Variant) (cell.Machine, error) {
	if v.Threads != 0 {
		return nil, errDevice
	}
	other := *m.Machine
	other.Streams = v.KVLayout == "streams"
	return &other, nil
}

func TestStudyArms(t *testing.T) {
	base := Rungs()[4]
	require.Equal(t, "prefix", base.Name)
	engine := map[string]string{"threads": "2", "flash_attn": "on", "kv_layout": "streams"}
	all, err := StudyArms(base, engine, 2, nil, nil)
	require.NoError(t, err)
	var names []string
	for _, a := range all {
		names = append(names, a.String())
	}
	require.Equal(t, []string{
		"prefill-budget=128", "prefill-budget=256", "prefill-budget=unchunked", "prefill-order=prefill-first", "flash-attn=off", "kv-layout=unified", "threads=1",
		"block-size=8", "block-size=32", "block-size=64", "kv-cells=4096", "kv-cells=8192", "kv-cells=16384", "max-batch=4", "max-batch=8", "max-batch=16", "max-batch=32", "tile-prompts=on",
	}, names, "what the rung has already is not an arm")

	given, err := StudyArms(base, engine, 2, []string{"max-batch"}, []string{"24", "12"})
	require.NoError(t, err)
	require.Equal(t, []results.Arm{{Knob: "max-batch", Value: "24"}, {Knob: "max-batch", Value: "12"}}, given, "unless somebody asks for it")

	for want, tt := range map[string][2][]string{
		`--knob: unknown knob "max-bach": did you mean "max-batch"?`:        {{"max-bach"}},
		"--values: they are those of one knob":                              {nil, {"1"}},
		"--values: knob max-batch: \"x\" is not a whole number":             {{"max-batch"}, {"x"}},
		"--values: knob threads: \"0\" is not a whole number of at least 1": {{"threads"}, {"0"}},
		"--values: knob kv-layout: \"paged\" is none of streams, unified":   {{"kv-layout"}, {"paged"}},
		"--values: 4 is given twice":                                        {{"max-batch"}, {"4", "4"}},
	} {
		_, err := StudyArms(base, engine, 2, tt[0], tt[1])
		require.ErrorContains(t, err, want)
	}
	_, err = StudyArms(base, map[string]string{"threads": "1"}, 1, []string{"threads"}, nil)
	require.ErrorContains(t, err, "has no other value to try here")
}

// Every arm differs from the base in its setting and nothing else.
func TestStudyRungsDifferInOneThing(t *testing.T) {
	c := studyConfig(t)
	c.Study.Arms = nil
	for _, k := range spec.Knobs(4) {
		for _, v := range k.Values {
			c.Study.Arms = append(c.Study.Arms, results.Arm{Knob: k.Name, Value: v})
		}
	}
	c.Study.Longest = 700
	rungs, err := c.ladder()
	require.NoError(t, err)
	base := rungs[len(rungs)-1]
	require.Equal(t, "prefix", base.Name)
	for i, r := range rungs[:len(rungs)-1] {
		k, err := knobNamed(c.Study.Arms[i].Knob)
		require.NoError(t, err)
		undone := r
		switch k.Name {
		case "prefill-budget":
			undone.Policy.StepTokens = base.Policy.StepTokens
		case "prefill-order":
			undone.Policy.DecodeFirst = base.Policy.DecodeFirst
		case "block-size":
			undone.Cache.BlockTokens = base.Cache.BlockTokens
		case "kv-cells":
			undone.Cache.Cells = base.Cache.Cells
		case "tile-prompts":
			undone.Policy.TilePrompts = base.Policy.TilePrompts
		case "max-batch":
			undone.Policy.MaxBatch = base.Policy.MaxBatch
		default:
			require.NotZero(t, r.Variant, r.Name)
			undone.Variant = spec.Variant{}
		}
		undone.Name, undone.Adds = base.Name, base.Adds
		require.Equal(t, base, undone, r.Name)
	}
	whole := byName(rungs, "prefill-budget=unchunked")
	require.Equal(t, 700+24, whole.Policy.StepTokens)
	require.NoError(t, c.Check())
	got, err := ConfigOf(c.Params())
	require.NoError(t, err)
	require.Equal(t, c.Study, got.Study)
	require.Equal(t, c.Repeats, got.Repeats)
}

// The unchanged measurements are spread among the arms, and every one of them comes early
// and late.
func TestPlanOfAStudy(t *testing.T) {
	c := studyConfig(t)
	c.Rates = []float64{1, 2, 3}
	rungs, err := c.ladder()
	require.NoError(t, err)
	plan := Plan(rungs, c.Rates, c.Seeds, c.Repeats)
	const block = 4 + 3
	require.Len(t, plan, block*6)
	for b := range 6 {
		cells := plan[b*block : (b+1)*block]
		seen := map[results.Key]bool{}
		var bases []int
		for i, k := range cells {
			require.Equal(t, c.Rates[b/2], k.OfferedRPS)
			require.Equal(t, c.Seeds[b%2], k.Seed)
			require.False(t, seen[k])
			seen[k] = true
			if k.Rung == "prefix" {
				bases = append(bases, i)
			}
		}
		require.Len(t, bases, 3)
		require.LessOrEqual(t, slices.Max(bases)-slices.Min(bases), block-1)
		for i := 1; i < 3; i++ {
			require.LessOrEqual(t, bases[i]-bases[i-1], 3, "no more than two arms in a row")
		}
	}
	require.NotEqual(t, plan[0].Rung, plan[block].Rung, "rotated")
}

// A study is a run like any other: its cells have the setting that their rung is named
// for, it is resumed, and the arm that changes nothing measures the same.
func TestSweepOfAStudy(t *testing.T) {
	s, m, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	s.Machine = varied{m}
	require.NoError(t, s.Start(t.Context(), studyConfig(t)))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, 2*(4+3))
	study, err := results.StudyOf(run.Manifest.Params)
	require.NoError(t, err)
	require.Greater(t, study.Longest, 500, "it is known how long prompts are")
	of := map[results.Key]results.Cell{}
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		require.Empty(t, cell.Violations)
		require.NotEmpty(t, records)
		of[cell.Key] = cell
	}
	key := results.Key{Rung: "prefix", OfferedRPS: 6, Seed: 1}
	same, first := key, of[key]
	same.Rung = "max-batch=24"
	require.Equal(t, first.Steps, of[same].Steps)
	same.Rung, same.Replicate = "prefix", 2
	require.Equal(t, first.Steps, of[same].Steps)
	one := results.Key{Rung: "max-batch=1", OfferedRPS: 6, Seed: 1}
	require.Equal(t, "1", of[one].Params["max_batch"])
	require.NotEqual(t, first.Steps, of[one].Steps)
	for k, cell := range of {
		if k.Rung == "prefill-budget=unchunked" {
			require.Equal(t, first.Params["max_batch"], cell.Params["max_batch"])
			require.NotEqual(t, first.Params["step_tokens"], cell.Params["step_tokens"])
		}
	}
	require.NoError(t, s.Resume(t.Context()))
}

func TestStudyOfWhatTheMachineCannot(t *testing.T) {
	c := studyConfig(t)
	c.Study.Arms = []results.Arm{{Knob: "threads", Value: "2"}}
	s, m, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	err := s.Start(t.Context(), c)
	require.Equal(t, fault.Input, fault.Of(err))
	require.ErrorContains(t, err, "rung threads=2: the fake engine cannot be had with threads=2")
	s.Machine = varied{m}
	require.ErrorContains(t, s.Start(t.Context(), c), "rung threads=2: device lost")
	require.NoDirExists(t, s.Dir)
}
