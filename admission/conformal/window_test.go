package conformal

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzWindow replays additions against a slice that is sorted anew each time.
func FuzzWindow(f *testing.F) {
	f.Add([]byte{1, 2, 3, 3, 2, 1, 0, 255, 9}, uint8(3))
	f.Add([]byte{5, 5, 5, 5}, uint8(2))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		n := int(size%16) + 1
		w := NewWindow(n)
		var all []float64
		for _, b := range in {
			x := float64(int8(b)) / 4
			w.Add(x)
			w.Add(math.NaN())
			all = append(all, x)
			last := all[max(0, len(all)-n):]
			require.Equal(t, last, w.Scores())
			sorted := slices.Clone(last)
			slices.Sort(sorted)
			require.Equal(t, sorted, w.sorted)
			at := 0
			for _, y := range sorted {
				if y <= x {
					at++
				}
			}
			require.Equal(t, at, w.AtMost(x))
			want, ok := Quantile(last, 0.2)
			got, gotOK := w.Quantile(0.2)
			require.Equal(t, ok, gotOK)
			require.Equal(t, want, got)
		}
	})
}

func TestFullWindowAllocatesNothing(t *testing.T) {
	w := NewWindow(100)
	for i := range 100 {
		w.Add(float64(i * 37 % 101))
	}
	x := 0.0
	require.Zero(t, testing.AllocsPerRun(100, func() { x += 1.5; w.Add(x) }))
}
