package kv

import "fmt"

// OpKind is a kind of edit of the backend's KV cache.
type OpKind uint8

const (
	// Copy makes the whole of sequence Src readable as the empty sequence Seq.
	Copy OpKind = iota
	// Trim drops the cells of Seq at positions From and above.
	Trim
	// Remove drops all cells of Seq.
	Remove
)

// Op is one edit that the backend must make. Ops take effect in order, all of them
// before the rows of the next step.
type Op struct {
	Kind OpKind
	Seq  int32 // the sequence that changes
	Src  int32 // Copy only
	From int32 // Trim only, in tokens
}

// String gives the op in the form of the scripted tests.
func (o Op) String() string {
	switch o.Kind {
	case Copy:
		return fmt.Sprintf("copy %d -> %d", o.Src, o.Seq)
	case Trim:
		return fmt.Sprintf("trim %d from %d", o.Seq, o.From)
	default:
		return fmt.Sprintf("remove %d", o.Seq)
	}
}

// OpLog collects ops until the next step takes them. The zero OpLog is empty.
type OpLog struct{ ops []Op }

// Drain appends the collected ops to dst, in order, and forgets them.
func (l *OpLog) Drain(dst []Op) []Op {
	dst = append(dst, l.ops...)
	l.ops = l.ops[:0]
	return dst
}

func (l *OpLog) copy(src, seq int32) { l.ops = append(l.ops, Op{Kind: Copy, Seq: seq, Src: src}) }
func (l *OpLog) trim(seq int32, from int) {
	l.ops = append(l.ops, Op{Kind: Trim, Seq: seq, From: int32(from)})
}
func (l *OpLog) remove(seq int32) { l.ops = append(l.ops, Op{Kind: Remove, Seq: seq}) }
