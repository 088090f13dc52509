package llamacpp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hybridgroup/yzma/pkg/download"
)

// targets maps a platform to the publisher's names for it.
var targets = map[Platform]download.Target{
	"linux-x64":        {OS: download.Linux, Arch: download.AMD64, Processor: download.CPU},
	"linux-arm64":      {OS: download.Linux, Arch: download.ARM64, Processor: download.CPU},
	"linux-x64-vulkan": {OS: download.Linux, Arch: download.AMD64, Processor: download.Vulkan},
	"linux-x64-cuda":   {OS: download.Linux, Arch: download.AMD64, Processor: download.CUDA},
	"mac-arm64-metal":  {OS: download.Darwin, Arch: download.ARM64, Processor: download.Metal},
	"mac-x64":          {OS: download.Darwin, Arch: download.AMD64, Processor: download.CPU},
	"win-x64":          {OS: download.Windows, Arch: download.AMD64, Processor: download.CPU},
	"win-arm64":        {OS: download.Windows, Arch: download.ARM64, Processor: download.CPU},
}

// fetchDownload fills dir from the publisher of the release. The pin is the
// digest of the release's manifest, which names the digest of each archive and
// file; yzma's DefaultVersion carries it, so it is fixed by go.sum. The files'
// own hashes cannot be in the table here, because only the archives' publisher
// knows them: they are checked against the manifest and recorded at install,
// and every load compares with the record.
func fetchDownload(ctx context.Context, p Platform, dir string) error {
	if err := ctx.Err(); err != nil { // the downloader looks at it late
		return err
	}
	target, ok := targets[p]
	if !ok {
		return fmt.Errorf("unknown platform %q", p)
	}
	if download.DefaultTag() != Release {
		return fmt.Errorf("the downloader offers %s, not %s", download.DefaultTag(), Release)
	}
	target.Version = download.DefaultVersion
	if err := download.Install(ctx, target, dir, nil, nil, download.WithVerify(download.VerifyRequired)); err != nil {
		return fmt.Errorf("download from the publisher: %w", err)
	}
	report, err := download.VerifyInstall(ctx, dir, download.DefaultVersion)
	if err != nil {
		return fmt.Errorf("verify the download: %w", err)
	}
	if !report.OK() {
		return fmt.Errorf("verify the download: %d files differ from the manifest, %d are missing", report.Changed, report.Missing)
	}
	if err := prune(dir); err != nil {
		return err
	}
	files, err := hashLibraries(dir)
	if err != nil {
		return err
	}
	return (&record{Release, p, sourceDownload, files}).write(dir)
}

// prune removes what the archive holds besides the libraries: llama.cpp's own
// tools and the libraries that only they use.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || isLibrary(e.Name()) || strings.HasPrefix(e.Name(), "LICENSE") {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
