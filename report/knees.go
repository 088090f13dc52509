package report

import (
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Knees says where each rung stops to keep up.
func Knees(s *analysis.Sweep, f Facts) Table {
	knees := s.Knees()
	notes := &footnotes{}
	perS := scaleOf(analysis.PerSecond, 0)
	peaked := func(of func(analysis.Knee) string) []string {
		return textsOf(knees, func(k analysis.Knee) string {
			if k.Peak == nil {
				return table.Null
			}
			return of(k)
		})
	}
	rate := func(of func(analysis.Knee) results.Opt[float64]) []string {
		return textsOf(knees, func(k analysis.Knee) string {
			if v := of(k); v.OK {
				return short(v.V)
			}
			return table.Null
		})
	}
	t := table.Of(f.title("Where each rung stops to keep up"), f.Caption(), []table.Col{
		table.Left("rung", textsOf(knees, func(k analysis.Knee) string { return k.Rung })),
		table.Right(perS.name("peak goodput"), peaked(func(k analysis.Knee) string {
			return fmt.Sprintf("%s [%s, %s]", sig3(k.Goodput.Mean), sig3(k.GoodputLo), sig3(k.GoodputHi))
		})),
		table.Right("at offered (rps)", peaked(func(k analysis.Knee) string { return short(k.Peak.OfferedRPS) })),
		table.Right("peak lies (rps)", peaked(peakSpan)),
		table.Right("stable up to (rps)", rate(func(k analysis.Knee) results.Opt[float64] { return k.StableTo })),
		table.Right("unstable from (rps)", rate(func(k analysis.Knee) results.Opt[float64] { return k.UnstableFrom })),
		table.Right("bracketed", textsOf(knees, func(k analysis.Knee) string { return bracketed(k, notes) })),
	})
	t.Fields = kneeFields(knees)
	t.Notes = []string{kneeNote(knees), "Stable and unstable are told by the backlog: the table “backlog”."}
	t.Notes = append(t.Notes, notes.all()...)
	return t
}

// peakSpan says between which of the rates that were run the peak is.
func peakSpan(k analysis.Knee) string {
	switch {
	case k.Above.OK && k.Below.OK:
		return fmt.Sprintf("%s–%s", short(k.Above.V), short(k.Below.V))
	case k.Below.OK:
		return "below " + short(k.Below.V)
	case k.Above.OK:
		return "above " + short(k.Above.V)
	}
	return "anywhere"
}

func bracketed(k analysis.Knee, notes *footnotes) string {
	if k.Peak == nil {
		return table.Null
	}
	marks := ""
	for _, c := range k.Cautions() {
		marks += notes.mark(fmt.Sprintf("%s: %s.", k.Rung, c.Text))
	}
	if marks == "" {
		return "yes"
	}
	return "no" + marks
}

func kneeNote(knees []analysis.Knee) string {
	seeds := 0
	for _, k := range knees {
		seeds = max(seeds, k.Seeds)
	}
	note := "[lo, hi] and where the peak lies: 95% intervals of 2,000 resamples of blocks of adjacent requests"
	if seeds < analysis.MinSeeds {
		return note + " of the one seed. They know nothing of other seeds, nor of what the machine did to a whole cell, and are too narrow. The peak lies between the rates next to those that it was resampled to."
	}
	return note + fmt.Sprintf(" in resampled seeds (%d, the same ones at every rate); of the height, the wider of that and Student's t over seeds. The peak lies between the rates next to those that it was resampled to.", seeds)
}

// Backlogs is the course of each rung's backlog at each rate.
func Backlogs(s *analysis.Sweep, f Facts) Table {
	var all []analysis.Steadiness
	for _, k := range s.Knees() {
		all = append(all, k.Rates...)
	}
	known := func(of func(analysis.Steadiness) string) []string {
		return textsOf(all, func(r analysis.Steadiness) string {
			if r.Cells == 0 {
				return table.Null
			}
			return of(r)
		})
	}
	t := table.Of(f.title("Whether the backlog grows"), f.Caption(), []table.Col{
		table.Left("rung", textsOf(all, func(r analysis.Steadiness) string { return r.Rung })),
		table.Right("offered (rps)", textsOf(all, func(r analysis.Steadiness) string { return short(r.OfferedRPS) })),
		table.Right("cells", textsOf(all, func(r analysis.Steadiness) string { return strconv.Itoa(r.Cells) })),
		table.Right("mean backlog", known(func(r analysis.Steadiness) string { return sig3(r.Backlog) })),
		table.Right("growth, of arrivals", known(func(r analysis.Steadiness) string { return growthText(r.Growth) + " " + growthSpan(r.Lo, r.Hi) })),
		table.Left("verdict", textsOf(all, func(r analysis.Steadiness) string { return r.Verdict.String() })),
	})
	t.Fields = backlogFields(all)
	t.Notes = []string{
		"Backlog: requests that are owed an answer, at a moment. One whose client gave up was never served and stays in it; a refused one does not. " +
			"Growth: by how much it rose over the steady window, as a share of the arrivals, by the Theil–Sen slope of its means over 40 parts of the window, averaged into as few as five where neighbours depend on each other; [lo, hi] is 95% by Kendall's S, over the seeds in quadrature.",
		"Unstable: [lo, hi] is above 0 and the growth at least 2%. Stable: hi is below 5% and it is not unstable. Otherwise unclear.",
	}
	return t
}

func kneeFields(knees []analysis.Knee) []Field {
	peaked := func(of func(analysis.Knee) any) func(analysis.Knee) any {
		return func(k analysis.Knee) any {
			if k.Peak == nil {
				return nil
			}
			return of(k)
		}
	}
	fields := []Field{table.NewField("rung", "", "name of the configuration", knees, func(k analysis.Knee) any { return k.Rung })}
	fields = append(fields, spanFields("peak_goodput_rps", "1/s", "the highest goodput over the offered rates", "seeds", false, knees, func(k analysis.Knee) analysis.Range { return k.Goodput })...)
	return append(fields,
		table.NewField("peak_goodput_rps_ci95_lo", "1/s", "its 95% interval", knees, peaked(func(k analysis.Knee) any { return table.NumberIf(k.GoodputLo, true) })),
		table.NewField("peak_goodput_rps_ci95_hi", "1/s", "its upper end", knees, peaked(func(k analysis.Knee) any { return table.NumberIf(k.GoodputHi, true) })),
		table.NewField("peak_offered_rps", "1/s", "offered rate of the peak", knees, peaked(func(k analysis.Knee) any { return k.Peak.OfferedRPS })),
		table.NewField("peak_offered_rps_ci95_lo", "1/s", "lowest rate at which 95% of the resampled peaks are", knees, peaked(func(k analysis.Knee) any { return k.PeakLo })),
		table.NewField("peak_offered_rps_ci95_hi", "1/s", "highest one", knees, peaked(func(k analysis.Knee) any { return k.PeakHi })),
		table.NewField("peak_above_rps", "1/s", "the rate next below these, which the peak is above; null where none was run", knees, func(k analysis.Knee) any { return table.Optional(k.Above) }),
		table.NewField("peak_below_rps", "1/s", "the rate next above these; null where none was run", knees, func(k analysis.Knee) any { return table.Optional(k.Below) }),
		table.NewField("stable_to_rps", "1/s", "highest stable rate below every unstable one", knees, func(k analysis.Knee) any { return table.Optional(k.StableTo) }),
		table.NewField("unstable_from_rps", "1/s", "lowest unstable rate above every stable one", knees, func(k analysis.Knee) any { return table.Optional(k.UnstableFrom) }),
		table.NewField("bracketed", "", "whether rates on both sides of the knee were run", knees, peaked(func(k analysis.Knee) any { return len(k.Missing()) == 0 })),
		table.NewField("seeds", "", "seeds that were resampled", knees, func(k analysis.Knee) any { return k.Seeds }))
}

func backlogFields(all []analysis.Steadiness) []Field {
	known := func(of func(analysis.Steadiness) any) func(analysis.Steadiness) any {
		return func(r analysis.Steadiness) any {
			if r.Cells == 0 {
				return nil
			}
			return of(r)
		}
	}
	return []Field{
		table.NewField("rung", "", "name of the configuration", all, func(r analysis.Steadiness) any { return r.Rung }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", all, func(r analysis.Steadiness) any { return r.OfferedRPS }),
		table.NewField("cells", "", "cells whose backlog is known", all, func(r analysis.Steadiness) any { return r.Cells }),
		table.NewField("backlog", "", "requests owed, mean over the steady window", all, known(func(r analysis.Steadiness) any { return table.NumberIf(r.Backlog, true) })),
		table.NewField("growth", "", "by how much it rose over the window, over the arrivals", all, known(func(r analysis.Steadiness) any { return table.NumberIf(r.Growth, true) })),
		table.NewField("growth_ci95_lo", "", "its 95% interval; null where nothing bounds it", all, known(func(r analysis.Steadiness) any { return table.NumberIf(r.Lo, true) })),
		table.NewField("growth_ci95_hi", "", "its upper end; null where nothing bounds it", all, known(func(r analysis.Steadiness) any { return table.NumberIf(r.Hi, true) })),
		table.NewField("verdict", "", "stable, unstable or unclear", all, func(r analysis.Steadiness) any { return r.Verdict.String() }),
	}
}
