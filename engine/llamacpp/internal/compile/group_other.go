//go:build !unix

package compile

import "os/exec"

func ownGroup(*exec.Cmd) {}

func stop(cmd *exec.Cmd) error { return cmd.Process.Kill() }
