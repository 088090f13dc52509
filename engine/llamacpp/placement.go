package llamacpp

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridgroup/yzma/pkg/llama"
)

// AllLayers offloads every layer that a GPU can take.
const AllLayers = -1

// Placement is where a model is asked to lie. The zero value keeps all of it on the CPU;
// DefaultPlacement leaves it to llama.cpp.
type Placement struct {
	GPULayers int      // layers on GPUs, the last ones first; AllLayers is all
	Devices   []string // which GPUs, by the names that Check gives; nil is all
	Split     string   // over several GPUs: none, layer or row; "" is llama.cpp's, layer
}

// DefaultPlacement offloads all layers to whatever GPUs the library has.
var DefaultPlacement = Placement{GPULayers: AllLayers}

// Placed is where a model lies, as llama.cpp says.
type Placed struct {
	// Offloaded of Layers are on GPUs, the output counted as one. Layers is 0 where
	// llama.cpp did not say, which is so without a GPU.
	Offloaded int      `json:"offloaded"`
	Layers    int      `json:"layers"`
	Devices   []string `json:"devices"` // the GPUs that it was given
}

var splitModes = map[string]llama.SplitMode{
	"": llama.SplitModeLayer, "none": llama.SplitModeNone, "layer": llama.SplitModeLayer, "row": llama.SplitModeRow,
}

// asked says whether p asks for a GPU, and by which flag.
func (p *Placement) asked() (flag string, ok bool) {
	switch {
	case p.GPULayers > 0:
		return "--gpu-layers " + strconv.Itoa(p.GPULayers), true
	case len(p.Devices) > 0:
		return "--device " + strings.Join(p.Devices, ","), true
	case p.Split != "":
		return "--split-mode " + p.Split, true
	}
	return "", false
}

// Check says what is wrong with p itself, in the words of the flags.
func (p *Placement) Check() error {
	if p.GPULayers < AllLayers {
		return fmt.Errorf("--gpu-layers: %d is not a number of layers; give 0 or more, or -1 for all", p.GPULayers)
	}
	if _, ok := splitModes[p.Split]; !ok {
		return fmt.Errorf("--split-mode: unknown mode %q; choose none, layer or row", p.Split)
	}
	if p.GPULayers == 0 && len(p.Devices) > 0 {
		return fmt.Errorf("--device: with --gpu-layers 0 nothing would be put there; drop one of the two")
	}
	return nil
}

// choose finds the GPUs that p means among all devices, by their place in all.
func (p *Placement) choose(all []Device) (chosen []int, err error) {
	var names []string
	for i, d := range all {
		if d.gpu() {
			chosen, names = append(chosen, i), append(names, d.Name)
		}
	}
	flag, asked := p.asked()
	if asked && len(chosen) == 0 {
		return nil, fmt.Errorf("%s: the engine library has no GPU on this machine; install one that has with `cadence-bench engine install --backend cuda` (or vulkan) and use it with --lib cuda", flag)
	}
	if len(p.Devices) == 0 {
		return chosen, nil
	}
	gpus := chosen
	chosen = nil
	for _, name := range p.Devices {
		i := slices.IndexFunc(gpus, func(i int) bool { return all[i].Name == name })
		if i < 0 {
			return nil, fmt.Errorf("--device %s: there is no such GPU; choose from %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, gpus[i])
	}
	return chosen, nil
}

// gpu says whether layers can be offloaded to the device.
func (d *Device) gpu() bool {
	return strings.Contains(d.Type, "GPU")
}

// apply puts p into llama.cpp's parameters. keep must live until the model is loaded.
func (p *Placement) apply(np *llama.ModelParams) (placed Placed, keep []llama.GGMLBackendDevice, err error) {
	all := devices()
	chosen, err := p.choose(all)
	if err != nil {
		return placed, nil, err
	}
	np.NGpuLayers, np.SplitMode = int32(p.GPULayers), splitModes[p.Split]
	if p.GPULayers == 0 || len(chosen) == 0 {
		np.SetCPUOnly()
		return placed, nil, nil
	}
	for _, i := range chosen {
		placed.Devices = append(placed.Devices, all[i].Name)
		keep = append(keep, llama.GGMLBackendDeviceGet(uint64(i)))
	}
	keep = append(keep, 0)
	return placed, keep, np.SetDevices(keep)
}

// offloaded is llama.cpp's account of a load. Older builds begin the line with llm_load_tensors
// and newer ones with load_tensors.
var offloaded = regexp.MustCompile(`(?:llm_)?load_tensors: offloaded (\d+)/(\d+) layers to GPU`)

// read takes in what llama.cpp logged while it loaded a model.
func (p *Placed) read(log string) {
	for _, m := range offloaded.FindAllStringSubmatch(log, -1) {
		p.Offloaded, _ = strconv.Atoi(m[1])
		p.Layers, _ = strconv.Atoi(m[2])
	}
}

// load opens a model file as placed, and reads back where it lies.
func load(path string, p Placement) (llama.Model, Placed, error) {
	np := llama.ModelDefaultParams()
	placed, keep, err := p.apply(&np)
	if err != nil {
		return 0, placed, err
	}
	tail.take()
	tail.keepAll(true)
	handle, err := llama.ModelLoadFromFile(path, np)
	runtime.KeepAlive(keep)
	said := tail.keepAll(false)
	if err != nil {
		return 0, placed, fmt.Errorf("model %s: llama.cpp cannot load it%s", path, tail.quote())
	}
	placed.read(said)
	return handle, placed, nil
}
