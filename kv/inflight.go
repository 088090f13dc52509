package kv

// inflight is the prompts that running requests are computing and have not
// published, in order of admission. There are at most as many as requests run.
type inflight struct {
	blockTokens int
	entries     []inflightEntry
}

type inflightEntry struct {
	seq    int32
	id     uint64
	prompt []int32 // whole blocks
}

func (f *inflight) add(seq int32, id uint64, prompt []int32) {
	n := len(prompt) / f.blockTokens * f.blockTokens
	f.entries = append(f.entries, inflightEntry{seq, id, prompt[:n]})
}

func (f *inflight) remove(seq int32) {
	for i, e := range f.entries {
		if e.seq == seq {
			copy(f.entries[i:], f.entries[i+1:])
			f.entries[len(f.entries)-1] = inflightEntry{}
			f.entries = f.entries[:len(f.entries)-1]
			return
		}
	}
}

// longest is the most leading tokens of a prompt, in whole blocks, that one entry
// has too, and the request that computes them: the first admitted among equals.
func (f *inflight) longest(prompt []int32) (tokens int, by uint64) {
	for _, e := range f.entries {
		if n := commonPrefix(e.prompt, prompt) / f.blockTokens * f.blockTokens; n > tokens {
			tokens, by = n, e.id
		}
	}
	return tokens, by
}
