package calibrator

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/engine/calibrate"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/results"
)

// fitSetting fits the cost model to the rows of one setting.
func fitSetting(s results.Setting, rows []calibrate.Row) (results.StepCost, error) {
	const seed = 1 // of the parts that are held out
	cost, err := calibrate.Fit(rows)
	if err != nil {
		return results.StepCost{}, err
	}
	held, err := calibrate.HoldOut(rows, seed)
	if err != nil {
		return results.StepCost{}, err
	}
	return results.StepCost{
		Setting: s, Terms: termsOf(&cost),
		Noise: results.StepNoise(cost.Noise), Error: fitError(held.All), Scheduled: fitError(held.Scheduled),
	}, nil
}

// termsOf is a cost as calibrations have it.
func termsOf(c *twin.Cost) map[string]results.TermCost {
	terms := map[string]results.TermCost{}
	for t := range twin.Term(twin.NumTerms) {
		terms[t.String()] = results.TermCost{Seconds: c.Seconds[t], Most: c.Most[t]}
	}
	return terms
}

func fitError(e calibrate.Error) results.FitError {
	return results.FitError{
		HeldOutMedianAbsRel: e.MedianAbsRel, HeldOutP90AbsRel: e.P90AbsRel, R2: e.R2, Bias: e.Bias,
		RowsFit: e.RowsFit, RowsHeldOut: e.RowsHeldOut,
	}
}

func rawRow(s results.Setting, r *calibrate.Row) results.CalibrationRow {
	return results.CalibrationRow{
		Setting: s, Kind: string(r.Kind), Round: int32(r.Round), Point: r.Point,
		Model: r.Model, Host: r.Host, Loop: r.Loop, Work: r.Work,
	}
}

// speeds adds what the survey and the script say of the chosen setting.
func (c *calibrator) speeds(got ladder.Surveyed, rows []calibrate.Row) {
	c.speed("idle engine: prefill", 1/got.Idle.PrefillS, "tokens/s")
	c.speed("idle engine: decode", 1/got.Idle.DecodeS, "tokens/s")
	for _, r := range got.Rungs {
		c.speed(fmt.Sprintf("served by %s with a full queue", r.Rung), r.RPS, "requests/s")
	}
	for _, s := range decodeSpeeds(rows) {
		c.speed(fmt.Sprintf("decode steps, batch %d", s.batch), s.tps, "tokens/s")
	}
}

type decodeSpeed struct {
	batch int
	tps   float64
}

// decodeSpeeds is the speed of the script's decode steps by batch, in ascending order:
// the median over widths and rounds.
func decodeSpeeds(rows []calibrate.Row) []decodeSpeed {
	by := map[int][]float64{}
	for i := range rows {
		if r := &rows[i]; r.Kind == calibrate.Decode {
			n := int(r.Work[twin.Output])
			by[n] = append(by[n], float64(n)/(r.Model+r.Host).Seconds())
		}
	}
	var speeds []decodeSpeed
	for n, tps := range by {
		slices.Sort(tps)
		speeds = append(speeds, decodeSpeed{n, tps[len(tps)/2]})
	}
	slices.SortFunc(speeds, func(a, b decodeSpeed) int { return a.batch - b.batch })
	return speeds
}
