package llamacpp

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// checkImage reports what keeps a file from being a whole shared library of
// this machine. The system's loader maps a library by its headers and the
// process dies of a bus error where the file ends before they say, so this
// comes first.
func checkImage(path string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	var ends []uint64
	var arch string
	switch runtime.GOOS {
	case "darwin":
		ends, arch, err = machoEnds(path)
	case "windows":
		ends, arch, err = peEnds(path)
	default:
		ends, arch, err = elfEnds(path)
	}
	if err != nil {
		return fmt.Errorf("%s is not a shared library of this system: %v", filepath.Base(path), err)
	}
	if arch != runtime.GOARCH {
		return fmt.Errorf("%s is built for %s, this machine is %s", filepath.Base(path), arch, runtime.GOARCH)
	}
	for _, end := range ends {
		if end > uint64(fi.Size()) {
			return fmt.Errorf("%s is cut short: %d bytes of at least %d", filepath.Base(path), fi.Size(), end)
		}
	}
	return nil
}

func elfEnds(path string) (ends []uint64, arch string, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	for _, p := range f.Progs {
		ends = append(ends, p.Off+p.Filesz)
	}
	switch f.Machine {
	case elf.EM_X86_64:
		arch = "amd64"
	case elf.EM_AARCH64:
		arch = "arm64"
	case elf.EM_RISCV:
		arch = "riscv64"
	default:
		arch = f.Machine.String()
	}
	return ends, arch, nil
}

func machoEnds(path string) (ends []uint64, arch string, err error) {
	f, err := macho.Open(path)
	if err != nil {
		return nil, runtime.GOARCH, fatError(path, err)
	}
	defer f.Close()
	for _, l := range f.Loads {
		if s, ok := l.(*macho.Segment); ok {
			ends = append(ends, s.Offset+s.Filesz)
		}
	}
	switch f.Cpu {
	case macho.CpuAmd64:
		arch = "amd64"
	case macho.CpuArm64:
		arch = "arm64"
	default:
		arch = f.Cpu.String()
	}
	return ends, arch, nil
}

// fatError accepts a universal Mach-O file, which macho.Open refuses.
func fatError(path string, err error) error {
	f, fatErr := macho.OpenFat(path)
	if fatErr != nil {
		return err
	}
	return f.Close()
}

func peEnds(path string) (ends []uint64, arch string, err error) {
	f, err := pe.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	for _, s := range f.Sections {
		ends = append(ends, uint64(s.Offset)+uint64(s.Size))
	}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		arch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		arch = "arm64"
	default:
		arch = fmt.Sprintf("machine %#x", f.Machine)
	}
	return ends, arch, nil
}
