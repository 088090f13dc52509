package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// anySteps makes n steps without regard to sense: every null, empty lists, extreme
// numbers and odd text.
func anySteps(r *rand.Rand, n int) []StepRow {
	texts := []string{"", "blocks", "slot", "délai dépassé", "模型错误 🚫", "a\x00b\n|"}
	word := func() string { return texts[r.IntN(len(texts))] }
	num := func() int32 {
		return []int32{math.MinInt32, -1, 0, 1, math.MaxInt32, r.Int32N(1000)}[r.IntN(6)]
	}
	long := func() int64 {
		return []int64{math.MinInt64, -1, 0, 1, math.MaxInt64, r.Int64N(1e12)}[r.IntN(6)]
	}
	opt := func() Opt[int32] {
		if r.IntN(3) == 0 {
			return Opt[int32]{}
		}
		return Some(num())
	}
	steps := make([]StepRow, n)
	for i := range steps {
		s := StepRow{
			Step: long(), Start: time.Duration(long()), End: time.Duration(long()), Model: time.Duration(long()), Host: time.Duration(long()),
			Rows: num(), PrefillRows: num(), DecodeRows: num(), OutputRows: num(), Sequences: num(), Copies: num(), Removes: num(),
			Waiting: num(), Held: num(), Running: num(),
			BlockTokens: num(), FreeBlocks: num(), CachedBlocks: num(), HeldBlocks: num(), PromisedBlocks: num(),
			EvictedTokens: long(), Cells: opt(), TopCell: opt(),
		}
		if r.IntN(4) == 0 {
			s.Error = Some(word())
		}
		for range r.IntN(6) - 2 {
			s.Evicted = append(s.Evicted, StepEviction{num(), num(), word()})
		}
		for range r.IntN(4) {
			s.Admitted = append(s.Admitted, StepAdmission{num(), num(), num(), r.IntN(2) == 0})
		}
		for range r.IntN(8) - 5 {
			s.Preempted = append(s.Preempted, StepPreemption{num(), word(), num(), num()})
		}
		for range r.IntN(3) {
			s.Ended = append(s.Ended, StepEnding{num(), word()})
		}
		steps[i] = s
	}
	return steps
}

func TestStepsRoundTrip(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 0))
		steps := anySteps(r, []int{0, 1, 2, 40, 400}[r.IntN(5)])
		path := filepath.Join(t.TempDir(), "steps", "steps.parquet")
		require.NoError(t, WriteSteps(path, testCell(), steps))
		cell, got, err := ReadSteps(path)
		require.NoError(t, err)
		require.Equal(t, testCell(), cell)
		require.Len(t, got, len(steps))
		for i := range steps {
			require.Equal(t, steps[i], got[i], "row %d", i)
		}
	}
}

// Lists that are longer than a batch of the decoder, more text than a dictionary
// page takes, and a group whose lists are all empty.
func TestStepsRoundTripOfManyRowGroups(t *testing.T) {
	steps := make([]StepRow, groupRows+10)
	for i := range steps {
		steps[i].Step = int64(i)
	}
	for i := range listBatch + 100 {
		steps[7].Ended = append(steps[7].Ended, StepEnding{int32(i), fmt.Sprintf("%0100d", i)})
	}
	path := filepath.Join(t.TempDir(), "steps.parquet")
	require.NoError(t, WriteSteps(path, testCell(), steps))
	_, got, err := ReadSteps(path)
	require.NoError(t, err)
	require.Equal(t, steps, got)
}

func TestEqualStepsAreEqualBytes(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) []byte {
		path := filepath.Join(dir, name)
		require.NoError(t, WriteSteps(path, testCell(), anySteps(rand.New(rand.NewPCG(1, 0)), 300)))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return data
	}
	require.Equal(t, write("a.parquet"), write("b.parquet"))
	noTempFiles(t, dir)
}

func TestStepWidth(t *testing.T) {
	null := Opt[int32]{}
	for _, tt := range []struct {
		step StepRow
		want Opt[int32]
	}{
		{StepRow{Rows: 1}, null},
		{StepRow{TopCell: Some(int32(5))}, null},
		{StepRow{Rows: 1, TopCell: Some(int32(5)), Error: Some("no slot")}, null},
		{StepRow{Rows: 1, TopCell: Some(int32(0))}, Some(int32(256))},
		{StepRow{Rows: 1, TopCell: Some(int32(1))}, Some(int32(256))},
		{StepRow{Rows: 1, TopCell: Some(int32(256))}, Some(int32(256))},
		{StepRow{Rows: 1, TopCell: Some(int32(257))}, Some(int32(512))},
	} {
		require.Equal(t, tt.want, tt.step.Width(), "%+v", tt.step)
	}
}

// A cell is not read as a trace, nor a trace as a cell.
func TestKindsOfFilesAreToldApart(t *testing.T) {
	dir := t.TempDir()
	cell, steps := filepath.Join(dir, "cell.parquet"), filepath.Join(dir, "steps.parquet")
	require.NoError(t, WriteCell(cell, testCell(), load(2, 2)))
	require.NoError(t, WriteSteps(steps, testCell(), make([]StepRow, 2)))
	_, _, err := ReadSteps(cell)
	require.ErrorContains(t, err, "read "+cell+": a Parquet file, but not a step trace")
	_, _, err = ReadCell(steps)
	require.ErrorContains(t, err, "read "+steps+": a Parquet file, but not a cell")
}

// A trace that was made before evictions had columns is read without them.
func TestStepsOfBeforeAreRead(t *testing.T) {
	before := stepTable
	before.columns = slices.DeleteFunc(slices.Clone(before.columns), func(c column[StepRow]) bool {
		return slices.Contains(before.added, c.Name)
	})
	require.Len(t, before.columns, len(stepTable.columns)-5)
	step := StepRow{EvictedTokens: 16, Evicted: []StepEviction{{1, 16, "blocks"}}, Ended: []StepEnding{{1, "completed"}}}
	data, err := before.encode(testCell(), []StepRow{step})
	require.NoError(t, err)
	_, got, err := stepTable.decode(data)
	require.NoError(t, err)
	step.Evicted = nil
	require.Equal(t, []StepRow{step}, got)
}

// The columns of one list must agree on its length.
func TestListsOfUnequalLengthsAreRefused(t *testing.T) {
	short := func(s *StepRow) *[]StepEnding {
		short := s.Ended[:len(s.Ended)/2]
		return &short
	}
	odd := stepTable
	odd.columns = append([]column[StepRow](nil), odd.columns...)
	last := &odd.columns[len(odd.columns)-1]
	require.Equal(t, "ended_reason", last.Name)
	last.codec = beside(short, func(e *StepEnding) *string { return &e.Reason }, text, unText[string])
	data, err := odd.encode(testCell(), []StepRow{{Ended: []StepEnding{{1, "completed"}, {2, "cancelled"}}}})
	require.NoError(t, err)
	_, _, err = stepTable.decode(data)
	require.EqualError(t, err, "damaged: column ended_reason: row 0 has a list of 1 beside one of 2")
}

func TestDamagedSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	data, err := stepTable.encode(testCell(), anySteps(r, 30))
	require.NoError(t, err)
	refused := 0
	for range 300 {
		damaged := append([]byte(nil), data...)
		damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
		if _, _, err := stepTable.decode(damaged); err != nil {
			refused++
		}
	}
	require.Greater(t, refused, 150)
	for n := 0; n < len(data); n += 7 {
		_, _, err := stepTable.decode(data[:n])
		require.Error(t, err, "%d of %d bytes", n, len(data))
	}
}
