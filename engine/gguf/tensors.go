package gguf

import (
	"math"
	"strconv"
)

// role is what a tensor does in the model; it decides how its rows are drawn.
type role uint8

const (
	roleNorm role = iota
	roleBias
	roleMatrix
	roleEmbedding
	roleHead
)

// tensor is one entry of the tensor table.
type tensor struct {
	name string
	typ  Type
	role role
	cols int // ggml's ne[0]: the inputs of a matrix
	rows int // ne[1]: its outputs; 1 for a vector, which has one dimension
	// gain scales a matrix: its weights have standard deviation gain/√cols, so
	// that inputs of unit RMS give outputs of RMS gain. For a bias it is the
	// standard deviation itself.
	gain float64
}

func (t tensor) bytes() int64 { return int64(t.typ.rowBytes(t.cols)) * int64(t.rows) }

// tensors lists the shape's tensors in file order.
func (s Shape) tensors(t Type) []tensor {
	matrix := func(name string, in, out int, gain float64) tensor {
		return tensor{name + ".weight", t, roleMatrix, in, out, gain}
	}
	vector := func(name string, n int, r role, gain float64) tensor {
		return tensor{name, f32, r, n, 1, gain}
	}
	list := []tensor{{"token_embd.weight", t, roleEmbedding, s.Width, s.Vocab, 1}}
	for i := range s.Layers {
		g := s.gains(i)
		projection := math.Sqrt(g.score)
		blk := "blk." + strconv.Itoa(i) + "."
		list = append(list,
			vector(blk+"attn_norm.weight", s.Width, roleNorm, 1),
			matrix(blk+"attn_q", s.Width, s.Width, projection),
			matrix(blk+"attn_k", s.Width, s.kvWidth(), projection),
			matrix(blk+"attn_v", s.Width, s.kvWidth(), 1))
		if s.Arch == "qwen2" {
			list = append(list,
				vector(blk+"attn_q.bias", s.Width, roleBias, qkvBias),
				vector(blk+"attn_k.bias", s.kvWidth(), roleBias, qkvBias),
				vector(blk+"attn_v.bias", s.kvWidth(), roleBias, qkvBias))
		}
		list = append(list,
			matrix(blk+"attn_output", s.Width, s.Width, g.attention),
			vector(blk+"ffn_norm.weight", s.Width, roleNorm, 1),
			matrix(blk+"ffn_gate", s.Width, s.FFN, 1),
			matrix(blk+"ffn_up", s.Width, s.FFN, 1),
			matrix(blk+"ffn_down", s.FFN, s.Width, g.ffn))
	}
	return append(list,
		vector("output_norm.weight", s.Width, roleNorm, 1),
		tensor{"output.weight", t, roleHead, s.Width, s.Vocab, 1})
}
