package gguf

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// Shape is the architecture of a synthetic model: everything that decides what
// a forward pass costs. Head size is Width/Heads.
type Shape struct {
	Name string
	// Arch is llama.cpp's name of the architecture: "llama" or "qwen2" (the
	// latter adds a bias to Q, K and V).
	Arch    string
	Layers  int
	Width   int // embedding length
	FFN     int // feed-forward length (SwiGLU)
	Heads   int
	KVHeads int
	Vocab   int
	Context int // training context length, tokens
	// RopeBase is the base of the rotary position frequencies.
	RopeBase float32
	// NormEps is the epsilon of the RMS norms.
	NormEps float32
	// Type is the quantisation used where a Spec names none.
	Type Type
}

// Shapes lists the named shapes, the default first.
//
// smollm2-135m and qwen2.5-0.5b have the layers, widths, heads and vocabulary of
// the models they are named after, with one difference: the output matrix is
// stored apart from the embedding, where the originals tie the two (see the
// package documentation for why). A step reads and multiplies exactly as many
// weights as in the tied model; the file and the resident memory grow by
// Vocab×Width weights.
func Shapes() []Shape {
	return []Shape{
		{Name: "cadence-30m", Arch: "llama", Layers: 8, Width: 512, FFN: 1408, Heads: 8, KVHeads: 2,
			Vocab: 8192, Context: 32768, RopeBase: 10000, NormEps: 1e-5, Type: Q8_0},
		{Name: "smollm2-135m", Arch: "llama", Layers: 30, Width: 576, FFN: 1536, Heads: 9, KVHeads: 3,
			Vocab: 49152, Context: 32768, RopeBase: 100000, NormEps: 1e-5, Type: Q8_0},
		{Name: "qwen2.5-0.5b", Arch: "qwen2", Layers: 24, Width: 896, FFN: 4864, Heads: 14, KVHeads: 2,
			Vocab: 151936, Context: 32768, RopeBase: 1000000, NormEps: 1e-6, Type: Q4_0},
	}
}

// ShapeByName finds a named shape. The error of an unknown name lists the names
// and suggests the nearest.
func ShapeByName(name string) (Shape, error) {
	var names []string
	for _, s := range Shapes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	hint := ""
	if near, ok := nearest.Match(name, names); ok {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return Shape{}, fmt.Errorf("unknown model shape %q: %s(shapes: %s)", name, hint, strings.Join(names, ", "))
}

// validate reports the first thing that makes the shape impossible to write or
// to load.
func (s Shape) validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("model shape %q: %s", s.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case s.Arch != "llama" && s.Arch != "qwen2":
		return bad("architecture %q is not llama or qwen2", s.Arch)
	case s.Layers < 1 || s.Context < 1:
		return bad("layers (%d) and context (%d) must be positive", s.Layers, s.Context)
	case s.Heads < 1 || s.KVHeads < 1 || s.Heads%s.KVHeads != 0:
		return bad("%d heads must be a positive multiple of %d KV heads", s.Heads, s.KVHeads)
	case s.Width < 1 || s.Width%s.Heads != 0 || s.headSize()%2 != 0:
		return bad("width %d must be an even multiple of %d heads", s.Width, s.Heads)
	case s.Width%blockLen != 0 || s.FFN < 1 || s.FFN%blockLen != 0 || s.kvWidth()%blockLen != 0:
		return bad("width %d, FFN %d and KV width %d must be positive multiples of %d", s.Width, s.FFN, s.kvWidth(), blockLen)
	case s.Vocab < MinVocab:
		return bad("vocabulary %d is below the %d that the tokenizer's base needs", s.Vocab, MinVocab)
	case !(s.RopeBase > 0) || !(s.NormEps > 0):
		return bad("rope base and norm epsilon must be positive")
	}
	return nil
}

func (s Shape) headSize() int { return s.Width / s.Heads }
func (s Shape) kvWidth() int  { return s.headSize() * s.KVHeads }
