package results

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCalibrationRows(t *testing.T) {
	rows := []CalibrationRow{
		{Setting: Setting{KVLayout: "streams", FlashAttn: "on", Threads: 1, ThreadsBatch: 2}, Kind: "decode", Round: 3, Point: "4 at level 1",
			Model: 5 * time.Millisecond, Host: 40 * time.Microsecond},
		{Setting: Setting{KVLayout: "unified", FlashAttn: "off", Threads: 2, ThreadsBatch: 2}, Kind: "scheduled", Point: "prefix/3",
			Model: 7 * time.Millisecond, Loop: time.Microsecond},
	}
	for i := range rows[0].Work {
		rows[0].Work[i], rows[1].Work[i] = float64(i), 1e5/float64(1+i)
	}
	path := filepath.Join(t.TempDir(), "rows.parquet")
	require.NoError(t, WriteCalibrationRows(path, rows))
	got, err := ReadCalibrationRows(path)
	require.NoError(t, err)
	require.Equal(t, rows, got)
	require.Len(t, CalibrationColumns(), 10+len(CalibrationTerms()))

	cell := filepath.Join(t.TempDir(), "cell.parquet")
	require.NoError(t, WriteCell(cell, testCell(), nil))
	_, err = ReadCalibrationRows(cell)
	require.ErrorContains(t, err, "not the rows of a calibration")
}
