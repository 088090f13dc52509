package calibrate

import (
	"time"

	"github.com/cadence-bench/cadence-bench/engine/twin"
)

// Row is one measured step.
type Row struct {
	Label
	Work        twin.Work
	Model, Host time.Duration
	// Loop is what the engine spent besides: commit, plan and hand-over. It is 0 for a
	// scripted step, which has no engine.
	Loop time.Duration
}

// Label says where a row is from.
type Label struct {
	Kind Kind
	// Round counts the repetitions of the script, from 0.
	Round int
	// Point is what a script's rows share that repeat the same design; for scheduled
	// rows it is a stretch of the run. Rows of one point are held out together.
	Point string
}

// Kind is what a step was made to show.
type Kind string

// The kinds of rows. All but the last are scripted.
const (
	Prefill   Kind = "prefill"   // a chunk of one prompt
	Decode    Kind = "decode"    // one row for each of some sequences
	Mixed     Kind = "mixed"     // both
	Hit       Kind = "hit"       // copies of a sequence, each trimmed and gone on with, beside decoding rows
	Scheduled Kind = "scheduled" // a scheduler made it under load
)

// Total is how long the step took, all in all.
func (r *Row) Total() time.Duration { return r.Model + r.Host + r.Loop }

// split returns the rows that a script made, and the others.
func split(rows []Row) (scripted, scheduled []Row) {
	for i := range rows {
		if rows[i].Kind == Scheduled {
			scheduled = append(scheduled, rows[i])
		} else {
			scripted = append(scripted, rows[i])
		}
	}
	return scripted, scheduled
}
