package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/results"
)

// costs has a cost of its own for every term.
func costs() results.StepCost {
	c := results.StepCost{
		Setting: results.Setting{KVLayout: "streams", FlashAttn: "on", Threads: 2, ThreadsBatch: 2},
		Terms:   map[string]results.TermCost{}, Noise: results.StepNoise{Sigma: 0.1, Rho: 0.5},
	}
	for t := range twin.Term(twin.NumTerms) {
		c.Terms[t.String()] = results.TermCost{Seconds: 1e-6 * float64(1+t), Most: 100 + float64(t)}
	}
	return c
}

func calibration() results.Calibration {
	unified := costs()
	unified.KVLayout = "unified"
	return results.Calibration{
		EngineSource: "engine", Host: results.Host{CPU: "Example CPU", Cores: 2},
		Library: results.Library{Version: "llama.cpp 1", Files: map[string]string{"a.so": "1", "b.so": "2"}},
		Model:   results.Model{File: "m.gguf", SHA256: "mm"},
		Chosen:  results.Chosen{Setting: costs().Setting},
		Tokens:  results.Tokens{Vocab: 8192, Context: 32768, Text: [2]int32{4, 6000}, EOG: []int32{0, 2}, Shape: "cadence-30m"},
		Costs:   []results.StepCost{costs(), unified},
	}
}

func TestCostOf(t *testing.T) {
	got, err := sim.CostOf(costs())
	require.NoError(t, err)
	require.Equal(t, twin.Noise{Sigma: 0.1, Rho: 0.5}, got.Noise)
	require.Equal(t, 1e-6*float64(1+twin.ScanCell), got.Seconds[twin.ScanCell])
	require.Equal(t, 100+float64(twin.Output), got.Most[twin.Output])

	lacking := costs()
	delete(lacking.Terms, "row_4")
	_, err = sim.CostOf(lacking)
	require.ErrorContains(t, err, `lacks the cost of "row_4"`)
	more := costs()
	more.Terms["row_64"] = results.TermCost{}
	_, err = sim.CostOf(more)
	require.ErrorContains(t, err, `a cost of "row_64", which this version's twin does not know`)
}

func TestDifferences(t *testing.T) {
	same := results.Origin{
		Host: results.Host{CPU: "Example CPU", Cores: 2}, Library: results.Library{Files: map[string]string{"a.so": "1", "b.so": "2"}},
		Model: results.Model{SHA256: "mm"}, EngineSource: "engine",
	}
	require.Empty(t, sim.Differences(calibration(), same))
	require.Empty(t, sim.Differences(calibration(), results.Origin{Host: results.Host{Cores: 2}}), "what is not at hand does not differ")
	require.Equal(t, []string{
		"the calibration is of another engine source: engine, here changed",
		"the calibration is of another library: llama.cpp 1 (a.so 1, b.so 2), here llama.cpp 1 (a.so not there, b.so 3)",
		"the calibration is of another model: mm, here 0123456789ab",
		"the calibration is of another CPU: Example CPU, here Other CPU",
		"the calibration is of another number of cores: 2, here 8",
	}, sim.Differences(calibration(), results.Origin{
		Host: results.Host{CPU: "Other CPU", Cores: 8}, Library: results.Library{Files: map[string]string{"a.so": "not there", "b.so": "3"}}, EngineSource: "changed",
		Model: results.Model{SHA256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
	}))
}

// TestMachineHasTheEnginesSizes: a simulated context has the limits of a real one of
// the same shape, or the scheduler would decide otherwise.
func TestMachineHasTheEnginesSizes(t *testing.T) {
	model := llamatest.Open(t)
	for _, c := range calibration().Costs {
		for _, s := range []cell.Shape{{Seqs: 3, SeqCells: 700, Rows: 512}, {Seqs: 1, SeqCells: 256, Rows: 64}} {
			flash, err := llamacpp.ParseFlashAttn(c.FlashAttn)
			require.NoError(t, err)
			p := llamacpp.Params{Seqs: s.Seqs, Rows: s.Rows, KVUnified: c.KVLayout == "unified", Threads: 1, FlashAttn: flash}
			if p.KVUnified {
				p.Cells = s.Seqs * s.SeqCells
			} else {
				p.SeqCells = s.SeqCells
			}
			real, err := llamacpp.NewContext(model, p)
			require.NoError(t, err)
			m, err := sim.New(sim.Config{Calibration: calibration(), Setting: c.Setting})
			require.NoError(t, err)
			simulated, err := m.Open(s)
			require.NoError(t, err)
			require.Equal(t, real.Limits(), simulated.Limits(), "%+v %s", s, c.KVLayout)
			require.NoError(t, real.Close())
		}
	}
	m, err := sim.New(sim.Config{Calibration: calibration(), Setting: costs().Setting})
	require.NoError(t, err)
	require.True(t, m.EOG(2))
	require.False(t, m.EOG(5))
	_, err = sim.New(sim.Config{Calibration: calibration(), Setting: results.Setting{KVLayout: "unified", FlashAttn: "off"}})
	require.ErrorContains(t, err, "it has them for kv_layout streams, flash_attn on, threads 2, threads_batch 2; kv_layout unified")
}
