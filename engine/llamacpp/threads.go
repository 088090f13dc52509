package llamacpp

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/cadence-bench/cadence-bench/engine"
)

// ThreadRow is what one number of threads gave.
type ThreadRow struct {
	Threads    int
	PrefillTPS float64 // tokens per second, 256 rows of one sequence at a time
	DecodeTPS  float64 // tokens per second, all the sequences at a time
	SingleTPS  float64 // tokens per second, one sequence
	// Spread is the standard deviation of the logarithm of how long the same work takes, a
	// prompt and an answer of about a tenth of a second, one after the other; 0 where it
	// was not measured.
	Spread float64
	// LagP50 and LagP99 say how late a goroutine that sleeps for a millisecond
	// woke while the engine ran.
	LagP50, LagP99 time.Duration
}

const (
	// MaxLag is the LagP99 up to which the driver still keeps its schedule: a
	// tenth of the 50 ms that the static scheduler waits.
	MaxLag = 5 * time.Millisecond
	// threadGain is the gain that more threads must bring to be worth their
	// spinning.
	threadGain = 1.05
	// tapeSpread is what the requests of a tape alone add to the spread of a cell, whatever
	// the machine does: by simulation, the standard deviation of the logarithm of a cell's
	// goodput over tapes. A machine that is steadier than that decides nothing sooner.
	tapeSpread = 0.045
)

// ChooseThreads picks the number of threads: of the rows with a LagP99 of at most MaxLag the
// one that decides soonest, and of those within 5% of it the one with the fewest threads.
// How many cells a difference takes goes with their variance, and how long a cell takes
// with the time of a request: so it is the least (Spread² + tapeSpread²) × time. On shared
// virtual processors two threads that spin for each other may be faster in the mean and
// three times as unsteady, and then one thread decides soonest. The request is of the
// predecessor's workload, about 540 prompt tokens and 100 output tokens. Where every row
// lags more than MaxLag it is the one that lags least. No rows give 0.
func ChooseThreads(rows []ThreadRow) int {
	if len(rows) == 0 {
		return 0
	}
	var usable []ThreadRow
	for _, r := range rows {
		if r.LagP99 <= MaxLag {
			usable = append(usable, r)
		}
	}
	if len(usable) == 0 {
		return slices.MinFunc(rows, func(a, b ThreadRow) int { return cmp.Compare(a.LagP99, b.LagP99) }).Threads
	}
	best, threads := math.Inf(1), 0
	for _, r := range usable {
		best = min(best, r.cost())
	}
	for _, r := range usable {
		if r.cost() <= best*threadGain && (threads == 0 || r.Threads < threads) {
			threads = r.Threads
		}
	}
	return threads
}

// cost is what a decision takes: the variance of a cell times the time of a request.
func (r ThreadRow) cost() float64 {
	return (r.Spread*r.Spread + tapeSpread*tapeSpread) * requestSeconds(r.PrefillTPS, r.DecodeTPS)
}

// threadCandidates are the numbers of threads worth trying on n processors.
func threadCandidates(n int) []int {
	var c []int
	for t := 1; t <= n; t += max(1, t/4) {
		c = append(c, t)
	}
	if c[len(c)-1] != n {
		c = append(c, n)
	}
	return c
}

// MeasureThreads times a short prefill and decode with each number of threads
// on a context of its own, the best of three, and the lag of a timer meanwhile.
// With p.Seqs below 8 it uses fewer sequences. It takes seconds; nothing else
// should run.
func MeasureThreads(m *Model, p Params) ([]ThreadRow, error) {
	p.Seqs, p.KVUnified, p.Cells, p.SeqCells = min(max(p.Seqs, 1), 8), false, 0, 512
	p.Rows, p.UBatch, p.Threads, p.ThreadsBatch = 256, 256, 1, 1
	c, err := NewContext(m, p)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var rows []ThreadRow
	for _, n := range threadCandidates(runtime.NumCPU()) {
		c.SetThreads(n, n)
		row := ThreadRow{Threads: n}
		if err := timeEngine(c, new(ThreadRow)); err != nil { // warm up
			return nil, err
		}
		stop := make(chan struct{})
		lags := watchLag(stop)
		for range 3 {
			if err = timeEngine(c, &row); err != nil {
				break
			}
		}
		if err == nil {
			row.Spread, err = measureSpread(c)
		}
		close(stop)
		lag := <-lags
		if err != nil {
			return nil, fmt.Errorf("measure %d threads: %w", n, err)
		}
		row.LagP50, row.LagP99 = quantile(lag, 50), quantile(lag, 99)
		rows = append(rows, row)
	}
	return rows, nil
}

