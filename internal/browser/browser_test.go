package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPageSeesWhatGoesWrong: a check that finds nothing wrong must be able to.
func TestPageSeesWhatGoesWrong(t *testing.T) {
	p := Open(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.css"), nil, 0o644))
	file := filepath.Join(dir, "bad.html")
	require.NoError(t, os.WriteFile(file, []byte(`<!doctype html><link rel="stylesheet" href="other.css">
<meta http-equiv="Content-Security-Policy" content="img-src 'none'">
<img src="forbidden.png"><script>console.error("said"); window.answer = 42; missing()</script>`), 0o644))
	p.Do(t, chromedp.Navigate("file://"+file), chromedp.WaitReady("body"))
	require.Equal(t, 42, Eval[int](t, p, "window.answer"))
	require.Contains(t, p.Requests(), "file://"+filepath.Join(dir, "other.css"))
	require.Contains(t, p.Errors(), `console: "said"`)
	wrong := ""
	for _, e := range p.Errors() {
		wrong += e + "\n"
	}
	require.Contains(t, wrong, "missing is not defined")
	require.Contains(t, wrong, "Content Security Policy")
}

func TestFind(t *testing.T) {
	t.Setenv("CADENCE_BROWSER", filepath.Join(t.TempDir(), "none"))
	require.Empty(t, Find())
	t.Setenv("CADENCE_BROWSER", "")
	t.Setenv("PATH", t.TempDir())
	require.Empty(t, Find())
}
