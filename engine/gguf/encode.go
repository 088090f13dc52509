package gguf

import (
	"encoding/binary"
	"math"
)

const (
	magic     = "GGUF"
	version   = 3
	alignment = 32 // of the data section and of every tensor in it, in bytes
)

// kind is a GGUF metadata value's type.
type kind uint32

const (
	kindUint8 kind = iota
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindBool
	kindString
	kindArray
	kindUint64
	kindInt64
	kindFloat64
)

// header builds the part of a file before its data.
type header struct {
	keys uint64
	kv   []byte
}

func (h *header) key(name string, k kind) {
	h.keys++
	h.kv = appendString(h.kv, name)
	h.kv = binary.LittleEndian.AppendUint32(h.kv, uint32(k))
}

func (h *header) text(name, v string) {
	h.key(name, kindString)
	h.kv = appendString(h.kv, v)
}

func (h *header) u32(name string, v uint32) {
	h.key(name, kindUint32)
	h.kv = binary.LittleEndian.AppendUint32(h.kv, v)
}

func (h *header) u64(name string, v uint64) {
	h.key(name, kindUint64)
	h.kv = binary.LittleEndian.AppendUint64(h.kv, v)
}

func (h *header) f32(name string, v float32) {
	h.key(name, kindFloat32)
	h.kv = binary.LittleEndian.AppendUint32(h.kv, math.Float32bits(v))
}

func (h *header) flag(name string, v bool) {
	h.key(name, kindBool)
	b := byte(0)
	if v {
		b = 1
	}
	h.kv = append(h.kv, b)
}

func (h *header) array(name string, of kind, n int) {
	h.key(name, kindArray)
	h.kv = binary.LittleEndian.AppendUint32(h.kv, uint32(of))
	h.kv = binary.LittleEndian.AppendUint64(h.kv, uint64(n))
}

func (h *header) texts(name string, n int, at func(int) string) {
	h.array(name, kindString, n)
	for i := range n {
		h.kv = appendString(h.kv, at(i))
	}
}

func (h *header) i32s(name string, n int, at func(int) int32) {
	h.array(name, kindInt32, n)
	for i := range n {
		h.kv = binary.LittleEndian.AppendUint32(h.kv, uint32(at(i)))
	}
}

// encode gives the bytes before the data section, padded to its alignment, and
// each tensor's offset within the section.
func (h *header) encode(tensors []tensor) (head []byte, offsets []int64) {
	head = append(head, magic...)
	head = binary.LittleEndian.AppendUint32(head, version)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(tensors)))
	head = binary.LittleEndian.AppendUint64(head, h.keys)
	head = append(head, h.kv...)
	var offset int64
	for _, t := range tensors {
		head = appendString(head, t.name)
		if t.rows == 1 {
			head = binary.LittleEndian.AppendUint32(head, 1)
			head = binary.LittleEndian.AppendUint64(head, uint64(t.cols))
		} else {
			head = binary.LittleEndian.AppendUint32(head, 2)
			head = binary.LittleEndian.AppendUint64(head, uint64(t.cols))
			head = binary.LittleEndian.AppendUint64(head, uint64(t.rows))
		}
		head = binary.LittleEndian.AppendUint32(head, t.typ.ggmlType())
		head = binary.LittleEndian.AppendUint64(head, uint64(offset))
		offsets = append(offsets, offset)
		offset = align(offset + t.bytes())
	}
	return append(head, make([]byte, align(int64(len(head)))-int64(len(head)))...), offsets
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func align(n int64) int64 { return (n + alignment - 1) / alignment * alignment }
