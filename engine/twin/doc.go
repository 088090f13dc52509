// Package twin is the backend without a model: it keeps, per sequence, the tokens
// that the KV cells of llama.cpp would hold, gives as next token a hash of them, and
// tells from a fitted cost model how long the step would have taken. The scheduler
// above it is the real one.
package twin
