package gguf

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallFile is a GGUF with a value of each kind.
func smallFile(v uint32) []byte {
	h := &header{}
	h.text("general.architecture", "llama")
	h.u32("llama.block_count", 1)
	h.u64(keySeed, 7)
	h.f32("llama.rope.freq_base", 1e4)
	h.flag("tokenizer.ggml.add_bos_token", true)
	h.texts("tokenizer.ggml.tokens", 2, func(int) string { return "ab" })
	h.i32s("tokenizer.ggml.token_type", 2, func(int) int32 { return 1 })
	h.array("nested", kindArray, 1)
	h.kv = append(h.kv, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3)
	tensors := []tensor{{"token_embd.weight", Q8_0, roleEmbedding, 32, 2, 1}, {"output_norm.weight", f32, roleNorm, 8, 1, 1}}
	head, offsets := h.encode(tensors)
	head[4] = byte(v)
	return append(head, make([]byte, offsets[1]+32)...)
}

// A hostile file gives an error or sane numbers; it neither panics nor makes the
// reader allocate beyond what the file holds.
func FuzzInspect(f *testing.F) {
	f.Add(smallFile(3))
	f.Add(smallFile(2))
	f.Add([]byte("GGUF\x03\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("\x10\x00\x00\x00\x00\x00\x00\x00{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := inspect(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.NotEmpty(t, info.Architecture)
		require.LessOrEqual(t, info.Tensors, len(b)/24)
		for _, n := range []int64{info.Params, info.TensorBytes, int64(info.Layers), int64(info.Vocab), int64(info.Context)} {
			require.GreaterOrEqual(t, n, int64(0))
		}
	})
}

func TestInspectSmallFile(t *testing.T) {
	for _, v := range []uint32{2, 3} {
		b := smallFile(v)
		info, err := inspect(bytes.NewReader(b), int64(len(b)))
		require.NoError(t, err)
		require.Equal(t, Info{Version: int(v), Architecture: "llama", Params: 72, Layers: 1, Vocab: 2, Tensors: 2,
			TensorBytes: 100, FileBytes: int64(len(b)), Tied: true, Synthetic: &Synthetic{Seed: 7}}, info)
	}
}

// A header that claims much costs little: the reader is given a huge size, and
// content that ends at once.
func TestInspectAllocatesLittle(t *testing.T) {
	claims := [][]byte{
		[]byte("GGUF\x03\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00"),
		append([]byte("GGUF\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"),
			"\x01\x00\x00\x00\x00\x00\x00\x00k\x09\x00\x00\x00\x08\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00"...),
	}
	for _, c := range claims {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := inspect(io.MultiReader(bytes.NewReader(c), bytes.NewReader(make([]byte, 256))), 1<<45)
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}
