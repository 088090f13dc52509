package engine

import "fmt"

// Floor guarantees a class of requests a share of the processed tokens (the rows
// of the steps, prompt and output alike) while requests of the class wait.
//
// How: each floor has a credit D, in tokens. When a step has processed n tokens, m
// of them of the class, D grows by Share·n − m. It never falls below −L, L being
// the most tokens that one sequence may have, so that what a class got in excess is
// remembered no further than that; and while none of the class waits it is at most
// 0, so that nobody saves up. The class is owed when D > 0. The head of an owed
// floor joins before everyone else, floors in turn; when it does not fit yet,
// it holds the line.
//
// Let M be the batch's size, K the number of floors, φ the share, B = M·L. (With
// kv optimism, where a request may be computed twice, L counts double.)
//
// Waiting. While a class has requests waiting, one of them joins the batch before
// (L + B)/φ + K·B tokens have been processed. Proof: take a stretch with a request
// of the class waiting and none of them joining. At its start D ≥ −L. Those of the
// class that run have at most B tokens left together, so once n tokens have been
// processed D ≥ −L + φn − B: it is positive from n > (L + B)/φ on, to the end of
// the stretch. From there on only heads of owed floors join. Between two
// of them at most B tokens are processed, for after those all that ran has
// ended, and into the empty cache any head fits. And after at most K−1 of them
// it is this floor's turn. ∎
//
// Share. With one floor, of n tokens processed while requests of the class wait, at
// least φn − L − φ(S + B) are of the class, S being the rows of a step. Proof:
// D rises above 0 from at most 0, so to at most φS. While it stays positive, only
// the class joins, and the others that run have at most B tokens left: of n'
// tokens processed, at least n' − B are of the class, and
// D ≤ φS + φn' − (n' − B)⁺ ≤ φ(S + B). As D starts at or above −L, and clamping only
// raises it, m ≥ φn − L − φ(S + B). ∎
//
// A failing backend (ErrNoSlot) is outside these bounds.
type Floor struct {
	// Class is the class's name. "" means every request without a deadline whose
	// class no other floor names.
	Class string
	// Share is above 0 and at most 1.
	Share float64
}

// floor is a class's lane in the queue, and what it is owed.
type floor struct {
	Floor
	lane
	longest float64 // L
	credit  float64 // D
	served  int     // tokens of the class in the step at hand
}

func checkFloors(floors []Floor) error {
	sum, seen := 0.0, map[string]bool{}
	for _, f := range floors {
		if !(f.Share > 0 && f.Share <= 1) {
			return fmt.Errorf("policy: the floor of class %q is %v, must be above 0 and at most 1", f.Class, f.Share)
		}
		if seen[f.Class] {
			return fmt.Errorf("policy: class %q has two floors", f.Class)
		}
		seen[f.Class] = true
		sum += f.Share
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("policy: the floors add up to %v, must be at most 1", sum)
	}
	return nil
}

// floorOf is the index of a request's floor, or -1.
func (w *queue) floorOf(r *Request) int {
	none := -1
	for i := range w.floors {
		switch class := w.floors[i].Class; {
		case class == "" && r.Deadline == 0:
			none = i
		case class != "" && class == r.Class:
			return i
		}
	}
	return none
}

// serve counts tokens of a running sequence towards its floor.
func (w *queue) serve(q *sequence, tokens int) {
	if q.floor >= 0 {
		w.floors[q.floor].served += tokens
	}
}

// settle closes the account of a step in which tokens were processed.
func (w *queue) settle(tokens int) {
	for i := range w.floors {
		f := &w.floors[i]
		f.credit = max(f.credit+f.Share*float64(tokens)-float64(f.served), -f.longest)
		if f.Len() == 0 {
			f.credit = min(f.credit, 0)
		}
		f.served = 0
	}
}
