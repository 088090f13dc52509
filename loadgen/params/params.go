// Package params reads specs: a name and, behind a colon, its parameters, such as
// gamma:burstiness=0.5 or trace:FILE,format=azure. It gives each its canonical form.
package params

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// Reader reads the parameters of a spec such as gamma:burstiness=0.5 or
// trace:FILE,format=azure: a name, then, behind a colon, what is separated by
// commas. Getters are called in the order in which the canonical form shows the
// parameters; the first fault is kept until Done.
type Reader struct {
	of     string // what it is about, for messages, such as "arrivals gamma"
	name   string
	File   string // the first word, where there is to be a file
	values map[string]string
	known  []string
	Shown  []string // the parameters that differ from their defaults
	Err    error    // the first fault
}

// Split parts the name of a spec from its parameters.
func Split(s string) (name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimSpace(s), ":")
	return name, rest
}

// New reads the part of a spec behind its name. With a file, the first
// word is the name of one.
func New(kind, name, rest string, file bool) *Reader {
	o := &Reader{of: kind + " " + name, name: name, values: map[string]string{}}
	if file {
		o.File, rest, _ = strings.Cut(rest, ",")
		if o.File == "" {
			o.Fail("name a file, as in %s:FILE", name)
		}
	}
	if rest == "" {
		return o
	}
	for word := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(word, "=")
		switch _, twice := o.values[key]; {
		case !ok || key == "" || value == "":
			o.Fail("%q is not a parameter; write it as name=value", word)
		case twice:
			o.Fail("%s is given twice", key)
		}
		o.values[key] = value
	}
	return o
}

// Fail keeps a fault, unless there is one already.
func (o *Reader) Fail(format string, args ...any) {
	if o.Err == nil {
		o.Err = fmt.Errorf("%s: %s", o.of, fmt.Sprintf(format, args...))
	}
}

// FailWith keeps an error of a file, which names it.
func (o *Reader) FailWith(err error) {
	if o.Err == nil {
		o.Err = fmt.Errorf("%s: %w", o.of, err)
	}
}

// take returns the value of a parameter, if it is given.
func (o *Reader) take(key string) (string, bool) {
	o.known = append(o.known, key)
	v, ok := o.values[key]
	return v, ok
}

func (o *Reader) show(key, value string) { o.Shown = append(o.Shown, key+"="+value) }

// Number reads a number within [lo, hi]. A default of NaN makes it required.
func (o *Reader) Number(key string, def, lo, hi float64) float64 {
	s, ok := o.take(key)
	if !ok {
		if math.IsNaN(def) {
			o.Fail("%s is missing; give %s=%g to %g", key, key, lo, hi)
		}
		return def
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= lo && v <= hi) {
		o.Fail("%s=%s: give a number from %g to %g", key, s, lo, hi)
		return lo
	}
	if v != def {
		o.show(key, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return v
}

// Whole reads a whole number within [lo, hi].
func (o *Reader) Whole(key string, def, lo, hi int) int {
	s, ok := o.take(key)
	if !ok {
		return def
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < lo || v > hi {
		o.Fail("%s=%s: give a whole number from %d to %d", key, s, lo, hi)
		return lo
	}
	if v != def {
		o.show(key, strconv.Itoa(v))
	}
	return v
}

// Duration reads a duration of at least lo. A negative default makes it required.
func (o *Reader) Duration(key string, def, lo time.Duration) time.Duration {
	s, ok := o.take(key)
	if !ok {
		if def < 0 {
			o.Fail("%s is missing; give a duration, such as %s=30s", key, key)
		}
		return def
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < lo {
		o.Fail("%s=%s: give a duration of at least %v, such as 30s", key, s, lo)
		return lo
	}
	if v != def {
		o.show(key, v.String())
	}
	return v
}

// Word reads one of some words, or returns "".
func (o *Reader) Word(key string, words []string) string {
	s, ok := o.take(key)
	if !ok {
		return ""
	}
	if !slices.Contains(words, s) {
		o.Fail("%s=%s: %schoose from %s", key, s, DidYouMean(s, words), strings.Join(words, ", "))
		return ""
	}
	o.show(key, s)
	return s
}

// Done returns the canonical form of the spec, or the first fault.
func (o *Reader) Done() (string, error) {
	var unknown []string
	for key := range o.values {
		if !slices.Contains(o.known, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		if len(o.known) == 0 {
			o.Fail("takes no parameter %s", key)
		}
		o.Fail("unknown parameter %s: %sit takes %s", key, DidYouMean(key, o.known), strings.Join(o.known, ", "))
	}
	if o.Err != nil {
		return "", o.Err
	}
	parts := o.Shown
	if o.File != "" {
		parts = append([]string{o.File}, parts...)
	}
	if len(parts) == 0 {
		return o.name, nil
	}
	return o.name + ":" + strings.Join(parts, ","), nil
}

// DidYouMean is a suggestion in place of s, if any of the known words is near.
func DidYouMean(s string, known []string) string {
	if near, ok := nearest.Match(s, known); ok {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	return ""
}
