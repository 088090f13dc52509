package results

import (
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
)

// Type is a column's type, by the name that SQL readers of Parquet know it by.
type Type string

const (
	Bool   Type = "bool"
	Int32  Type = "int32"
	Int64  Type = "int64"
	Uint64 Type = "uint64"
	Double Type = "double"
	String Type = "string" // UTF-8

	BoolList   Type = "list<bool>"
	Int32List  Type = "list<int32>"
	Int64List  Type = "list<int64>"
	StringList Type = "list<string>"
)

// element returns the type of a list's elements, or t itself and false.
func (t Type) element() (Type, bool) {
	of, list := strings.CutPrefix(string(t), "list<")
	return Type(strings.TrimSuffix(of, ">")), list
}

// Column documents one column of a file.
type Column struct {
	Name string
	Type Type
	Unit string // "" for a column without one
	Null string // what null means; "" when the column is never null
	Doc  string
}

// column adds how a column is stored: codec moves it between rows and pages.
type column[R any] struct {
	Column
	codec codec[R]
	delta bool // DELTA_BINARY_PACKED instead of a dictionary
}

// cellColumns begin the rows of every file, so that many can be queried together.
func cellColumns[R any]() []column[R] {
	return []column[R]{
		{Column{"rung", String, "", "", "the cell's rung; the same in every row, as are the next five, so that many files can be queried together"},
			constant[R](func(c *Cell) parquet.ByteArray { return text(c.Rung) }), false},
		{Column{"offered_rps", Double, "1/s", "", "rate at which the tape offers requests"},
			constant[R](func(c *Cell) float64 { return c.OfferedRPS }), false},
		{Column{"seed", Uint64, "", "", "seed of the tape"},
			constant[R](func(c *Cell) int64 { return int64(c.Seed) }), false},
		{Column{"replicate", Int32, "", "", "how many times the same rung, rate and seed was measured before in the run; 0 in files without the column"},
			constant[R](func(c *Cell) int32 { return int32(c.Replicate) }), false},
		{Column{"anchor", Bool, "", "", "the cell was measured again after all others, to price comparisons across the sweep; leave it out of comparisons of rungs; false in files without the column"},
			constant[R](func(c *Cell) bool { return c.Anchor }), false},
		{Column{"backend", String, "", "", "what ran the model, such as llama.cpp, or twin for a simulation"},
			constant[R](func(c *Cell) parquet.ByteArray { return text(c.Backend) }), false},
	}
}

// addedCellColumns are those of cellColumns that older files lack.
var addedCellColumns = []string{"replicate", "anchor"}

// cellTable is the file of a cell: a row is a request.
var cellTable = table[Record]{
	name: "cell", key: "cadence.cell", what: "a cell",
	columns: slices.Concat(cellColumns[Record](), requestColumns, admissionColumns),
	added:   slices.Concat(addedCellColumns, namesOf(admissionColumns)),
	weight:  func(r *Record) int { return len(r.Tokens) },
	check:   Violations,
}

