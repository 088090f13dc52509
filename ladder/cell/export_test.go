package cell

import (
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/httptarget"
	"github.com/cadence-bench/cadence-bench/results"
)

// For the tests of cell_test, which use a machine that imports this package.

func (t *Tape) Shared() []results.Opt[int32] { return t.shared }

func (s *Server) Prompts(m Model, tape *loadgen.Tape) ([]httptarget.Prompt, error) {
	return s.prompts(m, tape)
}

func (s *Setup) Open() (engine.Backend, error) { return s.open() }

func (s *Setup) PromptRows(t *Tape) int { return s.promptRows(t) }
