package httptarget

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxEvent bounds a line and the data of an event, in bytes. The longest that a
// server sends is the end of a stream with its settings, a few KB.
const maxEvent = 1 << 20

var errLongEvent = fmt.Errorf("an event of more than %d bytes", maxEvent)

// event is one server-sent event. data is valid until the next one is read.
type event struct {
	name string // "" stands for "message"
	data []byte
}

// eventReader reads a stream of server-sent events as
// https://html.spec.whatwg.org/multipage/server-sent-events.html has it: lines end
// in LF, CR or CRLF, a first byte order mark is skipped, data lines are joined by
// LF, comments, ids and retry times are skipped, and an event that no blank line
// ends is none.
type eventReader struct {
	in     *bufio.Reader
	begun  bool
	skipLF bool // the last line ended in CR
	line   []byte
	data   []byte
}

// eventReaders are reused: a stream's buffers are as large as its longest event.
var eventReaders = sync.Pool{New: func() any { return &eventReader{in: bufio.NewReaderSize(nil, 4096)} }}

func newEventReader(r io.Reader) *eventReader {
	e := eventReaders.Get().(*eventReader)
	e.in.Reset(r)
	*e = eventReader{in: e.in, line: e.line[:0], data: e.data[:0]}
	return e
}

// release gives the reader back. Its last event is no longer valid then.
func (r *eventReader) release() {
	r.in.Reset(nil)
	if cap(r.line)+cap(r.data) <= 64<<10 { // one long event should not be kept for ever
		eventReaders.Put(r)
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// next returns the next event. At the end of the stream its error is io.EOF.
func (r *eventReader) next() (event, error) {
	var e event
	r.data = r.data[:0]
	lines := 0
	for {
		line, err := r.readLine()
		if err != nil {
			return event{}, err
		}
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if len(line) == 0 {
			if lines > 0 {
				e.data = r.data[:len(r.data)-1]
				return e, nil
			}
			e.name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			lines++
			if len(r.data)+len(value) > maxEvent {
				return event{}, errLongEvent
			}
			r.data = append(append(r.data, value...), '\n')
		case "event":
			e.name = string(value)
		}
	}
}

// readLine returns a line without its end. Data after the last end of a line is
// dropped.
func (r *eventReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		buf, _ := r.in.Peek(r.in.Buffered())
		if r.skipLF {
			r.skipLF = false
			if buf[0] == '\n' {
				r.in.Discard(1)
				continue
			}
		}
		i := bytes.IndexAny(buf, "\r\n")
		n := i
		if i < 0 {
			n = len(buf)
		}
		if len(r.line)+n > maxEvent {
			return nil, errLongEvent
		}
		r.line = append(r.line, buf[:n]...)
		if i < 0 {
			r.in.Discard(n)
			continue
		}
		r.skipLF = buf[i] == '\r'
		r.in.Discard(i + 1)
		return r.line, nil
	}
}

// cut says whether a stream broke off rather than ended.
func cut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
