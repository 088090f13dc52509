//go:build unix

package compile

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program and what it starts into a group that stop ends.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func stop(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
