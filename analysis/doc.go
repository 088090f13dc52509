// Package analysis turns the rows of measured cells into metrics. It reads what
// results wrote and never touches an engine.
//
// # Conventions
//
// Every latency starts at the intended arrival, so time that a request spent
// waiting to be sent counts. The steady window is the half-open span of intended
// arrivals [warmup, duration − cooldown); a request belongs to it by its arrival,
// and is followed to its outcome however late that comes.
//
// A request that was not answered (timed out, cancelled, failed) is a censored
// observation: its latency is known to exceed a bound. It is ordered after every
// answered request, so leaving requests unanswered never improves a quantile. A
// quantile that falls on one is reported as "more than" its bound. A shed request
// has no latency; it counts in goodput and in attainment over all arrivals.
//
// What was not measured is null, never zero.
package analysis
