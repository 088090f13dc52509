package llamacpp

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// Model is an open GGUF file. Its methods may be called from any goroutine,
// also while a step runs.
type Model struct {
	native *native
	model  llama.Model
	vocab  llama.Vocab
	path   string
	info   ModelInfo
	eog    []uint64 // bit set of end-of-generation tokens
	chat   string   // the model's chat template
	placed Placed
	close  sync.Once
}

// ModelInfo is what a model says of itself.
type ModelInfo struct {
	Path        string
	Description string // llama.cpp's: architecture, size class, quantisation
	Params      uint64
	Bytes       uint64 // of all tensors
	Vocab       int
	CtxTrain    int // positions that it was trained for
	Layers      int
	Embd        int
	Heads       int
	HeadsKV     int
	// CellBytes is the size of one KV cell in F16: keys and values of one
	// position in every layer. It is exact for plain attention and an upper
	// bound where layers share or window their cache.
	CellBytes   uint64
	HasTemplate bool
}

// OpenModel loads a GGUF file. A file that is not a whole GGUF is refused
// before llama.cpp sees it.
func OpenModel(path string, where Placement) (*Model, error) {
	n, err := theNative()
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if _, err := gguf.Inspect(path); err != nil {
		return nil, err
	}
	handle, placed, err := load(path, where)
	if err != nil {
		return nil, err
	}
	m := &Model{native: n, model: handle, vocab: llama.ModelGetVocab(handle), path: path, placed: placed}
	m.describe()
	if m.info.Vocab <= 0 || !llama.ModelHasDecoder(handle) {
		m.Close()
		return nil, fmt.Errorf("model %s: it generates no text (no decoder or no vocabulary)", path)
	}
	if llama.ModelHasEncoder(handle) {
		m.Close()
		return nil, fmt.Errorf("model %s: it is an encoder-decoder, which the scheduler cannot batch", path)
	}
	return m, nil
}

func (m *Model) describe() {
	h := m.model
	m.chat = llama.ModelChatTemplate(h, "")
	m.info = ModelInfo{
		Path:        m.path,
		Description: llama.ModelDesc(h),
		Params:      llama.ModelNParams(h),
		Bytes:       llama.ModelSize(h),
		Vocab:       int(llama.VocabNTokens(m.vocab)),
		CtxTrain:    int(llama.ModelNCtxTrain(h)),
		Layers:      int(llama.ModelNLayer(h)),
		Embd:        int(llama.ModelNEmbd(h)),
		Heads:       int(llama.ModelNHead(h)),
		HeadsKV:     int(llama.ModelNHeadKV(h)),
		HasTemplate: m.chat != "",
	}
	const f16 = 2
	width := m.headWidth("key_length") + m.headWidth("value_length")
	m.info.CellBytes = uint64(m.info.Layers) * uint64(m.info.HeadsKV) * uint64(width) * f16

	m.eog = make([]uint64, (m.info.Vocab+63)/64)
	for t := range m.info.Vocab {
		if llama.VocabIsEOG(m.vocab, llama.Token(t)) {
			m.eog[t/64] |= 1 << (t % 64)
		}
	}
}

// headWidth is the width of one head's keys or values, which a model may state
// and otherwise is its share of the embedding.
func (m *Model) headWidth(key string) int {
	arch, _ := llama.ModelMetaValStr(m.model, "general.architecture")
	if s, ok := llama.ModelMetaValStr(m.model, arch+".attention."+key); ok {
		if w, err := strconv.Atoi(s); err == nil {
			return w
		}
	}
	if m.info.Heads == 0 {
		return 0
	}
	return m.info.Embd / m.info.Heads
}

// Placed says where the model lies.
func (m *Model) Placed() Placed { return m.placed }

// Info describes the model.
func (m *Model) Info() ModelInfo { return m.info }

// EOG reports whether a token ends the generation.
func (m *Model) EOG(t engine.Token) bool {
	return t >= 0 && int(t) < m.info.Vocab && m.eog[t/64]&(1<<(t%64)) != 0
}

// TextRange gives the longest run of tokens that are text, [from, to): neither control
// tokens nor such as the vocabulary only reserves.
func (m *Model) TextRange() (from, to engine.Token) {
	const text = llama.TokenAttrNormal | llama.TokenAttrUserDef | llama.TokenAttrByte
	start := 0
	for t := range m.info.Vocab + 1 {
		if t < m.info.Vocab && llama.VocabGetAttr(m.vocab, llama.Token(t))&text != 0 {
			continue
		}
		if t-start > int(to-from) {
			from, to = engine.Token(start), engine.Token(t)
		}
		start = t + 1
	}
	return from, to
}

// Close frees the model. Contexts on it must be closed before.
func (m *Model) Close() error {
	err := errors.New("model is closed already")
	m.close.Do(func() { err = llama.ModelFree(m.model) })
	return err
}
