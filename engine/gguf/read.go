package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Bounds on what a file may claim. A well-formed file is far below them; a
// hostile one must not make the reader allocate or loop at will.
const (
	maxKeys      = 1 << 16
	maxTensors   = 1 << 17
	maxString    = 1 << 26 // a long chat template is about 2¹⁴ bytes
	maxDims      = 4
	maxElements  = 1 << 32 // of an array
	maxArrayNest = 2
	// keptString is the longest value that is kept; what is longer is skipped.
	keptString = 1 << 16
	maxName    = 1 << 10 // of a key or tensor
)

// reader reads a GGUF header. Its first error sticks, and every read after it
// gives zero.
type reader struct {
	src  *bufio.Reader
	at   int64 // bytes read
	size int64 // of the file
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) truncated(need int64) {
	r.fail("truncated: the header goes on to byte %d at least, the file has %d", need, r.size)
}

// bytes reads n ≤ keptString bytes.
func (r *reader) bytes(n int) []byte {
	if r.err != nil {
		return make([]byte, min(n, 8))
	}
	if int64(n) > r.size-r.at {
		r.truncated(r.at + int64(n))
		return make([]byte, min(n, 8))
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.src, b); err != nil {
		r.fail("read header: %w", err)
	}
	r.at += int64(n)
	return b
}

func (r *reader) skip(n int64) {
	if r.err != nil {
		return
	}
	if n > r.size-r.at {
		r.truncated(r.at + n)
		return
	}
	if _, err := r.src.Discard(int(n)); err != nil {
		r.fail("read header: %w", err)
	}
	r.at += n
}

func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// count reads a number of things that each take at least bytesEach bytes.
func (r *reader) count(what string, limit uint64, bytesEach int64) int {
	n := r.u64()
	switch {
	case r.err != nil:
		return 0
	case n > limit:
		r.fail("damaged header: it claims %d %s", n, what)
		return 0
	case int64(n) > (r.size-r.at)/bytesEach:
		r.truncated(r.at + int64(n)*bytesEach)
		return 0
	}
	return int(n)
}

// name reads the name of a key or tensor.
func (r *reader) name() string {
	return string(r.bytes(r.count("bytes for one name", maxName, 1)))
}

// text reads a string value; one beyond keptString is skipped and given as "".
func (r *reader) text() string {
	n := r.count("bytes for one string", maxString, 1)
	if n > keptString {
		r.skip(int64(n))
		return ""
	}
	return string(r.bytes(n))
}

// array stands for an array value, of which only the length is kept.
type array int

// value reads a metadata value: string, array, uint64, int64, float64 or bool.
func (r *reader) value(k kind, nested int) any {
	switch k {
	case kindString:
		return r.text()
	case kindArray:
		return r.array(nested)
	case kindBool:
		return r.bytes(1)[0] != 0
	case kindFloat32:
		return float64(math.Float32frombits(r.u32()))
	case kindFloat64:
		return math.Float64frombits(r.u64())
	case kindUint8:
		return uint64(r.bytes(1)[0])
	case kindInt8:
		return int64(int8(r.bytes(1)[0]))
	case kindUint16:
		return uint64(binary.LittleEndian.Uint16(r.bytes(2)))
	case kindInt16:
		return int64(int16(binary.LittleEndian.Uint16(r.bytes(2))))
	case kindUint32:
		return uint64(r.u32())
	case kindInt32:
		return int64(int32(r.u32()))
	case kindUint64:
		return r.u64()
	case kindInt64:
		return int64(r.u64())
	}
	r.fail("damaged header: metadata value type %d", k)
	return nil
}

func (r *reader) array(nested int) array {
	of := kind(r.u32())
	switch size := scalarBytes(of); {
	case size > 0:
		n := r.count("array elements", maxElements, size)
		r.skip(int64(n) * size)
		return array(n)
	case of == kindString:
		n := r.count("array elements", maxElements, 8)
		for range n {
			r.skip(int64(r.count("bytes for one string", maxString, 1)))
			if r.err != nil {
				break
			}
		}
		return array(n)
	case of == kindArray && nested < maxArrayNest:
		n := r.count("array elements", maxElements, 12)
		for range n {
			r.array(nested + 1)
			if r.err != nil {
				break
			}
		}
		return array(n)
	}
	r.fail("damaged header: array element type %d", of)
	return 0
}

// scalarBytes is the size of a number or bool, 0 for other kinds.
func scalarBytes(k kind) int64 {
	switch k {
	case kindUint8, kindInt8, kindBool:
		return 1
	case kindUint16, kindInt16:
		return 2
	case kindUint32, kindInt32, kindFloat32:
		return 4
	case kindUint64, kindInt64, kindFloat64:
		return 8
	}
	return 0
}
