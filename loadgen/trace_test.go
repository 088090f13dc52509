package loadgen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/loadgen/random"
	"github.com/cadence-bench/cadence-bench/loadgen/recording"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

const validTraces, brokenTraces = "testdata/traces/valid", "testdata/traces/broken"

func filesOf(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// What every sample is read as.
func TestValidTracesGolden(t *testing.T) {
	var b strings.Builder
	for _, file := range filesOf(t, validTraces) {
		rec, err := readRecording(file, "", 100)
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s: %s\n", filepath.Base(file), rec.format)
		for _, row := range rec.rows {
			fmt.Fprintf(&b, "  at %v prompt %d output %d blocks %v %q %q\n", row.At, row.Prompt, row.Output, row.Blocks, row.System, row.Said)
		}
		if rec.tape != nil {
			fmt.Fprintf(&b, "  %+v\n", *rec.tape)
		}
	}
	golden.Equal(t, "traces/valid.txt", b.String())
}

// Every broken sample is refused by one line that names the file, and where there
// is one the line and the field.
func TestBrokenTracesGolden(t *testing.T) {
	var b strings.Builder
	for _, file := range filesOf(t, brokenTraces) {
		_, err := ParseWorkload("trace:" + file)
		if strings.HasPrefix(filepath.Base(file), "times") {
			_, err = ParseArrivals("replay:" + file)
		}
		require.Error(t, err, file)
		require.Contains(t, err.Error(), file)
		require.NotContains(t, err.Error(), "\n")
		fmt.Fprintln(&b, strings.ReplaceAll(err.Error(), brokenTraces+"/", ""))
	}
	golden.Equal(t, "traces/broken.txt", b.String())
}

func openLoad(t testing.TB, workload, arrivals string) Load {
	t.Helper()
	l, err := OpenLoad(workload, arrivals)
	require.NoError(t, err)
	return l
}

func TestTraceKeepsItsTimesAtItsRate(t *testing.T) {
	for _, c := range []struct {
		file string
		want []time.Duration
	}{
		{"burstgpt.csv", []time.Duration{0, sec(40.5), sec(113)}},
		{"azure-2023.csv", []time.Duration{0, 4314579 * time.Microsecond, 4541977 * time.Microsecond}},
		{"azure-2024.csv", []time.Duration{0, 7405 * time.Microsecond, 990070 * time.Microsecond}},
		{"mooncake.jsonl", []time.Duration{0, sec(10.535), sec(27.482), sec(27.482)}},
	} {
		file := validTraces + "/" + c.file
		l := openLoad(t, "trace:"+file, "")
		rate, ok := l.RecordedRate()
		require.True(t, ok)
		n := len(c.want)
		require.InDelta(t, float64(n-1)/c.want[n-1].Seconds(), rate, 1e-12)
		d := c.want[n-1] + 1
		tape, err := l.Make(rate, 1, d)
		require.NoError(t, err)
		require.Equal(t, c.want, tape.ArrivalTimes())
		require.Equal(t, "recorded", tape.Arrivals)
		require.Equal(t, "trace:"+c.file, tape.Workload, "not where the file is")
		twice, err := l.Make(2*rate, 1, d/2)
		require.NoError(t, err)
		require.Equal(t, c.want[1]/2, twice.Requests[1].At)
		replayed := openLoad(t, SharedPrompt, "replay:"+file)
		require.Equal(t, c.want, replayed.Arrivals.Times(rate, 1, d))
		_, err = l.Make(rate, 1, 2*d)
		require.ErrorContains(t, err, "lower the rate or the duration")
	}
}

// Equal hash ids are equal text, so prompts share what the recorded ones did.
func TestMooncakeBlocksShareText(t *testing.T) {
	l := openLoad(t, "trace:"+validTraces+"/mooncake.jsonl", "")
	all := l.Sample(9, 5).Requests
	require.Len(t, all, 4)
	words := func(i int) []string { return strings.Fields(all[i].User) }
	block := text.WordsFor(512)
	require.Equal(t, words(0)[:2*block], words(1)[:2*block])
	require.NotEqual(t, words(0)[2*block], words(1)[2*block])
	for i, want := range []int{2*block + text.WordsFor(76), 2*block + text.WordsFor(276), text.WordsFor(300), text.WordsFor(600)} {
		require.Len(t, words(i), want)
	}
	require.Equal(t, []int{0, 0, 1, -1}, []int{all[0].Group, all[1].Group, all[2].Group, all[3].Group})
	require.NotEqual(t, all[0].User, l.Sample(9, 6).Requests[0].User, "another seed is other text")

	small := openLoad(t, "trace:"+validTraces+"/mooncake.jsonl,scale=0.1", "").Sample(2, 5).Requests
	require.Equal(t, 2*text.WordsFor(51)+text.WordsFor(8), text.Words(small[0].User))
	require.Equal(t, 5, small[0].MaxTokens)
	require.InDelta(t, 2*text.WordsFor(51), commonWords(small[0].User, small[1].User), 3)
}

func commonWords(a, b string) int {
	x, y := strings.Fields(a), strings.Fields(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

func TestShareGPT(t *testing.T) {
	file := "trace:" + validTraces + "/sharegpt.json"
	l := openLoad(t, file, "")
	_, ok := l.RecordedRate()
	require.False(t, ok)
	require.Equal(t, "poisson", l.Arrivals.String())
	all := l.Sample(9, 1).Requests
	require.Len(t, all, 2, "the first turn of what has an answer")
	require.Equal(t, "How do tides work?", all[0].User)
	require.Equal(t, 13, all[0].MaxTokens, "10 words")
	require.Equal(t, "Be brief.", all[1].System)
	require.Equal(t, "Name a tree.\n\"Quoted\"", all[1].User)
	require.Zero(t, all[0].Session)

	all = openLoad(t, file+",turns=5,think=1s", "").Sample(9, 1).Requests
	require.Len(t, all, 3)
	require.Equal(t, []string{"How do tides work?", "The moon pulls on the water, and the water follows."}, all[1].History)
	require.Positive(t, all[1].Think)
	require.Equal(t, []int{1, 1, 2}, []int{all[0].Session, all[1].Session, all[2].Session})
	require.InDelta(t, 1.5, openLoad(t, file+",turns=5", "").Workload.perArrival, 1e-9)
}

// A tape on disk is the tape: the same hash from either format, and the same again
// when it is offered as a trace.
func TestTapeRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ workload, arrivals string }{
		{SharedPrompt, ""}, {Uniform, "constant"}, {Sessions, "gamma:burstiness=0.5"},
		{PrefixRepetition, "ramp:from=1,to=2"}, {Bimodal, "poisson"},
		{"trace:" + validTraces + "/sharegpt.json,turns=2", "constant"},
	} {
		rate, d := 3.3, 20*time.Second
		if i == 5 {
			rate, d = 2, 2*time.Second
		}
		tape, err := openLoad(t, c.workload, c.arrivals).Make(rate, 7+uint64(i), d)
		require.NoError(t, err)
		for ext, write := range map[string]func(*Tape, *bytes.Buffer) error{
			"jsonl":   func(t *Tape, b *bytes.Buffer) error { return t.WriteJSONL(b) },
			"parquet": func(t *Tape, b *bytes.Buffer) error { return t.WriteParquet(b) },
		} {
			var b, again bytes.Buffer
			require.NoError(t, write(tape, &b))
			require.NoError(t, write(tape, &again))
			require.Equal(t, b.Bytes(), again.Bytes(), "equal tapes are equal bytes")
			file := filepath.Join(dir, fmt.Sprintf("%d.%s", i, ext))
			require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
			got, err := ReadTape(file)
			require.NoError(t, err)
			require.Equal(t, tape.Hash(), got.Hash(), "%s %s", c.workload, ext)
			l := openLoad(t, "trace:"+file, "")
			require.True(t, l.Workload.Frozen())
			recorded, ok := l.RecordedRate()
			require.True(t, ok)
			require.InEpsilon(t, rate, recorded, 1e-12)
			offered, err := l.Make(rate, 7+uint64(i), d)
			require.NoError(t, err)
			require.Equal(t, tape.Hash(), offered.Hash(), "%s %s", c.workload, ext)
			slower, err := l.Make(rate/2, 7+uint64(i), d)
			require.NoError(t, err)
			require.InDelta(t, float64(2*tape.Requests[0].At), float64(slower.Requests[0].At), 2)
		}
	}
}

// Several pages and row groups.
func TestLargeParquetTape(t *testing.T) {
	tape, err := openLoad(t, "bimodal:short-prompt=200,long-prompt=900", "").Make(1000, 3, 20*time.Second)
	require.NoError(t, err)
	require.Greater(t, len(tape.Requests), parquetGroup)
	var b bytes.Buffer
	require.NoError(t, tape.WriteParquet(&b))
	rec, err := parseRecording(&b, "", 1)
	require.NoError(t, err)
	require.Equal(t, tape.Hash(), rec.tape.Hash())
}

// No prefix of a tape as Parquet is taken for a tape, and damage is an error or
// another tape, never a panic.
func TestDamagedParquetTape(t *testing.T) {
	tape, err := openLoad(t, "bimodal", "").Make(2, 1, 5*time.Second)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, tape.WriteParquet(&b))
	for n := 0; n < b.Len(); n += 17 {
		_, err := parseRecording(bytes.NewReader(b.Bytes()[:n]), recording.Tape, 100)
		require.Error(t, err, "%d bytes", n)
	}
	r := random.Stream(1, "test")
	for range 2000 {
		data := bytes.Clone(b.Bytes())
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
		}
		if rec, err := parseRecording(bytes.NewReader(data), recording.Tape, 100); err == nil {
			require.NoError(t, rec.tape.check())
		}
	}
}

