package llamacpp

import (
	_ "embed"
	"strings"
)

// pinsText has one line per library file of each prebuilt platform: its SHA-256,
// the platform and the file's name, as sha256sum would print them.
//
//go:generate go run ./internal/pin -o pins.txt linux-x64 linux-arm64 linux-x64-vulkan linux-x64-cuda
//go:embed pins.txt
var pinsText string

// pins gives the hashes of a platform's library files, sorted by name; none for
// a platform that is not in the table.
func pins(p Platform) []FileHash {
	var files []FileHash
	for line := range strings.Lines(pinsText) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if name, ok := strings.CutPrefix(path, string(p)+"/"); ok {
			files = append(files, FileHash{name, sum})
		}
	}
	return files
}
