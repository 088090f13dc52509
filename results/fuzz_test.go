package results

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Damaged bytes give an error or a cell, never a panic.
func TestDamagedFiles(t *testing.T) {
	data, err := cellTable.encode(testCell(), load(50, 10))
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 0))
	refused := 0
	for range 1000 {
		damaged := append([]byte(nil), data...)
		for range 1 + r.IntN(3) {
			damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
		}
		if _, _, err := cellTable.decode(damaged); err != nil {
			refused++
		}
	}
	t.Logf("%d of 1000 damaged files were refused", refused)
	require.Greater(t, refused, 500)
}

func FuzzDecodeCell(f *testing.F) {
	for _, n := range []int{0, 1, 30} {
		data, err := cellTable.encode(testCell(), load(n, 3))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cell, records, err := cellTable.decode(data)
		if err != nil {
			return
		}
		again, err := cellTable.encode(cell, records)
		require.NoError(t, err)
		_, got, err := cellTable.decode(again)
		require.NoError(t, err)
		require.Len(t, got, len(records))
	})
}

func FuzzParseJournal(f *testing.F) {
	f.Add([]byte(`{"rung":"fifo","offered_rps":1,"seed":1,"order":0,"state":"finished","rows":1}` + "\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, tail, err := parseJournal(data)
		if err != nil {
			return
		}
		whole := data[:len(data)-len(tail)]
		again, none, err := parseJournal(whole)
		require.NoError(t, err)
		require.Empty(t, none)
		require.Equal(t, entries, again)
	})
}
