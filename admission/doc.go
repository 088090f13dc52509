// Package admission is the contract between an engine and the policy that decides which
// requests it takes, so that those it takes are answered in time: what a decision may
// know (Request, Snapshot), what it says (Decision), and what a policy is (Policy).
//
// A policy is a pure state machine like the scheduler: time is an argument, it does
// no I/O, and it belongs to one loop. The engine asks it about every arrival
// (Decide) and again before a request starts (Dequeue), and tells it of every step
// and of what became of each request that it took.
//
// The policies are in packages of their own: classic has those of the literature,
// riskcontrol our own, which promises a share of late requests, predict the predictors of
// latency that it rests on. Package policies lists them all by name.
package admission
