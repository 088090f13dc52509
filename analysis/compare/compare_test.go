package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestEqualCellsDoNotDiffer(t *testing.T) {
	var a [][]results.Record
	for seed := range uint64(3) {
		a = append(a, analysistest.Answers(analysistest.Queue(rand.New(rand.NewPCG(3, seed)), 120)))
	}
	v := against(a, a, Contrasts(), 200)
	require.Len(t, v.Deltas, len(Contrasts()))
	for _, d := range v.Deltas {
		require.Equal(t, stats.Interval{}, d.Point, d.Key)
		require.Equal(t, stats.Interval{}, d.Interval, d.Key)
		require.Equal(t, NoDifference, d.Finding, d.Key)
		require.Zero(t, d.Smallest, d.Key)
	}
	require.Equal(t, Duel{Tie: 360}, v.E2E)
	require.Equal(t, 360, v.Good.Both+v.Good.Neither)
}

// TestPlantedDelayIsFound: every request takes a fifth longer, which nothing between
// seeds or requests hides.
func TestPlantedDelayIsFound(t *testing.T) {
	var a, b [][]results.Record
	for seed := range uint64(3) {
		e2e := analysistest.Queue(rand.New(rand.NewPCG(4, seed)), 120)
		a = append(a, analysistest.Answers(e2e))
		for i := range e2e {
			e2e[i] *= 1.2
		}
		b = append(b, analysistest.Answers(e2e))
	}
	v := against(a, b, Contrasts(), 200)
	for _, d := range v.Deltas {
		switch {
		case d.Relative && d.Unit == unit.Seconds:
			require.InDelta(t, math.Log(1.2), d.Point.Lo, 1e-6, d.Key)
			require.Equal(t, WorseThan, d.Finding, d.Key)
		case d.per != nil:
			require.Equal(t, WorseThan, d.Finding, d.Key)
		case d.Key == analysis.HitRate.Key:
			require.Equal(t, NoDifference, d.Finding, d.Key)
		}
	}
	require.Equal(t, Duel{Later: 360}, v.E2E)
}

// TestSwappedArmsSwapEverything: signs, intervals and findings, to the bit.
func TestSwappedArmsSwapEverything(t *testing.T) {
	opposite := map[Finding]Finding{BetterThan: WorseThan, WorseThan: BetterThan, NoDifference: NoDifference, CannotTell: CannotTell}
	found := map[Finding]int{}
	for trial := range uint64(12) {
		r := rand.New(rand.NewPCG(5, trial))
		var a, b [][]results.Record
		for range 3 {
			e2e := analysistest.Queue(r, 60)
			switch trial % 3 {
			case 0:
				a, b = append(a, analysistest.Mixed(r, 60)), append(b, analysistest.Mixed(r, 60))
			case 1: // B has answers of no time at all in one seed
				a, b = append(a, analysistest.Answers(e2e)), append(b, analysistest.Answers(analysistest.Queue(r, 60)))
				b[0] = analysistest.Answers(make([]float64, 60))
			default: // B is twice as fast
				a = append(a, analysistest.Answers(e2e))
				for i := range e2e {
					e2e[i] /= 2
				}
				b = append(b, analysistest.Answers(e2e))
			}
		}
		there, back := against(a, b, Contrasts(), 100), against(b, a, Contrasts(), 100)
		for i, d := range there.Deltas {
			e := back.Deltas[i]
			require.Equal(t, d.A, e.B, d.Key)
			require.Equal(t, stats.Interval{Lo: -d.Point.Hi, Hi: -d.Point.Lo}, e.Point, d.Key)
			require.Equal(t, stats.Interval{Lo: -d.Interval.Hi, Hi: -d.Interval.Lo}, e.Interval, d.Key)
			require.Equal(t, opposite[d.Finding], e.Finding, d.Key)
			require.Equal(t, d.Reason, e.Reason, d.Key)
			require.Equal(t, d.Smallest, e.Smallest, d.Key)
			found[d.Finding]++
		}
		for i, d := range against(a, b, Contrasts(), 100).Deltas {
			require.Equal(t, there.Deltas[i].Interval, d.Interval, "again the same")
		}
	}
	for _, f := range []Finding{BetterThan, CannotTell} {
		require.Positive(t, found[f], f)
	}
}

