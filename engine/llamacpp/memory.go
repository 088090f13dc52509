package llamacpp

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// availableMemory is how many bytes this process may still take, by the
// kernel's estimate and the limit of its control group; ok is false where
// neither can be read.
func availableMemory() (bytes uint64, ok bool) {
	bytes, ok = memAvailable("/proc/meminfo")
	limit, okLimit := readUint("/sys/fs/cgroup/memory.max")
	used, okUsed := readUint("/sys/fs/cgroup/memory.current")
	if okLimit && okUsed {
		left := limit - min(used, limit)
		if !ok || left < bytes {
			bytes, ok = left, true
		}
	}
	return bytes, ok
}

func memAvailable(path string) (uint64, bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if rest, found := strings.CutPrefix(sc.Text(), "MemAvailable:"); found {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

func readUint(path string) (uint64, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}
