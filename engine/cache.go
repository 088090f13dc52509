package engine

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/kv"
)

// CacheConfig says how the KV cache is shared out. The zero CacheConfig reserves a
// request's prompt and whole output when it is admitted, to the token, and shares
// nothing.
type CacheConfig struct {
	// Paged gives cells block by block as tokens are computed.
	Paged bool
	// Prefix reuses the cached beginnings of prompts. It needs Paged.
	Prefix bool
	// BlockTokens is the size of a block. 0 means 16 when Paged is set, else 1.
	BlockTokens int
	// Cells bounds the cells that are used. 0 means all that the backend has.
	Cells int
	// Streams says that the backend keeps every sequence's cells apart, so that a
	// copy takes cells of its own. It must be as the backend was made.
	Streams bool
	// RetainCells bounds the cells that hold nothing but cached prefixes, because
	// they can cost time in every step. 0 sets no bound.
	RetainCells int
	// Optimism is the share of the output growth promised to running requests that
	// admission leaves out of account, 0 … 1. Above 0 a request may be preempted.
	// It needs Paged.
	Optimism float64
	// Wrap, where it is given, decorates the cache. No ladder file can give it.
	Wrap func(kv.Cache) kv.Cache
}

// Check says what is wrong with c, if anything.
func (c CacheConfig) Check() error {
	switch {
	case c.BlockTokens < 0 || c.Cells < 0 || c.RetainCells < 0:
		return fmt.Errorf("cache: block tokens %d, cells %d and retained cells %d must not be negative", c.BlockTokens, c.Cells, c.RetainCells)
	case (c.Prefix || c.Optimism != 0) && !c.Paged:
		return fmt.Errorf("cache: prefix reuse and optimism need a paged cache")
	}
	return nil
}

// New returns an empty cache for a backend with these limits.
func (c CacheConfig) New(lim Limits) (kv.Cache, error) { return c.build(lim, false) }

// build is New with or without a log of evictions, which somebody must then empty.
func (c CacheConfig) build(lim Limits, logEvictions bool) (kv.Cache, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	k := kv.Config{
		BlockTokens: c.blockTokens(), Seqs: lim.Seqs, SeqTokens: min(lim.SeqCells, lim.Cells),
		Prefix: c.Prefix, Optimism: c.Optimism, LogEvictions: logEvictions,
	}
	k.Blocks = lim.Cells / k.BlockTokens
	if c.Streams {
		// A sequence's last block may reach beyond its cells; SeqTokens keeps the
		// tokens within them.
		k.Layout, k.Blocks = kv.Streams, lim.Seqs*blocksFor(lim.SeqCells, k.BlockTokens)
	}
	if c.Cells > 0 {
		k.Blocks = min(k.Blocks, c.Cells/k.BlockTokens)
	}
	if c.RetainCells > 0 {
		k.RetainBlocks = max(1, c.RetainCells/k.BlockTokens)
	}
	if k.Blocks < 1 {
		return nil, fmt.Errorf("cache: %d cells are less than one block of %d", lim.Cells, k.BlockTokens)
	}
	cache, err := c.open(k)
	if err == nil && c.Wrap != nil {
		cache = c.Wrap(cache)
	}
	return cache, err
}

func (c CacheConfig) open(k kv.Config) (kv.Cache, error) {
	if c.Paged {
		return kv.NewPaged(k)
	}
	return kv.NewContiguous(k)
}

func (c CacheConfig) blockTokens() int {
	switch {
	case c.BlockTokens > 0:
		return c.BlockTokens
	case c.Paged:
		return 16
	}
	return 1
}

func blocksFor(tokens, blockTokens int) int { return (tokens + blockTokens - 1) / blockTokens }

// edit is a cache's op as the backend takes it.
func edit(op kv.Op) Op {
	switch op.Kind {
	case kv.Copy:
		return Op{Kind: OpCopy, Seq: op.Seq, Src: op.Src}
	case kv.Trim:
		return Op{Kind: OpRemove, Seq: op.Seq, From: op.From, To: -1}
	default:
		return Op{Kind: OpRemove, Seq: op.Seq, From: 0, To: -1}
	}
}

// ensure ends the program when the cache contradicts what the scheduler knows of
// it: going on would compute on the wrong cells.
func ensure(err error) {
	if err != nil {
		panic("engine: the KV cache and the scheduler disagree: " + err.Error())
	}
}
