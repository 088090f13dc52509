//go:build !linux && !freebsd

package libffi

// On the other systems the ffi package carries its own copy of the library.
func open() (name string, err error) { return "", nil }
