package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a command may take to end after the first signal: it stops the
// engine's step and writes a summary. What does not end by then is blocked.
const patience = 20 * time.Second

// interruptible returns a context that the first signal ends, or end. Whoever started the
// program may have it ignore some, as nohup does. A second signal ends the process, as if
// nothing had caught it.
func interruptible(parent context.Context) (ctx context.Context, end context.CancelFunc) {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	ctx, stop := signal.NotifyContext(parent, signals...)
	ctx, end = context.WithCancel(ctx)
	context.AfterFunc(ctx, stop)
	return ctx, end
}

// impatient calls exit some time after ctx ended.
func impatient(ctx context.Context, patience time.Duration, exit func()) {
	context.AfterFunc(ctx, func() { time.AfterFunc(patience, exit) })
}

// outlet is an output of the process. Where nobody reads it any more, as behind head, it
// ends the command as a signal does, instead of the process.
type outlet struct {
	file *os.File
	end  context.CancelFunc
}

// catchBrokenPipes makes a write to a pipe without a reader an error. Sockets raise the
// same signal, so the signal itself says nothing.
func catchBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.end()
	}
	return n, err
}

// Fd is the file's, by which a terminal is known.
func (o *outlet) Fd() uintptr { return o.file.Fd() }
