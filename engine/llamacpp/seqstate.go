package llamacpp

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// save returns the state of a sequence's cells, nil if llama.cpp has none. It is for
// contexts that are unified and no step of which is running.
func (c *Context) save(seq engine.SeqID) []byte {
	state := make([]byte, llama.StateSeqGetSize(c.handle, llama.SeqId(seq)))
	if len(state) == 0 {
		return nil
	}
	return state[:llama.StateSeqGetData(c.handle, state, llama.SeqId(seq))]
}

// restore puts a state that this context saved into an empty sequence, in cells of its
// own. Copying a sequence would only tag its cells.
func (c *Context) restore(state []byte, seq engine.SeqID) error {
	if llama.StateSeqSetData(c.handle, state, llama.SeqId(seq)) == 0 {
		return fmt.Errorf("llama.cpp refused a state of %s for sequence %d%s", size(uint64(len(state))), seq, tail.quote())
	}
	c.readNext(seq)
	return nil
}
