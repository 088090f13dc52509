package gguf

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// FileHash is the SHA-256 of a file's bytes, in hex.
func FileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("model %s: %w", path, pathless(err))
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("model %s: %w", path, pathless(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
