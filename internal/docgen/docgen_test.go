package docgen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocumentsAreCurrent(t *testing.T) {
	t.Chdir("../..")
	require.NoError(t, Check())
}
