// Package kv accounts for the KV cache of an inference engine: which blocks and
// sequence ids are in use, by whom, and which prompt prefixes can be reused. It
// does no I/O and knows no clock; it uses the standard library only.
//
// # Sequences and blocks
//
// The cells themselves live in the backend (llama.cpp), where a cell belongs to
// one or more sequences. This package mirrors them: a sequence is a table of
// fixed-size blocks, a block with several holders is a run of cells with several
// tags. At every moment the cells in use are at most the blocks in use times the
// block size.
//
// A sequence is either running (a request holds it, see [Lease]) or an owner (it
// is idle, and the [PrefixTree] keeps it because its tokens may be asked for
// again). A hit copies an owner to the request's sequence and trims the tail that
// does not match; publishing copies a request to a new owner, or at the end of a
// request turns its own sequence into one. These edits come out as [Op] values.
//
// In the [Unified] layout a copy only tags cells, so the copy's table holds the
// same blocks. In the [Streams] layout a copy has cells of its own, so its table
// holds blocks of its own. Nothing else differs between the two.
//
// # Owners and the tree
//
// The tree is an index over tokens. Its nodes name no blocks; blocks belong to
// owners. Each leaf has exactly one owner, whose cells cover the whole path from
// the root, so an inner node is covered by the owner of every leaf below it, and
// splitting an edge changes nothing about owners. When a leaf is evicted its owner
// is trimmed to the parent if the parent becomes a leaf, and removed otherwise.
//
// A pinned node has a keeper, one owner that covers it and is not trimmed below it
// while the pin lasts. Whoever pins a node also holds the keeper's blocks down to
// it. From these two rules follows what admission depends on: the blocks that only
// owners hold ([Pool.Cached]) are exactly those that eviction can free.
//
// # Policies
//
// [Cache] is what a scheduler uses. [Contiguous] reserves a request's whole length
// when it is admitted; [Paged] takes blocks as tokens are written, promises the
// rest in a [Ledger], and optionally reuses prefixes.
package kv