func TestLimit(t *testing.T) {
	for _, file := range []string{"burstgpt.csv", "mooncake.jsonl", "sharegpt.json", "times.txt"} {
		rec, err := readRecording(validTraces+"/"+file, "", 1)
		require.NoError(t, err)
		require.Len(t, rec.rows, 1, file)
	}
}

func TestTraceSpecs(t *testing.T) {
	file := validTraces + "/burstgpt.csv"
	for _, c := range []struct{ spec, want string }{
		{"trace:nowhere.csv", "workload trace: open nowhere.csv: no such file"},
		{"trace:" + file + ",format=azur", `format=azur: did you mean "azure"? choose from sharegpt`},
		{"trace:" + file + ",format=azure", "line 1: ContextTokens"},
		{"trace:" + file + ",rate=2", "unknown parameter rate"},
		{"trace:" + validTraces + "/times.txt", "use it as --arrivals replay:"},
	} {
		_, err := ParseWorkload(c.spec)
		require.ErrorContains(t, err, c.want)
	}
	_, err := ParseArrivals("replay:" + validTraces + "/sharegpt.json")
	require.ErrorContains(t, err, "sharegpt has no times")
}

// The readers never panic, whatever they read, and what they take keeps their
// promises.
func FuzzTraces(f *testing.F) {
	for _, dir := range []string{validTraces, brokenTraces} {
		for _, file := range filesOf(f, dir) {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			for i := range recording.Formats() {
				f.Add(uint8(i), data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, format uint8, data []byte) {
		name := recording.Formats()[int(format)%len(recording.Formats())]
		if bytes.HasPrefix(data, []byte("PAR1")) {
			return // see TestDamagedParquetTape: a forged size may ask for any memory
		}
		const limit = 50
		rec, err := parseRecording(bytes.NewReader(data), name, limit)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		if rec.tape != nil {
			require.NoError(t, rec.tape.check())
			return
		}
		require.True(t, len(rec.rows) >= 1 && len(rec.rows) <= limit)
		last := time.Duration(0)
		for _, row := range rec.rows {
			require.GreaterOrEqual(t, row.At, last)
			last = row.At
			if row.Said == nil {
				require.True(t, row.Prompt >= 1 && row.Prompt <= text.MaxTokens && row.Output >= 1 && row.Output <= text.MaxTokens)
			}
			require.LessOrEqual(t, len(row.Blocks), text.MaxTokens/recording.BlockTokens)
			require.Zero(t, len(row.Said)%2)
		}
	})
}

func TestDescribe(t *testing.T) {
	tape, err := openLoad(t, "prefix-repetition:prefixes=2,prefix=100,suffix=20,share=0.5", "constant").Make(10, 1, time.Minute)
	require.NoError(t, err)
	f := Describe(tape)
	require.Equal(t, len(tape.Requests), f.Requests)
	require.Equal(t, 2, f.Groups)
	require.Equal(t, f.Requests, f.Classes["shared"]+f.Classes["unique"])
	require.InDelta(t, 0, f.Gaps.CV, 0.05)
	share := float64(f.Classes["shared"]-2) / float64(f.Requests) * float64(text.WordsFor(100)) / float64(text.WordsFor(100)+text.WordsFor(20))
	require.InDelta(t, share, f.Shared, 0.01)
	talk := Describe(&Tape{Duration: time.Second, Requests: sample(t, "sessions:turns=3", 9, 1)})
	require.Equal(t, []int{3, 3, 3}, []int{talk.Arrivals, talk.Sessions, talk.MaxTurns})
	require.Greater(t, talk.Shared, 0.5)
}
