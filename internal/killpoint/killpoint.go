// Package killpoint names the moments of a durable write, so that a test can end the
// process at every one of them and look at what is left.
package killpoint

import "io"

// The moments.
const (
	Write   = "write"   // before data goes to a file
	Rename  = "rename"  // the temporary file is whole and not yet in place
	Renamed = "renamed" // it is in place
	Written = "written" // a line is durable
)

// Reached is called at every moment of every durable write of this process: with the file
// that it is of and, at Write, where data is about to go. It is nil but in the processes
// that a test starts to be killed.
var Reached func(moment, path string, to io.Writer, data []byte)

// At tells that a moment is reached.
func At(moment, path string, to io.Writer, data []byte) {
	if Reached != nil {
		Reached(moment, path, to, data)
	}
}
