package report

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/chart"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
)

// charts draws every chart of a sweep, and says of each that there is none of why.
func charts(s *analysis.Sweep, f caption.Facts, src chartdata.Source) (figures []chart.Figure, absent []string, err error) {
	all, err := chartdata.All(s, src)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range all {
		if c.Absent != "" {
			absent = append(absent, fmt.Sprintf("There is no chart “%s”: %s.", c.Title, c.Absent))
			continue
		}
		c.Title = f.Title(c.Title)
		source := f.Parts()
		if c.OneSeed {
			source = f.Measured()
		}
		figures = append(figures, chart.New(c, source))
	}
	return figures, absent, nil
}