// TestIntervalsCoverTheTruth: dependent latencies, and a speed of the machine that
// changes from cell to cell, under a planted change of a tenth and under none.
func TestIntervalsCoverTheTruth(t *testing.T) {
	const trials, requests, seeds = 200, 80, 4
	for name, machine := range map[string]float64{"steady machine": 0, "unsteady machine": 0.1} {
		t.Run(name, func(t *testing.T) {
			covered, detected := 0, map[string]int{}
			for trial := range uint64(trials) {
				for _, truth := range []float64{math.Log(1.1), 0} {
					r := rand.New(rand.NewPCG(6, trial))
					var a, b [][]results.Record
					for range seeds {
						e2e := analysistest.Queue(r, requests)
						noise := analysistest.Autoregressive(r, requests, 0.8)
						a = append(a, analysistest.Answers(e2e))
						shift := truth + machine*r.NormFloat64()
						for i := range e2e {
							e2e[i] *= math.Exp(shift + 0.2*noise[i])
						}
						b = append(b, analysistest.Answers(e2e))
					}
					v := against(a, b, chosen("e2e_p50_s", "e2e_paired_s", "attainment"), 400)
					for _, d := range v.Deltas {
						// The median of the logarithm moves by the shift alone.
						if d.Key == analysis.E2EP50.Key && truth > 0 && d.Interval.Lo <= truth && truth <= d.Interval.Hi {
							covered++
						}
						if truth == 0 && (d.Finding == BetterThan || d.Finding == WorseThan) {
							detected[d.Key]++
						}
					}
				}
			}
			t.Logf("covered %d of %d; found a difference where there is none: %v", covered, trials, detected)
			// 95%, less three standard errors of 200 trials.
			require.GreaterOrEqual(t, covered, int(trials*(0.95-3*math.Sqrt(0.95*0.05/trials))))
			for key, n := range detected {
				require.LessOrEqual(t, n, int(trials*(0.05+3*math.Sqrt(0.95*0.05/trials))), key)
			}
		})
	}
}

// growing are the latencies of a queue that only grows.
func growing(n int) []results.Record {
	e2e := make([]float64, n)
	for i := range e2e {
		e2e[i] = 0.1 * float64(i+1)
	}
	return analysistest.Answers(e2e)
}

func TestTooLittleToTell(t *testing.T) {
	rows := func(seeds, n int) (all [][]results.Record) {
		for seed := range uint64(seeds) {
			e2e := analysistest.Autoregressive(rand.New(rand.NewPCG(7, seed)), n, 0)
			for i := range e2e {
				e2e[i] = 0.5 * math.Exp(0.5*e2e[i])
			}
			all = append(all, analysistest.Answers(e2e))
		}
		return all
	}
	for name, tt := range map[string]struct {
		rows [][]results.Record
		key  string
		want string
	}{
		"seeds":    {rows(1, 120), "e2e_p50_s", "1 seed: what the machine"},
		"requests": {rows(2, 20), "e2e_p50_s", "40 pairs of requests; it takes 50"},
		"blocks":   {[][]results.Record{growing(30), growing(30)}, "e2e_p50_s", "independent blocks; it takes 8"},
		"tail":     {rows(2, 90), "e2e_p99_s", "a p99 of so few is the maximum; it takes 100 per cell"},
	} {
		v := against(tt.rows, tt.rows, chosen(tt.key), 20)
		require.Equal(t, CannotTell, v.Deltas[0].Finding, name)
		require.Contains(t, v.Deltas[0].Reason, tt.want, name)
	}
	wide := against(rows(2, 60), [][]results.Record{rows(2, 60)[0], analysistest.Answers(make([]float64, 60))}, chosen("e2e_p50_s"), 20)
	require.Equal(t, "the interval is too wide to be of use", wide.Deltas[0].Reason)
}

// TestSmallestEffect: an effect of that size over its standard error is detected with
// a chance of 80%: 2.80 of them.
func TestSmallestEffect(t *testing.T) {
	require.InDelta(t, 2.8016, smallest(1.96), 1e-3)
}

// TestEveryRequestIsDrawnAlike: the first and the last no less than the others, in
// blocks that wrap around.
func TestEveryRequestIsDrawnAlike(t *testing.T) {
	r := stats.NewResampler([]string{"tape"})
	const n, draws = 12, 20_000
	var sum [n]int
	for range draws {
		total := 0
		for i, times := range r.Requests(n, 5) {
			sum[i] += int(times)
			total += int(times)
		}
		require.Equal(t, n, total)
	}
	for i := range sum {
		require.InEpsilon(t, draws, sum[i], 0.04, "request %d", i)
	}
}

