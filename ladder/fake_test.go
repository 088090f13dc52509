package ladder

import (
	"errors"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/results"
)

// quiet is a Progress that remembers, and can interrupt.
type quiet struct {
	notes  []string
	plan   []results.Key
	done   int
	ended  []results.Cell
	failed []error
	onEnd  func(order int)
}

func (q *quiet) Note(text string)                             { q.notes = append(q.notes, text) }
func (q *quiet) Plan(m *results.Manifest, done int, _ Config) { q.plan, q.done = m.Plan, done }
func (q *quiet) Begin(int)                                    {}
func (q *quiet) Tick(int, cell.Status)                        {}
func (q *quiet) Failed(_ int, err error)                      { q.failed = append(q.failed, err) }
func (q *quiet) End(order int, c results.Cell, _ []results.Record) {
	q.ended = append(q.ended, c)
	if q.onEnd != nil {
		q.onEnd(order)
	}
}

var errDevice = errors.New("device lost")

// newSweep returns a sweep of a fake machine into a folder of the test's.
func newSweep(dir string) (*Sweep, *celltest.Machine, *quiet) {
	m, q := &celltest.Machine{Name: "m1", Context: 4096, Fail: map[int]error{}}, &quiet{}
	calendar := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Sweep{
		Machine: m, Dir: dir, Progress: q,
		Now: func() time.Time { return calendar },
	}, m, q
}

func smallConfig(t *testing.T) Config {
	t.Helper()
	c, err := Preset("smoke")
	if err != nil {
		t.Fatal(err)
	}
	c.Seeds = []uint64{1, 2}
	return c
}
