package loadgen

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// options reads the parameters of a spec such as gamma:burstiness=0.5 or
// trace:FILE,format=azure: a name, then, behind a colon, what is separated by
// commas. Getters are called in the order in which the canonical form shows the
// parameters; the first fault is kept until done.
type options struct {
	of     string // what it is about, for messages, such as "arrivals gamma"
	name   string
	file   string
	values map[string]string
	known  []string
	shown  []string // the parameters that differ from their defaults
	err    error
}

// splitSpec parts the name of a spec from its parameters.
func splitSpec(s string) (name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimSpace(s), ":")
	return name, rest
}

// newOptions reads the part of a spec behind its name. With a file, the first
// word is the name of one.
func newOptions(kind, name, rest string, file bool) *options {
	o := &options{of: kind + " " + name, name: name, values: map[string]string{}}
	if file {
		o.file, rest, _ = strings.Cut(rest, ",")
		if o.file == "" {
			o.fail("name a file, as in %s:FILE", name)
		}
	}
	if rest == "" {
		return o
	}
	for word := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(word, "=")
		switch _, twice := o.values[key]; {
		case !ok || key == "" || value == "":
			o.fail("%q is not a parameter; write it as name=value", word)
		case twice:
			o.fail("%s is given twice", key)
		}
		o.values[key] = value
	}
	return o
}

func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %s", o.of, fmt.Sprintf(format, args...))
	}
}

// failWith keeps an error of a file, which names it.
func (o *options) failWith(err error) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %w", o.of, err)
	}
}

// take returns the value of a parameter, if it is given.
func (o *options) take(key string) (string, bool) {
	o.known = append(o.known, key)
	v, ok := o.values[key]
	return v, ok
}

func (o *options) show(key, value string) { o.shown = append(o.shown, key+"="+value) }

// number reads a number within [lo, hi]. A default of NaN makes it required.
func (o *options) number(key string, def, lo, hi float64) float64 {
	s, ok := o.take(key)
	if !ok {
		if math.IsNaN(def) {
			o.fail("%s is missing; give %s=%g to %g", key, key, lo, hi)
		}
		return def
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= lo && v <= hi) {
		o.fail("%s=%s: give a number from %g to %g", key, s, lo, hi)
		return lo
	}
	if v != def {
		o.show(key, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return v
}

// whole reads a whole number within [lo, hi].
func (o *options) whole(key string, def, lo, hi int) int {
	s, ok := o.take(key)
	if !ok {
		return def
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < lo || v > hi {
		o.fail("%s=%s: give a whole number from %d to %d", key, s, lo, hi)
		return lo
	}
	if v != def {
		o.show(key, strconv.Itoa(v))
	}
	return v
}

// duration reads a duration of at least lo. A negative default makes it required.
func (o *options) duration(key string, def, lo time.Duration) time.Duration {
	s, ok := o.take(key)
	if !ok {
		if def < 0 {
			o.fail("%s is missing; give a duration, such as %s=30s", key, key)
		}
		return def
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < lo {
		o.fail("%s=%s: give a duration of at least %v, such as 30s", key, s, lo)
		return lo
	}
	if v != def {
		o.show(key, v.String())
	}
	return v
}

// word reads one of some words, or returns "".
func (o *options) word(key string, words []string) string {
	s, ok := o.take(key)
	if !ok {
		return ""
	}
	if !slices.Contains(words, s) {
		o.fail("%s=%s: %schoose from %s", key, s, didYouMean(s, words), strings.Join(words, ", "))
		return ""
	}
	o.show(key, s)
	return s
}

// done returns the canonical form of the spec, or the first fault.
func (o *options) done() (string, error) {
	var unknown []string
	for key := range o.values {
		if !slices.Contains(o.known, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		if len(o.known) == 0 {
			o.fail("takes no parameter %s", key)
		}
		o.fail("unknown parameter %s: %sit takes %s", key, didYouMean(key, o.known), strings.Join(o.known, ", "))
	}
	if o.err != nil {
		return "", o.err
	}
	parts := o.shown
	if o.file != "" {
		parts = append([]string{o.file}, parts...)
	}
	if len(parts) == 0 {
		return o.name, nil
	}
	return o.name + ":" + strings.Join(parts, ","), nil
}

func didYouMean(s string, known []string) string {
	if near, ok := nearest.Match(s, known); ok {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	return ""
}
