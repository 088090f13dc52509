package calibrator

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/calibrate"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder/costs"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/results"
	builtin "github.com/cadence-bench/cadence-bench/results/calibration"
)

// TestCalibrate is a calibration of seconds on the real engine: it is whole, its fit
// is of the rows beside it, and it names no more of the machine than a run does.
func TestCalibrate(t *testing.T) {
	llamatest.Open(t)
	cache, err := llamatest.Cache()
	require.NoError(t, err)
	m, err := machine.OpenLlama(machine.Places{Cache: cache}, "", llamacpp.DefaultPlacement)
	require.NoError(t, err)
	c := calibrator{
		machine: m, ctx: t.Context(), note: func(string) {},
		effort: effort{rounds: 1, levels: 1, survey: 300 * time.Millisecond},
	}
	c.out.Host = results.ReadHost()
	measured, err := c.run()
	require.NoError(t, err)
	require.Len(t, c.out.Costs, 1, "the chosen setting alone")
	dir := t.TempDir()
	require.NoError(t, measured.Write(dir))

	got, err := results.ReadCalibration(filepath.Join(dir, File))
	require.NoError(t, err)
	cost, ok := got.Cost(got.Chosen.Setting)
	require.True(t, ok)
	require.Len(t, cost.Terms, twin.NumTerms)
	require.Positive(t, cost.Terms["pass_32"].Seconds+512*cost.Terms["row_32"].Seconds, "a full chunk takes time, whichever term has it")
	require.Positive(t, cost.Scheduled.RowsHeldOut)
	require.Greater(t, cost.Error.RowsHeldOut, cost.Scheduled.RowsHeldOut)
	require.NotEmpty(t, got.Chosen.Rates)
	require.Positive(t, got.Chosen.SLOS)
	require.Equal(t, machine.DefaultModel().Shape.Name, got.Tokens.Shape)
	require.NotEmpty(t, got.Tokens.EOG)
	for _, eog := range got.Tokens.EOG {
		require.Less(t, eog, got.Tokens.Text[0], "special tokens come first in a synthetic model")
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, File))
	require.NoError(t, err)
	require.NotContains(t, string(data), host)

	rows, err := results.ReadCalibrationRows(filepath.Join(dir, RowsFile))
	require.NoError(t, err)
	require.Equal(t, measured.Rows, rows)
	refit, err := fitSetting(got.Chosen.Setting, rowsOf(rows, got.Chosen.Setting))
	require.NoError(t, err)
	require.Equal(t, cost, refit)

	var out bytes.Buffer
	require.NoError(t, costs.Text(&out, &got))
	require.Contains(t, out.String(), "chosen: "+got.Chosen.Setting.String())
	require.Contains(t, out.String(), "attend_prefill")
}

// TestBuiltInCalibrationIsOfItsRows: the calibration in this build is what its rows,
// kept beside it, give.
func TestBuiltInCalibrationIsOfItsRows(t *testing.T) {
	c, _, err := builtin.Default()
	require.NoError(t, err)
	raw, err := results.ReadCalibrationRows("../../results/calibration/" + RowsFile)
	require.NoError(t, err)
	total := 0
	for _, want := range c.Costs {
		rows := rowsOf(raw, want.Setting)
		total += len(rows)
		got, err := fitSetting(want.Setting, rows)
		require.NoError(t, err)
		require.Equal(t, want.Error.RowsHeldOut, got.Error.RowsHeldOut)
		for name, term := range want.Terms {
			require.InDelta(t, term.Seconds, got.Terms[name].Seconds, 1e-6*term.Seconds+1e-12, "%v: %s", want.Setting, name)
			require.Equal(t, term.Most, got.Terms[name].Most)
		}
		require.InDelta(t, want.Scheduled.HeldOutMedianAbsRel, got.Scheduled.HeldOutMedianAbsRel, 1e-6)
	}
	require.Len(t, raw, total)
}

// rowsOf are the rows of a setting, as they were fitted.
func rowsOf(raw []results.CalibrationRow, s results.Setting) []calibrate.Row {
	var rows []calibrate.Row
	for _, r := range raw {
		if r.Setting == s {
			rows = append(rows, calibrate.Row{
				Label: calibrate.Label{Kind: calibrate.Kind(r.Kind), Round: int(r.Round), Point: r.Point},
				Work:  r.Work, Model: r.Model, Host: r.Host, Loop: r.Loop,
			})
		}
	}
	return rows
}

// TestCalibrationTermsAreTheTwins: the columns of the rows are in the order of the
// twin's terms, under the same names.
func TestCalibrationTermsAreTheTwins(t *testing.T) {
	var names []string
	for term := range twin.NumTerms {
		names = append(names, twin.Term(term).String())
	}
	require.Equal(t, names, results.CalibrationTerms())
}

func TestDecodeSpeeds(t *testing.T) {
	row := func(kind calibrate.Kind, n float64, ms int) calibrate.Row {
		r := calibrate.Row{Label: calibrate.Label{Kind: kind}, Model: time.Duration(ms) * time.Millisecond}
		r.Work[twin.Output] = n
		return r
	}
	require.Equal(t, []decodeSpeed{{1, 500}, {8, 800}}, decodeSpeeds([]calibrate.Row{
		row(calibrate.Decode, 8, 10), row(calibrate.Decode, 1, 1), row(calibrate.Decode, 1, 2), row(calibrate.Decode, 1, 100),
		row(calibrate.Mixed, 8, 1),
	}))
}
