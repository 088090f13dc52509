package results

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// rule is one thing that cannot be true of a measured request.
type rule struct {
	text   string
	broken func(*Record) bool
}

// rules are checked in this order. Times may be equal: a virtual clock gives an
// arrival and its outcome the same instant, and a chunk from an external server
// may carry several tokens.
var rules = []rule{
	{"request is negative", func(r *Record) bool { return r.Request < 0 }},
	{"outcome is unknown", func(r *Record) bool { return !r.Outcome.Known() }},
	{"outcome is failed without a reason", func(r *Record) bool { return r.Outcome == Failed && r.Reason.V == "" }},
	{"intended_ns is negative", func(r *Record) bool { return r.Intended < 0 }},
	{"sent_ns is before intended_ns", func(r *Record) bool { return r.Sent.OK && r.Sent.V < r.Intended }},
	{"started_ns is before sent_ns", func(r *Record) bool { return earlier(r.Started, r.Sent) }},
	{"ended_ns is before intended_ns", func(r *Record) bool { return r.Ended.OK && r.Ended.V < r.Intended }},
	{"ended_ns is before sent_ns", func(r *Record) bool { return earlier(r.Ended, r.Sent) }},
	{"ended_ns is before started_ns", func(r *Record) bool { return earlier(r.Ended, r.Started) }},
	{"ended_ns is null although the outcome is not failed", func(r *Record) bool { return !r.Ended.OK && r.Outcome != Failed }},
	{"started_ns without sent_ns", func(r *Record) bool { return r.Started.OK && !r.Sent.OK }},
	{"tokens without sent_ns", func(r *Record) bool { return len(r.Tokens) > 0 && !r.Sent.OK }},
	{"the first token is before sent_ns", func(r *Record) bool { return earlier(r.FirstToken(), r.Sent) }},
	{"the first token is before started_ns", func(r *Record) bool { return earlier(r.FirstToken(), r.Started) }},
	{"token_ns decreases", func(r *Record) bool { return !slices.IsSorted(r.Tokens) }},
	{"a token is after ended_ns", func(r *Record) bool { return earlier(r.Ended, r.LastToken()) }},
	{"completed without a token", func(r *Record) bool { return r.Outcome == Completed && len(r.Tokens) == 0 }},
	{"completed without sent_ns", func(r *Record) bool { return r.Outcome == Completed && !r.Sent.OK }},
	{"shed after it started", func(r *Record) bool { return r.Outcome == Shed && (r.Started.OK || len(r.Tokens) > 0) }},
	{"neither admitted nor shed", func(r *Record) bool { return r.Admission.OK && !r.Admission.V.Admitted && r.Outcome != Shed }},
	{"prompt_tokens is negative", func(r *Record) bool { return r.PromptTokens < 0 }},
	{"cached_tokens is not within 0 and prompt_tokens", func(r *Record) bool {
		return r.CachedTokens.OK && (r.CachedTokens.V < 0 || r.CachedTokens.V > r.PromptTokens)
	}},
	{"shared_tokens is not within 0 and prompt_tokens", func(r *Record) bool {
		return r.SharedTokens.OK && (r.SharedTokens.V < 0 || r.SharedTokens.V > r.PromptTokens)
	}},
	{"max_tokens is negative", func(r *Record) bool { return r.MaxTokens < 0 }},
	{"more output tokens than max_tokens", func(r *Record) bool { return len(r.Tokens) > int(r.MaxTokens) }},
	{"stop_tokens is not within 0 and max_tokens", func(r *Record) bool {
		return r.StopTokens.OK && (r.StopTokens.V < 0 || r.StopTokens.V > r.MaxTokens)
	}},
}

func earlier(a, b Opt[time.Duration]) bool { return a.OK && b.OK && a.V < b.V }

// Validate returns what cannot be true of r, every broken rule in one error, or
// nil. It sees one record alone; Violations also compares records.
func (r *Record) Validate() error {
	var broken []string
	for _, rule := range rules {
		if rule.broken(r) {
			broken = append(broken, rule.text)
		}
	}
	if broken == nil {
		return nil
	}
	return fmt.Errorf("request %d: %s", r.Request, strings.Join(broken, "; "))
}

// cellRules are the rules that compare the records of one cell: a request has one
// row, and when any row has a start, a row with tokens has one too (an external
// server's rows have none: its starts cannot be seen). They are for one pass, in
// order.
func cellRules(records []Record) []rule {
	starts := slices.ContainsFunc(records, func(r Record) bool { return r.Started.OK })
	seen := make(map[int32]bool, len(records))
	return []rule{
		{"tokens without started_ns where other rows have it", func(r *Record) bool {
			return starts && len(r.Tokens) > 0 && !r.Started.OK
		}},
		{"request has more than one row", func(r *Record) bool {
			again := seen[r.Request]
			seen[r.Request] = true
			return again
		}},
	}
}

// Violations returns one line for each rule that any of a cell's records breaks:
// the rule, how many rows break it and the first of them. The rules are those of
// Validate and those that compare records.
func Violations(records []Record) []string {
	var lines []string
	for _, rule := range slices.Concat(rules, cellRules(records)) {
		count, first := 0, 0
		for i := range records {
			if rule.broken(&records[i]) {
				if count == 0 {
					first = i
				}
				count++
			}
		}
		if count > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d of %d rows, first request %d (row %d)",
				rule.text, count, len(records), records[first].Request, first))
		}
	}
	return lines
}
