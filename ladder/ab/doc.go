// Package ab runs a paired experiment: blocks of short segments, in each of which every
// arm does the same work once, in an order drawn by lot. It keeps one line for each block
// that is whole, so that an experiment that was broken off goes on where it was, and no
// pair has a gap in its middle.
//
// What a segment is, and on what it runs, is the caller's: a function that measures one.
package ab
