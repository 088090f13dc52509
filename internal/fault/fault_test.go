package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/fault"
)

func TestKinds(t *testing.T) {
	eof := fault.Input.Wrap(io.EOF)
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"nil":                       {nil, fault.Other},
		"unmarked":                  {io.EOF, fault.Other},
		"marked":                    {eof, fault.Input},
		"marked below a text":       {fmt.Errorf("read: %w", eof), fault.Input},
		"the first mark stays":      {fault.Write.Wrap(fmt.Errorf("read: %w", eof)), fault.Input},
		"a new error has its own":   {fault.Engine.Errorf("load: %w", eof), fault.Engine},
		"one of several is marked":  {errors.Join(io.EOF, fault.Cells.Wrap(io.EOF)), fault.Cells},
		"the wrapped error is kept": {fault.Drift.Wrap(io.EOF), fault.Drift},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, fault.Of(c.err)) })
	}
	require.NoError(t, fault.Input.Wrap(nil))
	require.ErrorIs(t, eof, io.EOF)
	require.Equal(t, "EOF", eof.Error())
}
