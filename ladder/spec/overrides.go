package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Overrides change the rungs of a ladder alike, wherever they fit, but for what a rung
// has of its own (Own). The zero value changes nothing.
type Overrides struct {
	PrefillBudget int           // tokens of a step; longer prompts are prefilled in chunks
	PrefillOrder  string        // DecodeFirst or PrefillFirst, for rungs that refill
	MaxBatch      int           // sequences at once, for rungs that refill
	BlockSize     int           // tokens of a KV block, for paged rungs
	TilePrompts   string        // On or Off, for rungs that refill
	KVCells       int           // KV cells that may be used, in all
	KVRetain      int           // of them, those that may hold nothing but cached prefixes
	ShareWait     time.Duration // how long a request waits for a prefix that another computes
	// Canonical cuts prompts into chunks at the same places whatever else runs. On a
	// backend that computes each sequence apart, answers are then the same to the bit
	// on every rung.
	Canonical bool
}

// Defaults are the overrides of the presets.
func Defaults() Overrides { return Overrides{ShareWait: DefaultShareWait, TilePrompts: On} }

// DefaultShareWait is ShareWait in the presets. When 16 requests arrive at once with
// the same 540 tokens, waiting cuts their mean TTFT to 0.27 of what it is without, and
// to 0.80 when half of them are unique (docs/performance.md). A request waits no longer
// than the other one takes to compute the prefix; the bound is several times that.
const DefaultShareWait = 5 * time.Second

// canonicalChunk is the chunk, and the size of a KV block, of canonical runs.
const canonicalChunk = 64

// The orders of a step.
const (
	DecodeFirst  = "decode-first"
	PrefillFirst = "prefill-first"
)

// The values of --tile-prompts. A run from before there was one has neither among its
// parameters, and is as with Off.
const (
	On  = "on"
	Off = "off"
)

// flags are all that override, --canonical first: it sets what others may set again.
func flags() []*flag {
	all := []*flag{{name: "canonical", usage: "compute each sequence apart and in the same chunks, so that answers are equal to the bit on every rung (slow)",
		at: func(o *Overrides) any { return &o.Canonical }}}
	for i := range settings {
		if f := settings[i].flag; f != nil {
			all = append(all, f)
		}
	}
	return all
}

func (f *flag) param() string { return strings.ReplaceAll(f.name, "-", "_") }

// Turn returns r with the overrides that fit it.
func (o Overrides) Turn(r Rung) Rung {
	if o.Canonical {
		r.Policy.ChunkAlign = canonicalChunk
		if r.Cache.Paged {
			r.Cache.BlockTokens = canonicalChunk
		}
	}
	for i := range settings {
		it := &settings[i]
		if it.flag == nil || it.flag.fits != nil && !it.flag.fits(&r.Settings) || it.own != nil && *it.own(&r.Settings) {
			continue
		}
		value := reflect.ValueOf(it.flag.at(&o)).Elem()
		if value.IsZero() {
			continue
		}
		at := reflect.ValueOf(it.at(&r.Settings)).Elem()
		if at.Kind() == reflect.Bool {
			value = reflect.ValueOf(value.String() == it.flag.words[1])
		}
		at.Set(value)
	}
	return r
}

// Bind makes the flags of the overrides.
func (o *Overrides) Bind(set *pflag.FlagSet) {
	for _, f := range flags() {
		switch at := f.at(o).(type) {
		case *int:
			set.IntVar(at, f.name, 0, f.usage)
		case *string:
			set.StringVar(at, f.name, f.fallback, f.usage)
		case *bool:
			set.BoolVar(at, f.name, false, f.usage)
		case *time.Duration:
			fallback, err := time.ParseDuration(f.fallback)
			if err != nil {
				panic("spec: flag " + f.name + ": " + err.Error())
			}
			set.DurationVar(at, f.name, fallback, f.usage)
		}
	}
}

// Check is an error that names the flag of a value that makes no sense.
func (o *Overrides) Check() error {
	for _, f := range flags() {
		v := reflect.ValueOf(f.at(o)).Elem()
		switch {
		case v.CanInt() && v.Int() < 0:
			return fmt.Errorf("--%s: must not be negative", f.name)
		case f.words[0] != "" && !v.IsZero() && !slices.Contains(f.words[:], v.String()):
			return fmt.Errorf("--%s: %q is not a choice; choose %s or %s", f.name, v, f.words[1], f.words[0])
		}
	}
	return nil
}

// Params adds the overrides to the parameters of a manifest.
func (o *Overrides) Params(p map[string]string) {
	for _, f := range flags() {
		p[f.param()] = fmt.Sprint(reflect.ValueOf(f.at(o)).Elem().Interface())
	}
}

// OverridesOf reads what Params added.
func OverridesOf(p map[string]string) (o Overrides, err error) {
	for _, f := range flags() {
		if e := SetText(f.at(&o), p[f.param()]); e != nil {
			err = errors.Join(err, fmt.Errorf("parameter %q: %w", f.param(), e))
		}
	}
	return o, err
}

// SetText reads a value that fmt.Sprint wrote into where at points: a string, a number,
// a duration or true or false.
func SetText(at any, text string) (err error) {
	switch at := at.(type) {
	case *string:
		*at = text
	case *int:
		*at, err = strconv.Atoi(text)
	case *float64:
		*at, err = strconv.ParseFloat(text, 64)
	case *bool:
		*at = text == "true"
	case *time.Duration:
		*at, err = time.ParseDuration(text)
	default:
		panic(fmt.Sprintf("spec: a value of type %T", at))
	}
	return err
}
