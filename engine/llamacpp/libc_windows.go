package llamacpp

import "golang.org/x/sys/windows"

// strlen is the address of the C library's function, 0 when there is none.
func strlen() uintptr {
	proc := windows.NewLazySystemDLL("ucrtbase.dll").NewProc("strlen")
	if proc.Find() != nil {
		return 0
	}
	return proc.Addr()
}

// noDebugger has nothing to do: ggml prints no stack trace on Windows.
func noDebugger() {}
