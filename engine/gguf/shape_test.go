package gguf_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/stretchr/testify/require"
)

func TestShapes(t *testing.T) {
	// Multiplied by each token, that is without the embedding: what the models
	// that the shapes are named after have in all (134.5M and 494M; the output
	// matrix of those is the embedding).
	active := map[string]int64{"cadence-30m": 26_747_392, "smollm2-135m": 134_515_008, "qwen2.5-0.5b": 494_032_768}
	for _, s := range gguf.Shapes() {
		require.Equal(t, active[s.Name], s.Params()-int64(s.Vocab)*int64(s.Width), s.Name)
		found, err := gguf.ShapeByName(s.Name)
		require.NoError(t, err)
		require.Equal(t, s, found)
	}
	require.Equal(t, "cadence-30m", gguf.Shapes()[0].Name)
}

func TestShapeByNameSuggests(t *testing.T) {
	for wrong, want := range map[string]string{"smollm": "smollm2-135m", "Qwen2.5": "qwen2.5-0.5b", "cadence30m": "cadence-30m"} {
		_, err := gguf.ShapeByName(wrong)
		require.ErrorContains(t, err, `did you mean "`+want+`"?`)
	}
}

func TestWriteRefusesImpossibleShapes(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(*gguf.Shape)
		says   string
	}{
		"architecture": {func(s *gguf.Shape) { s.Arch = "gpt" }, "architecture"},
		"no layers":    {func(s *gguf.Shape) { s.Layers = 0 }, "positive"},
		"no heads":     {func(s *gguf.Shape) { s.Heads = 0 }, "KV heads"},
		"head groups":  {func(s *gguf.Shape) { s.KVHeads = 3 }, "multiple of 3 KV heads"},
		"head size":    {func(s *gguf.Shape) { s.Width = 66 }, "even multiple"},
		"block":        {func(s *gguf.Shape) { s.FFN = 100 }, "multiples of 32"},
		"vocabulary":   {func(s *gguf.Shape) { s.Vocab = 100 }, "below"},
		"rope":         {func(s *gguf.Shape) { s.RopeBase = float32(math.NaN()) }, "rope base"},
	} {
		s := tinyShape()
		c.break_(&s)
		path := filepath.Join(t.TempDir(), "m.gguf")
		err := gguf.Write(path, gguf.Spec{Shape: s})
		require.ErrorContains(t, err, c.says, name)
		require.NoFileExists(t, path)
	}
}

// tinyShape is a model that is written in milliseconds.
func tinyShape() gguf.Shape {
	return gguf.Shape{Name: "tiny", Arch: "llama", Layers: 2, Width: 64, FFN: 96, Heads: 2, KVHeads: 1,
		Vocab: 512, Context: 256, RopeBase: 10000, NormEps: 1e-5, Type: gguf.Q8_0}
}
