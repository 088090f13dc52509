package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Type is the storage of a model's matrices. Norms and biases are F32 always.
type Type uint8

const (
	// Default means the shape's own type.
	Default Type = iota
	F16
	// Q8_0 stores a block of 32 weights as an F16 scale and 32 signed bytes.
	Q8_0
	// Q4_0 stores a block of 32 weights as an F16 scale and 32 nibbles: byte j
	// holds weight j in its low half and weight j+16 in its high half, each
	// offset by 8.
	Q4_0
	f32
)

// blockLen is the number of weights in a Q8_0 or Q4_0 block (ggml's QK8_0 and
// QK4_0).
const blockLen = 32

// ParseType reads a type's name in any case.
func ParseType(s string) (Type, error) {
	for _, t := range []Type{F16, Q8_0, Q4_0} {
		if strings.EqualFold(s, t.String()) {
			return t, nil
		}
	}
	return Default, fmt.Errorf("unknown weight type %q: use F16, Q8_0 or Q4_0", s)
}

func (t Type) String() string {
	switch t {
	case Default:
		return "default"
	case F16:
		return "F16"
	case Q8_0:
		return "Q8_0"
	case Q4_0:
		return "Q4_0"
	case f32:
		return "F32"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// ggmlType is the number that stands for t in a tensor table.
func (t Type) ggmlType() uint32 {
	switch t {
	case F16:
		return 1
	case Q4_0:
		return 2
	case Q8_0:
		return 8
	}
	return 0
}

// fileType is the number that stands for t in general.file_type.
func (t Type) fileType() uint32 {
	switch t {
	case F16:
		return 1
	case Q4_0:
		return 2
	case Q8_0:
		return 7
	}
	return 0
}

// rowBytes is the size of n weights; n is a multiple of blockLen unless t is F16
// or F32.
func (t Type) rowBytes(n int) int {
	switch t {
	case F16:
		return 2 * n
	case Q8_0:
		return n / blockLen * (2 + blockLen)
	case Q4_0:
		return n / blockLen * (2 + blockLen/2)
	}
	return 4 * n
}

// quantize encodes row into dst, which holds t.rowBytes(len(row)) bytes.
func (t Type) quantize(dst []byte, row []float32) {
	switch t {
	case F16:
		for i, v := range row {
			binary.LittleEndian.PutUint16(dst[2*i:], toHalf(v))
		}
	case Q8_0:
		for ; len(row) > 0; row, dst = row[blockLen:], dst[2+blockLen:] {
			quantizeQ8((*[2 + blockLen]byte)(dst), (*[blockLen]float32)(row))
		}
	case Q4_0:
		for ; len(row) > 0; row, dst = row[blockLen:], dst[2+blockLen/2:] {
			quantizeQ4((*[2 + blockLen/2]byte)(dst), (*[blockLen]float32)(row))
		}
	default:
		for i, v := range row {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		}
	}
}

// roundBias is 1.5·2²³: adding it to a float32 of magnitude below 2²² leaves the
// value, rounded to the nearest integer, in the low bits.
const roundBias = 12582912

func quantizeQ8(dst *[2 + blockLen]byte, x *[blockLen]float32) {
	scale := largest(x) / 127
	if scale < 0 {
		scale = -scale
	}
	var inv float32
	if scale > 0 {
		inv = 1 / scale
	}
	binary.LittleEndian.PutUint16(dst[:], toHalf(scale))
	for i, v := range x {
		dst[2+i] = byte(math.Float32bits(float32(v*inv) + roundBias))
	}
}

func quantizeQ4(dst *[2 + blockLen/2]byte, x *[blockLen]float32) {
	// The scale is signed so that the weight of largest magnitude is exactly -8.
	scale := largest(x) / -8
	var inv float32
	if scale != 0 {
		inv = 1 / scale
	}
	binary.LittleEndian.PutUint16(dst[:], toHalf(scale))
	for j := range blockLen / 2 {
		low := min(15, int32(float32(x[j]*inv)+8.5))
		high := min(15, int32(float32(x[j+blockLen/2]*inv)+8.5))
		dst[2+j] = byte(low | high<<4)
	}
}

// largest is the value of largest magnitude; of two such the negative.
func largest(x *[blockLen]float32) float32 {
	var top uint32 // magnitude above, sign in the lowest bit
	for _, v := range x {
		top = max(top, bits.RotateLeft32(math.Float32bits(v), 1))
	}
	return math.Float32frombits(bits.RotateLeft32(top, -1))
}

// toHalf converts to IEEE half precision, rounding to nearest even; magnitudes
// beyond its range become infinite.
func toHalf(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b >> 16 & 0x8000)
	b &^= 1 << 31
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x477ff000: // rounds to 2¹⁶ or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2⁻¹⁴: subnormal, in units of 2⁻²⁴
		// Adding 0.5 leaves the value in those units in the low mantissa bits,
		// rounded by the hardware.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1
	return sign | uint16(b>>13-(127-15)<<10)
}
