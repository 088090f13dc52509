package llamacpp

import (
	"os"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// tailLines is how many warnings and errors of llama.cpp are kept for quoting.
const tailLines = 8

// logTail keeps the last warnings and errors that llama.cpp logged. Everything
// else that it logs is dropped, but while a model is loaded. Any thread may log.
type logTail struct {
	mu    sync.Mutex
	lines []string
	open  bool             // the last line was kept, so a continuation belongs to it
	all   *strings.Builder // everything, while somebody wants to read it
}

func (t *logTail) add(level llama.LogLevel, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all != nil {
		t.all.WriteString(text)
	}
	switch {
	case level == llama.LogLevelContinue:
		if t.open {
			t.lines[len(t.lines)-1] += text
		}
	case level == llama.LogLevelWarn || level == llama.LogLevelError:
		if len(t.lines) == tailLines {
			t.lines = append(t.lines[:0], t.lines[1:]...)
		}
		t.lines, t.open = append(t.lines, text), true
	default:
		t.open = false
	}
}

// keepAll keeps everything that is logged from now on, or gives what was and ends that.
func (t *logTail) keepAll(on bool) (said string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all != nil {
		said = t.all.String()
	}
	if t.all = nil; on {
		t.all = new(strings.Builder)
	}
	return said
}

// take gives what was kept, on one line, and forgets it. The last of the lines
// is the outermost caller's, which says least, so all are given.
func (t *logTail) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, l := range t.lines {
		if l = strings.Join(strings.Fields(l), " "); strings.Trim(l, ".") != "" {
			parts = append(parts, l)
		}
	}
	t.lines, t.open = t.lines[:0], false
	return strings.Join(parts, "; ")
}

// quote gives what llama.cpp logged as a suffix to an error message.
func (t *logTail) quote() string {
	if s := t.take(); s != "" {
		return " (llama.cpp: " + s + ")"
	}
	return ""
}

var tail logTail

// captureLog sends llama.cpp's log to tail.
func captureLog() {
	llama.LogSet(purego.NewCallback(func(level int32, text *byte, _ uintptr) uintptr {
		tail.add(llama.LogLevel(level), cString(text))
		return 0
	}))
}

// AssertExitCode is the process's exit code when an assertion inside llama.cpp
// fails.
const AssertExitCode = 70

// captureAbort makes a failed assertion of llama.cpp one line and an exit code
// rather than a stack trace, a debugger and a core file. There is no way to go
// on: the caller is in the middle of the C function.
func captureAbort(n *native) {
	cb := purego.NewCallback(func(msg *byte) uintptr {
		os.Stderr.WriteString("cadence-bench: llama.cpp failed an assertion and cannot go on: " +
			strings.TrimSpace(cString(msg)) + "\n")
		os.Exit(AssertExitCode)
		return 0
	})
	var previous uintptr
	n.onAbort.Call(&previous, &cb)
}
