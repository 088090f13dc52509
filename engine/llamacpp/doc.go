// Package llamacpp is the real engine: llama.cpp behind engine.Backend.
//
// It finds or installs the shared libraries (Locate, Install), loads them once
// per process (Load), opens a GGUF file (OpenModel) and runs hand-built batches
// on it (NewContext, Context.Step).
//
// llama.cpp ends the process when an assertion of its own fails, so everything
// that it would assert is checked here first and comes back as an error.
package llamacpp

// Release is the llama.cpp release that the binding (yzma v1.28.0) is made for.
// Its structs cross the boundary by value, so another release is refused.
const Release = "v0.5.0"
