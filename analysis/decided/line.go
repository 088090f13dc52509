package decided

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Line is what was decided in one step: since the step before was over, until its own
// tokens had been given out.
type Line struct {
	Step int64
	// Items are the decisions, at least one, in the order of requests' lives: decisions
	// about arrivals, evictions, admissions, preemptions, prompt rows, copies, ends. Every
	// request is named as "request N".
	Items []string
	// Pool is what the KV pool was left with when a request had ended, such as "4 of 6 blocks
	// free or cached"; "" if none had. What else becomes of blocks follows from the items,
	// unless some are lost.
	Pool string
}

// between stands between the items of a line, and never in one.
const between = "; "

// left stands before a line's Pool.
const left = "left "

// String is the line as it is hashed and kept, such as
// "41: admitted request 17 with 128 of 300 tokens cached; prefilled 172 tokens of request 17".
func (l Line) String() string {
	s := strconv.FormatInt(l.Step, 10) + ": " + strings.Join(l.Items, between)
	if l.Pool != "" {
		s += between + left + l.Pool
	}
	return s
}

// add puts words that come from elsewhere, such as an error's, on one line of one item.
func (l *Line) add(format string, args ...any) {
	item := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	l.Items = append(l.Items, strings.ReplaceAll(item, between, ", "))
}

var named = regexp.MustCompile(`\brequest (\d+)`)

// requestsIn returns the requests that items name, each once, in the order of mention.
func requestsIn(items []string) (ids []int32) {
	for _, item := range items {
		for _, m := range named.FindAllStringSubmatch(item, -1) {
			id, err := strconv.ParseInt(m[1], 10, 32)
			if err == nil && !slices.Contains(ids, int32(id)) {
				ids = append(ids, int32(id))
			}
		}
	}
	return ids
}
