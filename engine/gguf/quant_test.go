package gguf

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// fromHalf decodes IEEE half precision by its definition.
func fromHalf(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func TestToHalf(t *testing.T) {
	for h := range 1 << 16 {
		v := fromHalf(uint16(h))
		if math.IsNaN(v) {
			require.True(t, math.IsNaN(fromHalf(toHalf(float32(v)))))
			continue
		}
		require.Equal(t, uint16(h), toHalf(float32(v)))
	}
	// Between two neighbours the nearer wins, and in the middle the even one.
	for h := uint16(0); h < 0x7bff; h++ {
		low, high := fromHalf(h), fromHalf(h+1)
		middle := float32((low + high) / 2)
		even := h + h&1
		require.Equal(t, even, toHalf(middle))
		require.Equal(t, h, toHalf(math.Nextafter32(middle, 0)))
		require.Equal(t, h+1, toHalf(math.Nextafter32(middle, 1e9)))
		require.Equal(t, even|0x8000, toHalf(-middle))
	}
	require.Equal(t, uint16(0x7bff), toHalf(65519))
	require.Equal(t, uint16(0x7c00), toHalf(65520))
	require.Equal(t, uint16(0xfc00), toHalf(-1e30))
}

// dequantize decodes a row by ggml's block definitions.
func dequantize(t Type, b []byte) (row []float64) {
	switch t {
	case F16:
		for ; len(b) > 0; b = b[2:] {
			row = append(row, fromHalf(binary.LittleEndian.Uint16(b)))
		}
	case Q8_0:
		for ; len(b) > 0; b = b[34:] {
			d := fromHalf(binary.LittleEndian.Uint16(b))
			for _, q := range b[2:34] {
				row = append(row, d*float64(int8(q)))
			}
		}
	case Q4_0:
		for ; len(b) > 0; b = b[18:] {
			d := fromHalf(binary.LittleEndian.Uint16(b))
			for _, q := range b[2:18] {
				row = append(row, d*(float64(q&15)-8))
			}
			for _, q := range b[2:18] {
				row = append(row, d*(float64(q>>4)-8))
			}
		}
	}
	return row
}

func TestQuantizeError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		row := make([]float32, 3*blockLen)
		scale := math.Exp(rng.NormFloat64() * 2)
		for i := range row {
			row[i] = float32(rng.NormFloat64() * scale)
		}
		for typ, steps := range map[Type]float64{F16: 1 << 11, Q8_0: 2 * 127, Q4_0: 8} {
			b := make([]byte, typ.rowBytes(len(row)))
			typ.quantize(b, row)
			got := dequantize(typ, b)
			for i := range row {
				var peak float64
				for _, v := range row[i/blockLen*blockLen:][:blockLen] {
					peak = max(peak, math.Abs(float64(v)))
				}
				// Half a step (Q4_0: a whole one at the end that has no +8), and the
				// rounding of the scale.
				require.InDelta(t, row[i], got[i], peak*(1/steps+0.0006), typ)
			}
		}
	}
}

func TestQuantizeBlocks(t *testing.T) {
	row := make([]float32, blockLen)
	for i := range row {
		row[i] = float32(i) - 16 // -16 … 15: the step is 2 in Q4_0, 16/127 in Q8_0
	}
	q4 := make([]byte, 18)
	Q4_0.quantize(q4, row)
	require.Equal(t, uint16(0x4000), binary.LittleEndian.Uint16(q4)) // 2
	require.Equal(t, byte(0x80), q4[2])                              // -16 low, 0 high
	require.Equal(t, byte(0xf8), q4[17]|0x08)                        // -1 low, 15 high: clipped to 7
	q8 := make([]byte, 34)
	Q8_0.quantize(q8, row)
	require.Equal(t, int8(-127), int8(q8[2]))
	require.Equal(t, int8(119), int8(q8[33])) // 15·127/16 = 119.06
	for _, typ := range []Type{F16, Q8_0, Q4_0} {
		b := make([]byte, typ.rowBytes(blockLen))
		typ.quantize(b, make([]float32, blockLen))
		for _, v := range dequantize(typ, b) {
			require.Zero(t, v)
		}
	}
}

func TestParseType(t *testing.T) {
	for s, want := range map[string]Type{"F16": F16, "q8_0": Q8_0, "Q4_0": Q4_0} {
		got, err := ParseType(s)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ParseType("Q5_K")
	require.EqualError(t, err, `unknown weight type "Q5_K": use F16, Q8_0 or Q4_0`)
}
