package flame

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

func busyProfile() *cpuprofile.Profile {
	const pkg = "github.com/cadence-bench/cadence-bench/"
	return &cpuprofile.Profile{Period: 10 * time.Millisecond, Duration: 8 * time.Second, Stacks: []cpuprofile.Stack{
		{Frames: []string{cpuprofile.Foreign, "[libggml-cpu-zen4.so]"}, Samples: 200},
		{Frames: []string{pkg + "engine.(*Engine).step"}, Samples: 4},
		{Frames: []string{pkg + "engine.(*Engine).step", pkg + "engine/llamacpp.(*Context).sample", pkg + "engine/llamacpp.argmax"}, Samples: 40},
		{Frames: []string{pkg + "engine.(*Engine).step", pkg + "engine/llamacpp.(*stepCall).decode", "runtime.cgocall"}, Samples: 700},
		{Frames: []string{"main.run", pkg + "kv.(*Paged).Admit", "sort.Slice[go.shape.int]"}, Samples: 55},
		{Frames: []string{"runtime.mcall", "runtime.<&>"}, Samples: 1},
	}}
}

func TestGraph(t *testing.T) {
	p := busyProfile()
	got := Graph(p, "Where busy time goes: prefix at 2.5 requests/s")
	wellFormed(t, got)
	golden.Equal(t, "flame.svg", string(got))
}

func TestOfNothing(t *testing.T) {
	wellFormed(t, Graph(&cpuprofile.Profile{}, ""))
}

func TestLayout(t *testing.T) {
	p := &cpuprofile.Profile{Stacks: []cpuprofile.Stack{
		{Frames: []string{"a"}, Samples: 2},
		{Frames: []string{"a", "b"}, Samples: 5},
		{Frames: []string{"a", "c", "b"}, Samples: 3},
		{Frames: []string{"d"}, Samples: 1},
	}}
	require.Equal(t, []box{
		{"all", 0, 0, 11},
		{"a", 1, 0, 10},
		{"b", 2, 0, 5},
		{"c", 2, 5, 3},
		{"b", 3, 5, 3},
		{"d", 1, 10, 1},
	}, tree(p).layout(1))
	require.Equal(t, []box{{"all", 0, 0, 11}, {"a", 1, 0, 10}, {"b", 2, 0, 5}}, tree(p).layout(4))
}

// TestLayoutNests: whatever the stacks, no function is wider than its caller
// and none overlaps another of its row.
func TestLayoutNests(t *testing.T) {
	p := busyProfile()
	ends := map[int]int64{}
	var above []box // the path to the last box
	for _, b := range tree(p).layout(1) {
		require.GreaterOrEqual(t, b.from, ends[b.depth])
		ends[b.depth] = b.from + b.samples
		if b.depth > 0 {
			caller := above[b.depth-1]
			require.GreaterOrEqual(t, b.from, caller.from)
			require.LessOrEqual(t, b.from+b.samples, caller.from+caller.samples)
		}
		above = append(above[:b.depth], b)
	}
}

func TestShortFunction(t *testing.T) {
	for name, want := range map[string]string{
		"github.com/cadence-bench/cadence-bench/engine/llamacpp.(*Context).Step": "llamacpp.(*Context).Step",
		"slices.SortFunc[go.shape.[]example.org/a/b.T]":                          "slices.SortFunc",
		"runtime.mcall":         "runtime.mcall",
		"[libggml-cpu-zen4.so]": "[libggml-cpu-zen4.so]",
	} {
		require.Equal(t, want, shortFunction(name))
	}
}

func TestFitLabel(t *testing.T) {
	const name = "llamacpp.argmax"
	require.Equal(t, name, fitLabel(name, float64(len(name))*glyph+0.1))
	require.Equal(t, "llam…", fitLabel(name, 5*glyph+0.1))
	require.Empty(t, fitLabel(name, 2*glyph+0.1))
	require.Empty(t, fitLabel(name, -8))
}

func TestWarmIsWarmAndLegible(t *testing.T) {
	for _, name := range strings.Fields("a runtime.mcall main.run llamacpp.argmax kv.(*Paged).Admit all x y z") {
		c := warm(name)
		require.Equal(t, c, warm(name))
		require.Greater(t, c.R, c.G)
		require.Greater(t, c.G, c.B)
		require.Greater(t, contrast(c, palette.Ink), 4.5, "%s on %v", name, c)
	}
}

// contrast is the WCAG 2 contrast ratio of two opaque colours.
func contrast(a, b color.NRGBA) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func wellFormed(t *testing.T, doc []byte) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}
