package predict

import (
	"fmt"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/admission"
)

// State is what m has learnt.
func (m *WorkModel) State() *admission.WorkState {
	c := &m.cost
	s := &admission.WorkState{Cost: admission.CostState{Steps: c.N, B: c.B[:], Seconds: c.Cost[:], Sum: c.sum, Guess: c.guess}, All: m.lengths.all.state()}
	for i := range c.A {
		s.Cost.A = append(s.Cost.A, c.A[i][:])
	}
	for i := range m.lengths.classes {
		s.Classes = append(s.Classes, m.lengths.classes[i].state())
	}
	return cloneWork(s)
}

// restore makes m what it was when s was taken.
func (m *WorkModel) restore(s *admission.WorkState) {
	c := &m.cost
	c.N, c.sum, c.guess = s.Cost.Steps, s.Cost.Sum, s.Cost.Guess
	if c.guess > 0 {
		c.Speed = c.sum / c.guess
	}
	copy(c.B[:], s.Cost.B)
	copy(c.Cost[:], s.Cost.Seconds)
	for i := range c.A {
		copy(c.A[i][:], s.Cost.A[i])
	}
	m.lengths.all.restore(&s.All)
	m.lengths.classes = m.lengths.classes[:0]
	for i := range s.Classes {
		m.lengths.classes = append(m.lengths.classes, lengthLaw{})
		m.lengths.classes[i].restore(&s.Classes[i])
	}
}

func (d *lengthLaw) state() admission.LengthState {
	return admission.LengthState{Class: d.Class, Ended: d.Ended[:], Risk: d.Risk[:], Alive: d.alive[:]}
}

func (d *lengthLaw) restore(s *admission.LengthState) {
	d.Class = s.Class
	copy(d.Ended[:], s.Ended)
	copy(d.Risk[:], s.Risk)
	copy(d.alive[:], s.Alive)
	d.integrate()
}

// cloneWork is s with slices of its own: a model goes on learning.
func cloneWork(s *admission.WorkState) *admission.WorkState {
	c := *s
	c.Cost.B, c.Cost.Seconds, c.Cost.A = slices.Clone(s.Cost.B), slices.Clone(s.Cost.Seconds), nil
	for _, row := range s.Cost.A {
		c.Cost.A = append(c.Cost.A, slices.Clone(row))
	}
	c.All, c.Classes = cloneLengths(s.All), nil
	for _, d := range s.Classes {
		c.Classes = append(c.Classes, cloneLengths(d))
	}
	return &c
}

func cloneLengths(s admission.LengthState) admission.LengthState {
	s.Ended, s.Risk, s.Alive = slices.Clone(s.Ended), slices.Clone(s.Risk), slices.Clone(s.Alive)
	return s
}

// State is what a has learnt.
func (a *Arithmetic) State() *admission.ArithmeticState {
	return &admission.ArithmeticState{Rate: a.rate}
}

// State is what c has learnt.
func (c *Constant) State() *admission.QuantileState {
	return &admission.QuantileState{Recent: c.recent.Scores()}
}

// Check says what is wrong with what was read, if anything.
func Check(f *admission.Fitted) error {
	if f.Work != nil {
		if err := checkWork(f.Work); err != nil {
			return fmt.Errorf("work: %w", err)
		}
	}
	if f.Arithmetic != nil && !amount(f.Arithmetic.Rate) {
		return fmt.Errorf("arithmetic: a rate of %v", f.Arithmetic.Rate)
	}
	if f.Boosted != nil {
		if err := checkPair(f.Boosted); err != nil {
			return fmt.Errorf("gbm: %w", err)
		}
	}
	return nil
}

func checkWork(s *admission.WorkState) error {
	c := &s.Cost
	if len(c.A) != stepTerms || len(c.B) != stepTerms || len(c.Seconds) != stepTerms {
		return fmt.Errorf("a cost of %d, %d and %d terms, and this version has %d", len(c.A), len(c.B), len(c.Seconds), stepTerms)
	}
	for i, row := range c.A {
		if len(row) != stepTerms || !amount(c.Seconds[i]) {
			return fmt.Errorf("term %d: %d numbers and a cost of %v s", i, len(row), c.Seconds[i])
		}
	}
	if len(s.Classes) > lengthClasses {
		return fmt.Errorf("%d classes of lengths: at most %d", len(s.Classes), lengthClasses)
	}
	for _, d := range append([]admission.LengthState{s.All}, s.Classes...) {
		if len(d.Ended) != Knots || len(d.Risk) != Knots || len(d.Alive) != Knots+1 {
			return fmt.Errorf("lengths of %d and %d bins, and this version has %d", len(d.Ended), len(d.Risk), Knots)
		}
	}
	return nil
}

// amount says that x is finite and not below 0.
func amount(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
