package live

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/page"
)

// Serve shows the report of a sweep into dir while it runs, at an address such as 8080 or
// HOST:PORT, and returns what ends it.
func Serve(address, dir string, p *Progress) (stop func(), err error) {
	view := func() View {
		v, _ := p.view()
		return v
	}
	s, err := newServer(address, view, func(version string) ([]byte, error) { return pageOf(dir, view(), version) })
	if err != nil {
		return nil, err
	}
	p.cellOver = func() {
		if err := s.refresh(); err != nil {
			p.Note(err.Error()) // the sweep is worth more than the page
		}
	}
	s.start()
	p.Note("the report so far is at " + s.url())
	return func() {
		if err := s.close(); err != nil {
			p.Note(err.Error())
		}
	}, nil
}

// eventsPath is where the page finds the states of the sweep.
const eventsPath = "events"

// pageOf is the page of the cells that a run has so far.
func pageOf(dir string, v View, version string) ([]byte, error) {
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

// Recall tells of the cells that a run has already, so that they are shown when it goes
// on. What is wrong with the run is for the sweep to say.
func (p *Progress) Recall(dir string) {
	if run, err := analysis.Load(dir, analysis.Options{}); err == nil {
		p.change(func(b *board) { b.Known(run.All()) })
	}
}
