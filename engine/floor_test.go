package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flood keeps a scheduler full of requests that are due at once, with lengths that
// an adversary draws, beside a backlog of each class with a floor. It returns, for
// each class, the most tokens that were processed between two of its admissions,
// and how far it fell behind its share at worst.
type flood struct {
	gap, lag map[string]float64
	tokens   map[string]int
	total    int
}

func runFlood(t *testing.T, p Policy, lim Limits, rng *rand.Rand, tokens int) flood {
	cache, err := CacheConfig{Paged: true, BlockTokens: 4}.New(lim)
	require.NoError(t, err)
	s, err := NewScheduler(p, lim, cache)
	require.NoError(t, err)
	f := flood{gap: map[string]float64{}, lag: map[string]float64{}, tokens: map[string]int{}}
	waiting, since, surplus := map[string]int{}, map[string]int{}, map[string]float64{}
	kind := 0
	add := func(id int, class string, deadline, now time.Duration) {
		r := Request{ID: id, Class: class, Deadline: deadline}
		long := kind%3 == 0 || kind%3 == 1 && rng.IntN(8) == 0
		n, m := 1+rng.IntN(4), 1+rng.IntN(4)
		if long {
			n, m = 1+rng.IntN(lim.SeqCells/2), 1+rng.IntN(lim.SeqCells/2)
		}
		r.Prompt, r.MaxTokens = make([]Token, n), m
		require.NoError(t, s.Add(r, now))
		waiting[class]++
	}
	classes := []string{"urgent"}
	for _, fl := range p.Floors {
		classes = append(classes, fl.Class)
	}
	next := 0
	for now := time.Duration(0); f.total < tokens; now += time.Millisecond {
		if rng.IntN(200) == 0 {
			kind++ // the adversary changes its mind
		}
		for _, class := range classes {
			for waiting[class] < 2*p.MaxBatch {
				deadline := now + 1
				if class != "urgent" {
					deadline = 0
				}
				add(next, class, deadline, now)
				next++
			}
		}
		_, _ = s.Plan(now)
		for _, a := range s.joins {
			class := s.live[a.ID].Class
			waiting[class]--
			f.gap[class] = max(f.gap[class], float64(f.total-since[class]))
			since[class] = f.total
		}
		n, of := 0, map[string]int{}
		for _, q := range s.members {
			n += q.planned
			of[q.Class] += q.planned
		}
		for _, em := range s.Commit(make([]Token, len(s.outputs))) {
			if em.Last {
				s.Remove(em.ID)
			}
		}
		require.NoError(t, s.agree())
		f.total += n
		for _, fl := range p.Floors {
			f.tokens[fl.Class] += of[fl.Class]
			// surplus is m − φn since its highest point: how far behind the worst stretch is.
			surplus[fl.Class] = min(surplus[fl.Class]+float64(of[fl.Class])-fl.Share*float64(n), 0)
			f.lag[fl.Class] = max(f.lag[fl.Class], -surplus[fl.Class])
			f.gap[fl.Class] = max(f.gap[fl.Class], float64(f.total-since[fl.Class]))
		}
	}
	return f
}

// TestFloorHoldsUnderFlood checks the two bounds that Floor proves against floods of
// long, short and mixed requests that are all more urgent (sglang#31954).
func TestFloorHoldsUnderFlood(t *testing.T) {
	lim := Limits{Seqs: 8, SeqCells: 48, Cells: 8 * 48, Rows: 16}
	for seed, floors := range [][]Floor{
		{{"batch", .2}}, {{"batch", .02}}, {{"batch", .9}}, {{"batch", .1}, {"night", .3}}, {{"batch", .5}, {"night", .05}, {"best effort", .45}},
	} {
		for _, batch := range []int{1, 4, 8} {
			t.Run(fmt.Sprint(floors, batch), func(t *testing.T) {
				p := Policy{MaxBatch: batch, StepTokens: 16, Refill: true, DecodeFirst: true, Order: EDF, Floors: floors}
				f := runFlood(t, p, lim, rand.New(rand.NewPCG(uint64(seed), uint64(batch))), 30_000)
				long, b, k := float64(lim.SeqCells), float64(batch*lim.SeqCells), float64(len(floors))
				for _, fl := range floors {
					bound := (long+b)/fl.Share + k*b
					t.Logf("%s: %.3f of the tokens, at most %.0f between admissions (bound %.0f), lag %.0f",
						fl.Class, float64(f.tokens[fl.Class])/float64(f.total), f.gap[fl.Class], bound, f.lag[fl.Class])
					require.LessOrEqual(t, f.gap[fl.Class], bound)
					if k == 1 {
						require.LessOrEqual(t, f.lag[fl.Class], long+fl.Share*(16+b))
					}
				}
			})
		}
	}
}

