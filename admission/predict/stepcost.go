package predict

import (
	"math"

	"github.com/cadence-bench/cadence-bench/admission"
)

// stepTerms are the terms of a step's cost: what the work model takes a step to be
// made of. Each is known of steps to come, and each costs something or nothing, so
// that more work never looks cheaper.
const (
	termStep    = iota // 1
	termFew            // rows up to fewRows, over fewRows: below them weights are read for little
	termDecode         // rows of output
	termPrefill        // 1 if there are prompt rows
	termPrompt         // rows of prompts
	termContext        // thousands of tokens that the cells of the sequences hold
	termCopy           // sequences copied
	stepTerms
)

// fewRows is from how many rows on llama.cpp's matrix products share the weights;
// measured by calibrate, see engine/twin.
const fewRows = 4

type termVec [stepTerms]float64

// startCost is what the terms are taken to cost before there is a step to learn from,
// in seconds: of the calibration in results/ (a 27M model on two threads), rounded. Only
// their proportions matter, as the first steps set their scale.
var startCost = termVec{1e-3, 1.5e-3, 0.8e-3, 1e-3, 0.45e-3, 0.4e-3, 0.5e-3}

// startSteps is for how many steps each term of startCost counts. What one more row of
// output costs beside the first few cannot be told from steps of few rows: after a quiet
// time the start must say it, or the first moments of a burst look three times as fast as
// they are. Against the rows of a busy engine its 20 steps are half a percent. What every
// step has needs no start.
var startSteps = termVec{0.05, 1, 20, 1, 1, 1, 1}

const (
	// costForget weighs a step that is n steps old by costForget^n: some 500 steps,
	// half a minute of a busy small engine, are remembered.
	costForget = 0.998
	// knownSteps is how many steps there must be before the cost is used.
	knownSteps = 6
)

// stepCost is what steps cost: least squares with forgetting over the steps so far,
// kept as the normal equations and solved under the constraint that no term costs
// less than nothing (coordinate descent from the last solution, as the equations move
// little from step to step). Residuals are weighed by 1/duration: what disturbs a step
// is in proportion to it, and its variance grows about like its mean in sums of many.
type stepCost struct {
	N     float64 // steps seen, forgotten ones too
	A     [stepTerms][stepTerms]float64
	B     termVec
	Cost  termVec // seconds per unit; none negative
	Speed float64 // measured over startCost's; 0 before the first step
	sum   float64
	guess float64
}

// terms of a step with these many sequences decoding, prompt rows, tokens of context
// and copies. Fractions are for steps to come.
func terms(decode, prompt, context, copies float64) termVec {
	v := termVec{1, min(decode+prompt, fewRows) / fewRows, decode, 0, prompt, context / 1000, copies}
	if prompt > 0 {
		v[termPrefill] = 1
	}
	return v
}

func (c *stepCost) observe(st *admission.Step) {
	y := st.Duration.Seconds()
	if !(y > 0) || st.Prefill+st.Decode == 0 {
		return
	}
	x := terms(float64(st.Decode), float64(st.Prefill), float64(st.Context), float64(st.Copies))
	c.N++
	if c.N <= 50 { // the scale of the start
		c.sum += y
		for i := range x {
			c.guess += x[i] * startCost[i]
		}
		c.Speed = c.sum / c.guess
	}
	w := 1 / y
	for i := range x {
		for j := range x {
			c.A[i][j] = costForget*c.A[i][j] + w*x[i]*x[j]
		}
		c.B[i] = costForget*c.B[i] + w*x[i]*y
	}
	c.solve()
}

// solve goes a few rounds of coordinate descent towards the least squares among
// costs of 0 and more. The start is a pull of startSteps steps of one unit each.
func (c *stepCost) solve() {
	if c.N == 1 {
		for i := range c.Cost {
			c.Cost[i] = startCost[i] * c.Speed
		}
	}
	for range 3 {
		for i := range c.Cost {
			prior := startCost[i] * c.Speed
			pull := startSteps[i] / prior
			rest := c.B[i] + pull*prior
			for j := range c.Cost {
				if j != i {
					rest -= c.A[i][j] * c.Cost[j]
				}
			}
			c.Cost[i] = max(0, rest/(c.A[i][i]+pull))
		}
	}
}

// known says whether the cost rests on steps.
func (c *stepCost) known() bool { return c.N >= knownSteps }

// of is the duration of one step in seconds.
func (c *stepCost) of(decode, prompt, context, copies float64) float64 {
	k := &c.Cost
	t := k[termStep] + k[termFew]*math.Min(decode+prompt, fewRows)/fewRows + k[termDecode]*decode + k[termContext]*context/1000
	if prompt > 0 {
		t += k[termPrefill] + k[termPrompt]*prompt + k[termCopy]*copies
	}
	return t
}

// decoding is the duration of so many steps in which decode sequences, whose cells hold
// context tokens at the start, each get a row.
func (c *stepCost) decoding(steps, decode, context float64) float64 {
	return steps*c.of(decode, 0, context, 0) + c.Cost[termContext]*decode*steps*(steps-1)/2000
}
