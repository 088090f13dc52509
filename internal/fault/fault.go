// Package fault sorts errors by what the user can do about them. A package that
// knows marks its errors with a kind; the program maps kinds to exit codes in one
// table.
package fault

import (
	"errors"
	"fmt"
)

// Kind is what went wrong, from the user's side.
type Kind uint8

const (
	// Other is everything without a kind of its own.
	Other Kind = iota
	// Input is a flag, a file or a folder that makes no sense.
	Input
	// Engine is a library, a model or a server that cannot be used.
	Engine
	// Cells is a sweep of which some cells could not be measured.
	Cells
	// Write is a result that could not be written.
	Write
	// Drift is a document that differs from the data it shows.
	Drift
	// Invalid is a sweep that was measured and has cells that must not be used.
	Invalid
	// Regression is a gate that found a change for the worse.
	Regression
	// Unmeasurable is a gate that cannot tell.
	Unmeasurable
)

// marked is an error with a kind.
type marked struct {
	error
	kind Kind
}

func (m marked) Unwrap() error { return m.error }

// Wrap marks err, unless it is nil or has a kind already.
func (k Kind) Wrap(err error) error {
	if err == nil || Of(err) != Other {
		return err
	}
	return marked{err, k}
}

// Errorf returns a new error of this kind. A kind among its arguments does not count.
func (k Kind) Errorf(format string, args ...any) error {
	return marked{fmt.Errorf(format, args...), k}
}

// Of returns the kind of the outermost marked error in err's chain.
func Of(err error) Kind {
	var m marked
	if errors.As(err, &m) {
		return m.kind
	}
	return Other
}
