package decided

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is the first decision in which a cell differs from what it was before.
type Difference struct {
	Step  int64
	Lines int // before it
	// Before and Now are the lines of Step; one without items says that nothing was
	// decided in that step.
	Before, Now Line
	// BeforeOver and NowOver say that the step lies behind the cell's last one.
	BeforeOver, NowOver bool
	// Requests are those that the differing items name.
	Requests []int32
	// Pool is where the KV pool was left otherwise in an earlier step, as when blocks leak;
	// nil if it was not. If all decisions are equal and only the pool differs, its step is
	// Step.
	Pool *PoolDifference
}

// PoolDifference is the first line with the same decisions and another pool.
type PoolDifference struct {
	Step        int64
	Before, Now string // as Line.Pool
}

// FirstDifference compares the lines of two cells. ok is false if they are equal.
func FirstDifference(before, now *Cell) (d Difference, ok bool) {
	i := 0
	for i < len(before.Lines) && i < len(now.Lines) && before.Lines[i].decides(now.Lines[i]) {
		if b, n := before.Lines[i], now.Lines[i]; b.Pool != n.Pool && d.Pool == nil {
			d = Difference{Step: b.Step, Lines: i, Before: b, Now: n, Pool: &PoolDifference{b.Step, b.Pool, n.Pool}}
		}
		i++
	}
	if i == len(before.Lines) && i == len(now.Lines) {
		return d, d.Pool != nil
	}
	d.Lines, d.Step = i, min(before.stepOf(i, now), now.stepOf(i, before))
	d.Before, d.Now = before.at(i, d.Step), now.at(i, d.Step)
	d.BeforeOver, d.NowOver = d.Step >= before.Steps, d.Step >= now.Steps
	was, is := d.items()
	d.Requests = requestsIn(slices.Concat(was, is))
	return d, true
}

// decides says whether the decisions are the same.
func (l Line) decides(other Line) bool {
	return l.Step == other.Step && slices.Equal(l.Items, other.Items)
}

// stepOf returns the step of the i-th line, and of other's where there is none.
func (c *Cell) stepOf(i int, other *Cell) int64 {
	if i < len(c.Lines) {
		return c.Lines[i].Step
	}
	return other.Lines[i].Step
}

// at returns the i-th line if it is of this step, else one that says nothing.
func (c *Cell) at(i int, step int64) Line {
	if i < len(c.Lines) && c.Lines[i].Step == step {
		return c.Lines[i]
	}
	return Line{Step: step}
}

// items returns what differs: the items that only one of the lines has, or all where they
// differ in their order alone.
func (d *Difference) items() (was, is []string) {
	was, is = lacks(d.Before.Items, d.Now.Items), lacks(d.Now.Items, d.Before.Items)
	if len(was)+len(is) == 0 {
		return d.Before.Items, d.Now.Items
	}
	return was, is
}

// lacks returns the items that other lacks, as often as it does.
func lacks(items, other []string) (only []string) {
	there := map[string]int{}
	for _, s := range other {
		there[s]++
	}
	for _, s := range items {
		if there[s]--; there[s] < 0 {
			only = append(only, s)
		}
	}
	return only
}

// String says it in a sentence, such as "step 41: before, admitted request 17 with 128 of 300
// tokens cached; now, admitted request 19 with 0 of 280 tokens cached".
func (d Difference) String() string {
	if d.Before.decides(d.Now) {
		return fmt.Sprintf("step %d: every decision is as before, but the KV pool is left with other blocks: before, %s; now, %s",
			d.Step, d.Pool.Before, d.Pool.Now)
	}
	before, now := d.Sides()
	s := fmt.Sprintf("step %d: before, %s; now, %s", d.Step, before, now)
	if d.Pool != nil {
		s += fmt.Sprintf(" (the KV pool had been left with other blocks in step %d: before, %s; now, %s)", d.Pool.Step, d.Pool.Before, d.Pool.Now)
	}
	return s
}

// Sides returns what was decided in the step before, and what now, as far as it differs.
// Where no decision does, it is what the KV pool was left with.
func (d *Difference) Sides() (before, now string) {
	if d.Before.decides(d.Now) {
		return left + d.Pool.Before, left + d.Pool.Now
	}
	was, is := d.items()
	return told(was, d.Before, d.BeforeOver), told(is, d.Now, d.NowOver)
}

// told is one side of a difference.
func told(items []string, line Line, over bool) string {
	switch {
	case len(items) > 0:
		return strings.Join(items, ", ")
	case len(line.Items) > 0:
		return "not that" // the rest of the line is equal
	case over:
		return "the cell had no such step"
	}
	return "nothing to decide"
}
