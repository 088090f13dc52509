package gguf_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/stretchr/testify/require"
)

func TestInspect(t *testing.T) {
	path := writeTiny(t, func(s *gguf.Spec) { s.Seed = 1 << 60; s.Type = gguf.Q4_0 })
	stat, err := os.Stat(path)
	require.NoError(t, err)
	info, err := gguf.Inspect(path)
	require.NoError(t, err)
	s := tinyShape()
	want := gguf.Info{
		Version: 3, Architecture: "llama", Name: "tiny synthetic", FileType: "Q4_0", Params: s.Params(),
		Layers: s.Layers, Width: s.Width, FFN: s.FFN, Heads: s.Heads, KVHeads: s.KVHeads, Vocab: s.Vocab, Context: s.Context,
		Tensors: 3 + 9*s.Layers, FileBytes: stat.Size(), Tokenizer: "gpt2/smollm", ChatTemplate: true,
		Synthetic: &gguf.Synthetic{Shape: "tiny", Seed: 1 << 60, Schema: gguf.SchemaVersion},
	}
	norms := int64(2*s.Layers+1) * int64(s.Width)
	want.TensorBytes = (s.Params()-norms)/32*18 + norms*4
	require.Equal(t, want, info)
}

func TestInspectRefuses(t *testing.T) {
	whole, err := os.ReadFile(writeTiny(t, func(*gguf.Spec) {}))
	require.NoError(t, err)
	patched := func(at int, v uint64, size int) []byte {
		b := bytes.Clone(whole)
		copy(b[at:at+size], binary.LittleEndian.AppendUint64(nil, v)[:size])
		return b
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"empty":        {nil, "it is empty"},
		"text":         {[]byte("hello, world"), `it starts with "hell", not "GGUF"`},
		"git-lfs":      {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:00"), "git lfs pull"},
		"zip":          {[]byte("PK\x03\x04 and so on"), "zip archive"},
		"html":         {[]byte("\n<!DOCTYPE html><html>Not found"), "HTML page"},
		"safetensors":  {append(binary.LittleEndian.AppendUint64(nil, 4000), `{"__metadata__":{}}`...), "safetensors"},
		"old ggml":     {[]byte("tjgg\x03\x00\x00\x00"), "before GGUF"},
		"magic only":   {[]byte("GGUF"), "truncated"},
		"version 1":    {patched(4, 1, 4), "version 1 is not supported"},
		"version 9":    {patched(4, 9, 4), "version 9 is not supported"},
		"big-endian":   {patched(4, 3<<24, 4), "big-endian"},
		"tensor count": {patched(8, 1<<40, 8), "claims 1099511627776 tensors"},
		"more tensors": {patched(8, 1<<17, 8), "truncated"},
		"key count":    {patched(16, 1<<63, 8), "metadata keys"},
		"key length":   {patched(24, 1<<30, 8), "bytes for one name"},
		"value type":   {patched(24+8+len("general.architecture"), 77, 4), "value type 77"},
		"no weights":   {whole[:len(whole)/2], "the file has"},
		"a byte short": {whole[:len(whole)-64], "truncated: its tensors need"},
	} {
		path := filepath.Join(t.TempDir(), "m.gguf")
		require.NoError(t, os.WriteFile(path, c.content, 0o600))
		_, err := gguf.Inspect(path)
		require.ErrorContains(t, err, "model "+path+": ", name)
		require.ErrorContains(t, err, c.says, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	dir := t.TempDir()
	_, err = gguf.Inspect(dir)
	require.EqualError(t, err, "model "+dir+": it is a folder, and not a file")
	_, err = gguf.Inspect(dir + "/missing.gguf")
	require.EqualError(t, err, "model "+dir+"/missing.gguf: no such file")
}

// Every cut of a good file is refused.
func TestInspectRefusesEveryPrefix(t *testing.T) {
	path := writeTiny(t, func(s *gguf.Spec) { s.Corpus = ""; s.Shape.Vocab = gguf.MinVocab })
	whole, err := os.Stat(path)
	require.NoError(t, err)
	for n := whole.Size() - 32; n >= 0; n -= 97 { // the last 31 bytes at most are padding
		require.NoError(t, os.Truncate(path, n))
		_, err := gguf.Inspect(path)
		require.Error(t, err, "first %d bytes", n)
	}
}
