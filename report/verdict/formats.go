package verdict

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
)

// gateRecord is the gate for machines.
type gateRecord struct {
	Schema    int             `json:"schema"`
	Verdict   gate.Verdict    `json:"verdict"`
	Summary   string          `json:"summary"`
	Obstacles []string        `json:"obstacles"`
	History   []gate.Reason   `json:"baseline_history"`
	Baseline  gate.Provenance `json:"baseline"`
	Now       gate.Provenance `json:"now"`
	Rows      []gateRow       `json:"rows"`
	Decisions gateDecisions   `json:"decisions"`
}

// gateDecisions is how many of the cells that both sides have decide alike, and why not.
type gateDecisions struct {
	Cells int      `json:"cells"`
	Alike int      `json:"alike"`
	Other []string `json:"other"` // names of those that do not
	Why   *Why     `json:"why,omitempty"`
}

type gateRow struct {
	Rung     string       `json:"rung"`
	RateRPS  *float64     `json:"rate_rps"` // null: of the rung, whatever the rate
	Metric   string       `json:"metric"`
	Unit     string       `json:"unit"`
	Baseline *gate.Figure `json:"baseline"`
	Now      *gate.Figure `json:"now"`
	Change   *float64     `json:"change"` // null where there is none
	Budget   gateLimit    `json:"budget"`
	Verdict  gate.Verdict `json:"verdict"`
	Why      string       `json:"why,omitempty"`
}

type gateLimit struct {
	Kind        gate.Kind `json:"kind"`
	Better      string    `json:"better"` // higher or lower
	Limit       float64   `json:"limit"`
	Floor       float64   `json:"floor"`
	OverPromise *float64  `json:"over_promise,omitempty"`
	Least       int       `json:"least_requests"`
}

func (g *Gate) json() ([]byte, error) {
	rec := gateRecord{
		Schema: gate.Schema, Verdict: g.Result.Verdict, Summary: g.Summary(), Obstacles: append([]string{}, g.Result.Obstacles...),
		History: g.Baseline.History, Baseline: g.Baseline.Provenance, Now: g.Now.Provenance, Rows: []gateRow{},
	}
	for i := range g.Result.Rows {
		rec.Rows = append(rec.Rows, gateRowOf(&g.Result.Rows[i]))
	}
	of, differ := gate.Partings(g.Baseline, g.Now)
	rec.Decisions = gateDecisions{Cells: of, Alike: of - len(differ), Other: []string{}}
	for _, p := range differ {
		rec.Decisions.Other = append(rec.Decisions.Other, p.Cell)
	}
	if g.Why.text() != "" {
		rec.Decisions.Why = &g.Why
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	return append(data, '\n'), err
}

func gateRowOf(r *gate.Row) gateRow {
	b := r.Budget
	limit := gateLimit{Kind: b.Kind, Better: "lower", Limit: b.Limit, Floor: b.Floor, Least: b.Least}
	if b.Higher {
		limit.Better = "higher"
	}
	if b.OverPromise >= 0 {
		limit.OverPromise = &b.OverPromise
	}
	row := gateRow{
		Rung: r.Rung, Metric: b.Metric, Unit: b.Unit, Baseline: sayable(r.Baseline), Now: sayable(r.Now),
		Budget: limit, Verdict: r.Verdict, Why: r.Why,
	}
	if r.RateRPS != 0 {
		row.RateRPS = &r.RateRPS
	}
	if !math.IsNaN(r.Change) && !math.IsInf(r.Change, 0) {
		row.Change = &r.Change
	}
	return row
}

// sayable is a figure that JSON can say; Why says what another one was.
func sayable(f *gate.Figure) *gate.Figure {
	if f == nil || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
		return nil
	}
	return f
}

// The JUnit schema as CI services read it: a suite for each rung, a case for each figure.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
		Out      string       `xml:"system-out,omitempty"` // why, in words
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit has a regression as a failure, and what is not measurable as an error. Obstacles
// are a suite of their own.
func (g *Gate) junit() ([]byte, error) {
	all := junitSuites{Name: "cadence-bench gate", Out: g.Why.text()}
	for _, o := range g.Result.Obstacles {
		all.add("comparable", junitCase{Class: "gate.comparable", Name: o, Error: &junitProblem{Type: string(gate.NotMeasurable), Message: o}})
	}
	if g.Result.Verdict == gate.NotMeasurable && len(g.Result.Obstacles)+len(g.Result.Rows) == 0 {
		all.add("comparable", junitCase{Class: "gate.comparable", Name: "nothing", Error: &junitProblem{Type: string(gate.NotMeasurable), Message: "there is nothing to compare"}})
	}
	for i := range g.Result.Rows {
		all.add(g.Result.Rows[i].Rung, junitCaseOf(&g.Result.Rows[i]))
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func junitCaseOf(r *gate.Row) junitCase {
	c := junitCase{Class: "gate." + r.Rung, Name: r.Name()}
	if r.Verdict == gate.Pass {
		return c
	}
	says := fmt.Sprintf("%s: baseline %s, now %s, change %s, budget %s", r.Why,
		gateValue(r.Budget, r.Baseline), gateValue(r.Budget, r.Now), gateChange(r), gateBudget(r.Budget))
	problem := &junitProblem{Type: string(r.Verdict), Message: says}
	if r.Verdict == gate.Regression {
		c.Failure = problem
	} else {
		c.Error = problem
	}
	return c
}

// add puts a case into the suite of a name, which is the last one or a new one.
func (s *junitSuites) add(suite string, c junitCase) {
	if n := len(s.Suites); n == 0 || s.Suites[n-1].Name != suite {
		s.Suites = append(s.Suites, junitSuite{Name: suite})
	}
	last := &s.Suites[len(s.Suites)-1]
	last.Cases = append(last.Cases, c)
	last.Tests, s.Tests = last.Tests+1, s.Tests+1
	if c.Failure != nil {
		last.Failures, s.Failures = last.Failures+1, s.Failures+1
	}
	if c.Error != nil {
		last.Errors, s.Errors = last.Errors+1, s.Errors+1
	}
}
