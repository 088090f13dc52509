package results

import (
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// System is what a machine had done until a moment, by counters that only grow. What the
// system does not tell is null.
type System struct {
	Busy      Opt[time.Duration] // CPU time of all processes on all cores
	Stolen    Opt[time.Duration] // CPU time that the host gave to other guests
	Throttled Opt[time.Duration] // for which a limit kept the container from running
	Throttles Opt[int64]         // times that a core was slowed for its heat
	Cores     int                // of the machine
	Load1     Opt[float64]       // load average
	Programs  []int              // process ids of the other cadence-bench at work
}

// Disturbance is what else a machine did while a cell was offered.
type Disturbance struct {
	OthersS    Opt[float64] `json:"others_s"`    // CPU time of other processes
	StolenS    Opt[float64] `json:"stolen_s"`    // CPU time that the host gave to other guests
	ThrottledS Opt[float64] `json:"throttled_s"` // for which a limit kept the container from running
	Throttles  Opt[int64]   `json:"throttles"`   // times that a core was slowed for its heat
	Load1      Opt[float64] `json:"load_1min"`   // load average at its start
	Cores      int          `json:"cores"`       // of the machine
	WallS      float64      `json:"wall_s"`
	// Programs is how many other cadence-bench were at work at its start or end.
	Programs int `json:"programs"`
}

// Since is what happened between two moments, of which the process itself took so much
// CPU time.
func (s System) Since(before System, own, wall time.Duration) Disturbance {
	d := Disturbance{Load1: before.Load1, Cores: s.Cores, WallS: wall.Seconds(), Programs: max(len(before.Programs), len(s.Programs))}
	d.StolenS, d.ThrottledS = grown(before.Stolen, s.Stolen), grown(before.Throttled, s.Throttled)
	if d.OthersS = grown(before.Busy, s.Busy); d.OthersS.OK {
		d.OthersS.V = max(0, d.OthersS.V-own.Seconds())
	}
	if before.Throttles.OK && s.Throttles.OK {
		d.Throttles = Some(s.Throttles.V - before.Throttles.V)
	}
	return d
}

func grown(from, to Opt[time.Duration]) Opt[float64] {
	if !from.OK || !to.OK {
		return Opt[float64]{}
	}
	return Some(max(0, to.V-from.V).Seconds())
}

// ReadSystem asks the system; the processes are asked for elsewhere.
func ReadSystem() System {
	if runtime.GOOS != "linux" {
		return System{Cores: runtime.NumCPU(), Load1: ReadHost().Load1}
	}
	heat, _ := filepath.Glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count")
	return linuxSystem(heat, func(path string) string { data, _ := regular.ReadFile(path); return string(data) })
}

// tick is the unit of /proc/stat, on every platform that Go has.
const tick = 10 * time.Millisecond

// linuxSystem is ReadSystem over what file gives, "" for what is not there. heat are the
// files that count how often a core was slowed.
func linuxSystem(heat []string, file func(string) string) System {
	var s System
	for line := range strings.Lines(file("/proc/stat")) {
		words := strings.Fields(line)
		switch {
		case len(words) < 9 || !strings.HasPrefix(words[0], "cpu"):
		case words[0] != "cpu":
			s.Cores++
		default:
			// user, nice, system, idle, iowait, irq, softirq and steal
			var sum [9]time.Duration
			for i := 1; i < 9; i++ {
				sum[i] = time.Duration(number(words[i]).V) * tick
			}
			s.Busy, s.Stolen = Some(sum[1]+sum[2]+sum[3]+sum[6]+sum[7]), Some(sum[8])
			s.Busy.OK = s.Busy.V > 0 // a sandbox has the file and counts nothing
		}
	}
	for _, it := range []struct {
		path, name string
		unit       time.Duration
	}{{"/sys/fs/cgroup/cpu.stat", "throttled_usec", time.Microsecond}, {"/sys/fs/cgroup/cpu/cpu.stat", "throttled_time", time.Nanosecond}} {
		for line := range strings.Lines(file(it.path)) {
			if name, value, _ := strings.Cut(line, " "); name == it.name {
				s.Throttled = Some(time.Duration(number(value).V) * it.unit)
			}
		}
	}
	for _, path := range heat {
		if n := whole(number(file(path))); n.OK {
			s.Throttles = Some(s.Throttles.V + n.V)
		}
	}
	s.Load1 = number(file("/proc/loadavg"))
	return s
}
