// Package libffi turns a missing libffi into one line.
//
// The binding calls C through github.com/jupiterrider/ffi, whose init panics
// with a stack trace where the library is absent, before main can say anything.
// Go initialises packages in the order of their import paths once their imports
// are ready, and this package needs no more than that one does and sorts before
// it, so its init runs first. TestMissing keeps that true.
package libffi

import (
	"os"
	"runtime"
)

// ExitCode is the process's exit code when libffi cannot be loaded.
const ExitCode = 3

func init() {
	if name, err := open(); err != nil {
		os.Stderr.WriteString(Message(name, err.Error(), runtime.GOOS) + "\n")
		os.Exit(ExitCode)
	}
}

// Message is the line for a library called name that failed to load because of
// reason on the operating system goos.
func Message(name, reason, goos string) string {
	fix := "install libffi 3.4 or later: Debian and Ubuntu `apt install libffi8`, Fedora and RHEL `dnf install libffi`, Alpine `apk add libffi`"
	switch goos {
	case "darwin":
		fix = "install it with `brew install libffi`"
	case "windows":
		fix = "put libffi-8.dll on the PATH"
	}
	return "cadence-bench: cannot load " + name + ", through which llama.cpp is called (" + reason + "); " + fix
}
