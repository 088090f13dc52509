//go:build !windows

package llamacpp

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// strlen is the address of the C library's function, 0 when there is none.
func strlen() uintptr { return libc("strlen") }

// libc gives the address of a function of the C library, 0 when there is none.
func libc(name string) uintptr {
	fn, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	if err != nil {
		return 0
	}
	return fn
}

// noDebugger keeps ggml from starting a debugger on this process to print a
// stack trace when a C++ exception ends it. ggml reads the C environment, which
// os.Setenv changes only in programs that use cgo.
func noDebugger() {
	if fn := libc("setenv"); fn != 0 {
		name, value := []byte("GGML_NO_BACKTRACE\x00"), []byte("1\x00")
		purego.SyscallN(fn, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&value[0])), 0)
	}
}
