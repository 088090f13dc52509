package llamacpp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
)

// TestPlacementIsChosenFromTheDevices chooses among devices as a machine with GPUs has them,
// and as one without.
func TestPlacementIsChosenFromTheDevices(t *testing.T) {
	cpu := []Device{{Name: "CPU", Type: "CPU"}}
	gpus := append([]Device{{Name: "CUDA0", Type: "GPU"}, {Name: "CUDA1", Type: "GPU"}, {Name: "Vulkan0", Type: "IGPU"}}, cpu...)
	for name, c := range map[string]struct {
		p    Placement
		all  []Device
		want []int
		err  string
	}{
		"all of them":            {DefaultPlacement, gpus, []int{0, 1, 2}, ""},
		"none there, none asked": {DefaultPlacement, cpu, nil, ""},
		"CPU asked":              {Placement{}, cpu, nil, ""},
		"one named":              {Placement{GPULayers: AllLayers, Devices: []string{"CUDA1"}}, gpus, []int{1}, ""},
		"in the order named":     {Placement{GPULayers: 4, Devices: []string{"Vulkan0", "CUDA0"}}, gpus, []int{2, 0}, ""},
		"unknown":                {Placement{GPULayers: 4, Devices: []string{"CUDA7"}}, gpus, nil, "--device CUDA7: there is no such GPU; choose from CUDA0, CUDA1, Vulkan0"},
		"the CPU is no GPU":      {Placement{GPULayers: 4, Devices: []string{"CPU"}}, gpus, nil, "--device CPU: there is no such GPU"},
		"layers without a GPU":   {Placement{GPULayers: 4}, cpu, nil, "--gpu-layers 4: the engine library has no GPU on this machine; install one"},
		"device without a GPU":   {Placement{GPULayers: AllLayers, Devices: []string{"CUDA0"}}, cpu, nil, "--device CUDA0: the engine library has no GPU"},
		"split without a GPU":    {Placement{GPULayers: AllLayers, Split: "row"}, cpu, nil, "--split-mode row: the engine library has no GPU"},
	} {
		got, err := c.p.choose(c.all)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestPlacementCheck(t *testing.T) {
	require.NoError(t, new(Placement).Check())
	require.NoError(t, (&Placement{GPULayers: AllLayers, Split: "none"}).Check())
	require.ErrorContains(t, (&Placement{GPULayers: -2}).Check(), "--gpu-layers: -2 is not a number of layers")
	require.ErrorContains(t, (&Placement{Split: "rows"}).Check(), `--split-mode: unknown mode "rows"`)
	require.ErrorContains(t, (&Placement{Devices: []string{"CUDA0"}}).Check(), "--device: with --gpu-layers 0")
}

// TestPlacedReadsBothSpellings: the account of a load, as older and newer builds log it.
func TestPlacedReadsBothSpellings(t *testing.T) {
	for log, want := range map[string]Placed{
		"load_tensors: offloading 8 repeating layers to GPU\nload_tensors: offloaded 9/9 layers to GPU\n": {Offloaded: 9, Layers: 9},
		"llm_load_tensors: offloaded 4/33 layers to GPU\n":                                                {Offloaded: 4, Layers: 33},
		"load_tensors: offloaded 0/9 layers to GPU":                                                       {Layers: 9},
		"load_tensors:   CPU_Mapped model buffer size = 31.38 MiB\n":                                      {},
		"": {},
	} {
		var got Placed
		got.read(log)
		require.Equal(t, want, got, log)
	}
}

func TestCacheTypes(t *testing.T) {
	for i := range cacheTypes {
		got, err := ParseCacheType(CacheType(i).String())
		require.NoError(t, err)
		require.Equal(t, CacheType(i), got)
	}
	_, err := ParseCacheType("q9_9")
	require.ErrorContains(t, err, `unknown type "q9_9"; choose f16, f32, bf16, q8_0, q5_1, q5_0, q4_1, q4_0`)
	q8, _ := ParseCacheType("q8_0")
	q4, _ := ParseCacheType("q4_0")
	require.Equal(t, uint64(1600), sized(1600, 0, 0))
	require.Equal(t, uint64(850), sized(1600, q8, q8))
	require.Equal(t, uint64(650), sized(1600, q8, q4))
	require.True(t, q4.Quantised())
	require.False(t, CacheType(0).Quantised())
}

func TestBackendPlatform(t *testing.T) {
	cpu, err := BackendPlatform("cpu")
	require.NoError(t, err)
	require.Equal(t, HostPlatform(), cpu)
	if cpu == "linux-x64" {
		cuda, err := BackendPlatform("cuda")
		require.NoError(t, err)
		require.Equal(t, Platform("linux-x64-cuda"), cuda)
		require.NotEmpty(t, pins(cuda))
		_, err = BackendPlatform("metal")
		require.ErrorContains(t, err, "engine build --backend metal")
	}
	_, err = BackendPlatform("rocm")
	require.ErrorContains(t, err, "want cpu, cuda, vulkan, metal")
	_, err = Locate("vulkan", t.TempDir())
	if cpu == "linux-x64" {
		require.ErrorContains(t, err, "run `cadence-bench engine install --backend vulkan`")
	}
}

// TestGPUFindings: a placement that was not followed and text that is not the CPU's are both
// named.
func TestGPUFindings(t *testing.T) {
	text := []engine.Token{1, 2, 3, 4, 5, 6, 7, 8, 9}
	trial := func(asked, placed int, tokens []engine.Token) GPUTrial {
		return GPUTrial{Model: "m", Asked: asked, Placed: Placed{Offloaded: placed}, Tokens: tokens}
	}
	f := GPUFindings{Trials: []GPUTrial{trial(9, 9, text), trial(4, 4, append(text[:8:8], 77)), trial(0, 0, text)}}
	require.NoError(t, f.Err(), "a text may part after eight tokens")
	f.Trials[0].Placed.Offloaded = 0
	f.Trials[1].Tokens = []engine.Token{1, 2, 9}
	require.EqualError(t, f.Err(), "m: 9 layers were asked for and 0 are on the GPU\nm with 4 layers on the GPU: its first 3 tokens differ from the CPU's")
}
