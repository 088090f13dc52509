package httptarget

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

type plainEvent struct{ name, data string }

// readAll reads every event of a stream.
func readAll(r io.Reader) (all []plainEvent, err error) {
	events := newEventReader(r)
	for {
		e, err := events.next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		all = append(all, plainEvent{e.name, string(e.data)})
	}
}

func TestEvents(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []plainEvent
	}{
		"two":                      {"data: a\n\ndata: b\n\n", []plainEvent{{"", "a"}, {"", "b"}}},
		"CRLF":                     {"data: a\r\n\r\ndata: b\r\n\r\n", []plainEvent{{"", "a"}, {"", "b"}}},
		"CR":                       {"data: a\r\rdata: b\r\r", []plainEvent{{"", "a"}, {"", "b"}}},
		"mixed ends":               {"data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", []plainEvent{{"", "a"}, {"", "b"}, {"", "c"}}},
		"lines of data":            {"data: a\ndata:\ndata: b\n\n", []plainEvent{{"", "a\n\nb"}}},
		"no space":                 {"data:a\n\n", []plainEvent{{"", "a"}}},
		"one space only":           {"data:  a \n\n", []plainEvent{{"", " a "}}},
		"no colon":                 {"data\n\n", []plainEvent{{"", ""}}},
		"names":                    {"event: error\ndata: a\n\ndata: b\n\n", []plainEvent{{"error", "a"}, {"", "b"}}},
		"a name without data":      {"event: error\n\ndata: b\n\n", []plainEvent{{"", "b"}}},
		"comments and other lines": {": ping\n\nid: 7\nretry: 100\nfoo: bar\ndata: a\n: ping\n\n", []plainEvent{{"", "a"}}},
		"byte order mark":          {"\xef\xbb\xbfdata: a\n\n", []plainEvent{{"", "a"}}},
		"a second one is no mark":  {"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", nil},
		"no blank line at the end": {"data: a\n\ndata: b\n", []plainEvent{{"", "a"}}},
		"no end of line":           {"data: a\n\ndata: b", []plainEvent{{"", "a"}}},
		"nothing":                  {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(strings.NewReader(tt.in))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

// endless repeats a byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestEventsAreBounded(t *testing.T) {
	_, err := readAll(endless('x'))
	require.ErrorIs(t, err, errLongEvent)
	line := "data: " + strings.Repeat("y", maxEvent/2) + "\n"
	_, err = readAll(strings.NewReader(strings.Repeat(line, 3) + "\n"))
	require.ErrorIs(t, err, errLongEvent)
	got, err := readAll(strings.NewReader(line + "\n"))
	require.NoError(t, err)
	require.Len(t, got, 1)
}

// naive reads a whole stream at once, by the words of the specification.
func naive(in string) (all []plainEvent) {
	in = strings.TrimPrefix(in, "\xef\xbb\xbf")
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(in, "\n")
	lines = lines[:len(lines)-1] // what no end of line follows
	name, data, any := "", "", false
	for _, line := range lines {
		if line == "" {
			if any {
				all = append(all, plainEvent{name, strings.TrimSuffix(data, "\n")})
			}
			name, data, any = "", "", false
			continue
		}
		field, value := line, ""
		if i := strings.Index(line, ":"); i >= 0 {
			field, value = line[:i], strings.TrimPrefix(line[i+1:], " ")
		}
		switch field {
		case "data":
			data, any = data+value+"\n", true
		case "event":
			name = value
		}
	}
	return all
}

// FuzzEvents compares the reader with the naive one, however the bytes are cut.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "\xef\xbb\xbfdata:\r\rdata\r\n\r\n", "event: x\ndata: 1\ndata: 2\n\n: c\n\n", "data: a\r", "\r\n\r", ":\n", "data\n\ndata\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := naive(string(in))
		for _, r := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in)), iotest.HalfReader(bytes.NewReader(in))} {
			got, err := readAll(r)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}
