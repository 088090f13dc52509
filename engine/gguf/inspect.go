package gguf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Info is what a GGUF file says of itself. A number that the file does not give,
// or gives for each layer apart, is 0; a text "".
type Info struct {
	Version      int // of the GGUF format
	Architecture string
	Name         string
	FileType     string // e.g. "Q8_0"
	Params       int64  // weights in all tensors
	Layers       int
	Width        int
	FFN          int
	Heads        int
	KVHeads      int
	Vocab        int
	Context      int // training context length, tokens
	Tensors      int
	TensorBytes  int64
	FileBytes    int64
	// Tokenizer is tokenizer.ggml.model and .pre, e.g. "gpt2/smollm".
	Tokenizer    string
	ChatTemplate bool
	// Tied means that the file has no output matrix of its own.
	Tied      bool
	Synthetic *Synthetic // nil for a file that Write did not make
}

// Synthetic is how Write made a file.
type Synthetic struct {
	Shape  string
	Seed   uint64
	Schema int // SchemaVersion at the time
}

// Inspect reads the header of a GGUF file, version 2 or 3, and checks that the
// file is long enough for every tensor. It reads no weights. A file that is not
// a whole GGUF gives an error of one line that names the path and what is wrong.
func Inspect(path string) (Info, error) {
	info, err := inspectFile(path)
	if err != nil {
		return Info{}, fmt.Errorf("model %s: %w", path, err)
	}
	return info, nil
}

func inspectFile(path string) (Info, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, errors.New("no such file")
	}
	if err != nil {
		return Info{}, pathless(err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return Info{}, pathless(err)
	}
	return inspect(f, stat.Size())
}

// inspect reads the header of a file of size bytes.
func inspect(src io.Reader, size int64) (Info, error) {
	buf := bufio.NewReaderSize(src, 1<<16)
	start, err := buf.Peek(int(min(size, 256)))
	if err != nil {
		return Info{}, fmt.Errorf("read header: %w", err)
	}
	if err := checkMagic(start); err != nil {
		return Info{}, err
	}
	r := &reader{src: buf, size: size}
	r.skip(int64(len(magic)))
	if v := r.u32(); r.err == nil && v != 2 && v != 3 {
		if v&0xffff == 0 && v != 0 {
			return Info{}, fmt.Errorf("big-endian GGUF is not supported")
		}
		return Info{}, fmt.Errorf("GGUF version %d is not supported: versions 2 and 3 are", v)
	} else if r.err == nil {
		return r.rest(int(v))
	}
	return Info{}, r.err
}

// checkMagic tells what a file that is not a GGUF looks like.
func checkMagic(start []byte) error {
	if bytes.HasPrefix(start, []byte(magic)) {
		return nil
	}
	if len(start) == 0 {
		return errors.New("not a GGUF file: it is empty")
	}
	looks := ""
	switch text := bytes.ToLower(bytes.TrimSpace(start)); {
	case bytes.HasPrefix(start, []byte("version https://git-lfs")):
		looks = "; it is a git-lfs pointer, fetch the file itself with `git lfs pull`"
	case bytes.HasPrefix(start, []byte("PK")):
		looks = "; it looks like a zip archive or a PyTorch checkpoint, convert it to GGUF first"
	case bytes.HasPrefix(text, []byte("<!doctype")), bytes.HasPrefix(text, []byte("<html")):
		looks = "; it is an HTML page, probably a download that failed"
	case len(start) > 9 && start[8] == '{' && binary.LittleEndian.Uint64(start) < 1<<30:
		looks = "; it looks like safetensors, convert it to GGUF first"
	case bytes.HasPrefix(start, []byte("lmgg")), bytes.HasPrefix(start, []byte("tjgg")):
		looks = "; it is a GGML file from before GGUF, convert it first"
	}
	return fmt.Errorf("not a GGUF file: it starts with %q, not %q%s", start[:min(4, len(start))], magic, looks)
}

