package kv

// ensure ends the program when a step that the package has prepared for fails:
// going on would corrupt what the cache says about the backend. No call of a public
// method can bring that about.
func ensure(err error) {
	if err != nil {
		panic("kv: broken invariant: " + err.Error())
	}
}

func must[T any](v T, err error) T {
	ensure(err)
	return v
}
