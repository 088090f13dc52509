package flame

import (
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
)

// node is a function in the merged tree of a profile's stacks.
type node struct {
	name     string
	samples  int64 // in it and in what it calls
	children []*node
}

// tree merges the stacks, which are in order of their frames, so that
// children come in order of their names.
func tree(p *cpuprofile.Profile) *node {
	root := &node{name: "all"}
	for _, s := range p.Stacks {
		at := root
		at.samples += s.Samples
		for _, frame := range s.Frames {
			at = at.child(frame)
			at.samples += s.Samples
		}
	}
	return root
}

func (n *node) child(name string) *node {
	if last := len(n.children) - 1; last >= 0 && n.children[last].name == name {
		return n.children[last]
	}
	c := &node{name: name}
	n.children = append(n.children, c)
	return c
}

// box is a function's place in a flame graph: samples [from, from+samples)
// of the row at depth, the root's being 0.
type box struct {
	name          string
	depth         int
	from, samples int64
}

// layout places the tree, leaving out functions with fewer than least samples. A
// caller's own samples lie to the right of what it calls.
func (n *node) layout(least int64) []box {
	var boxes []box
	var place func(n *node, depth int, from int64)
	place = func(n *node, depth int, from int64) {
		if n.samples < least {
			return
		}
		boxes = append(boxes, box{n.name, depth, from, n.samples})
		for _, c := range n.children {
			place(c, depth+1, from)
			from += c.samples
		}
	}
	place(n, 0, 0)
	return boxes
}

// shortFunction drops the path of a function's package:
// example.org/a/b.(*T).Do[go.shape.int] is b.(*T).Do.
func shortFunction(name string) string {
	if i := strings.Index(name, "[go.shape"); i > 0 {
		name = name[:i]
	}
	if strings.HasPrefix(name, "[") {
		return name
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}
