// Package gguf writes synthetic GGUF models, and inspects any GGUF file.
//
// A synthetic model costs what a real model of its shape costs, needs no
// download, and is the same bytes for the same Spec on every machine. Its text is
// noise made of pieces of the corpus' words.
//
// # Weights
//
// Plain random weights decode badly: the best two of 8192 normal logits differ by
// a quarter of their standard deviation, so numerical noise changes the choice
// often, and a walk soon repeats one token. Here the output row of a token is the
// sum of the embeddings of three tokens that it may follow (three random cycles
// over all printable tokens). After a token its three successors stand clear of
// the rest, and the context, which attention adds to the residual stream, decides
// among them. Reserved, special and unprintable tokens have rows that give a
// large negative logit.
//
// That needs an output matrix of its own: a tied one would predict the token
// just read. Against the tied originals, smollm2-135m stores 162.8M weights
// instead of 134.5M (29 MB more in Q8_0) and qwen2.5-0.5b 630.2M instead of
// 494.0M (77 MB more in Q4_0). A step reads and multiplies as many as they do.
// cadence-30m stores 30.9M, of which a step multiplies 26.7M.
//
// # Measured separation
//
// TestSeparation -long, llama.cpp v0.5.0, one thread, F16 KV, unified cache. Gap:
// best logit less second. Noise: how far the difference of those two moves when
// the same tokens are decoded in a batch of all runs, or prefilled in chunks of
// 64, instead of alone. Flips: positions where that changed the best token.
// Distinct: different tokens in a run, fewest of all runs. Repeat: longest
// stretch of a run that repeats what stood at most 32 tokens before it.
//
//	shape         runs×tokens  flash  gap p1   p5    p50   noise p50  p99    max    flips     distinct  repeat
//	cadence-30m   8×256        off    0.014  0.097  0.897  0.0024   0.0127  0.0174  1/4096   222       7
//	cadence-30m   8×256        on     0.019  0.090  0.924  0.0034   0.0349  0.0533  12/4096  210       12
//	smollm2-135m  4×128        off    0.024  0.114  0.923  0.0025   0.0116  0.0163  0/1024   118       3
//	smollm2-135m  4×128        on     0.021  0.112  0.935  0.0042   0.0320  0.0478  1/1024   118       3
//	qwen2.5-0.5b  4×128        off    0.019  0.064  0.684  0.0019   0.0089  0.0123  0/1024   117       4
//	qwen2.5-0.5b  4×128        on     0.015  0.074  0.699  0.0031   0.0242  0.0310  0/1024   96        18
//
// Prompts have 300 tokens (cadence-30m) or 200. Exchanging one token a tenth of
// the way in shows, in cadence-30m, within 73 tokens in 10 of 16 runs and within
// 189 in 15; in the other shapes within 128 tokens in half of the runs.
// A wrong prompt altogether shows at once. A fault that reached only the KV cache
// of layers other than the first would hardly show: together they carry about a
// tenth of the first one's weight.
//
// # Tokenizer
//
// Byte-level BPE in GPT-2's form with llama.cpp's "smollm" splitting, trained on
// the Spec's corpus until that takes 1.28 tokens a word, so every shape gives the
// same counts for the same text; the rest of the vocabulary is reserved. Every
// UTF-8 text survives a round trip.
package gguf
