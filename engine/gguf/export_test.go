package gguf

// Params is the number of weights that a model of this shape stores.
func (s Shape) Params() (n int64) {
	for _, t := range s.tensors(s.Type) {
		n += int64(t.cols) * int64(t.rows)
	}
	return n
}
