package llamacpp

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// abortFlag ends a step from any goroutine.
//
// llama.cpp asks bool abort_callback(void *data) once per graph node. A Go
// callback there would cost a C-to-Go call per node, some hundred per step. But
// strlen from the C library is a function of the right shape: data points at a
// string that is empty to go on and one byte long to stop, so its length, 0 or
// 1, is the answer. (The result is a size_t of which a bool's reader looks at
// the low byte.)
type abortFlag struct {
	// word is the string: its first byte in memory is the flag, the next is the
	// NUL. A vector strlen reads on to the end of an aligned 64-byte block.
	word   *[64]byte
	pinner runtime.Pinner
}

func newAbortFlag() *abortFlag {
	f := &abortFlag{word: new([64]byte)}
	f.pinner.Pin(f.word)
	return f
}

func (f *abortFlag) flag() *uint32 { return (*uint32)(unsafe.Pointer(f.word)) }

var one = func() uint32 {
	b := [4]byte{1}
	return *(*uint32)(unsafe.Pointer(&b))
}()

func (f *abortFlag) set()        { atomic.StoreUint32(f.flag(), one) }
func (f *abortFlag) isSet() bool { return atomic.LoadUint32(f.flag()) != 0 }

// callback gives the C function and its argument, 0 where the C library's
// strlen cannot be found; abort then takes effect between steps only.
func (f *abortFlag) callback() (fn, data uintptr) {
	if fn = strlen(); fn == 0 {
		return 0, 0
	}
	return fn, uintptr(unsafe.Pointer(f.word))
}