func TestMatchNamesWhatDoesNotPair(t *testing.T) {
	sweep := func(cells ...analysis.CellMetrics) *analysis.Sweep {
		return analysis.NewSweep(cells, []string{"fifo", "prefix"})
	}
	one := func(rung string, rate float64, seed uint64, tape string, order int) analysis.CellMetrics {
		return analysis.CellMetrics{Cell: results.Cell{Key: results.Key{Rung: rung, OfferedRPS: rate, Seed: seed}, TapeHash: tape, Order: order}}
	}
	void := one("fifo", 2, 1, "c", 2)
	void.Invalid = []analysis.Warning{{Text: "the driver was late"}}
	a := Arm{Name: "a", Sweep: sweep(one("fifo", 1, 1, "a", 0), one("fifo", 1, 2, "b", 1), void, one("prefix", 1, 1, "a", 3))}
	b := Arm{Name: "b", Sweep: sweep(one("prefix", 1, 1, "a", 0), one("fifo", 1, 2, "other", 1), one("fifo", 2, 1, "c", 2), one("fifo", 1, 1, "a", 3))}
	m := Match(a, b)
	require.Len(t, m.Pairs, 2)
	require.Equal(t, "fifo-1rps-s1", m.Pairs[0].B.Cell.Name())
	require.Equal(t, "prefix-1rps-s1", m.Pairs[1].B.Cell.Name())
	require.Equal(t, []string{"fifo-2rps-s1 of a: the driver was late"}, m.Void)
	require.Equal(t, []string{"fifo-1rps-s2 of a and fifo-1rps-s2 of b replayed different tapes", "fifo-2rps-s1 of b has no valid partner"}, m.Alone)

	a.Rung, b.Rung = "fifo", "prefix"
	m = Match(a, b)
	require.Len(t, m.Pairs, 1)
	require.Equal(t, "prefix", m.Pairs[0].B.Cell.Rung)

	_, err := Arms(Arm{Name: "x", Sweep: sweep(one("fifo", 1, 1, "a", 0))}, Arm{Name: "y", Sweep: sweep(one("fifo", 1, 1, "b", 0))}, Contrasts())
	require.ErrorIs(t, err, ErrNoCommonTape)
	require.ErrorContains(t, err, "x and y have no valid cells that replayed the same tape")
}

func TestDifferencesOfManifests(t *testing.T) {
	a := results.Manifest{
		Backend: "llama.cpp", EngineSource: strings.Repeat("0123", 16), Host: results.Host{CPU: "one", Cores: 2}, Params: map[string]string{"max_batch": "0", "slo": "1s"},
		Library: results.Library{Version: "v1", Files: map[string]string{"a.so": "1"}},
	}
	b := a
	require.Empty(t, Differences(a, b))
	b.EngineSource, b.Host.CPU, b.Params = strings.Repeat("fedc", 16), "two", map[string]string{"slo": "1s", "threads": "4"}
	b.Build.Commit, b.Build.Dirty = results.Some("abc"), results.Some(true)
	require.Equal(t, []Difference{
		{"commit", "", "abc with uncommitted changes"}, {"engine source", "012301230123", "fedcfedcfedc"}, {"CPU", "one", "two"},
		{"max_batch", "0", ""}, {"threads", "", "4"},
	}, Differences(a, b))
	b = a
	b.Library.Files = map[string]string{"a.so": "2"}
	require.Len(t, Differences(a, b), 1)
}

// Replicates are no seeds: two of one seed leave nobody able to tell, and those of a
// second seed change its mean, not its weight.
func TestReplicatesAreNoSeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	base := analysistest.Queue(r, 300)
	slower := func(by float64) []results.Record {
		e2e := slices.Clone(base)
		for i := range e2e {
			e2e[i] *= by
		}
		return analysistest.Answers(e2e)
	}
	compare := func(seeds []uint64, replicates []int, by ...float64) Versus {
		var cells []Partners
		var pairs []*requestPairs
		for i, seed := range seeds {
			c := analysistest.PairedCell(seed, len(base))
			c.Replicate = replicates[i]
			a, b := slower(1), slower(by[i])
			left, right := analysis.Measure(c, a, analysis.Options{}), analysis.Measure(c, b, analysis.Options{})
			cells = append(cells, Partners{&left, &right})
			pairs = append(pairs, pairRequests(cells[i], a, b))
		}
		return versusOf(cells, pairs, chosen(analysis.E2EP50.Key), 200)
	}
	v := compare([]uint64{1, 1}, []int{0, 1}, 1.2, 1.2)
	require.Equal(t, []uint64{1}, v.Seeds)
	require.Equal(t, CannotTell, v.Deltas[0].Finding)
	require.Contains(t, v.Deltas[0].Reason, "1 seed")

	v = compare([]uint64{1, 1, 1, 2}, []int{0, 1, 2, 0}, 1.1, 1.1, 1.1, 1.3)
	require.Equal(t, []uint64{1, 2}, v.Seeds)
	require.InDelta(t, (math.Log(1.1)+math.Log(1.3))/2, v.Deltas[0].Point.Lo, 1e-6)
	require.Equal(t, 2, v.Deltas[0].A.N)

	once, twice := compare([]uint64{1, 2}, []int{0, 0}, 1.1, 1.3), compare([]uint64{1, 1, 2, 2}, []int{0, 1, 0, 1}, 1.1, 1.1, 1.3, 1.3)
	require.InDelta(t, once.Deltas[0].Interval.Lo, twice.Deltas[0].Interval.Lo, 1e-9, "a replicate that says the same adds no certainty")
}
