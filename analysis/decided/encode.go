package decided

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

// header begins the text of a file of cells, and every hash chain. Its number changes when
// the form of the text or the words of a line do.
const header = "cadence decisions 1\n"

// maxText bounds the text that Decode unpacks, against a damaged file's claims.
const maxText = 64 << 20

// Encode returns cells as a file: Text, compressed by zstd. The same cells give the same
// bytes on every machine, with one version of the compressor; Hash does not depend on it.
func Encode(cells []Cell) ([]byte, error) {
	text, err := Text(cells)
	if err != nil {
		return nil, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(text, nil), nil
}

// Hash returns the SHA-256 of the cells' Text, hexadecimal.
func Hash(cells []Cell) (string, error) {
	text, err := Text(cells)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Text returns cells as text that can be read: a line each for a cell, its requests (r)
// and its Lines (s). Requests and steps are numbered by how much further they are than
// the one before, the first request from -1 and the first step from 0, which compresses to
// half the size. It is an error if Decode could not read the text, as when a cell is there
// twice.
func Text(cells []Cell) ([]byte, error) {
	text := render(cells)
	if len(text) > maxText {
		return nil, fmt.Errorf("decisions: %d bytes of text are more than the %d that are read back: keep fewer cells", len(text), maxText)
	}
	if _, err := parse(text); err != nil {
		return nil, err
	}
	return text, nil
}

func render(cells []Cell) []byte {
	var b bytes.Buffer
	b.WriteString(header)
	for i := range cells {
		c := &cells[i]
		k := c.Key
		fmt.Fprintf(&b, "cell %q %s rps seed %d replicate %d anchor %t slo %d ms steps %d\n", k.Rung,
			strconv.FormatFloat(k.OfferedRPS, 'g', -1, 64), k.Seed, k.Replicate, k.Anchor, c.SLOMS, c.Steps)
		id, step := int32(-1), int64(0)
		for _, r := range c.Requests {
			fmt.Fprintf(&b, "r +%d %s %d\n", r.ID-id, r.Fate, r.MS)
			id = r.ID
		}
		for _, l := range c.Lines {
			fmt.Fprintf(&b, "s +%s\n", Line{l.Step - step, l.Items, l.Pool})
			step = l.Step
		}
	}
	return b.Bytes()
}
