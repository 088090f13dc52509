package main

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/page"
)

// watched serves the report of a sweep while it runs, if that was asked for, and returns
// what ends it.
func (f *ladderFlags) watched(show *progress) (stop func(), err error) {
	if f.serve == "" {
		return func() {}, nil
	}
	view := func() live.View {
		v, _ := show.view()
		return v
	}
	page, err := newLivePage(f.serve, view, func(version string) ([]byte, error) { return livePageOf(f.out, view(), version) })
	if err != nil {
		return nil, err
	}
	show.cellOver = func() {
		if err := page.refresh(); err != nil {
			show.Note(err.Error()) // the sweep is worth more than the page
		}
	}
	page.start()
	show.Note("the report so far is at " + page.url())
	return func() {
		if err := page.close(); err != nil {
			show.Note(err.Error())
		}
	}, nil
}

// eventsPath is where the page finds the states of the sweep.
const eventsPath = "events"

// livePageOf is the page of the cells that a run has so far.
func livePageOf(dir string, v live.View, version string) ([]byte, error) {
	if v.Done == 0 {
		return page.Page{Title: "The ladder", Events: eventsPath, Version: version}.Render()
	}
	run, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return nil, err
	}
	r, err := report.Of(run)
	if err != nil {
		return nil, err
	}
	p := r.Page()
	p.Events, p.Version = eventsPath, version
	return p.Render()
}

// recall tells of the cells that a run has already, so that they are shown when it goes
// on. What is wrong with the run is for the sweep to say.
func (p *progress) recall(dir string) {
	if run, err := analysis.Load(dir, analysis.Options{}); err == nil {
		p.change(func(b *live.Board) { b.Known(run.All()) })
	}
}
