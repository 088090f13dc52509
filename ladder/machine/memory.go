package machine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
)

// Memory is where a model lies, and how its KV cache is kept.
type Memory struct {
	Placement llamacpp.Placement
	// CacheTypeK and CacheTypeV are types of the KV cache, such as f16 or q8_0; "" is f16.
	CacheTypeK, CacheTypeV string
}

func (m *Memory) bind(flags *pflag.FlagSet) {
	flags.IntVar(&m.Placement.GPULayers, "gpu-layers", llamacpp.AllLayers, "layers on GPUs, the last ones first; -1 is all, 0 keeps to the CPU")
	flags.StringSliceVar(&m.Placement.Devices, "device", nil, "GPUs to use, comma-separated, as engine check names them (default all)")
	flags.StringVar(&m.Placement.Split, "split-mode", "", "how several GPUs share the model: none, layer or row (default layer)")
	flags.StringVar(&m.CacheTypeK, "cache-type-k", "", "how keys are kept: f16, f32, bf16, q8_0, q5_1, q5_0, q4_1 or q4_0 (default f16)")
	flags.StringVar(&m.CacheTypeV, "cache-type-v", "", "how values are kept; quantised ones need flash attention (default f16)")
}

// types are those of keys and values.
func (m *Memory) types() (k, v llamacpp.CacheType, err error) {
	if err := m.Placement.Check(); err != nil {
		return k, v, err
	}
	for _, it := range []struct {
		flag, name string
		to         *llamacpp.CacheType
	}{{"--cache-type-k", m.CacheTypeK, &k}, {"--cache-type-v", m.CacheTypeV, &v}} {
		if it.name == "" {
			continue
		}
		if *it.to, err = llamacpp.ParseCacheType(it.name); err != nil {
			return k, v, fmt.Errorf("%s: %w", it.flag, err)
		}
	}
	return k, v, nil
}

// params adds what is not the default, and where llama.cpp says that the model lies.
func (m *Memory) params(p map[string]string, placed llamacpp.Placed) {
	given := map[string]string{
		"devices": strings.Join(m.Placement.Devices, ","), "split_mode": m.Placement.Split,
		"cache_type_k": m.CacheTypeK, "cache_type_v": m.CacheTypeV,
	}
	if m.Placement.GPULayers != llamacpp.AllLayers {
		given["gpu_layers"] = strconv.Itoa(m.Placement.GPULayers)
	}
	if placed.Layers > 0 {
		given["gpu_offloaded"] = fmt.Sprintf("%d/%d", placed.Offloaded, placed.Layers)
		given["gpu_devices"] = strings.Join(placed.Devices, ",")
	}
	for name, value := range given {
		if value != "" {
			p[name] = value
		}
	}
}

// memoryOf reads what params wrote.
func memoryOf(p map[string]string) (Memory, error) {
	m := Memory{Placement: llamacpp.DefaultPlacement, CacheTypeK: p["cache_type_k"], CacheTypeV: p["cache_type_v"]}
	m.Placement.Split = p["split_mode"]
	if names := p["devices"]; names != "" {
		m.Placement.Devices = strings.Split(names, ",")
	}
	if n, given := p["gpu_layers"]; given {
		var err error
		if m.Placement.GPULayers, err = strconv.Atoi(n); err != nil {
			return m, fault.Input.Errorf("parameter \"gpu_layers\" is %q, which is not a number of layers", n)
		}
	}
	return m, nil
}
