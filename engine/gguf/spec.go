package gguf

import "fmt"

// SchemaVersion counts the changes to what a Spec gives. Files of one Spec and
// one version are the same bytes.
const SchemaVersion = 1

// Metadata keys of ours in a synthetic file.
const (
	keySchema = "cadence.synthetic.schema"
	keySeed   = "cadence.synthetic.seed"
	keyShape  = "cadence.synthetic.shape"
)

// Spec is everything that a synthetic model's bytes depend on.
type Spec struct {
	Shape Shape
	Type  Type // Default takes Shape.Type
	Seed  uint64
	// Corpus is the text that the tokenizer learns from. About a megabyte of the
	// text that the model will be prompted with is enough; with none, every byte
	// is a token.
	Corpus string
}

func (s Spec) weightType() Type {
	if s.Type == Default {
		return s.Shape.Type
	}
	return s.Type
}

// chatTemplate is ChatML. llama.cpp recognises it by its markers.
const chatTemplate = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

// llama.cpp's token types.
const (
	tokenNormal  = 1
	tokenControl = 3
	tokenUnused  = 5
)

func (s Spec) header(tok *Tokenizer) *header {
	h, sh, typ := &header{}, s.Shape, s.weightType()
	h.text("general.architecture", sh.Arch)
	h.text("general.type", "model")
	h.text("general.name", sh.Name+" synthetic")
	h.u32("general.file_type", typ.fileType())
	h.u32("general.quantization_version", 2)
	h.u32("general.alignment", alignment)
	h.u32(keySchema, SchemaVersion)
	h.u64(keySeed, s.Seed)
	h.text(keyShape, sh.Name)

	arch := sh.Arch + "."
	h.u32(arch+"block_count", uint32(sh.Layers))
	h.u32(arch+"context_length", uint32(sh.Context))
	h.u32(arch+"embedding_length", uint32(sh.Width))
	h.u32(arch+"feed_forward_length", uint32(sh.FFN))
	h.u32(arch+"attention.head_count", uint32(sh.Heads))
	h.u32(arch+"attention.head_count_kv", uint32(sh.KVHeads))
	h.f32(arch+"attention.layer_norm_rms_epsilon", sh.NormEps)
	h.u32(arch+"rope.dimension_count", uint32(sh.headSize()))
	h.f32(arch+"rope.freq_base", sh.RopeBase)
	h.u32(arch+"vocab_size", uint32(sh.Vocab))

	h.text("tokenizer.ggml.model", "gpt2")
	h.text("tokenizer.ggml.pre", preTokenizer)
	h.texts("tokenizer.ggml.tokens", sh.Vocab, func(i int) string {
		if i >= tok.Len() {
			return fmt.Sprintf("<|reserved_%d|>", i)
		}
		return tok.vocabText(int32(i))
	})
	h.i32s("tokenizer.ggml.token_type", sh.Vocab, func(i int) int32 {
		switch {
		case i < numSpecial:
			return tokenControl
		case i < tok.Len():
			return tokenNormal
		}
		return tokenUnused
	})
	h.texts("tokenizer.ggml.merges", len(tok.merges), tok.mergeText)
	h.u32("tokenizer.ggml.bos_token_id", tokenEndOfText)
	h.u32("tokenizer.ggml.eos_token_id", tokenImEnd)
	h.u32("tokenizer.ggml.eot_token_id", tokenImEnd)
	h.u32("tokenizer.ggml.padding_token_id", tokenPad)
	h.flag("tokenizer.ggml.add_bos_token", false)
	h.flag("tokenizer.ggml.add_eos_token", false)
	h.text("tokenizer.chat_template", chatTemplate)
	return h
}
