package kv

import "fmt"

// Layout says what a copy of a sequence costs in the backend.
type Layout uint8

const (
	// Unified is one pool of cells for all sequences: a copy tags cells and costs
	// none, so a hit shares the owner's blocks.
	Unified Layout = iota
	// Streams gives every sequence cells of its own: a copy costs as many as it
	// copies, so a hit takes blocks for the cached prefix too.
	Streams
)

// String is "unified" or "streams".
func (l Layout) String() string {
	if l == Streams {
		return "streams"
	}
	return "unified"
}

// Config is the size of a cache and its policy's knobs.
type Config struct {
	Blocks      int // size of the pool; must be given
	BlockTokens int // tokens per block; 0 means 16
	// Seqs is the number of sequence ids for requests and owners; 0 means 256,
	// llama.cpp's limit. A running request that has published has two, so there
	// should be more than twice as many as requests run.
	Seqs int
	// SeqTokens is the most positions that one sequence may have; 0 means as many as
	// the pool.
	SeqTokens int

	// Layout is that of the backend. Contiguous does not copy and ignores it.
	Layout Layout
	// Prefix turns prefix reuse on. Contiguous ignores it.
	Prefix bool
	// RetainBlocks bounds the blocks that only owners hold, because idle cells can
	// cost time in every step; 0 means no bound but the pool.
	RetainBlocks int
	// Optimism is the share of the promised output growth that admission leaves
	// out of account, 0 … 1. At 0 a running request never lacks a block. Above
	// it, Reserve may return ErrNoBlocks and the scheduler must preempt.
	Optimism float64
	// LogEvictions keeps a log for Sharer.Evictions, which must then be called now
	// and then to empty it.
	LogEvictions bool
}

func (c Config) filled() Config {
	if c.BlockTokens == 0 {
		c.BlockTokens = 16
	}
	if c.Seqs == 0 {
		c.Seqs = 256
	}
	if pool := c.Blocks * c.BlockTokens; c.SeqTokens == 0 || c.SeqTokens > pool {
		c.SeqTokens = pool
	}
	return c
}

func (c Config) check() error {
	if c.SeqTokens < 0 || c.RetainBlocks < 0 {
		return fmt.Errorf("kv: %d positions per sequence and %d retained blocks: neither may be negative", c.SeqTokens, c.RetainBlocks)
	}
	return nil
}
