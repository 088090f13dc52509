package llamacpp_test

import "testing"

func TestProbeState(t *testing.T) {
	for name, layout := range layouts {
		r := newRun(t, layout(4, 512))
		t.Log(name, "empty", r.StateSize())
		prev := r.StateSize()
		say := func(what string) { s := r.StateSize(); t.Log(name, what, s, s-prev); prev = s }
		r.add(0, tokens(1, 1)...); r.step(); say("1 row")
		r.add(0, tokens(1, 1)...); r.step(); say("2nd row")
		r.add(0, tokens(10, 1)...); r.step(); say("10 more")
		r.add(1, tokens(10, 1)...); r.step(); say("10 other seq")
		r.add(1, 5); r.add(0, 6); r.step(); say("2 outputs")
		r.copy(0, 2); r.step(); say("copy of 13")
		r.remove(0, 0, -1); r.step(); say("remove src")
		r.remove(1, 0, -1); r.remove(2, 0, -1); r.step(); say("remove all")
	}
}
