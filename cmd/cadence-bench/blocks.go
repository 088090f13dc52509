package main

import (
	"maps"
)

// methodBlocks are tables of this repository's documents: the kept fit, the gate on the
// real engine.
func methodBlocks() (map[string]string, error) {
	blocks, err := fitBlocks()
	if err != nil {
		return nil, err
	}
	gates, err := realBlocks()
	if err != nil {
		return nil, err
	}
	maps.Copy(gates, blocks)
	return gates, nil
}
