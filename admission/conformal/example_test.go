package conformal_test

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

// Of 19 scores the largest bounds the next with a probability of 95%; with fewer nothing
// can be promised.
func ExampleQuantile() {
	var scores []float64
	for i := range 19 {
		scores = append(scores, float64(i)/10)
	}
	fmt.Println(conformal.Quantile(scores, 0.05))
	fmt.Println(conformal.Quantile(scores[:18], 0.05))
	// Output:
	// 1.8 true
	// +Inf false
}

// Each loss raises the threshold, and what goes well lowers it by a share alpha of that.
func ExampleRisk() {
	r := conformal.Risk{Alpha: 0.1, Eta: 0.5, Min: 1, Max: 4, Theta: 2}
	for _, loss := range []float64{1, 0, 0} {
		r.Label(loss)
		fmt.Printf("%.2f\n", r.Threshold())
	}
	// Output:
	// 2.45
	// 2.40
	// 2.35
}
