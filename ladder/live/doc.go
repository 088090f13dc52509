// Package live keeps what is known of a sweep while it runs, and says it: a Board
// is told what happens and at what time, and gives a View, which is a value. The
// terminal shows a View's Lines, and the live page its JSON.
package live
