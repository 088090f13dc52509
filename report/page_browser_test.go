package report

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/browser"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// pageFile writes the page of the five rungs and returns its address.
func pageFile(t *testing.T) string {
	fix := fiveRungs()
	r, err := of(seededSweep(), manifest(fix.backend), fix.source())
	require.NoError(t, err)
	data := pageOf(t, r)
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return "file://" + path
}

// TestPageInABrowser has one browser for all that follows: starting one takes longer
// than using it.
func TestPageInABrowser(t *testing.T) {
	p := browser.Open(t)
	address := pageFile(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *browser.Page)
	}{
		{"tables sort by pointer and keyboard", testSorting},
		{"every kind of cell sorts", testSortingOfCells},
		{"light and dark", testThemes},
		{"points say what they show", testPoints},
		{"the legend hides and shows", testLegend},
		{"it is drawn in the rungs' colours", testScreenshot},
		{"on a phone", testPhone},
		{"on paper", testPaper},
		{"without its script", testNoScript},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.Forget()
			p.Do(t, emulation.SetEmulatedMedia().WithMedia("").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}),
				chromedp.EmulateViewport(1200, 900), chromedp.Navigate(address), chromedp.WaitVisible("#theme"),
				chromedp.Evaluate(`localStorage.clear(); delete document.documentElement.dataset.theme`, nil))
			test.run(t, p)
			quiet(t, p, address)
		})
	}
}

// quiet checks that the page asked for nothing but itself and complained of nothing.
func quiet(t *testing.T, p *browser.Page, address string) {
	t.Helper()
	require.Empty(t, p.Errors())
	requests := p.Requests()
	require.NotEmpty(t, requests)
	for _, r := range requests {
		require.Equal(t, address, r)
	}
}

const headlineTable = `document.querySelector("#short table")`

// columnOf reads a column of the first table, as it stands.
func columnOf(t *testing.T, p *browser.Page, i int) []string {
	return browser.Eval[[]string](t, p, fmt.Sprintf(`[...%s.tBodies[0].rows].map(r => r.cells[%d].textContent)`, headlineTable, i))
}

func ariaSort(t *testing.T, p *browser.Page, i int) string {
	return browser.Eval[string](t, p, fmt.Sprintf(`%s.tHead.rows[0].cells[%d].getAttribute("aria-sort")`, headlineTable, i))
}

func testSorting(t *testing.T, p *browser.Page) {
	const goodput, gain = 1, 3
	original := columnOf(t, p, goodput)
	number := func(text string) float64 {
		var v float64
		_, err := fmt.Sscan(text, &v) // the mean, before its range
		require.NoError(t, err, text)
		return v
	}
	ascending := slices.Clone(original)
	slices.SortStableFunc(ascending, func(a, b string) int { return int(1e6 * (number(a) - number(b))) })
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	require.NotEqual(t, original, descending)
	require.NotEqual(t, original, slices.Sorted(slices.Values(original)), "the order of the texts is another")

	button := func(i int) string { return fmt.Sprintf("#short table thead th:nth-child(%d) button", i+1) }
	require.Equal(t, "none", ariaSort(t, p, goodput))
	p.Do(t, chromedp.Click(button(goodput)))
	require.Equal(t, "ascending", ariaSort(t, p, goodput))
	require.Equal(t, ascending, columnOf(t, p, goodput))
	p.Do(t, chromedp.Click(button(goodput)))
	require.Equal(t, "descending", ariaSort(t, p, goodput))
	require.Equal(t, descending, columnOf(t, p, goodput))
	p.Do(t, chromedp.Click(button(goodput)))
	require.Equal(t, "none", ariaSort(t, p, goodput))
	require.Equal(t, original, columnOf(t, p, goodput))

	// By keyboard alone; a dash is last in either order.
	p.Do(t, chromedp.Focus(button(gain)), chromedp.KeyEvent(kb.Enter))
	require.Equal(t, "ascending", ariaSort(t, p, gain))
	up := columnOf(t, p, gain)
	p.Do(t, chromedp.KeyEvent(" "))
	require.Equal(t, "descending", ariaSort(t, p, gain))
	down := columnOf(t, p, gain)
	require.Equal(t, table.Null, up[len(up)-1])
	require.Equal(t, table.Null, down[len(down)-1])
	slices.Reverse(down[:len(down)-1])
	require.Equal(t, up, down)
	require.Equal(t, "Sorted by × the rung below, descending.", browser.Eval[string](t, p, `document.getElementById("said").textContent`))
}

