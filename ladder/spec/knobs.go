package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Knob is a setting of a rung, or of the engine below it, that a study changes alone.
type Knob struct {
	Name   string   // that of its flag
	Adds   string   // what it is, for help
	Values []string // that are tried unless others are given

	setting *setting        // nil: the engine's
	at      func(*Rung) any // where its value is: *int, *bool or *string
	words   map[string]func(*Settings, int)
	place   int
}

// knob is what a study needs of a flag besides.
type knob struct {
	place  int // among the knobs, in help and in the plan of a study
	adds   string
	values []string
	// set are values that are words, given the longest prompt in tokens.
	set map[string]func(*Settings, int)
}

// The words that are values besides numbers.
const (
	Unchunked = "unchunked"
	wholePool = "all"
)

// Knobs are those there are, on a machine with so many cores.
func Knobs(cores int) []Knob {
	var threads []string
	for n := range cores {
		threads = append(threads, strconv.Itoa(n+1))
	}
	all := []Knob{
		{Name: "flash-attn", Adds: "flash attention in the engine", Values: []string{"on", "off"}, place: 3,
			at: func(r *Rung) any { return &r.Variant.FlashAttn }},
		{Name: "kv-layout", Adds: "layout of the engine's KV cache", Values: []string{"streams", "unified"}, place: 4,
			at: func(r *Rung) any { return &r.Variant.KVLayout }},
		{Name: "threads", Adds: "threads of the engine", Values: threads, place: 5,
			at: func(r *Rung) any { return &r.Variant.Threads }},
	}
	for i := range settings {
		it := &settings[i]
		if it.flag == nil || it.flag.knob == nil {
			continue
		}
		k := it.flag.knob
		all = append(all, Knob{Name: it.flag.name, Adds: k.adds, Values: k.values, setting: it, words: k.set, place: k.place,
			at: func(r *Rung) any { return it.at(&r.Settings) }})
	}
	slices.SortFunc(all, func(a, b Knob) int { return cmp.Compare(a.place, b.place) })
	return all
}

// Current is the knob's value of a rung, on an engine with these parameters.
func (k *Knob) Current(r Rung, engine map[string]string) string {
	if k.setting == nil {
		return engine[strings.ReplaceAll(k.Name, "-", "_")]
	}
	switch at := k.at(&r).(type) {
	case *bool:
		if *at {
			return k.setting.flag.words[1]
		}
		return k.setting.flag.words[0]
	case *int:
		if *at == 0 && k.words[wholePool] != nil {
			return wholePool
		}
	}
	return k.setting.value(r.Settings)
}

// Set turns the knob of a rung. longest is the longest prompt in tokens, as far as it is
// known.
func (k *Knob) Set(r *Rung, value string, longest int) error {
	if set := k.words[value]; set != nil {
		set(&r.Settings, longest)
		return nil
	}
	switch at := k.at(r).(type) {
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a whole number of at least 1", value)
		}
		*at = n
		return nil
	case *bool:
		*at = value == k.setting.flag.words[1]
	case *string:
		*at = value
	}
	if !slices.Contains(k.Values, value) {
		return fmt.Errorf("%q is none of %s", value, strings.Join(slices.Sorted(slices.Values(k.Values)), ", "))
	}
	return nil
}
