package record

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

// teller is a policy that writes down what it is told, and refuses odd requests.
type teller struct {
	admission.Base
	log []string
}

func (p *teller) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	p.log = append(p.log, fmt.Sprintf("decide %d at %v with %d and %d", r.ID, s.Now, len(s.Queue), len(s.Batch)))
	return admission.Decision{Admit: r.ID%2 == 0}
}

func (p *teller) Stepped(st admission.Step) {
	p.log = append(p.log, fmt.Sprintf("step of %v at %v", st.Duration, st.At))
}

func (p *teller) Ended(o *admission.Outcome) {
	p.log = append(p.log, fmt.Sprintf("end of %d at %v", o.Request.ID, o.At))
}

// TestReplayTellsWhatWasTold: a recorder changes nothing of what its policy hears and
// says, and its rows tell the same again, in the same order.
func TestReplayTellsWhatWasTold(t *testing.T) {
	p := &teller{}
	r := NewRecorder(p)
	var snap admission.Snapshot // the engine's to reuse
	decide := func(id, at, queued int) {
		snap.Now, snap.Queue = time.Duration(at), append(snap.Queue[:0], make([]admission.Work, queued)...)
		snap.Batch = append(snap.Batch[:0], admission.Work{Output: id})
		require.Equal(t, id%2 == 0, r.Decide(&admission.Request{ID: id}, &snap).Admit)
	}
	end := func(id, at int) {
		r.Ended(&admission.Outcome{Request: admission.Request{ID: id}, At: time.Duration(at), Finished: true})
	}
	step := func(at int) { r.Stepped(admission.Step{At: time.Duration(at), Duration: 5}) }
	decide(0, 10, 0)
	decide(1, 11, 1)
	step(15)
	decide(2, 16, 0)
	step(20)
	step(25)
	end(2, 25)
	decide(4, 30, 2)
	end(0, 40)
	end(4, 41)

	b := Block{Rows: r.Rows}
	var again teller
	b.Replay(Listener{
		Step: again.Stepped,
		Decide: func(i int, row *Row) {
			require.Equal(t, row.Request.ID, row.Snapshot.Batch[0].Output, "the snapshot is the row's own")
			again.Decide(&row.Request, &row.Snapshot)
		},
		End: func(_ int, row *Row) { again.Ended(&row.Outcome) },
	})
	require.Equal(t, p.log, again.log)
	require.False(t, r.Rows[1].Ended, "it was refused")
	require.True(t, r.Rows[0].Finished())
}

type aborter struct {
	admission.Base
	aborts bool
}

func (a aborter) Aborts() bool { return a.aborts }

func TestRecorderAbortsAsItsPolicyDoes(t *testing.T) {
	require.False(t, NewRecorder(admission.Base{}).Aborts())
	require.False(t, NewRecorder(aborter{}).Aborts())
	require.True(t, NewRecorder(aborter{aborts: true}).Aborts())
}
