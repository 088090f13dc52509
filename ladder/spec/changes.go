package spec

// Change is a setting in which two rungs differ.
type Change struct {
	Key         string // with its section
	Mechanism   string // that it belongs to
	Below, Here string
}

// Changes compares two rungs' settings, in the order of the documentation.
func Changes(below, here Settings) []Change {
	var all []Change
	for i := range settings {
		s := &settings[i]
		if a, b := s.value(below), s.value(here); a != b {
			all = append(all, Change{s.section + "." + s.key, s.mechanism, a, b})
		}
	}
	return append(all, admissionChanges(below.Admission, here.Admission)...)
}