// testSortingOfCells: every kind of cell, in the page's own script.
func testSortingOfCells(t *testing.T, p *browser.Page) {
	for _, want := range [][]string{
		{"0.679", "1.61 (0.9–2.1)", "30", ">30", "31", "–", "–"},
		{"7.23%", "58.3%", "65.5%", "100%"},
		{"29†", "53‡", "131¹", "1,024"},
		{"−12", "-3.5", "+0.1", "1e3"},
		{"[1]", "fifo", "prefix 2", "prefix 10"},
		{"1 [0.5, ∞]", "2 [1, 3]", "∞"},
		{"no", "–"},
	} {
		var rows string
		for _, i := range []int{3, 0, 4, 2, 6, 5, 1} {
			if i < len(want) {
				rows += "<tr><td>" + want[i] + "</td></tr>"
			}
		}
		if len(want) > 2 {
			rows += "<tr><td>" + want[0] + "</td></tr>"
		}
		table := browser.Eval[[]string](t, p, fmt.Sprintf(`(() => {
			const table = document.querySelector("#tables table"), body = table.tBodies[0];
			const cells = %q;
			body.innerHTML = cells;
			[...body.rows].forEach((row, i) => { row.dataset.at = i; });
			table.tHead.rows[0].cells[0].setAttribute("aria-sort", "none");
			table.tHead.rows[0].cells[0].querySelector("button").click();
			return [...body.rows].map(r => r.cells[0].textContent);
		})()`, rows))
		if len(want) > 2 {
			table = table[1:] // the first one is there twice
		}
		require.Equal(t, want, table)
	}
}

func background(t *testing.T, p *browser.Page) string {
	return browser.Eval[string](t, p, `getComputedStyle(document.body).backgroundColor`)
}

func testThemes(t *testing.T, p *browser.Page) {
	const light, dark = "rgb(255, 255, 255)", "rgb(13, 17, 23)"
	require.Equal(t, light, background(t, p))
	require.Equal(t, "false", browser.Eval[string](t, p, `theme.getAttribute("aria-pressed")`))
	p.Do(t, chromedp.Click("#theme"))
	require.Equal(t, dark, background(t, p))
	require.Equal(t, "true", browser.Eval[string](t, p, `theme.getAttribute("aria-pressed")`))
	require.Equal(t, "rgb(230, 237, 243)", browser.Eval[string](t, p, `getComputedStyle(document.querySelector(".f-ink")).fill`), "the charts' too")
	p.Do(t, chromedp.Reload(), chromedp.WaitVisible("#theme"))
	require.Equal(t, dark, background(t, p), "remembered")
	p.Do(t, emulation.SetEmulatedMedia().WithMedia("print"))
	require.Equal(t, light, background(t, p), "on paper")
	require.Equal(t, "none", browser.Eval[string](t, p, `getComputedStyle(document.querySelector(".bar")).display`), "no controls on paper")
	p.Do(t, emulation.SetEmulatedMedia(), chromedp.Click("#theme"))
	require.Equal(t, light, background(t, p))

	p.Do(t, chromedp.Evaluate(`localStorage.clear()`, nil),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Reload(), chromedp.WaitVisible("#theme"))
	require.Equal(t, dark, background(t, p), "as the system has it")
}

// centre is where a point of the first rung in the first chart is in the window.
func centre(t *testing.T, p *browser.Page, i int) (x, y float64) {
	at := browser.Eval[[]float64](t, p, fmt.Sprintf(`(() => {
		const point = [...document.querySelector("figure").querySelectorAll(".point")].filter(e => e.getAttribute("aria-label").startsWith("fifo at"))[%d];
		point.scrollIntoView({block: "center"});
		const box = point.querySelector(".hit").getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	})()`, i))
	return at[0], at[1]
}

func tip(t *testing.T, p *browser.Page) string {
	return browser.Eval[string](t, p, `document.getElementById("tip").hidden ? "" : document.getElementById("tip").textContent`)
}

