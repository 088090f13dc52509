package decided

import "github.com/cadence-bench/cadence-bench/results"

// Explanation is why a cell's figures may have changed.
type Explanation struct {
	Key results.Key
	// Differs is false if every decision is as it was: then First is empty, and what moved
	// did so because steps took another time.
	Differs bool
	First   Difference
	SLOMS   int64
	Moved   Movement
}

// Limits say how much Explain tells.
type Limits struct {
	Cells    int // at most, 0 for 3
	Requests int // that moved most, of each cell, 0 for 5
}

// Explanations are those of a comparison.
type Explanations struct {
	Cells []Explanation
	// More is how many further cells were asked about that differ too, and Alike how many
	// do not: they decided as before.
	More, Alike int
	// Unknown are cells that were asked about and that one of the sides lacks.
	Unknown []results.Key
}

// Explain compares the cells that are asked about, the most important first, with what they
// were before. Cells that differ are told before those that do not, and of those a cell of
// every rung before a rung's second.
func Explain(before, now []Cell, asked []results.Key, l Limits) Explanations {
	if l.Cells == 0 {
		l.Cells = 3
	}
	if l.Requests == 0 {
		l.Requests = 5
	}
	was, is := byKey(before), byKey(now)
	var e Explanations
	var first, further, alike []Explanation
	told, done := map[string]bool{}, map[results.Key]bool{}
	for _, key := range asked {
		b, n := was[key], is[key]
		if done[key] {
			continue
		}
		done[key] = true
		if b == nil || n == nil {
			e.Unknown = append(e.Unknown, key)
			continue
		}
		x := Explanation{Key: key, SLOMS: n.SLOMS, Moved: Moved(b, n, l.Requests)}
		x.First, x.Differs = FirstDifference(b, n)
		switch {
		case !x.Differs:
			alike = append(alike, x)
		case told[key.Rung]:
			further = append(further, x)
		default:
			told[key.Rung] = true
			first = append(first, x)
		}
	}
	all := append(append(first, further...), alike...)
	e.Cells = all[:min(len(all), l.Cells)]
	for _, x := range all[len(e.Cells):] {
		if x.Differs {
			e.More++
		} else {
			e.Alike++
		}
	}
	return e
}

func byKey(cells []Cell) map[results.Key]*Cell {
	m := make(map[results.Key]*Cell, len(cells))
	for i := range cells {
		m[cells[i].Key] = &cells[i]
	}
	return m
}