// requestColumns follow the cell's in a cell file.
var requestColumns = []column[Record]{
	{Column{"request", Int32, "", "", "index of the request in the tape; equal indices are the same request in every cell with this tape"},
		required(func(r *Record) *int32 { return &r.Request }, same, same), true},
	{Column{"class", String, "", "", "workload class, such as shared, unique or uniform"},
		required(func(r *Record) *string { return &r.Class }, text, unText[string]), false},
	{Column{"group", Int32, "", "the prompt is the request's own", "which shared prompt it carries"},
		nullable(func(r *Record) *Opt[int32] { return &r.Group }, same, same), false},
	{Column{"warmup", Bool, "", "", "arrived before the steady window; flagged, never dropped"},
		required(func(r *Record) *bool { return &r.Warmup }, same, same), false},
	{Column{"outcome", String, "", "", "how the request ended: completed, shed (refused at admission or, if admitted is true, dropped before its start), timeout (the client gave up: its latency is a lower bound), cancelled or failed"},
		required(func(r *Record) *Outcome { return &r.Outcome }, text, unText[Outcome]), false},
	{Column{"reason", String, "", "nothing to add to the outcome", "why it was shed, cancelled or failed"},
		nullable(func(r *Record) *Opt[string] { return &r.Reason }, text, unText[string]), false},

	{Column{"intended_ns", Int64, "ns", "", "when the tape says that the request arrives, since the start of the cell, or when a later turn fell due; every latency starts here"},
		required(func(r *Record) *time.Duration { return &r.Intended }, ns, duration), true},
	{Column{"sent_ns", Int64, "ns", "it was never handed over", "when the driver really handed it over"},
		nullable(func(r *Record) *Opt[time.Duration] { return &r.Sent }, ns, duration), true},
	{Column{"started_ns", Int64, "ns", "it never started, or its start cannot be seen from outside", "when the first step with a token of it was planned"},
		nullable(func(r *Record) *Opt[time.Duration] { return &r.Started }, ns, duration), true},
	{Column{"ended_ns", Int64, "ns", "the cell broke off before it was decided", "when its outcome was decided"},
		nullable(func(r *Record) *Opt[time.Duration] { return &r.Ended }, ns, duration), true},
	{Column{"first_token_ns", Int64, "ns", "no token came", "the first of token_ns: the end of TTFT"},
		derived((*Record).FirstToken, ns), true},
	{Column{"last_token_ns", Int64, "ns", "no token came", "the last of token_ns: the end of E2E if the outcome is completed"},
		derived((*Record).LastToken, ns), true},
	{Column{"token_ns", Int64List, "ns", "", "when each output token was ready, in order; empty when none came"},
		list(func(r *Record) *[]time.Duration { return &r.Tokens }, func(t *time.Duration) *time.Duration { return t }, ns, duration), true},

	{Column{"prompt_tokens", Int32, "tokens", "", "length of the prompt"},
		required(func(r *Record) *int32 { return &r.PromptTokens }, same, same), false},
	{Column{"cached_tokens", Int32, "tokens", "there is no prefix cache, or its hits cannot be seen", "prompt tokens served from a prefix cache"},
		nullable(func(r *Record) *Opt[int32] { return &r.CachedTokens }, same, same), false},
	{Column{"shared_tokens", Int32, "tokens", "the prompt is the request's own, or it was not counted", "tokens at the prompt's beginning that belong to its group's shared prompt, the chat template's included"},
		nullable(func(r *Record) *Opt[int32] { return &r.SharedTokens }, same, same), false},
	{Column{"max_tokens", Int32, "tokens", "", "output length that the client asked for at most"},
		required(func(r *Record) *int32 { return &r.MaxTokens }, same, same), false},
	{Column{"stop_tokens", Int32, "tokens", "the natural length is not scripted", "scripted natural output length, hidden from admission and scheduling"},
		nullable(func(r *Record) *Opt[int32] { return &r.StopTokens }, same, same), false},
	{Column{"output_tokens", Int32, "tokens", "", "number of output tokens: the length of token_ns"},
		derivedAlways(func(r *Record) int32 { return int32(len(r.Tokens)) }), false},

	{Column{"session", Int32, "", "it is not part of a conversation", "the conversation that it is a turn of"},
		nullable(func(r *Record) *Opt[int32] { return &r.Session }, same, same), false},
	{Column{"turn", Int32, "", "it is not part of a conversation", "place in the conversation, from 0"},
		nullable(func(r *Record) *Opt[int32] { return &r.Turn }, same, same), false},
	{Column{"think_ns", Int64, "ns", "it came by itself", "how long after the end of the turn before it was due: intended_ns is that moment"},
		nullable(func(r *Record) *Opt[time.Duration] { return &r.Think }, ns, duration), true},
	{Column{"lateness_ns", Int64, "ns", "it was never handed over", "sent_ns - intended_ns: how late the driver was"},
		derived((*Record).Lateness, ns), true},
}

// namesOf are the names of columns.
func namesOf[R any](columns []column[R]) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// Columns returns the column dictionary of cell files, in the files' order.
func Columns() []Column { return cellTable.docs() }
