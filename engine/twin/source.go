package twin

import "embed"

// Source is this package's source, for the hash by which a run's manifest names
// the engine that was measured.
//
//go:embed *.go
var Source embed.FS
