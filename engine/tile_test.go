package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTiledChunks: with tiles of 64 and so prompts of 65 rows in mind, how many rows a
// prompt gets of those that the step has left, and how many of it are computed at all.
func TestTiledChunks(t *testing.T) {
	s := &Scheduler{tile: 65}
	for name, c := range map[string]struct{ n, left, others, want int }{
		"all that is left":                     {40, 40, 0, 40},
		"a long prompt takes the step":         {512, 2000, 0, 512},
		"no short rest":                        {488, 540, 0, 475},
		"a rest of a tile is no short one":     {488, 553, 0, 488},
		"too short for two tiles":              {100, 129, 0, 100},
		"just two tiles":                       {100, 130, 0, 65},
		"the end of a step is left alone":      {30, 540, 458, 0},
		"unless nobody else has any of it":     {30, 540, 0, 30},
		"the last rows take the end of a step": {30, 30, 458, 30},
		"nothing left of the step":             {0, 540, 488, 0},
	} {
		s.prefill = c.others
		require.Equal(t, c.want, s.tiled(c.n, c.left), name)
	}
	for _, c := range []struct{ tokens, cached, want int }{
		{600, 0, 600},
		{600, 592, 8},  // cheaper by itself
		{600, 560, 40}, // still
		{600, 559, 65}, // not any more
		{600, 536, 65}, // a tile less one
		{600, 535, 65}, // a tile
		{600, 534, 66}, // more
		{50, 0, 50},    // a prompt that is no tile
		{50, 9, 50},    // nor is its rest: computed whole
		{50, 49, 1},    // one row is enough
		{600, 600 - 1, 1},
	} {
		require.Equal(t, c.want, s.tiledRest(c.tokens, c.cached), "%d tokens, %d cached", c.tokens, c.cached)
	}
	require.Equal(t, 7, (&Scheduler{}).tiled(7, 9), "without tiles")
}

// TestTilesKeepTheBudget: whatever the lengths, such a step has no more rows than the
// policy allows, somebody gets rows while anybody waits for some, every request ends, and
// at the end of its prompt nobody has computed a short chunk that a longer prompt could
// have done without.
func TestTilesKeepTheBudget(t *testing.T) {
	short, long := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := Policy{MaxBatch: 1 + rng.IntN(8), StepTokens: 32 + rng.IntN(200), DecodeFirst: rng.IntN(2) == 0, TilePrompts: true}
		lim := Limits{Cells: 1 << 14, SeqCells: 1 << 11, Seqs: 32, Rows: 512, Tile: 8 << rng.IntN(3)}
		d := newDesk(t, p, CacheConfig{Paged: true, Prefix: rng.IntN(2) == 0, BlockTokens: 4}, lim)
		for id := range 20 {
			d.add(id, 1+rng.IntN(600), 1+rng.IntN(20))
		}
		for d.Waiting()+d.Running() > 0 {
			require.NotNil(t, d.step())
			require.LessOrEqual(t, len(d.batch.Rows), p.StepTokens)
			for _, q := range d.members {
				rows := 0
				for _, r := range d.batch.Rows {
					if r.Seq == q.seq {
						rows++
					}
				}
				if rows > 1 && q.prefilling() && d.prefill > rows {
					long++
					if rows < d.tile {
						short++
					}
				}
			}
		}
		require.Len(t, d.tokens, 20)
	}
	require.Positive(t, long)
	require.Zero(t, short, "a chunk shorter than a tile behind another, with more to come")
}

// TestTilesShortenHits: a request whose rest is most of a tile computes a whole one, and
// the admission policy is told so.
func TestTilesShortenHits(t *testing.T) {
	lim := Limits{Cells: 1 << 12, SeqCells: 1 << 10, Seqs: 16, Rows: 512, Tile: 64}
	d := newDesk(t, Policy{MaxBatch: 2, StepTokens: 512, DecodeFirst: true, TilePrompts: true}, CacheConfig{Paged: true, Prefix: true, BlockTokens: 16}, lim)
	d.add(0, 320, 2)
	d.run()
	for id, c := range []struct{ more, fresh int }{{20, 20}, {50, 65}, {80, 80}} {
		r := scripted(id+1, 320, 2)
		r.Prompt = append(scripted(0, 320, 2).Prompt, r.Prompt[:c.more]...)
		require.Equal(t, len(r.Prompt)-c.fresh, d.wouldHit(r.Prompt, len(r.Prompt)))
		require.NoError(t, d.Add(r, 0))
		d.step()
		require.Equal(t, len(r.Prompt)-c.fresh, d.joins[0].Hit)
		d.run()
	}
}
