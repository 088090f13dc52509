package admission

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
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
			if k == "predictor" { s.Predictor = v; continue }
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

func TestStep(t *testing.T) {
	if os.Getenv("STEP") == "" {
		t.Skip()
	}
	slo := 2 * time.Second
	for _, spec := range strings.Split(os.Getenv("STEP"), ";") {
		name, rest, _ := strings.Cut(spec, ":")
		s := Spec{Policy: name, Params: map[string]float64{}}
		for _, kv := range strings.Split(rest, ",") {
			k, v, ok := strings.Cut(kv, "=")
			if ok {
				s.Params[k], _ = strconv.ParseFloat(v, 64)
			}
		}
		for _, to := range []float64{22.5, 45} {
			worst := []float64{}
			var sum tally
			n := 12
			for seed := range n {
				p, err := New(s, Env{SLO: slo, MaxBatch: 24, StepTokens: 512, Seed: uint64(seed)})
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(uint64(seed), 9))
				at := append(poisson(r, 2.25, 0, 150*time.Second), poisson(r, to, 150*time.Second, 200*time.Second)...)
				w := newWorld(p, slo, uint64(seed))
				type bin struct{ arr, adm, viol, q, th, batch, queue float64 }
				var bins [20]bin
				ths := map[int]float64{}
				w.onDecide = func(r *Request, s *Snapshot, d Decision) {
					ths[r.ID] = d.Value[2]
					i := int((r.Arrived - 146*time.Second) / time.Second)
					if i >= 0 && i < 20 {
						bins[i].th += d.Value[2]
						bins[i].arr++
						bins[i].batch += float64(len(s.Batch))
						bins[i].queue += float64(len(s.Queue))
					}
				}
				got := w.run(workload(uint64(seed), at, slo))
				x := sumUp(got, 30*time.Second, 200*time.Second, 200)
				y := sumUp(got, 150*time.Second, 200*time.Second, 200)
				worst = append(worst, x.worst)
				sum.promised += y.promised
				sum.violated += y.violated
				sum.good += y.good
				if os.Getenv("V") != "" && seed < 3 {
					for i := range got {
						q := &got[i]
						k := int((q.Arrived - 146*time.Second) / time.Second)
						if k < 0 || k >= 20 || !q.decision.Admit {
							continue
						}
						bins[k].adm++
						bins[k].q += 1 - q.decision.Chance
						if q.violated {
							bins[k].viol++
						}
					}
					for i, b := range bins {
						fmt.Printf("   %d: arr %.0f adm %.0f viol %.0f q %.3f theta %.2f batch %.1f queue %.1f\n", i-4, b.arr, b.adm, b.viol, b.q/b.adm, b.th/b.arr, b.batch/b.arr, b.queue/b.arr)
					}
				}
			}
			slices.Sort(worst)
			fmt.Printf("%s to %.0f: worst %v viol %.3f good %.2f\n", spec, to, worst, float64(sum.violated)/float64(sum.promised), float64(sum.good)/float64(n)/50)
		}
	}
}