// rest reads what follows the version.
func (r *reader) rest(version int) (Info, error) {
	// A tensor takes at least 24 bytes of table and a key 13.
	tensors := r.count("tensors", maxTensors, 24)
	meta := r.metadata(r.count("metadata keys", maxKeys, 13))
	info := meta.info()
	info.Version, info.FileBytes, info.Tensors, info.Tied = version, r.size, tensors, true
	if r.err == nil && info.Architecture == "" {
		r.fail("not a model: general.architecture is missing")
	}
	end := r.tensors(tensors, &info)
	alignTo := meta.number("general.alignment", alignment)
	if r.err == nil && (alignTo <= 0 || alignTo > 1<<20 || alignTo&(alignTo-1) != 0) {
		r.fail("damaged header: alignment %d is not a power of two", alignTo)
	}
	if r.err != nil {
		return Info{}, r.err
	}
	if need := (r.at+alignTo-1)/alignTo*alignTo + end; tensors > 0 && need > r.size {
		return Info{}, fmt.Errorf("truncated: its tensors need %d bytes, the file has %d", need, r.size)
	}
	return info, nil
}

// tensors reads the tensor table, and gives where the last tensor's data ends
// within the data section.
func (r *reader) tensors(n int, info *Info) (end int64) {
	for range n {
		name := r.name()
		dims := r.u32()
		if r.err == nil && (dims < 1 || dims > maxDims) {
			r.fail("damaged header: tensor %q has %d dimensions", name, dims)
		}
		elements, row := int64(1), int64(0)
		for d := range dims {
			ne := r.u64()
			if r.err != nil {
				return 0
			}
			if ne == 0 || ne > uint64(math.MaxInt64/8/elements) {
				r.fail("damaged header: dimension %d of tensor %q is %d", d, name, ne)
				return 0
			}
			if d == 0 {
				row = int64(ne)
			}
			elements *= int64(ne)
		}
		number, offset := r.u32(), r.u64()
		if r.err != nil {
			return 0
		}
		info.Params += elements
		if name == "output.weight" {
			info.Tied = false
		}
		b, known := blocks[number]
		if !known {
			b = block{weights: 1} // a type of a later llama.cpp: its extent is not checked
		}
		if row%b.weights != 0 {
			r.fail("damaged header: rows of tensor %q have %d weights, not a multiple of %d as %s needs", name, row, b.weights, b.name)
			return 0
		}
		bytes := elements / b.weights * b.len
		if offset > math.MaxInt64/2 || bytes > math.MaxInt64/4 || info.TensorBytes > math.MaxInt64/4 || info.Params > math.MaxInt64/4 {
			r.fail("damaged header: tensor %q has %d bytes at offset %d", name, bytes, offset)
			return 0
		}
		info.TensorBytes += bytes
		end = max(end, int64(offset)+bytes)
	}
	return end
}

// metadata are the key-value pairs of a file.
type metadata map[string]any

func (r *reader) metadata(n int) metadata {
	m := metadata{}
	for range n {
		key := r.name()
		v := r.value(kind(r.u32()), 0)
		if r.err != nil {
			break
		}
		m[key] = v
	}
	return m
}

func (m metadata) text(key string) string {
	s, _ := m[key].(string)
	return s
}

// number is an integer value; a value that is none, or beyond the range of
// int32, is given as otherwise.
func (m metadata) number(key string, otherwise int64) int64 {
	switch v := m[key].(type) {
	case uint64:
		if v <= math.MaxInt32 {
			return int64(v)
		}
	case int64:
		if v >= 0 && v <= math.MaxInt32 {
			return v
		}
	}
	return otherwise
}

func (m metadata) info() Info {
	arch := m.text("general.architecture")
	number := func(key string) int { return int(m.number(arch+"."+key, 0)) }
	info := Info{
		Architecture: arch,
		Name:         m.text("general.name"),
		Layers:       number("block_count"),
		Width:        number("embedding_length"),
		FFN:          number("feed_forward_length"),
		Heads:        number("attention.head_count"),
		KVHeads:      number("attention.head_count_kv"),
		Context:      number("context_length"),
		Vocab:        number("vocab_size"),
		Tokenizer:    m.text("tokenizer.ggml.model"),
	}
	if _, given := m[arch+".attention.head_count_kv"]; !given {
		info.KVHeads = info.Heads
	}
	if n, ok := m["tokenizer.ggml.tokens"].(array); ok {
		info.Vocab = int(n)
	}
	if pre := m.text("tokenizer.ggml.pre"); pre != "" {
		info.Tokenizer += "/" + pre
	}
	if n, ok := m["general.file_type"].(uint64); ok {
		info.FileType = fileTypeName(n)
	}
	_, info.ChatTemplate = m["tokenizer.chat_template"]
	if seed, ok := m[keySeed].(uint64); ok {
		info.Synthetic = &Synthetic{Shape: m.text(keyShape), Seed: seed, Schema: int(m.number(keySchema, 0))}
	}
	return info
}
