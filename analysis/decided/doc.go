// Package decided says what an engine decided in a cell, in words that can be compared:
// a line for every step in which there was more to decide than that everybody decodes.
// It is how a figure that became worse is traced to the first decision that differs.
//
// A line is made from the cell's step trace and its requests. It names requests by their
// index in the tape, and it holds no times and no fractions: of two runs that decide alike,
// one on a slower machine, the lines are equal. Under open-loop load they need not decide
// alike: a slower step has more arrivals behind it. Where each request arrives when the
// engine is idle, only what a policy of admission answers depends on time.
//
// A Chain hashes the lines so that each hash covers all lines up to its own: two cells are
// compared by their last hash, and where they part is found from those in between. Encode
// keeps cells in a file, FirstDifference and Moved compare one with what it was before, and
// Explain does so for the cells of a run that are asked about.
package decided
