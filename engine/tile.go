package engine

// tile is how many rows a prompt has in a step to go by the backend's tiles: one more
// than a tile, because one of them goes with the pass of those that decode.
func (p *Policy) tile(lim Limits) int {
	if !p.TilePrompts || lim.Tile == 0 || p.ChunkAlign > 0 {
		return 0
	}
	return lim.Tile + 1
}

// A tile costs what 5/8 of its rows cost below it, about: with the 30M model on two
// threads a row at position 600 takes 0.59 ms by itself and 0.30 in a tile.
const tileWorth, tileParts = 5, 8

// tiledRest is how many of a request's tokens are computed, of which so many at its
// beginning are cached: those that are not, or a tile where that costs less.
func (s *Scheduler) tiledRest(tokens, cached int) int {
	rest := tokens - cached
	if rest < s.tile && rest*tileParts >= s.tile*tileWorth {
		rest = min(s.tile, tokens)
	}
	return max(1, rest)
}

// tiled is how many of at most n rows a prompt gets that has left rows to compute.
func (s *Scheduler) tiled(n, left int) int {
	switch {
	case s.tile == 0 || n >= left:
		return n
	case n < s.tile && s.prefill > 0:
		return 0 // what others leave of the step is worth little: the next step is whole
	case left-n < s.tile && left-s.tile >= s.tile:
		return left - s.tile
	}
	return n
}
