package results

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// Host is the machine that a run was measured on. What the system does not tell
// is "unknown" or null.
type Host struct {
	OS               string       `json:"os"`
	Arch             string       `json:"arch"`
	Kernel           string       `json:"kernel"`
	CPU              string       `json:"cpu"`                // model name
	Cores            int          `json:"cores"`              // logical cores that the process may use
	CPULimit         Opt[float64] `json:"cpu_limit"`          // cores' worth of time that the container allows; null without a limit
	MemoryBytes      Opt[int64]   `json:"memory_bytes"`       // physical
	MemoryLimitBytes Opt[int64]   `json:"memory_limit_bytes"` // of the container; null without a limit
	Governor         Opt[string]  `json:"governor"`           // Linux frequency governor of the first core
	Load1            Opt[float64] `json:"load_1min"`          // load average when asked: what else was running
}

const unknown = "unknown"

// ReadHost asks the system. It never fails: a fact that it cannot get is absent.
func ReadHost() Host {
	return readHost(runtime.GOOS,
		func(path string) string { data, _ := os.ReadFile(path); return string(data) },
		func(name string) string { out, _ := exec.Command("sysctl", "-n", name).Output(); return string(out) })
}

// readHost is ReadHost over what file and sysctl give, "" for what is not there.
func readHost(goos string, file, sysctl func(string) string) Host {
	h := Host{OS: goos, Arch: runtime.GOARCH, Cores: runtime.NumCPU()}
	switch goos {
	case "linux":
		h.Kernel = file("/proc/sys/kernel/osrelease")
		h.CPU = linuxCPU(file("/proc/cpuinfo"), file("/sys/firmware/devicetree/base/model"))
		if kB := number(field(file("/proc/meminfo"), "MemTotal")); kB.OK {
			h.MemoryBytes = Some(int64(kB.V) * 1024)
		}
		h.CPULimit = cpuLimit(file("/sys/fs/cgroup/cpu.max"))
		h.MemoryLimitBytes = whole(number(file("/sys/fs/cgroup/memory.max")))
		h.Load1 = number(file("/proc/loadavg"))
		if g := strings.TrimSpace(file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")); g != "" {
			h.Governor = Some(g)
		}
	case "darwin":
		h.Kernel = sysctl("kern.osrelease")
		h.CPU = sysctl("machdep.cpu.brand_string")
		h.MemoryBytes = whole(number(sysctl("hw.memsize")))
		h.Load1 = number(strings.TrimPrefix(strings.TrimSpace(sysctl("vm.loadavg")), "{"))
	}
	h.Kernel, h.CPU = known(h.Kernel), known(h.CPU)
	return h
}

// linuxCPU returns the model name of /proc/cpuinfo. Most Arm kernels give none:
// then it is the board's name, or the implementer and part numbers.
func linuxCPU(cpuinfo, board string) string {
	if name := field(cpuinfo, "model name"); name != "" {
		return name
	}
	if board = strings.Trim(board, "\x00 \n"); board != "" {
		return board
	}
	if part := field(cpuinfo, "CPU part"); part != "" {
		return "implementer " + field(cpuinfo, "CPU implementer") + " part " + part
	}
	return ""
}

// field returns what follows "name:" in the first line of text that has it.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// cpuLimit reads cgroup v2's cpu.max: "quota period" in microseconds, or "max period".
func cpuLimit(text string) Opt[float64] {
	quota, period, _ := strings.Cut(strings.TrimSpace(text), " ")
	q, p := number(quota), number(period)
	if !q.OK || !p.OK || p.V <= 0 {
		return Opt[float64]{}
	}
	return Some(q.V / p.V)
}

// number reads the first word of text.
func number(text string) Opt[float64] {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Opt[float64]{}
	}
	v, err := strconv.ParseFloat(words[0], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Opt[float64]{}
	}
	return Some(v)
}

func whole(v Opt[float64]) Opt[int64] { return Opt[int64]{V: int64(v.V), OK: v.OK} }

func known(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return unknown
	}
	return s
}
