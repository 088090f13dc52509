package decided

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileKeepsCells(t *testing.T) {
	a, b := script().decide(t), script().decide(t)
	b.Key.Rung, b.Key.OfferedRPS, b.Key.Seed, b.Key.Replicate, b.Key.Anchor = "a \"rung\"\nof two lines", 1.0/3, 1<<64-1, 2, true
	cells := []Cell{a, b, {Key: b.Key}}
	cells[2].Key.Rung = ""
	data, err := Encode(cells)
	require.NoError(t, err)
	again, err := Encode(cells)
	require.NoError(t, err)
	require.Equal(t, data, again)
	got, err := Decode(data)
	require.NoError(t, err)
	require.Equal(t, cells, got)
	was, err := Hash(cells)
	require.NoError(t, err)
	is, err := Hash(got)
	require.NoError(t, err)
	require.Equal(t, was, is)

	_, err = Encode([]Cell{a, a})
	require.EqualError(t, err, "decisions, line 21: cell prefix-2.5rps-s7 is there twice")
	_, err = Decode(data[:len(data)-9])
	require.ErrorContains(t, err, "decisions: it is not a whole zstd file of at most 67108864 bytes: ")
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	const cell = `cell "a" 2 rps seed 1 replicate 0 anchor false slo 4000 ms steps 9` + "\n"
	for text, want := range map[string]string{
		"":                                                      "decisions: the text begins with \"\", and this version reads \"cadence decisions 1\" only: write the baseline again",
		"cadence decisions 2\n":                                 "decisions: the text begins with \"cadence decisions 2\", and this version reads \"cadence decisions 1\" only: write the baseline again",
		header + "cell":                                         "decisions: the last line is torn",
		header + "r +1 late 2\n":                                "decisions, line 2: \"r +1 late 2\" stands before the first cell",
		header + "cell a\n":                                     "decisions, line 2: the cell's rung is not quoted: \"a\"",
		header + "cell \"a\" two rps\n":                         "decisions, line 2: cell: the rate is \"two\": not a number",
		header + "cell \"a\" 2 rps\n":                           "decisions, line 2: cell: seed is missing",
		header + cell + "x\n":                                   "decisions, line 3: \"x\" is neither a cell nor a request (r) nor a step (s)",
		header + cell + "r +1 lost 2\n":                         "decisions, line 3: request 0: unknown fate \"lost\"",
		header + cell + "r +1 late -2\n":                        "decisions, line 3: request: its latency is \"-2\": not a whole number from 0 to 9223372036854775807",
		header + cell + "r +1 late 02\n":                        "decisions, line 3: request: its latency is \"02\": not a whole number from 0 to 9223372036854775807",
		header + cell + "r +1 late 2 3\n":                       "decisions, line 3: request: \"3\" is too much",
		header + cell + "s +2: a; left \n":                      "decisions, line 3: step 2: \"left \" is not an item",
		header + cell + "s +1 \n":                               "decisions, line 3: step \"+1 \" says nothing",
		header + cell + "s +10: a\n":                            "decisions, line 3: the step is \"+10\": not from +0 to +9",
		header + cell + "s +2: a;  b\n":                         "decisions, line 3: step 2: \" b\" is not an item",
		header + cell + "s +2: a\ns +0: b\n":                    "decisions, line 4: the step is \"+0\": not from +1 to +7",
		header + cell + "s +2: a\nr +1 late 2\n":                "decisions, line 4: a request stands behind the steps",
		header + cell + "r +1 late 2\nr 1 late 2\n":             "decisions, line 4: request: the request is \"1\": not from +1 to +2147483647",
		header + strings.Replace(cell, " 2 rps", " 2.0 rps", 1): "decisions, line 2: the cell's line is not as it is written here: \"\\\"a\\\" 2.0 rps seed 1 replicate 0 anchor false slo 4000 ms steps 9\"",
		header + strings.Replace(cell, "anchor false", "anchor perhaps", 1): "decisions, line 2: the cell's line is not as it is written here: \"\\\"a\\\" 2 rps seed 1 replicate 0 anchor perhaps slo 4000 ms steps 9\"",
	} {
		_, err := parse([]byte(text))
		require.EqualError(t, err, want, "%q", text)
	}
}

// FuzzParse: what is read renders to the same text, and nothing panics.
func FuzzParse(f *testing.F) {
	cell, err := os.ReadFile(filepath.Join("testdata", "cell.txt"))
	require.NoError(f, err)
	f.Add(cell)
	f.Add([]byte(header + "cell \"\\x00\" -0 rps seed 1 replicate 0 anchor true slo 0 ms steps 0\nr +1 late -1\ns +0: ;; ;\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if cells, err := parse(text); err == nil {
			require.Equal(t, string(text), string(render(cells)))
		}
	})
}

// FuzzDecode: a damaged file is an error or other cells, and no panic.
func FuzzDecode(f *testing.F) {
	data, err := Encode([]Cell{script().decide(f)})
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:40])
	f.Fuzz(func(t *testing.T, data []byte) {
		if cells, err := Decode(data); err == nil {
			_, err = Text(cells)
			require.NoError(t, err)
		}
	})
}

// FuzzItems: whatever an engine gives as its reason, a line stays a line, and what is kept
// of it is the same.
func FuzzItems(f *testing.F) {
	f.Add("a; b", ";", "; ;\n")
	f.Add("", " ", "\u0085\xff")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		l := Line{Step: 3}
		l.add("ended request 1 (%s)", a)
		l.add("no row computed: %s", b)
		l.add("refused request 1 (%s)", c)
		l.Pool = "4 blocks free"
		cells := []Cell{{Steps: 4, Lines: []Line{l}}}
		text, err := Text(cells)
		require.NoError(t, err)
		got, err := parse(text)
		require.NoError(t, err)
		require.Equal(t, cells, got)
	})
}
