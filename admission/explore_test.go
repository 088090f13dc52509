package admission

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestStudy(t *testing.T) {
	if os.Getenv("STUDY") == "" {
		t.Skip()
	}
	sloS, _ := strconv.ParseFloat(os.Getenv("SLO"), 64)
	slo := time.Duration(sloS * 1e9)
	for _, spec := range strings.Split(os.Getenv("STUDY"), ";") {
		name, rest, _ := strings.Cut(spec, ":")
		s := Spec{Policy: name, Params: map[string]float64{}}
		for _, kv := range strings.Split(rest, ",") {
			k, v, ok := strings.Cut(kv, "=")
			if !ok {
				continue
			}
			if k == "predictor" {
				s.Predictor = v
				continue
			}
			s.Params[k], _ = strconv.ParseFloat(v, 64)
		}
		fmt.Printf("%s\n", spec)
		for _, rate := range []float64{0.5, 1.5, 3, 4, 5, 6, 8, 16, 50} {
			var sum tally
			worst, p99 := 1.0, 0.0
			dur := 240 * time.Second
			seeds := 3
			for seed := range seeds {
				p, err := New(s, Env{SLO: slo, MaxBatch: 24, StepTokens: 512, Seed: uint64(seed)})
				if err != nil {
					t.Fatal(err)
				}
				at := poisson(rand.New(rand.NewPCG(uint64(seed), 9)), rate, 0, dur)
				got := newWorld(p, slo, uint64(seed)).run(workload(uint64(seed), at, slo))
				x := sumUp(got, 30*time.Second, dur, 200)
				sum.arrived += x.arrived
				sum.admitted += x.admitted
				sum.promised += x.promised
				sum.violated += x.violated
				sum.good += x.good
				worst = min(worst, x.worst)
				p99 = max(p99, x.p99)
			}
			per := float64(seeds) * 210
			fmt.Printf("  %5.1f/s  admitted %.3f  viol %.4f  goodput %.3f  worst200 %.3f  p99 %.2f\n", rate,
				float64(sum.admitted)/float64(sum.arrived), float64(sum.violated)/float64(max(sum.promised, 1)), float64(sum.good)/per, worst, p99)
		}
	}
}
