// Package publisher fetches prebuilt llama.cpp libraries from the project that
// publishes them, for the platforms that npm has none for.
//
// One digest is pinned: that of the release's manifest. The manifest names the digest
// of every archive, so that nothing is unpacked that was not published with it.
package publisher

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/archive"
)

// The repositories of a release, as its manifest names them.
const (
	builder  = "hybridgroup/llama-cpp-builder" // the manifest, and what llama.cpp does not build
	upstream = "ggml-org/llama.cpp"
)

const (
	manifestMax = 16 << 20 // bytes; a release's manifest has some hundred kilobytes
	archiveMax  = 2 << 30  // bytes; the largest archives are those with CUDA
	patience    = 30 * time.Minute
)

// asset is where a platform's archive is: a repository, and the archive's name with
// the repository's tag left out.
type asset struct{ repository, name string }

// assets are the archives by platform.
var assets = map[string]asset{
	"linux-x64":        {upstream, "llama-%s-bin-ubuntu-x64.tar.gz"},
	"linux-arm64":      {builder, "llama-%s-bin-ubuntu-cpu-arm64.tar.gz"},
	"linux-x64-vulkan": {upstream, "llama-%s-bin-ubuntu-vulkan-x64.tar.gz"},
	"linux-x64-cuda":   {builder, "llama-%s-bin-ubuntu-cuda-13-x64.tar.gz"},
	"mac-arm64-metal":  {upstream, "llama-%s-bin-macos-arm64.tar.gz"},
	"mac-x64":          {upstream, "llama-%s-bin-macos-x64.tar.gz"},
	"win-x64":          {upstream, "llama-%s-bin-win-cpu-x64.zip"},
	"win-arm64":        {upstream, "llama-%s-bin-win-cpu-arm64.zip"},
}

// Release is a published release.
type Release struct {
	Tag      string
	Manifest string       // SHA-256 of its manifest, in hex
	Site     string       // where releases are; "" is the publisher's
	Client   *http.Client // nil is one that gives up after half an hour
}

// Pinned is the release that this build of the engine is made for.
func Pinned() Release {
	return Release{Tag: "v0.5.0", Manifest: "4c980eec03f12db33a8de414cbd9b2afecfe996c8c1daac63e16b074d2ffc5ab"}
}

// manifest is the part of a release's manifest that is needed: by repository, its tag
// and the digests of its archives by name.
type manifest struct {
	Sources map[string]struct {
		Tag    string `json:"tag"`
		Assets map[string]struct {
			SHA256 string `json:"sha256"`
		} `json:"assets"`
	} `json:"sources"`
}

// Fetch unpacks those files of a platform's archive that keep accepts into dir, which
// must exist. Folders of the archive are left out.
func (r Release) Fetch(ctx context.Context, platform, dir string, keep func(name string) bool) error {
	if r.Site == "" {
		r.Site = "https://github.com"
	}
	if r.Client == nil {
		r.Client = &http.Client{Timeout: patience}
	}
	a, ok := assets[platform]
	if !ok {
		return fmt.Errorf("unknown platform %q", platform)
	}
	var text bytes.Buffer
	if err := r.get(ctx, builder, r.Tag, r.Tag+".json", r.Manifest, manifestMax, &text); err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text.Bytes(), &m); err != nil {
		return fmt.Errorf("the release's manifest: %w", err)
	}
	source := m.Sources[a.repository]
	name := fmt.Sprintf(a.name, source.Tag)
	digest := source.Assets[name].SHA256
	if digest == "" {
		return fmt.Errorf("the release %s has no %s", r.Tag, name)
	}
	file, err := os.CreateTemp(dir, ".archive-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := r.get(ctx, a.repository, source.Tag, name, digest, archiveMax, file); err != nil {
		return err
	}
	if err := unpack(file, name, dir, keep); err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	return nil
}

// get copies a file of a release, which has at most limit bytes and this SHA-256.
func (r Release) get(ctx context.Context, repository, tag, name, digest string, limit int64, into io.Writer) error {
	url := r.Site + "/" + path.Join(repository, "releases/download", tag, name)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := r.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(into, h), io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); n > limit || got != digest {
		return fmt.Errorf("%s: its SHA-256 differs from the pinned one (%s, not %s)", url, got, digest)
	}
	return nil
}

func unpack(file *os.File, name, dir string, keep func(string) bool) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	keepBase := func(name string) bool { return keep(path.Base(name)) }
	if strings.HasSuffix(name, ".zip") {
		return archive.Unzip(file, size, dir, keepBase)
	}
	return archive.Untar(file, dir, keepBase)
}
