package engine

var (
	// newTwin makes a twin on which a step takes 1 ms and each row 10 µs more. It comes
	// from an external test package, since this one cannot import what imports it.
	newTwin func(lim Limits, unified bool) Backend
	// answer gives what a request must be answered: its first n tokens when it has a
	// twin with this vocabulary for itself.
	answer func(prompt []Token, n, vocab int, how Sampling) []Token
)

// testVocab is the vocabulary of the tests' backends: large, so that no two answers
// are equal by chance.
const testVocab = 1 << 30

// testBackend is a twin that may have less room than its limits say, or fail.
type testBackend struct {
	Backend
	limits  Limits
	cells   int // in use
	refused int
	err     error // returned by the next step
	// after is called with the cells in use when a step has run.
	after func(cells int)
}

// newBackend returns a backend with one KV cache for all sequences.
func newBackend(lim Limits) *testBackend { return newBackendIn(lim, lim, false) }

// newBackendIn returns a backend that says that it has the sizes of lim and really has
// those of room.
func newBackendIn(lim, room Limits, streams bool) *testBackend {
	lim.Vocab, room.Vocab = testVocab, testVocab
	return &testBackend{Backend: newTwin(room, !streams), limits: lim}
}

func (b *testBackend) Limits() Limits { return b.limits }

func (b *testBackend) Step(batch *Batch, r *StepResult) error {
	if b.err != nil {
		return b.err
	}
	err := b.Backend.Step(batch, r)
	b.cells = r.Use.Cells
	switch {
	case err == ErrNoSlot:
		b.refused++
	case err == nil && b.after != nil:
		b.after(b.cells)
	}
	return err
}

// solo is what a request answers when it has the backend to itself.
func solo(r Request, n int) []Token { return answer(r.Prompt, n, testVocab, r.Sampling) }

// UseTwin is how twin_test.go hands in the twin.
func UseTwin(make func(lim Limits, unified bool) Backend, solo func(prompt []Token, n, vocab int, how Sampling) []Token) {
	newTwin, answer = make, solo
}
