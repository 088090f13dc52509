// Package recording reads what others recorded of their load: CSV of BurstGPT and Azure, JSON
// of ShareGPT and Mooncake, and bare times. A fault names its line and field.
package recording

import (
	"fmt"
	"io"
	"time"
)

// The formats of recordings.
const (
	ShareGPT = "sharegpt"
	BurstGPT = "burstgpt"
	Azure    = "azure"
	Mooncake = "mooncake"
	Tape     = "tape"
	Times    = "times"
)

// Formats lists the formats of recordings, by the names that format= takes:
//
//	sharegpt  a JSON array of conversations, without times
//	burstgpt  CSV with Timestamp in seconds, Request tokens and Response tokens
//	azure     CSV with TIMESTAMP, ContextTokens and GeneratedTokens, of 2023 or 2024
//	mooncake  a JSON object a line: timestamp in milliseconds, input_length,
//	          output_length and hash_ids, one for each block of 512 tokens
//	tape      our own, as JSON lines or Parquet
//	times     one number of seconds a line, for replay only
//
// Where a recording has token counts and no text, text of about that many tokens
// is made from the seed; a count of 0 is taken as 1.
func Formats() []string {
	return []string{ShareGPT, BurstGPT, Azure, Mooncake, Tape, Times}
}

// BlockTokens is what one hash id of a Mooncake trace stands for.
const BlockTokens = 512

// Row is one arrival of a recording.
type Row struct {
	At             time.Duration // since the first row
	Prompt, Output int           // tokens
	Blocks         []int64       // ids of the prompt's blocks
	System         string
	Said           []string // a user's turn, its answer, the next user's turn, ...
}

// Fault is a fault in one place of a recording.
type Fault struct {
	line  int
	field string // empty: the line as a whole
	err   error
}

func (e *Fault) Error() string {
	if e.field == "" {
		return fmt.Sprintf("line %d: %v", e.line, e.err)
	}
	return fmt.Sprintf("line %d: %s: %v", e.line, e.field, e.err)
}

func (e *Fault) Unwrap() error { return e.err }

// Faultf is a fault at a place.
func Faultf(line int, field, format string, args ...any) error {
	return &Fault{line, field, fmt.Errorf(format, args...)}
}

// Read reads at most limit rows of a recording in any of the formats but Tape.
func Read(in io.Reader, format string, limit int) ([]Row, error) {
	switch format {
	case ShareGPT:
		return readShareGPT(in, limit)
	case BurstGPT:
		return readBurstGPT(in, limit)
	case Azure:
		return readAzure(in, limit)
	case Mooncake:
		return readMooncake(in, limit)
	default:
		return readTimes(in, limit)
	}
}
