// Package admission decides which requests a server takes, so that those it takes
// are answered in time. It holds what a decision may know, the policies that
// decide, and the calibration that makes a policy's promise hold.
//
// A policy is a pure state machine like the scheduler: time is an argument, it does
// no I/O, and it belongs to one loop. The engine asks it about every arrival
// (Decide) and again before a request starts (Dequeue), and tells it of every step
// and of what became of each request that it took.
package admission