// Without a floor the same flood starves the class, so the test above tests the floor.
func TestFloodStarvesWithoutFloor(t *testing.T) {
	lim := Limits{Seqs: 8, SeqCells: 48, Cells: 8 * 48, Rows: 16}
	p := Policy{MaxBatch: 4, StepTokens: 16, Refill: true, DecodeFirst: true, Order: EDF}
	cache, err := CacheConfig{}.New(lim)
	require.NoError(t, err)
	s, err := NewScheduler(p, lim, cache)
	require.NoError(t, err)
	require.NoError(t, s.Add(Request{ID: -1, Prompt: []Token{1}, MaxTokens: 1}, 0))
	for i := range 2000 {
		now := time.Duration(i) * time.Millisecond
		for j := range 4 {
			require.NoError(t, s.Add(Request{ID: 4*i + j, Prompt: []Token{1}, MaxTokens: 1, Deadline: now + 1}, now))
		}
		s.Plan(now)
		for _, em := range s.Commit(make([]Token, len(s.outputs))) {
			require.NotEqual(t, -1, em.ID)
			s.Remove(em.ID)
		}
	}
}

// TestPatienceBoundsOvertaking: whoever arrives later than another's patience is not
// admitted before it, whatever the deadlines.
func TestPatienceBoundsOvertaking(t *testing.T) {
	lim := Limits{Seqs: 4, SeqCells: 48, Cells: 4 * 48, Rows: 16}
	const patience = 50 * time.Millisecond
	cache, err := CacheConfig{}.New(lim)
	require.NoError(t, err)
	s, err := NewScheduler(Policy{MaxBatch: 4, StepTokens: 16, Refill: true, Order: EDF, Patience: patience}, lim, cache)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 5))
	waiting, arrived := map[int]time.Duration{}, map[int]time.Duration{}
	overtaken := 0
	for i := range 3000 {
		now := time.Duration(i) * time.Millisecond
		for range rng.IntN(3) {
			r := Request{ID: len(arrived), Prompt: make([]Token, 1+rng.IntN(10)), MaxTokens: 1 + rng.IntN(4)}
			if rng.IntN(4) > 0 {
				r.Deadline = now + time.Duration(rng.IntN(100)-20)*time.Millisecond
			}
			require.NoError(t, s.Add(r, now))
			arrived[r.ID], waiting[r.ID] = now, now
		}
		s.Plan(now)
		for _, a := range s.joins {
			delete(waiting, a.ID)
			for id, at := range waiting {
				require.LessOrEqual(t, arrived[a.ID], at+patience, "request %d was overtaken", id)
				if at < arrived[a.ID] {
					overtaken++
				}
			}
		}
		if s.inFlight {
			for _, em := range s.Commit(make([]Token, len(s.outputs))) {
				if em.Last {
					s.Remove(em.ID)
				}
			}
		}
	}
	require.Positive(t, overtaken, "nobody was overtaken at all")
}

// TestQueueAgainstSorting: the heap gives what sorting would, with removal from
// anywhere.
func TestQueueAgainstSorting(t *testing.T) {
	random(t, 9, 300, func(p *prog) {
		w := newQueue(nil, 1)
		var in []*sequence
		for order := uint64(0); !p.done(); order++ {
			switch {
			case p.pick(3) > 0 || len(in) == 0:
				q := &sequence{order: order, key: time.Duration(p.pick(6)), floor: -1}
				w.push(q)
				in = append(in, q)
			default:
				i := p.pick(len(in))
				in[i].leave()
				in = append(in[:i], in[i+1:]...)
			}
			var least *sequence
			for _, q := range in {
				if least == nil || q.key < least.key || q.key == least.key && q.order < least.order {
					least = q
				}
			}
			require.Same(p.t, least, w.next())
			require.Equal(p.t, len(in), w.len())
			p.see("empty", len(in) == 0)
			p.see("tie", least != nil && len(in) > 1)
		}
	}, "empty", "tie")
}

// Floors that are owed at the same time win in turn.
func TestOwedFloorsTakeTurns(t *testing.T) {
	w := newQueue([]Floor{{"a", .3}, {"b", .3}, {"c", .3}}, 10)
	for order := range uint64(12) {
		w.push(&sequence{order: order, floor: int(order%4) - 1})
	}
	w.settle(10)
	var won []int
	for range 9 {
		q := w.next()
		w.take(q)
		won = append(won, q.floor)
	}
	require.Equal(t, []int{1, 2, 0, 1, 2, 0, 1, 2, 0}, won)
	require.Equal(t, -1, w.next().floor)
}

// A class that was absent has saved nothing up: when it comes, it gets its share and
// does not take the engine over.
func TestAbsentClassSavesNothingUp(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 1, Order: EDF, Floors: []Floor{{"a", .25}}}, CacheConfig{}, Limits{Cells: 64})
	got := map[string]int{}
	serve := func(steps int, classes ...string) {
		for range steps {
			for _, class := range classes {
				r := scripted(int(d.arrived), 4, 1)
				r.Class = class
				if class == "urgent" {
					r.Deadline = 1
				}
				require.NoError(t, d.Add(r, 0))
			}
			d.Plan(0)
			for _, q := range d.members {
				got[q.Class] += q.planned
			}
			for _, em := range d.Commit(make([]Token, 1)) {
				d.Remove(em.ID)
			}
		}
	}
	serve(500, "urgent")
	clear(got)
	serve(40, "urgent", "a")
	require.InDelta(t, .25*160, got["a"], 4)
}
