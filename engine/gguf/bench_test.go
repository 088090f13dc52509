package gguf

import (
	"testing"
)

// BenchmarkRows draws and encodes one embedding row and one head row of
// qwen2.5-0.5b's width; bytes are those of the drawn float32 values.
func BenchmarkRows(b *testing.B) {
	shape := Shapes()[2]
	w := newWeights(shape, 1, newTokenizer())
	tensors := shape.tensors(Q4_0)
	for _, typ := range []Type{F16, Q8_0, Q4_0} {
		b.Run(typ.String(), func(b *testing.B) {
			row := make([]float32, shape.Width)
			buf := make([]byte, typ.rowBytes(len(row)))
			b.SetBytes(int64(4 * len(row)))
			for i := range b.N {
				w.fill(tensors[2], i, row)
				typ.quantize(buf, row)
			}
		})
	}
	b.Run("draw only", func(b *testing.B) {
		row := make([]float32, shape.Width)
		b.SetBytes(int64(4 * len(row)))
		for i := range b.N {
			w.fill(tensors[2], i, row)
		}
	})
}
