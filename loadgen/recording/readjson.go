package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line of JSON lines, in bytes.
const maxLine = 16 << 20

// Lines calls each with the lines that are not blank, numbered from 1, until it
// returns false.
func Lines(r io.Reader, each func(line int, text []byte) (more bool, err error)) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	n := 0
	for in.Scan() {
		n++
		text := bytes.TrimSpace(in.Bytes())
		if len(text) == 0 {
			continue
		}
		if more, err := each(n, text); err != nil || !more {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return Faultf(n+1, "", "it is longer than %d MiB", maxLine>>20)
	}
	return in.Err()
}

// DecodeLine decodes one JSON object and names the field that has a wrong type.
func DecodeLine(line int, text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ) && typ.Field != "":
		return Faultf(line, typ.Field, "a %s where %s is wanted", typ.Value, wanted(typ.Type.String()))
	case err != nil:
		return Faultf(line, "", "not a JSON object of this format: %w", err)
	}
	return nil
}

// wanted says in words what a Go type holds.
func wanted(typ string) string {
	switch {
	case strings.HasPrefix(typ, "[]"):
		return "a list"
	case strings.HasPrefix(typ, "float"):
		return "a number"
	case strings.Contains(typ, "int"):
		return "a whole number within bounds"
	case typ == "string":
		return "a string"
	}
	return "an object"
}

// readMooncake reads the JSON lines of a Mooncake trace.
func readMooncake(r io.Reader, limit int) ([]Row, error) {
	var rows []Row
	var clock since
	err := Lines(r, func(line int, text []byte) (bool, error) {
		var v struct {
			At      *float64 `json:"timestamp"`
			Prompt  *int     `json:"input_length"`
			Output  *int     `json:"output_length"`
			HashIDs []int64  `json:"hash_ids"`
		}
		if err := DecodeLine(line, text, &v); err != nil {
			return false, err
		}
		for _, f := range []struct {
			name    string
			missing bool
		}{{"timestamp", v.At == nil}, {"input_length", v.Prompt == nil}, {"output_length", v.Output == nil}} {
			if f.missing {
				return false, Faultf(line, f.name, "is missing")
			}
		}
		at, err := fromSeconds(*v.At / 1000)
		if err != nil {
			return false, &Fault{line, "timestamp", err}
		}
		var row Row
		if row.At, err = clock.at(line, "timestamp", at); err != nil {
			return false, err
		}
		if row.Prompt, err = tokenCount(line, "input_length", *v.Prompt); err != nil {
			return false, err
		}
		if row.Output, err = tokenCount(line, "output_length", *v.Output); err != nil {
			return false, err
		}
		if most := (row.Prompt + BlockTokens - 1) / BlockTokens; len(v.HashIDs) > most {
			return false, Faultf(line, "hash_ids", "%d ids; %d tokens have at most %d blocks of %d", len(v.HashIDs), row.Prompt, most, BlockTokens)
		}
		if len(v.HashIDs) > 0 {
			row.Blocks = v.HashIDs
		}
		rows = append(rows, row)
		return len(rows) < limit, nil
	})
	return rows, err
}

// readTimes reads one number of seconds a line; # begins a comment.
func readTimes(r io.Reader, limit int) ([]Row, error) {
	var rows []Row
	var clock since
	err := Lines(r, func(line int, text []byte) (bool, error) {
		word, _, _ := strings.Cut(string(text), "#")
		if word = strings.TrimSpace(word); word == "" {
			return true, nil
		}
		t, err := ParseSeconds(word)
		if err != nil {
			return false, &Fault{line, "", err}
		}
		at, err := clock.at(line, "", t)
		rows = append(rows, Row{At: at, Prompt: 1, Output: 1})
		return len(rows) < limit, err
	})
	return rows, err
}

