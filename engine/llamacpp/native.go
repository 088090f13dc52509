package llamacpp

import (
	"unsafe"

	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/hybridgroup/yzma/pkg/loader"
	"github.com/jupiterrider/ffi"
)

// native holds the C functions that are called past yzma's wrappers: because
// yzma lacks them, because the wrapper cannot take every text (a NUL byte ends
// its strings), or because it allocates on the path of every step.
type native struct {
	decode      ffi.Fun
	synchronize ffi.Fun
	getLogits   ffi.Fun
	tokenize    ffi.Fun
	detokenize  ffi.Fun

	llamaVersion ffi.Fun
	ggmlVersion  ffi.Fun
	ggmlCommit   ffi.Fun
	systemInfo   ffi.Fun
	onAbort      ffi.Fun
}

// batchType describes struct llama_batch, the Go side of which is
// llama.BatchData.
var batchType = ffi.NewType(&ffi.TypeSint32,
	&ffi.TypePointer, &ffi.TypePointer, &ffi.TypePointer,
	&ffi.TypePointer, &ffi.TypePointer, &ffi.TypePointer)

// bindNative looks the functions up in dir. The error names the first that is
// missing.
func bindNative(dir string) (*native, error) {
	libs := map[string]loader.Lib{}
	for _, name := range []string{"llama", "ggml-base"} {
		lib, err := loader.LoadLibrary(dir, name)
		if err != nil {
			return nil, err
		}
		libs[name] = lib
	}
	var n native
	ptr, i32, u8, void := &ffi.TypePointer, &ffi.TypeSint32, &ffi.TypeUint8, &ffi.TypeVoid
	for _, f := range []struct {
		fun  *ffi.Fun
		lib  string
		name string
		ret  *ffi.Type
		args []*ffi.Type
	}{
		{&n.decode, "llama", "llama_decode", i32, []*ffi.Type{ptr, &batchType}},
		{&n.synchronize, "llama", "llama_synchronize", void, []*ffi.Type{ptr}},
		{&n.getLogits, "llama", "llama_get_logits", ptr, []*ffi.Type{ptr}},
		{&n.tokenize, "llama", "llama_tokenize", i32, []*ffi.Type{ptr, ptr, i32, ptr, i32, u8, u8}},
		{&n.detokenize, "llama", "llama_detokenize", i32, []*ffi.Type{ptr, ptr, i32, ptr, i32, u8, u8}},
		{&n.llamaVersion, "llama", "llama_version", ptr, nil},
		{&n.systemInfo, "llama", "llama_print_system_info", ptr, nil},
		{&n.ggmlVersion, "ggml-base", "ggml_version", ptr, nil},
		{&n.ggmlCommit, "ggml-base", "ggml_commit", ptr, nil},
		{&n.onAbort, "ggml-base", "ggml_set_abort_callback", ptr, []*ffi.Type{ptr}},
	} {
		fun, err := libs[f.lib].Prep(f.name, f.ret, f.args...)
		if err != nil {
			return nil, err
		}
		*f.fun = fun
	}
	return &n, nil
}

// text calls a function of no arguments that returns a C string.
func text(f ffi.Fun) string {
	var p *byte
	f.Call(unsafe.Pointer(&p))
	return cString(p)
}

// cString copies a NUL-terminated string.
func cString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// stepCall is a C call's argument frame, kept so that a step allocates no new
// one. A Go heap object never moves, so C may hold its address during the call.
type stepCall struct {
	ctx   llama.Context
	batch llama.BatchData
	ret   ffi.Arg
	ptr   *float32
	args  [2]unsafe.Pointer
}

// decode must point at its arguments anew each time: libffi overwrites the
// pointer to a large struct with that of its own copy.
func (c *stepCall) decode(n *native) int32 {
	c.args = [2]unsafe.Pointer{unsafe.Pointer(&c.ctx), unsafe.Pointer(&c.batch)}
	ffi.Call(n.decode.Cif, n.decode.Addr, unsafe.Pointer(&c.ret), c.args[:]...)
	return int32(c.ret)
}

func (c *stepCall) synchronize(n *native) {
	c.args[0] = unsafe.Pointer(&c.ctx)
	ffi.Call(n.synchronize.Cif, n.synchronize.Addr, nil, c.args[:1]...)
}

// logits gives the rows of the last decode that asked for output, in batch
// order, each vocab wide. It is valid until the next decode. nil where the
// library has none.
func (c *stepCall) logits(n *native, rows, vocab int) []float32 {
	c.args[0] = unsafe.Pointer(&c.ctx)
	ffi.Call(n.getLogits.Cif, n.getLogits.Addr, unsafe.Pointer(&c.ptr), c.args[:1]...)
	if c.ptr == nil {
		return nil
	}
	return unsafe.Slice(c.ptr, rows*vocab)
}
