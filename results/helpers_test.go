package results

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// completed is a record that breaks no rule.
func completed() Record {
	return Record{
		Request: 7, Class: "shared", Group: Some(int32(2)), Outcome: Completed,
		Intended: 100, Sent: Some(time.Duration(110)), Started: Some(time.Duration(120)), Ended: Some(time.Duration(160)),
		Tokens:       []time.Duration{130, 140, 150},
		PromptTokens: 540, CachedTokens: Some(int32(496)), SharedTokens: Some(int32(500)), MaxTokens: 16, StopTokens: Some(int32(3)),
	}
}

func testCell() Cell {
	return Cell{
		Schema: SchemaVersion,
		Key:    Key{Rung: "continuous", OfferedRPS: 2.5, Seed: math.MaxUint64},
		Order:  3, Backend: "twin", Workload: "mixed", TapeHash: "00ff",
		StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		DurationS: 60, WarmupS: 10, TimeoutS: 120, SLOS: 4.5, EndedS: 71.25,
		ProbeBefore: Some(Probe{PrefillTokensPerS: 1800, DecodeTokensPerS: 400}),
		Steps:       Steps{Count: 10, Rows: 100, OutputRows: 20, ModelS: 1.5},
		Params:      map[string]string{"max_running": "24", "scheduler": "continuous"},
	}
}

// load makes n requests of tokens output tokens each, all completed.
func load(n, tokens int) []Record {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([]Record, n)
	at := time.Duration(0)
	for i := range records {
		at += time.Duration(r.ExpFloat64() * 3e8)
		rec := completed()
		rec.Request, rec.Intended = int32(i), at
		rec.Sent, rec.Started = Some(at+1000), Some(at+50_000)
		rec.Tokens = make([]time.Duration, tokens)
		now := at + 200*time.Millisecond
		for j := range rec.Tokens {
			now += 20*time.Millisecond + time.Duration(r.Int64N(1e7))
			rec.Tokens[j] = now
		}
		rec.Ended, rec.MaxTokens, rec.StopTokens = Some(now), int32(tokens), Some(int32(tokens))
		records[i] = rec
	}
	return records
}

// anyRecord makes a record without regard to the rules: every outcome, every
// null, extreme numbers and odd text.
func anyRecord(r *rand.Rand) Record {
	texts := []string{"", "queue full", "predicted 4,2 s > SLO 3 s", "délai dépassé", "模型错误 🚫", "a\x00b\n|", "null", "0"}
	times := []time.Duration{math.MinInt64, -1, 0, 1, 1e9, math.MaxInt64}
	ints := []int32{math.MinInt32, -1, 0, 1, 512, math.MaxInt32}
	pick := func() time.Duration {
		if r.IntN(2) == 0 {
			return times[r.IntN(len(times))]
		}
		return time.Duration(r.Int64N(1e12))
	}
	optTime := func() Opt[time.Duration] {
		if r.IntN(3) == 0 {
			return Opt[time.Duration]{}
		}
		return Some(pick())
	}
	optInt := func() Opt[int32] {
		if r.IntN(3) == 0 {
			return Opt[int32]{}
		}
		return Some(ints[r.IntN(len(ints))])
	}
	rec := Record{
		Request: ints[r.IntN(len(ints))], Class: texts[r.IntN(len(texts))], Group: optInt(), Warmup: r.IntN(2) == 0,
		Outcome:  append(Outcomes(), "", "503", "未知")[r.IntN(len(outcomes)+3)],
		Intended: pick(), Sent: optTime(), Started: optTime(), Ended: optTime(),
		Session: optInt(), Turn: optInt(), Think: optTime(),
		PromptTokens: ints[r.IntN(len(ints))], CachedTokens: optInt(), SharedTokens: optInt(), MaxTokens: ints[r.IntN(len(ints))], StopTokens: optInt(),
	}
	if r.IntN(2) > 0 {
		share := func() float64 { return []float64{0, 0.5, 1, math.Inf(1), -0.25}[r.IntN(5)] }
		a := Admission{
			Admitted: r.IntN(2) == 0, Reason: texts[r.IntN(len(texts))], Estimate: optTime(), Bound: optTime(), Regime: texts[r.IntN(len(texts))],
			Propensity: share(), Forced: r.IntN(2) == 0, RetryAfter: optTime(),
			Cached: ints[r.IntN(len(ints))], Queued: ints[r.IntN(len(ints))], Running: ints[r.IntN(len(ints))], Prefill: ints[r.IntN(len(ints))], FreeKV: share(),
		}
		if r.IntN(2) == 0 {
			a.Chance = Some(share())
		}
		if r.IntN(2) == 0 {
			a.Threshold = Some(AdmissionThreshold{Theta: share(), Threshold: share(), At: texts[r.IntN(len(texts))], RefusedBy: texts[r.IntN(len(texts))]})
		}
		rec.Admission = Some(a)
	}
	if r.IntN(3) > 0 {
		rec.Reason = Some(texts[r.IntN(len(texts))])
	}
	if n := r.IntN(200); r.IntN(3) > 0 && n > 0 {
		rec.Tokens = make([]time.Duration, n)
		for i := range rec.Tokens {
			rec.Tokens[i] = pick()
		}
		if r.IntN(2) == 0 {
			slices.Sort(rec.Tokens)
		}
	}
	return rec
}

// noTempFiles fails if dir has a leftover of a write.
func noTempFiles(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, found)
}