// readShareGPT reads a JSON array of conversations, one after the other, so that a
// file of any size takes the memory of its rows.
func readShareGPT(r io.Reader, limit int) ([]Row, error) {
	count := &lineCounter{r: r, line: 1}
	d := json.NewDecoder(count)
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, Faultf(1, "", "not a JSON array of conversations")
	}
	var rows []Row
	for n := 0; len(rows) < limit && d.More(); n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, Faultf(count.ofError(d, err), fmt.Sprintf("[%d]", n), "not JSON: %w", err)
		}
		line := count.at(d.InputOffset() - int64(len(raw)))
		row, err := conversation(raw)
		if err != nil {
			var f *Fault
			if errors.As(err, &f) {
				return nil, &Fault{line + f.line, fmt.Sprintf("[%d].%s", n, f.field), f.err}
			}
			return nil, &Fault{line, fmt.Sprintf("[%d]", n), err}
		}
		if len(row.Said) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) < limit {
		if _, err := d.Token(); err != nil {
			return nil, Faultf(count.at(d.InputOffset()), "", "the array does not end: %w", err)
		}
	}
	return rows, nil
}

// conversation reads one element of a ShareGPT file: what of it is a user's turn
// with its answer. One that has none is no row. Lines of errors count from the
// element's first.
func conversation(raw []byte) (Row, error) {
	var v struct {
		Conversations *[]struct {
			From  *string `json:"from"`
			Value *string `json:"value"`
		} `json:"conversations"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		var typ *json.UnmarshalTypeError
		if errors.As(err, &typ) && typ.Field != "" {
			return Row{}, Faultf(bytes.Count(raw[:typ.Offset], []byte("\n")), typ.Field, "a %s where %s is wanted", typ.Value, wanted(typ.Type.String()))
		}
		return Row{}, err
	}
	if v.Conversations == nil {
		return Row{}, Faultf(0, "conversations", "is missing")
	}
	var row Row
	asked := ""
	for i, m := range *v.Conversations {
		at := func(field string) string { return fmt.Sprintf("conversations[%d].%s", i, field) }
		if m.From == nil {
			return Row{}, Faultf(0, at("from"), "is missing")
		}
		if m.Value == nil {
			return Row{}, Faultf(0, at("value"), "is missing")
		}
		switch *m.From {
		case "system":
			if row.System == "" && len(row.Said) == 0 {
				row.System = *m.Value
			}
		case "human", "user":
			asked = *m.Value
		case "gpt", "assistant", "chatgpt", "bing", "bard", "model":
			if strings.TrimSpace(asked) != "" {
				row.Said = append(row.Said, asked, *m.Value)
			}
			asked = ""
		default:
			return Row{}, Faultf(0, at("from"), "%q is neither human nor gpt nor system", *m.From)
		}
	}
	return row, nil
}

// lineCounter tells the line of an offset that was read not long ago.
type lineCounter struct {
	r      io.Reader
	read   int64
	line   int     // of the last offset that was asked for
	breaks []int64 // offsets of line ends behind it
}

// Read implements io.Reader.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.breaks = append(c.breaks, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// ofError returns the line of an error of the decoder d, which reads c: the decoder
// itself counts only the bytes of some of what it has read.
func (c *lineCounter) ofError(d *json.Decoder, err error) int {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return c.at(c.read)
	}
	rest, _ := io.ReadAll(d.Buffered())
	rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(","))
	line := c.at(c.read - int64(len(rest)))
	if errors.As(json.Unmarshal(rest, new(json.RawMessage)), &syntax) {
		line += bytes.Count(rest[:min(int(syntax.Offset), len(rest))], []byte("\n"))
	}
	return line
}

// at returns the line of an offset; offsets must not decrease between calls.
func (c *lineCounter) at(offset int64) int {
	n := 0
	for n < len(c.breaks) && c.breaks[n] < offset {
		n++
	}
	c.line += n
	c.breaks = append(c.breaks[:0], c.breaks[n:]...)
	return c.line
}
