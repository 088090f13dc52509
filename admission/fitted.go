package admission

import (
	"fmt"
	"math"
)

// Fitted is what was learnt off-line, for an engine that starts: what each predictor
// knows, and how far off it was. A nil part starts from nothing.
type Fitted struct {
	Work       *WorkState       `json:"work,omitempty"`
	Arithmetic *ArithmeticState `json:"arithmetic,omitempty"`
	Quantile   *QuantileState   `json:"quantile,omitempty"`
	Boosted    *QuantilePair    `json:"gbm,omitempty"`
	// Scores are how far actual E2E lay from predicted ones, on runs that the
	// predictor was not fitted on.
	Scores []FittedScores `json:"scores,omitempty"`
}

// FittedScores are the scores of one predictor with one kind of score.
type FittedScores struct {
	Predictor string `json:"predictor"`
	Score     string `json:"score"`
	// Given are the scores given the length of the answer, by regime.
	Given [Regimes][]float64 `json:"given"`
	// Levels are the scores against the prediction's own bound, which depends on the
	// level.
	Levels []LevelScores `json:"levels"`
}

// LevelScores are the scores of one level, by regime.
type LevelScores struct {
	Alpha  float64            `json:"alpha"`
	Scores [Regimes][]float64 `json:"scores"`
}

// WorkState is what a WorkModel has learnt.
type WorkState struct {
	Cost    CostState     `json:"cost"`
	All     LengthState   `json:"lengths"`
	Classes []LengthState `json:"classes"`
}

// CostState is what steps cost: the normal equations of the terms so far and their
// solution, in the order step, few rows, decode rows, a prefill, prompt rows, thousands of
// context tokens, copies.
type CostState struct {
	Steps   float64     `json:"steps"`
	A       [][]float64 `json:"a"`
	B       []float64   `json:"b"`
	Seconds []float64   `json:"seconds"` // per unit
	Sum     float64     `json:"sum"`     // seconds of the first steps
	Guess   float64     `json:"guess"`   // what they were expected to take
}

// LengthState is the distribution of answers of one class over their limit.
type LengthState struct {
	Class string    `json:"class,omitempty"`
	Ended []float64 `json:"ended"`
	Risk  []float64 `json:"risk"`
	// Alive is the probability of getting as far as each bin, as it was when the class
	// last learnt.
	Alive []float64 `json:"alive"`
}

// ArithmeticState is what an Arithmetic has learnt.
type ArithmeticState struct {
	Rate float64 `json:"rate"`
}

// QuantileState is what a Constant has learnt: E2E in seconds, the oldest first.
type QuantileState struct {
	Recent []float64 `json:"recent"`
}

// State is what m has learnt.
func (m *WorkModel) State() *WorkState {
	c := &m.cost
	s := &WorkState{Cost: CostState{Steps: c.N, B: c.B[:], Seconds: c.Cost[:], Sum: c.sum, Guess: c.guess}, All: m.lengths.all.state()}
	for i := range c.A {
		s.Cost.A = append(s.Cost.A, c.A[i][:])
	}
	for i := range m.lengths.classes {
		s.Classes = append(s.Classes, m.lengths.classes[i].state())
	}
	return s.clone()
}

// restore makes m what it was when s was taken.
func (m *WorkModel) restore(s *WorkState) {
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

func (d *lengthLaw) state() LengthState {
	return LengthState{Class: d.Class, Ended: d.Ended[:], Risk: d.Risk[:], Alive: d.alive[:]}
}

func (d *lengthLaw) restore(s *LengthState) {
	d.Class = s.Class
	copy(d.Ended[:], s.Ended)
	copy(d.Risk[:], s.Risk)
	copy(d.alive[:], s.Alive)
	d.integrate()
}

// clone is s with slices of its own: a model goes on learning.
func (s *WorkState) clone() *WorkState {
	own := func(x []float64) []float64 { return append([]float64(nil), x...) }
	c := *s
	c.Cost.B, c.Cost.Seconds, c.Cost.A = own(s.Cost.B), own(s.Cost.Seconds), nil
	for _, row := range s.Cost.A {
		c.Cost.A = append(c.Cost.A, own(row))
	}
	c.All = LengthState{s.All.Class, own(s.All.Ended), own(s.All.Risk), own(s.All.Alive)}
	c.Classes = nil
	for _, d := range s.Classes {
		c.Classes = append(c.Classes, LengthState{d.Class, own(d.Ended), own(d.Risk), own(d.Alive)})
	}
	return &c
}

// State is what a has learnt.
func (a *Arithmetic) State() *ArithmeticState { return &ArithmeticState{a.rate} }

// State is what c has learnt.
func (c *Constant) State() *QuantileState { return &QuantileState{c.recent.Scores()} }

// Check says what is wrong with what was read, if anything.
func (f *Fitted) Check() error {
	if f.Work != nil {
		if err := f.Work.check(); err != nil {
			return fmt.Errorf("work: %w", err)
		}
	}
	if f.Arithmetic != nil && !amount(f.Arithmetic.Rate) {
		return fmt.Errorf("arithmetic: a rate of %v", f.Arithmetic.Rate)
	}
	if f.Boosted != nil {
		if err := f.Boosted.Check(); err != nil {
			return fmt.Errorf("gbm: %w", err)
		}
	}
	return nil
}

func (s *WorkState) check() error {
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
	for _, d := range append([]LengthState{s.All}, s.Classes...) {
		if len(d.Ended) != Knots || len(d.Risk) != Knots || len(d.Alive) != Knots+1 {
			return fmt.Errorf("lengths of %d and %d bins, and this version has %d", len(d.Ended), len(d.Risk), Knots)
		}
	}
	return nil
}

// amount says that x is finite and not below 0.
func amount(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// scores are those of a predictor with a score of this name; nil when there are none.
func (f *Fitted) scores(predictor, score string) *FittedScores {
	for i := range f.Scores {
		if s := &f.Scores[i]; s.Predictor == predictor && s.Score == score {
			return s
		}
	}
	return nil
}

// restore puts scores that were kept into c, as far as there are any of its predictor, its
// score and its level.
func (c *calibration) restore(f *Fitted, predictor string) {
	s := f.scores(predictor, c.score.String())
	if s == nil {
		return
	}
	inTurn(s.Given, func(r int, x float64) {
		c.given[r].Add(x)
		c.pool.Add(x)
	})
	for r := range s.Given {
		c.remargin(Regime(r))
	}
	for _, l := range s.Levels {
		if math.Abs(l.Alpha-c.alpha) < 1e-9 {
			inTurn(l.Scores, func(r int, x float64) { c.whole[r].Add(x) })
		}
	}
}

// inTurn gives the scores of the regimes in turn, so that a window of all of them holds
// some of each.
func inTurn(by [Regimes][]float64, add func(r int, x float64)) {
	for i := 0; ; i++ {
		more := false
		for r := range by {
			if i < len(by[r]) {
				more = true
				add(r, by[r][i])
			}
		}
		if !more {
			return
		}
	}
}