func testPoints(t *testing.T, p *browser.Page) {
	require.Empty(t, tip(t, p))
	x, y := centre(t, p, 0)
	p.Do(t, chromedp.MouseEvent("mouseMoved", x, y))
	require.Regexp(t, `^fifo at 0.6 rps\n`, tip(t, p))
	p.Do(t, chromedp.MouseEvent("mouseMoved", 1, 1))
	require.Empty(t, tip(t, p))

	// One point is in the tab order, arrows lead to the others, Escape closes.
	require.Equal(t, 1, browser.Eval[int](t, p, `document.querySelectorAll("figure")[0].querySelectorAll(".point[tabindex='0']").length`))
	p.Do(t, chromedp.Evaluate(`[...document.querySelector("figure").querySelectorAll("button.key")].pop().focus()`, nil), chromedp.KeyEvent(kb.Tab))
	require.Contains(t, tip(t, p), "fifo saturates")
	p.Do(t, chromedp.KeyEvent(kb.ArrowRight))
	require.Contains(t, tip(t, p), "fifo at 0.6 rps")
	p.Do(t, chromedp.KeyEvent(kb.ArrowRight))
	require.Contains(t, tip(t, p), "fifo at 1.2 rps")
	p.Do(t, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.End))
	require.Contains(t, tip(t, p), "static at 6 rps")
	p.Do(t, chromedp.KeyEvent(kb.ArrowUp))
	require.Contains(t, tip(t, p), "fifo at 6 rps")
	p.Do(t, chromedp.KeyEvent(kb.Home))
	require.Contains(t, tip(t, p), "fifo saturates")
	p.Do(t, chromedp.KeyEvent(kb.Escape))
	require.Empty(t, tip(t, p))
}

func testLegend(t *testing.T, p *browser.Page) {
	shown := func(name string) int {
		return browser.Eval[int](t, p, fmt.Sprintf(`[...document.querySelectorAll("figure")[0].querySelectorAll(".point")].filter(e => e.dataset.s === %q && getComputedStyle(e).display !== "none").length`, name))
	}
	faded := func() int {
		return browser.Eval[int](t, p, `document.querySelectorAll("figure")[0].querySelectorAll("svg.chart .dim").length`)
	}
	all := shown("static")
	require.NotZero(t, all)
	const key = `figure button.key[data-key="static"]`
	p.Do(t, chromedp.Focus(key))
	require.NotZero(t, faded(), "the others step back")
	p.Do(t, chromedp.KeyEvent(" "))
	require.Zero(t, shown("static"))
	require.NotZero(t, shown("fifo"))
	p.Do(t, chromedp.Click(key), chromedp.Blur(key), chromedp.MouseEvent("mouseMoved", 1, 1))
	require.Equal(t, all, shown("static"))
	require.Zero(t, faded())
}

// testScreenshot: what is drawn has the colours of the rungs, in the light and in
// the dark.
func testScreenshot(t *testing.T, p *browser.Page) {
	for _, scheme := range []string{"light", "dark"} {
		var shot []byte
		p.Do(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			chromedp.ScrollIntoView("figure"), chromedp.FullScreenshot(&shot, 100))
		img, err := png.Decode(bytes.NewReader(shot))
		require.NoError(t, err)
		counts := coloursOf(img)
		require.Greater(t, len(counts), 100)
		for rung, look := range chartdata.Looks(seededSweep().Rungs) {
			if c := palette.Series[look]; look != 1 { // blue is lighter in the dark
				require.Greater(t, counts[color.RGBA{c.R, c.G, c.B, 0xFF}], 200, "%s: the colour of %s", scheme, rung)
			}
		}
	}
}

func coloursOf(img image.Image) map[color.RGBA]int {
	counts := map[color.RGBA]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			counts[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	return counts
}

// testPhone: what is wide scrolls by itself; the page does not.
func testPhone(t *testing.T, p *browser.Page) {
	p.Do(t, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	require.LessOrEqual(t, browser.Eval[int](t, p, `document.documentElement.scrollWidth`), 360)
	require.Greater(t, browser.Eval[int](t, p, `document.querySelector("#tables .scroll").scrollWidth`), 360)
}

// testPaper: every table is whole.
func testPaper(t *testing.T, p *browser.Page) {
	p.Do(t, chromedp.EmulateViewport(1030, 700), emulation.SetEmulatedMedia().WithMedia("print")) // A4 across, without its margins
	require.Empty(t, browser.Eval[[]string](t, p, `[...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute("aria-label") ?? "a chart")`))
	var pdf []byte
	p.Do(t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = cdp.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
		return err
	}))
	require.True(t, bytes.HasPrefix(pdf, []byte("%PDF-")))
}

// testNoScript: everything is there to read.
func testNoScript(t *testing.T, p *browser.Page) {
	var html string
	p.Do(t, emulation.SetScriptExecutionDisabled(true), chromedp.Reload(), chromedp.ActionFunc(func(ctx context.Context) error {
		root, err := dom.GetDocument().Do(ctx)
		if err == nil {
			html, err = dom.GetOuterHTML().WithNodeID(root.NodeID).Do(ctx)
		}
		return err
	}), emulation.SetScriptExecutionDisabled(false))
	require.NotContains(t, html, "id=\"theme\"")
	require.Contains(t, html, "fifo answers at most")
	require.True(t, regexp.MustCompile(`class="point" data-s="fifo"><title>fifo at \S+ rps\n`).MatchString(html), "a point has a title")
}
