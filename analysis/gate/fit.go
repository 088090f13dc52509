package gate

import (
	"errors"
	"fmt"
)

// Fit says why a run can be no baseline: a comparison with itself must pass, and no
// figure may be above what its rung promises, or nothing that comes later would fail.
func (b *Baseline) Fit(budgets []Budget) error {
	r := Compare(*b, b.Measured, budgets)
	for _, o := range r.Obstacles {
		return errors.New(o)
	}
	for _, row := range r.Rows {
		if row.Verdict != Pass {
			return fmt.Errorf("%s: %s", row.Name(), row.Why)
		}
		if row.Budget.overPromised(row.Now.Value, row.Now.Promise) {
			return fmt.Errorf("%s is %.3g, and %g is promised", row.Name(), row.Now.Value, *row.Now.Promise)
		}
	}
	return b.check()
}

// Name names a row, as in "p99 E2E of fifo at 2/s".
func (r *Row) Name() string {
	if r.RateRPS == 0 {
		return fmt.Sprintf("%s of %s", r.Budget.Label, r.Rung)
	}
	return fmt.Sprintf("%s of %s at %g/s", r.Budget.Label, r.Rung, r.RateRPS)
}
