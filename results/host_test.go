package results

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadHostOf(t *testing.T) {
	none := func(string) string { return "" }
	same := Host{Arch: runtime.GOARCH, Cores: runtime.NumCPU()}
	for _, tt := range []struct {
		name, goos string
		facts      map[string]string
		want       func(*Host)
	}{
		{"linux", "linux", map[string]string{
			"/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
			"/proc/cpuinfo":              "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nprocessor\t: 1\nmodel name\t: Some CPU @ 2.0GHz\n",
			"/proc/meminfo":              "MemTotal:       16384 kB\nMemFree:         1 kB\n",
			"/sys/fs/cgroup/cpu.max":     "150000 100000\n",
			"/sys/fs/cgroup/memory.max":  "8388608\n",
			"/proc/loadavg":              "0.25 0.10 0.05 1/100 1234\n",
			"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
		}, func(h *Host) {
			h.Kernel, h.CPU = "6.1.0-18-amd64", "Some CPU @ 2.0GHz"
			h.MemoryBytes, h.MemoryLimitBytes = Some(int64(16384*1024)), Some(int64(8388608))
			h.CPULimit, h.Load1, h.Governor = Some(1.5), Some(0.25), Some("powersave")
		}},
		{"no limits", "linux", map[string]string{
			"/sys/fs/cgroup/cpu.max": "max 100000\n", "/sys/fs/cgroup/memory.max": "max\n",
		}, func(h *Host) { h.Kernel, h.CPU = unknown, unknown }},
		{"arm board", "linux", map[string]string{
			"/proc/cpuinfo":                       "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n",
			"/sys/firmware/devicetree/base/model": "Some Board Rev 1.0\x00",
		}, func(h *Host) { h.Kernel, h.CPU = unknown, "Some Board Rev 1.0" }},
		{"arm server", "linux", map[string]string{
			"/proc/cpuinfo": "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n",
		}, func(h *Host) { h.Kernel, h.CPU = unknown, "implementer 0x41 part 0xd0c" }},
		{"darwin", "darwin", map[string]string{
			"kern.osrelease": "24.1.0\n", "machdep.cpu.brand_string": "Apple M9\n", "hw.memsize": "17179869184\n", "vm.loadavg": "{ 1.50 1.40 1.30 }\n",
		}, func(h *Host) {
			h.Kernel, h.CPU, h.MemoryBytes, h.Load1 = "24.1.0", "Apple M9", Some(int64(17179869184)), Some(1.5)
		}},
		{"another system", "plan9", nil, func(h *Host) { h.Kernel, h.CPU = unknown, unknown }},
	} {
		facts := func(name string) string { return tt.facts[name] }
		file, sysctl := facts, none
		if tt.goos == "darwin" {
			file, sysctl = none, facts
		}
		want := same
		want.OS = tt.goos
		tt.want(&want)
		require.Equal(t, want, readHost(tt.goos, file, sysctl), tt.name)
	}
}

func TestReadHost(t *testing.T) {
	h := ReadHost()
	require.Equal(t, runtime.GOOS, h.OS)
	require.NotEmpty(t, h.CPU)
	require.Positive(t, h.Cores)
}
