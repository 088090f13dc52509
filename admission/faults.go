package admission

import "fmt"

// Faults are mistakes that a policy makes on purpose. They are there to prove that a
// regression gate sees such mistakes, and for nothing else: no ladder file, flag or
// parameter sets them. The zero Faults makes none.
type Faults struct {
	// ShortBound is the share by which everything that calibrated conformal admission
	// says of a time is too short, 0 to below 1: at 0.3 a bound of 4 s is given as
	// 2.8 s, a request is taken as if it had 1/0.7 of its SLO, and what runs is
	// thought to need 0.7 of the time that it has left. It is applied after
	// calibration, so outcomes do not teach it away. Risk control goes on as ever.
	ShortBound float64
	// NoLabels keeps from risk control what became of the requests that were taken: the
	// threshold stays at its least, and nothing makes up for a bound that is short.
	NoLabels bool
}

func (f Faults) check() error {
	if !(f.ShortBound >= 0 && f.ShortBound < 1) {
		return fmt.Errorf("admission: faults: a bound that is short by the share %v: must be 0 to below 1", f.ShortBound)
	}
	return nil
}

// given is a time as it is given out.
func (f Faults) given(seconds float64) float64 { return seconds * (1 - f.ShortBound) }

// truly is the time that is given out as so many seconds.
func (f Faults) truly(seconds float64) float64 { return seconds / (1 - f.ShortBound) }

// commit makes c make mistakes from now on.
func (c *Controlled) commit(f Faults) {
	c.cal.faults = f
	if f.NoLabels {
		c.main.Theta, c.idle.Theta = c.main.Min, c.idle.Min
	}
	for r := range c.cal.margins {
		c.cal.remargin(Regime(r))
	}
}
