package riskcontrol

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// thirds are the shares of each third of the requests by longest answer that are taken, and
// of all.
func thirds(all []served, from time.Duration) (taken [floorClasses]float64, whole float64) {
	var longest []int
	for i := range all {
		if all[i].Arrived >= from {
			longest = append(longest, all[i].MaxTokens)
		}
	}
	slices.Sort(longest)
	var n [floorClasses]float64
	for i := range all {
		q := &all[i]
		if q.Arrived < from {
			continue
		}
		class := 0
		for class < floorClasses-1 && q.MaxTokens > longest[(class+1)*(len(longest)-1)/floorClasses] {
			class++
		}
		n[class]++
		if q.decision.Admit {
			taken[class]++
			whole++
		}
	}
	for i := range taken {
		taken[i] /= n[i]
	}
	return taken, whole / float64(len(longest))
}

// TestFloorKeepsLongRequests: at three and at ten times the knee each third is taken as often
// as its floor says, and the promise holds as without one.
func TestFloorKeepsLongRequests(t *testing.T) {
	const alpha, lasts, from = 0.05, 200 * time.Second, 40 * time.Second
	for _, load := range []float64{3, 10} {
		for _, floor := range []float64{0, 0.5, 0.8} {
			p := controlledBy(t, map[string]float64{"alpha": alpha, "floor": floor}, work, 31)
			all := serve(p, load, 31, lasts)
			taken, whole := thirds(all, from)
			got := sumUp(all, from, lasts, 200)
			t.Logf("load %g floor %g: taken %.3f of all %.3f, late %.3f, good %d", load, floor, taken, whole, got.rate(), got.good)
			require.LessOrEqual(t, got.rate(), alpha+0.02)
			if floor == 0 {
				require.Less(t, taken[2], 0.8*whole, "without a floor long ones are starved")
				continue
			}
			for class := range taken {
				require.Greater(t, taken[class], 0.95*floor*whole, "load %g floor %g class %d", load, floor, class)
			}
		}
	}
}

// TestFloorsOffDoNothing: without a floor nothing is kept and every price is the price.
func TestFloorsOffDoNothing(t *testing.T) {
	var f floors
	f.arrive(100)
	f.took()
	require.Equal(t, 1.0, f.price())
	require.Equal(t, floors{}, f)
}