// timeEngine prefills one sequence, then decodes with all and with one, and
// raises row's rates to what it saw.
func timeEngine(c *Context, row *ThreadRow) error {
	const prompt, steps = 256, 16
	var b engine.Batch
	var res engine.StepResult
	for s := range c.limits.Seqs {
		b.Ops = append(b.Ops, engine.Op{Kind: engine.OpRemove, Seq: int32(s), To: -1})
	}
	for i := range prompt {
		b.Rows = append(b.Rows, engine.Row{Token: token(i, c.limits.Vocab), Pos: int32(i), Output: i == prompt-1})
	}
	if err := c.Step(&b, &res); err != nil {
		return err
	}
	row.PrefillTPS = max(row.PrefillTPS, prompt/res.Model.Seconds())

	b.Ops = b.Ops[:0]
	decode := func(seqs int) (tps float64, err error) {
		var spent time.Duration
		for i := range steps {
			b.Rows = b.Rows[:0]
			for s := range seqs {
				b.Rows = append(b.Rows, engine.Row{Token: token(i+s, c.limits.Vocab), Pos: c.Next(int32(s)), Seq: int32(s), Output: true})
			}
			if err := c.Step(&b, &res); err != nil {
				return 0, err
			}
			spent += res.Model + res.Host
		}
		return float64(steps*seqs) / spent.Seconds(), nil
	}
	all, err := decode(c.limits.Seqs)
	if err != nil {
		return err
	}
	single, err := decode(1)
	if err != nil {
		return err
	}
	row.DecodeTPS, row.SingleTPS = max(row.DecodeTPS, all), max(row.SingleTPS, single)
	return nil
}

// How much of the same work is timed: so many times or, with a slow model, for so long.
const (
	spreadTimes, spreadLeast = 16, 6
	spreadFor                = 3 * time.Second
)

// measureSpread answers a prompt of 64 tokens with 32, again and again.
func measureSpread(c *Context) (float64, error) {
	const prompt, answer = 64, 32
	var b engine.Batch
	var res engine.StepResult
	var logs []float64
	for began := time.Now(); len(logs) < spreadTimes && (len(logs) < spreadLeast || time.Since(began) < spreadFor); {
		b.Ops = append(b.Ops[:0], engine.Op{Kind: engine.OpRemove, To: -1})
		b.Rows = b.Rows[:0]
		for i := range prompt {
			b.Rows = append(b.Rows, engine.Row{Token: token(i, c.limits.Vocab), Pos: int32(i), Output: i == prompt-1})
		}
		var took time.Duration
		for i := range answer {
			if err := c.Step(&b, &res); err != nil {
				return 0, err
			}
			took += res.Model + res.Host
			b.Ops, b.Rows = b.Ops[:0], append(b.Rows[:0], engine.Row{Token: token(i, c.limits.Vocab), Pos: c.Next(0), Output: true})
		}
		logs = append(logs, math.Log(took.Seconds()))
	}
	return stat.StdDev(logs, nil), nil
}

// token gives the i-th of a run of tokens with no meaning.
func token(i, vocab int) engine.Token { return engine.Token((i*7919 + 11) % vocab) }

// watchLag sleeps for a millisecond again and again until stop is closed, and
// then sends how late each wake-up was, sorted.
func watchLag(stop <-chan struct{}) <-chan []time.Duration {
	out := make(chan []time.Duration, 1)
	go func() {
		const nap = time.Millisecond
		var late []time.Duration
		for {
			select {
			case <-stop:
				slices.Sort(late)
				out <- late
				return
			default:
			}
			start := time.Now()
			time.Sleep(nap)
			late = append(late, time.Since(start)-nap)
		}
	}()
	return out
}

// quantile gives the smallest value that q percent of the sorted values do not
// exceed, 0 for none.
func quantile(sorted []time.Duration, q int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*q+99)/100-1]
}
