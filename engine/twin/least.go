package twin

import (
	"math"
	"time"
)

// Answer is the size of a request and its answer, in tokens.
type Answer struct {
	Prompt int
	Cached int // of the prompt, at its beginning, that no engine need compute
	Output int // at least 1
}

// Least is a lower bound on the engine time that an answer takes in any batch, however
// well filled: every row costs at least what one of the best pass does, it attends to
// at least its own sequence, and every token of output costs its row of the output
// matrix. Copies, edits and what the host does are taken to be free.
func (c *Cost) Least(a Answer, unified bool) time.Duration {
	prompt, decode := c.attention(a, unified)
	rows := float64(a.Prompt - a.Cached + a.Output - 1)
	sum := rows*c.leastRow() + prompt + decode + float64(a.Output)*c.Seconds[Output]
	return seconds(sum)
}

// Alone is a lower bound on the time from a request's arrival to the end of its answer,
// on an engine that has nothing else to do: its prompt, then a pass for each further
// token.
func (c *Cost) Alone(a Answer, unified bool) time.Duration {
	prompt, decode := c.attention(a, unified)
	steps := float64(a.Output - 1)
	sum := float64(a.Prompt-a.Cached)*c.leastRow() + prompt +
		steps*c.leastPass() + decode + float64(a.Output)*c.Seconds[Output]
	return max(seconds(sum), c.Least(a, unified))
}

// leastRow is the least share of a pass that a row has.
func (c *Cost) leastRow() float64 {
	s := &c.Seconds
	return min(
		s[Pass1]+s[Stream],
		s[Pass2]/3+s[Row2],
		s[Pass4]/31+s[Row4],
		s[Pass32]/ubatchRows+s[Row32],
	)
}

// leastPass is the least that a pass costs, attention and output apart.
func (c *Cost) leastPass() float64 {
	s := &c.Seconds
	return min(s[Pass1], s[Pass2]+2*s[Row2], s[Pass4]+4*s[Row4], s[Pass32]+32*s[Row32])
}

// attention is the least that the rows of a prompt and those of its output cost for
// what they attend to. In streams a row of output goes alone in its stream, and so row
// by row; in a unified cache it may be in a large pass.
func (c *Cost) attention(a Answer, unified bool) (prompt, decode float64) {
	cell := min(c.Seconds[AttendDecode], c.Seconds[AttendPrefill])
	row := c.Seconds[AttendDecode]
	if unified {
		row = cell
	}
	return cell * widths(a.Cached, a.Prompt), row * widths(a.Prompt, a.Prompt+a.Output-1)
}

// widths is the sum of the padded KV widths that the rows at positions [from, to)
// attend over at least.
func widths(from, to int) float64 {
	sum := 0.0
	for from < to {
		wide := padded(int32(from + 1))
		n := min(to, int(wide)) - from
		sum += float64(n) * float64(wide)
		from += n
	}
	return sum
}

func seconds(s float64) time.Duration { return time.Duration(math.Floor(s * 1e9)) }
