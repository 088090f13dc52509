package flame

import (
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func loadedProfile() (*cpuprofile.Profile, Load) {
	const pkg = "github.com/cadence-bench/cadence-bench/"
	p := &cpuprofile.Profile{Period: 10 * time.Millisecond, Duration: 8 * time.Second, Stacks: []cpuprofile.Stack{
		{Frames: []string{cpuprofile.Foreign, "[libggml-cpu-zen4.so]"}, Samples: 200},
		{Frames: []string{pkg + "engine.(*Engine).step"}, Samples: 4},
		{Frames: []string{pkg + "engine.(*Engine).step", pkg + "engine/llamacpp.(*Context).sample", pkg + "engine/llamacpp.argmax"}, Samples: 40},
		{Frames: []string{pkg + "engine.(*Engine).step", pkg + "engine/llamacpp.(*stepCall).decode", "runtime.cgocall"}, Samples: 700},
		{Frames: []string{"main.run", pkg + "kv.(*Paged).Admit", "sort.Slice[go.shape.int]"}, Samples: 55},
		{Frames: []string{"runtime.mcall", "runtime.<&>"}, Samples: 1},
	}}
	return p, Load{
		Rung: "prefix", OfferedRPS: 2.5, Model: "cadence-30m", CPU: "a CPU", Cores: 2, Threads: "1", Layout: "streams",
		Requests: 20, Completed: 19, Steps: 400, Rows: 4000, ModelTime: 7 * time.Second, Host: 20 * time.Millisecond, Loop: 30 * time.Millisecond,
	}
}

func TestTableOfAProfile(t *testing.T) {
	p, load := loadedProfile()
	golden.Equal(t, "profile.md", Table(p, load).Markdown())
}
