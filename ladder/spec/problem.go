package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine"
)

// problem says which settings cannot go together, and which key to change; "" and "" when
// all can. A setting without effect is a problem too: a rung that is called after it
// would be its neighbour under another name.
func (s *Settings) problem() (key, text string) {
	p, c := &s.Policy, &s.Cache
	for _, rule := range []struct {
		broken bool
		key    string
		text   string
	}{
		{p.MaxBatch < 1, "max_batch", "max_batch is 0, so nothing could ever run; give at least 1"},
		{p.StepTokens < p.MaxBatch, "step_tokens", fmt.Sprintf("step_tokens is %d, but max_batch lets %d sequences decode, a row each; raise it or lower max_batch", p.StepTokens, p.MaxBatch)},
		{p.PrefillTokens > p.StepTokens, "prefill_tokens", fmt.Sprintf("prefill_tokens is %d, more than a step has (step_tokens is %d); lower it or give 0", p.PrefillTokens, p.StepTokens)},
		{p.FillWait > 0 && p.Refill, "fill_wait", fmt.Sprintf("fill_wait is %v, but with refill nobody waits for a batch to fill; give fill_wait: 0s or refill: false", p.FillWait)},
		{p.PrefillStreak > 0 && p.DecodeFirst, "prefill_streak", "prefill_streak bounds prompts that go first, and with decode_first they do not; drop one of the two"},
		{p.PrefillStreak > 0 && !p.Refill, "prefill_streak", "prefill_streak has no effect without refill, where a batch's prompts come to an end; give refill: true or drop it"},
		{p.Patience > 0 && p.Order != engine.EDF, "patience", "patience ages the queue of order: edf, and the order is fifo; give order: edf or drop it"},
		{p.ShareWait > 0 && !p.Refill, "share_wait", "share_wait needs refill: without it nobody joins the batch in which the prefix is computed; give refill: true or share_wait: 0s"},
		{p.ShareWait > 0 && !c.Prefix, "share_wait", "share_wait waits for cached prefixes, and there is no prefix cache; give prefix: true or share_wait: 0s"},
		{p.LatePublish && !c.Prefix, "late_publish", "late_publish says when prefixes are cached, and there is no prefix cache; give prefix: true or late_publish: false"},
		{c.Prefix && !c.Paged, "prefix", "prefix needs a paged cache; give paged: true under kv"},
		{c.Optimism > 0 && !c.Paged, "optimism", "optimism needs a paged cache; give paged: true under kv"},
		{c.RetainCells > 0 && !c.Prefix, "retain_cells", "retain_cells bounds cached prefixes, and there is no prefix cache; give prefix: true or retain_cells: 0"},
		{c.Cells > 0 && c.Cells < max(1, c.BlockTokens), "cells", fmt.Sprintf("cells is %d, less than one block (block_tokens is %d); raise it", c.Cells, c.BlockTokens)},
		{c.Cells > 0 && c.RetainCells > c.Cells, "retain_cells", fmt.Sprintf("retain_cells is %d, more than there are (cells is %d); lower it", c.RetainCells, c.Cells)},
	} {
		if rule.broken {
			return rule.key, rule.text
		}
	}
	// What the engine itself refuses beyond that is about floors.
	if err := errors.Join(p.Check(), c.Check()); err != nil {
		return "floors", strings.TrimPrefix(err.Error(), "policy: ") + "; change them"
	}
	return "", ""
}
