package sweep

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// kneesOf says where each rung stops to keep up.
func kneesOf(s *analysis.Sweep, f caption.Facts) table.Table {
	all := knees.Of(s)
	notes := &footnotes{}
	perS := format.ScaleOf(unit.PerSecond, 0)
	bracketing := map[string]string{}
	has := func(k knees.Knee) bool { return k.Peak != nil }
	for _, k := range all {
		if has(k) {
			bracketing[k.Rung] = bracketed(k, notes)
		}
	}
	goodput := append(column.Span("peak_goodput_rps", "1/s", "the highest goodput over the offered rates", "seeds", false, func(k knees.Knee) analysis.Range { return k.Goodput }),
		table.Value("peak_goodput_rps_ci95_lo", "1/s", "its 95% interval", func(k knees.Knee) any { return k.GoodputLo }),
		table.Value("peak_goodput_rps_ci95_hi", "1/s", "its upper end", func(k knees.Knee) any { return k.GoodputHi }))
	t := table.New(f.Title("Where each rung stops to keep up"), f.Caption(), all,
		column.Rung(func(k knees.Knee) string { return k.Rung }),
		table.Show(perS.Name("peak goodput"), func(k knees.Knee) string {
			return fmt.Sprintf("%s [%s, %s]", format.Sig3(k.Goodput.Mean), format.Sig3(k.GoodputLo), format.Sig3(k.GoodputHi))
		}, goodput...).Where(has),
		table.Show("at offered (rps)", func(k knees.Knee) string { return format.Short(k.Peak.OfferedRPS) },
			table.Value("peak_offered_rps", "1/s", "offered rate of the peak", func(k knees.Knee) any { return k.Peak.OfferedRPS }),
			table.Value("peak_offered_rps_ci95_lo", "1/s", "lowest rate at which 95% of the resampled peaks are", func(k knees.Knee) any { return k.PeakLo }),
			table.Value("peak_offered_rps_ci95_hi", "1/s", "highest one", func(k knees.Knee) any { return k.PeakHi })).Where(has),
		table.Show("peak lies (rps)", func(k knees.Knee) string {
			if !has(k) {
				return table.Null
			}
			return peakSpan(k)
		},
			table.Value("peak_above_rps", "1/s", "the rate next below these, which the peak is above; null where none was run", func(k knees.Knee) any { return k.Above }),
			table.Value("peak_below_rps", "1/s", "the rate next above these; null where none was run", func(k knees.Knee) any { return k.Below })),
		table.Optional("stable up to (rps)", "stable_to_rps", "1/s", "highest stable rate below every unstable one", func(k knees.Knee) results.Opt[float64] { return k.StableTo }, format.Short),
		table.Optional("unstable from (rps)", "unstable_from_rps", "1/s", "lowest unstable rate above every stable one", func(k knees.Knee) results.Opt[float64] { return k.UnstableFrom }, format.Short),
		table.Show("bracketed", func(k knees.Knee) string { return bracketing[k.Rung] },
			table.Value("bracketed", "", "whether rates on both sides of the knee were run", func(k knees.Knee) any { return len(k.Missing()) == 0 })).Where(has),
		table.Value("seeds", "", "seeds that were resampled", func(k knees.Knee) any { return k.Seeds }),
	)
	t.Notes = []string{kneeNote(all), "Stable and unstable are told by the backlog: the table “backlog”."}
	t.Notes = append(t.Notes, notes.all()...)
	return t
}

// peakSpan says between which of the rates that were run the peak is.
func peakSpan(k knees.Knee) string {
	switch {
	case k.Above.OK && k.Below.OK:
		return fmt.Sprintf("%s–%s", format.Short(k.Above.V), format.Short(k.Below.V))
	case k.Below.OK:
		return "below " + format.Short(k.Below.V)
	case k.Above.OK:
		return "above " + format.Short(k.Above.V)
	}
	return "anywhere"
}

func bracketed(k knees.Knee, notes *footnotes) string {
	marks := ""
	for _, c := range cautions.OfKnee(&k) {
		marks += notes.mark(fmt.Sprintf("%s: %s.", k.Rung, c.Text))
	}
	if marks == "" {
		return "yes"
	}
	return "no" + marks
}

func kneeNote(all []knees.Knee) string {
	seeds := 0
	for _, k := range all {
		seeds = max(seeds, k.Seeds)
	}
	note := "[lo, hi] and where the peak lies: 95% intervals of 2,000 resamples of blocks of adjacent requests"
	if seeds < compare.MinSeeds {
		return note + " of the one seed. They know nothing of other seeds, nor of what the machine did to a whole cell, and are too narrow. The peak lies between the rates next to those that it was resampled to."
	}
	return note + fmt.Sprintf(" in resampled seeds (%d, the same ones at every rate); of the height, the wider of that and Student's t over seeds. The peak lies between the rates next to those that it was resampled to.", seeds)
}

// backlogs is the course of each rung's backlog at each rate.
func backlogs(s *analysis.Sweep, f caption.Facts) table.Table {
	var all []knees.Steadiness
	for _, k := range knees.Of(s) {
		all = append(all, k.Rates...)
	}
	has := func(r knees.Steadiness) bool { return r.Cells > 0 }
	t := table.New(f.Title("Whether the backlog grows"), f.Caption(), all,
		column.Rung(func(r knees.Steadiness) string { return r.Rung }),
		column.Offered(func(r knees.Steadiness) float64 { return r.OfferedRPS }),
		table.Count("cells", "cells", "cells whose backlog is known", func(r knees.Steadiness) int { return r.Cells }),
		table.Optional("mean backlog", "backlog", "", "requests owed, mean over the steady window",
			func(r knees.Steadiness) results.Opt[float64] {
				return results.Opt[float64]{V: r.Backlog, OK: has(r)}
			}, format.Sig3),
		table.Show("growth, of arrivals", func(r knees.Steadiness) string {
			return format.Growth(r.Growth) + " " + format.GrowthSpan(r.Lo, r.Hi)
		},
			table.Value("growth", "", "by how much it rose over the window, over the arrivals", func(r knees.Steadiness) any { return r.Growth }),
			table.Value("growth_ci95_lo", "", "its 95% interval; null where nothing bounds it", func(r knees.Steadiness) any { return r.Lo }),
			table.Value("growth_ci95_hi", "", "its upper end; null where nothing bounds it", func(r knees.Steadiness) any { return r.Hi })).Where(has),
		table.Text("verdict", "verdict", "stable, unstable or unclear", func(r knees.Steadiness) string { return r.Verdict.String() }),
	)
	t.Notes = []string{
		"Backlog: requests that are owed an answer, at a moment. One whose client gave up was never served and stays in it; a refused one does not. " +
			"Growth: by how much it rose over the steady window, as a share of the arrivals, by the Theil–Sen slope of its means over 40 parts of the window, averaged into as few as five where neighbours depend on each other; [lo, hi] is 95% by Kendall's S, over the seeds in quadrature.",
		"Unstable: [lo, hi] is above 0 and the growth at least 2%. Stable: hi is below 5% and it is not unstable. Otherwise unclear.",
	}
	return t
}
