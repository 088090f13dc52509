package results

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func testCalibration() Calibration {
	m := testManifest()
	set := Setting{KVLayout: "streams", FlashAttn: "on", Threads: 2, ThreadsBatch: 2}
	return Calibration{
		Schema: SchemaVersion, MadeAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Command: []string{"calibrate"},
		Build: m.Build, EngineSource: "aa", Library: m.Library, Model: m.Model, Host: m.Host,
		Chosen: Chosen{Setting: set, Rates: []float64{0.5, 1}, SLOS: 2.5},
		Speeds: []Speed{{"prefill", 1800, "tokens/s"}, {"decode, 8 sequences", 770, "tokens/s"}},
		Tokens: Tokens{Vocab: 8192, Context: 32768, Text: [2]int32{4, 4000}, EOG: []int32{0, 2}, Shape: "cadence-30m"},
		Costs: []StepCost{{
			Setting:   set,
			Terms:     map[string]TermCost{"step": {2e-4, 1}, "pass_1": {1.6e-3, 1}},
			Noise:     StepNoise{Sigma: 0.05, Rho: 0.3},
			Error:     FitError{HeldOutMedianAbsRel: 0.03, HeldOutP90AbsRel: 0.1, R2: 0.99, RowsFit: 800, RowsHeldOut: 200},
			Scheduled: FitError{HeldOutMedianAbsRel: 0.02, HeldOutP90AbsRel: 0.08, R2: 0.98, Bias: -0.01, RowsFit: 800, RowsHeldOut: 100},
		}},
	}
}

func TestCalibration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calibration.json")
	require.NoError(t, WriteCalibration(path, testCalibration()))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	golden.Equal(t, "calibration.json", string(data))
	got, err := ReadCalibration(path)
	require.NoError(t, err)
	require.Equal(t, testCalibration(), got)

	cost, ok := got.Cost(got.Chosen.Setting)
	require.True(t, ok)
	require.Equal(t, 1.6e-3, cost.Terms["pass_1"].Seconds)
	_, ok = got.Cost(Setting{KVLayout: "unified", FlashAttn: "on", Threads: 2, ThreadsBatch: 2})
	require.False(t, ok)
}

func TestCalibrationRefuses(t *testing.T) {
	for want, change := range map[string]func(c *Calibration){
		"costs: there is none":                    func(c *Calibration) { c.Costs = nil },
		"is there twice":                          func(c *Calibration) { c.Costs = append(c.Costs, c.Costs[0]) },
		"chosen: kv_layout unified":               func(c *Calibration) { c.Chosen.KVLayout = "unified" },
		"rates [1 1] are not above 0":             func(c *Calibration) { c.Chosen.Rates = []float64{1, 1} },
		"slo_s -1":                                func(c *Calibration) { c.Chosen.SLOS = -1 },
		"must have a name of its own":             func(c *Calibration) { c.Speeds[1].Name = "prefill" },
		"prefill is NaN":                          func(c *Calibration) { c.Speeds[0].Value = math.NaN() },
		"text [4, 9000)":                          func(c *Calibration) { c.Tokens.Text[1] = 9000 },
		`costs[0]: kv_layout "paged"`:             func(c *Calibration) { c.Costs[0].KVLayout = "paged" },
		`costs[0]: flash_attn "auto"`:             func(c *Calibration) { c.Costs[0].FlashAttn = "auto" },
		"costs[0]: threads 0":                     func(c *Calibration) { c.Costs[0].Threads = 0 },
		"costs[0]: terms: there is none":          func(c *Calibration) { c.Costs[0].Terms = nil },
		"costs[0]: noise: sigma 0.05":             func(c *Calibration) { c.Costs[0].Noise.Rho = 1 },
		"costs[0]: term step: seconds -1":         func(c *Calibration) { c.Costs[0].Terms["step"] = TermCost{-1, 1} },
		"costs[0]: term step: seconds 1 and most": func(c *Calibration) { c.Costs[0].Terms["step"] = TermCost{1, math.Inf(1)} },
	} {
		c := testCalibration()
		change(&c)
		path := filepath.Join(t.TempDir(), "calibration.json")
		require.ErrorContains(t, WriteCalibration(path, c), want)
		require.NoFileExists(t, path)
	}
}

func TestReadCalibrationRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calibration.json")
	for text, want := range map[string]string{
		"":                        "unexpected end of JSON input",
		`{"schema":9}`:            "schema 9; this version of cadence-bench reads schema 1",
		`{"schema":1,"speed":[]}`: `unknown field "speed"`,
		`{"schema":1}`:            "costs: there is none",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := ReadCalibration(path)
		require.ErrorContains(t, err, "read "+path+": ")
		require.ErrorContains(t, err, want)
	}
}
