//go:build linux || freebsd

package libffi

import "github.com/ebitengine/purego"

func open() (name string, err error) {
	name = "libffi.so.8"
	_, err = purego.Dlopen(name, purego.RTLD_LAZY)
	return name, err
}
