package results

import (
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// reusedZstd is the Parquet library's codec with one encoder for all columns. The
// library makes one of a megabyte for each column of each file, which was a fifth of
// the CPU time of a simulated sweep. The bytes are the same.
type reusedZstd struct {
	compress.Codec
	encoder *zstd.Encoder
}

// EncodeLevel implements compress.Codec. The level is zstdLevel for all that is written
// here.
func (z reusedZstd) EncodeLevel(dst, src []byte, level int) []byte {
	if level != zstdLevel {
		return z.Codec.EncodeLevel(dst, src, level)
	}
	return z.encoder.EncodeAll(src, dst[:0])
}

func init() {
	theirs, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		return // then writing says so
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(zstdLevel)))
	if err == nil {
		compress.RegisterCodec(compress.Codecs.Zstd, reusedZstd{theirs, encoder})
	}
}
