package chartdata

import "github.com/cadence-bench/cadence-bench/analysis"

// All builds every chart of a sweep, in the order of a report, absent ones included.
func All(s *analysis.Sweep, src Source) ([]Chart, error) {
	overTime, err := OverTime(s, src)
	if err != nil {
		return nil, err
	}
	e2e, itl, err := Distributions(s, src)
	if err != nil {
		return nil, err
	}
	schedule, err := Schedule(s, src)
	if err != nil {
		return nil, err
	}
	return []Chart{
		Tail(s), Goodput(s), overTime, Median(s), FirstToken(s), Refusals(s),
		e2e, itl, schedule, Hits(s), Drift(s),
	}, nil
}
