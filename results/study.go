package results

import (
	"fmt"
	"strconv"
	"strings"
)

// Study is a sweep of single knobs: a rung as it is, measured several times, and arms that
// each change one setting of it. A run's parameters keep it.
type Study struct {
	Base string // the unchanged rung
	Arms []Arm
	// Longest is the longest prompt in tokens, which an unchunked step must hold; 0 is not
	// known yet.
	Longest int
}

// Arm is one setting changed. Its rung is named by String.
type Arm struct{ Knob, Value string }

func (a Arm) String() string { return a.Knob + "=" + a.Value }

// The parameters of a study.
const (
	paramStudyBase    = "knob_base"
	paramStudyArms    = "knobs"
	paramStudyLongest = "knob_longest_prompt"
)

// Params adds the study to a run's parameters.
func (s *Study) Params(p map[string]string) {
	var arms []string
	for _, a := range s.Arms {
		arms = append(arms, a.String())
	}
	p[paramStudyBase], p[paramStudyArms], p[paramStudyLongest] = s.Base, strings.Join(arms, " "), strconv.Itoa(s.Longest)
}

// StudyOf reads what Params wrote; nil is a run that is no study.
func StudyOf(p map[string]string) (*Study, error) {
	base, given := p[paramStudyBase]
	if !given {
		return nil, nil
	}
	s := &Study{Base: base}
	for word := range strings.FieldsSeq(p[paramStudyArms]) {
		knob, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("parameter %q: %q is not knob=value", paramStudyArms, word)
		}
		s.Arms = append(s.Arms, Arm{knob, value})
	}
	var err error
	if s.Longest, err = strconv.Atoi(p[paramStudyLongest]); err != nil {
		return nil, fmt.Errorf("parameter %q is %q: %w", paramStudyLongest, p[paramStudyLongest], err)
	}
	return s, nil
}
