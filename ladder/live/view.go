package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
)

// View is what there is to show of a sweep at one moment.
type View struct {
	Done int `json:"done"` // cells that are over, whether measured or not
	All  int `json:"all"`
	// Head says how far the sweep is.
	Head string `json:"head"`
	// Rungs has a row for each rung: its cells, its best goodput so far, and its p99 at
	// the highest rate so far, each with the rate.
	Rungs Table `json:"rungs"`
	// Now has a line for each cell under way and one for the probes.
	Now []string `json:"now"`
	// Over says that the sweep has ended.
	Over bool `json:"over"`
}

// Table is a table of text, names in the first column and numbers in the others.
type Table struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// View returns what there is to show now.
func (b *board) View(now time.Time) View {
	v := View{All: len(b.plan), Done: len(b.plan) - b.left(), Head: b.head(now)}
	v.Rungs.Columns = []string{"rung", "cells", "best goodput/s", "at rps", "E2E p99 s", "at rps"}
	for i := range b.rungs {
		v.Rungs.Rows = append(v.Rungs.Rows, b.rungs[i].row())
	}
	for _, order := range b.underWay() {
		v.Now = append(v.Now, b.cell(order))
	}
	if text := b.probe.text(); text != "" {
		v.Now = append(v.Now, text)
	}
	return v
}

func (b *board) head(now time.Time) string {
	parts := []string{fmt.Sprintf("%d of %d cells", len(b.plan)-b.left(), len(b.plan)), now.Sub(b.begun).Round(time.Second).String()}
	if b.left() > 0 {
		parts = append(parts, about(b.Remaining(now))+" left")
	}
	invalid := 0
	for i := range b.cells {
		if !b.cells[i].Valid() {
			invalid++
		}
	}
	if invalid > 0 {
		parts = append(parts, fmt.Sprintf("%d invalid", invalid))
	}
	if len(b.failed) > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", len(b.failed)))
	}
	return strings.Join(parts, " · ")
}

// about rounds a duration to what an estimate is worth.
func about(d time.Duration) string {
	if d < 2*time.Minute {
		return "about " + d.Round(time.Second).String()
	}
	return "about " + strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// cell says how far a cell is.
func (b *board) cell(order int) string {
	name := b.Label(order)
	s := b.under[order]
	if s == (cell.Status{}) {
		return name + "  starting"
	}
	return fmt.Sprintf("%s  %d/%d sent  %d done  queue %d  batch %d", name, s.Sent, s.Arrivals, s.Finished, s.Queued, s.Running)
}

// Label names the cell at a place in the plan.
func (b *board) Label(order int) string {
	key := b.plan[order]
	rung, rate := 0, 0
	for _, k := range b.plan {
		rung, rate = max(rung, len(k.Rung)), max(rate, len(fmt.Sprint(k.OfferedRPS)))
	}
	label := fmt.Sprintf("[%*d/%d] %-*s %*g rps seed %d",
		len(fmt.Sprint(len(b.plan))), order+1, len(b.plan), rung, key.Rung, rate, key.OfferedRPS, key.Seed)
	if key.Replicate > 0 {
		label += fmt.Sprintf(" again %d", key.Replicate)
	}
	if key.Anchor {
		label += " anchor"
	}
	return label
}
