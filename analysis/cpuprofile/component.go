package cpuprofile

import (
	"slices"
	"strings"
)

// Component is a part of a loaded run that CPU time is charged to.
type Component string

// The components, in the order in which a step meets them.
const (
	Tokenising Component = "tokenising"
	Scheduling Component = "scheduling"
	KV         Component = "KV"
	Batch      Component = "batch building"
	Forward    Component = "forward pass"
	Sampling   Component = "sampling"
	EventLoop  Component = "event loop and load driver"
	GoRuntime  Component = "Go runtime and GC"
	Other      Component = "other"
)

// Components returns all of them.
func Components() []Component {
	return []Component{Tokenising, Scheduling, KV, Batch, Forward, Sampling, EventLoop, GoRuntime, Other}
}

const ours = "github.com/cadence-bench/cadence-bench/"

// owners says which component a function belongs to, by the start of its name.
// The first that fits counts.
var owners = []struct {
	prefix string
	part   Component
}{
	{ours + "engine/llamacpp.(*stepCall).logits", Sampling},
	{ours + "engine/llamacpp.(*stepCall).", Forward},
	{ours + "engine/llamacpp.(*Context).sample", Sampling},
	{ours + "engine/llamacpp.(*sampler).", Sampling},
	{ours + "engine/llamacpp.argmax", Sampling},
	{ours + "engine/llamacpp.uniform", Sampling},
	{ours + "engine/llamacpp.(*Context).apply", KV},
	{ours + "engine/llamacpp.(*Context).copySeq", KV},
	{ours + "engine/llamacpp.(*Context).readNext", KV},
	{ours + "engine/llamacpp.(*Context).", Batch},
	{ours + "engine/llamacpp.(*Model).", Tokenising},
	{ours + "kv.", KV},
	{ours + "engine.(*Engine).", EventLoop},
	{ours + "engine.", Scheduling},
	{ours + "engine/clock.", EventLoop},
	{ours + "loadgen.", EventLoop},
	{"main.(*llamaMachine).Encode", Tokenising},
	{ours + "cmd/cadence-bench.(*llamaMachine).Encode", Tokenising},
	{"main.", EventLoop},
	{ours + "cmd/cadence-bench.", EventLoop},
	{Foreign, Forward}, // llama.cpp starts threads for nothing else
}

// ComponentOf charges a stack to the component that its innermost frame belongs
// to, of those that belong to one: memory that the scheduler allocates is
// scheduling, and a KV call inside a plan is KV. What the Go runtime does for
// nobody in particular is its own.
func ComponentOf(frames []string) Component {
	for _, f := range slices.Backward(frames) {
		for _, o := range owners {
			if strings.HasPrefix(f, o.prefix) {
				return o.part
			}
		}
	}
	if len(frames) > 0 && strings.HasPrefix(frames[0], "runtime.") && !slices.Contains(frames, externalCode) {
		return GoRuntime
	}
	return Other
}
