package train

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/safetensors"
)

// narrow returns a ResNet-18 of 4 to 32 channels on 16×16 images.
func narrow(engine string) Config {
	return Config{Sync: "bsp", Model: "resnet18", Width: 1. / 16, Image: 16, Data: "synthetic", Engine: engine, Platform: uneven(2),
		Batch: 8, Rate: 0.05, MaxPushes: 24, EvalEvery: 12, EvalImages: 100}
}

// On every engine of ours the loss falls, and the outcome (parameters, curve and
// the statistics behind it) is the same bits for GOMAXPROCS 1 and 2.
func TestResNetTrains(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, engine := range tensor.Engines() {
		var want string
		for _, procs := range []int{1, 2} {
			runtime.GOMAXPROCS(procs)
			c := narrow(engine)
			c.Threads = procs
			o := mustRun(t, c)
			if first, last := o.Curve[0], o.Curve[len(o.Curve)-1]; !(last.Loss < first.Loss) {
				t.Errorf("%s: the loss goes from %g to %g", engine, first.Loss, last.Loss)
			}
			if o.NormStatistics == nil || o.NormStatistics.Images != 256 || o.Width != 1./16 || o.Image != 16 || !strings.HasPrefix(o.Engine, engine+" ") {
				t.Errorf("%s: the outcome does not say what ran: %+v", engine, o)
			}
			got := text(t, o)
			if want == "" {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s with GOMAXPROCS %d differs from GOMAXPROCS 1:\n%s", engine, procs, diff)
			}
		}
	}
}

// A network's own size is not a size: the configuration and the outcome are those of the network without one.
func TestOwnSizeIsNoSize(t *testing.T) {
	for _, c := range []Config{{Model: "resnet18", Width: 1, Image: 32}, {Model: "lenet5", Width: 1, Image: 28}, {Model: "vgg19_bn"}} {
		if _, err := c.network(); err != nil || c.Width != 0 || c.Image != 0 {
			t.Errorf("%s: width %g, image %d, %v; want no sizes", c.Model, c.Width, c.Image, err)
		}
	}
	c := Config{Model: "resnet18", Width: 0.5, Image: 16}
	if m, err := c.network(); err != nil || c.Width != 0.5 || c.Image != 16 || m.NumStats() == 0 {
		t.Errorf("width %g, image %d, %v", c.Width, c.Image, err)
	}
}

func TestStatIndices(t *testing.T) {
	for all, want := range map[int][]int{10_000: {0, 39, 78}, 256: {0, 1, 2}, 3: {0, 1, 2}} {
		if got := statIndices(all); len(got) != min(all, 256) || !cmp.Equal(got[:3], want) || got[len(got)-1] >= all {
			t.Errorf("of %d images: %d, beginning with %v; want %v", all, len(got), got[:3], want)
		}
	}
}

// The statistics are those of the parameters they are asked for, the same each time: twice the first convolution's
// weights make twice the first batch norm's mean and four times its variance.
func TestStatisticsFollowTheParameters(t *testing.T) {
	m, s := modelOf(t, narrow("portable"))
	params := make([]float32, m.NumParams())
	m.Init(params, stream(1, -1, "init"))
	before := oktest.Must(s.statistics(params))(t)
	if again, _ := s.statistics(params); !cmp.Equal(before, again) {
		t.Error("the same parameters have other statistics the second time")
	}
	conv := m.Params()[0]
	for i := range params[conv.Offset : conv.Offset+conv.Length] {
		params[conv.Offset+i] *= 2
	}
	after := oktest.Must(s.statistics(params))(t)
	mean, variance := m.Stats()[0], m.Stats()[1]
	for ch := range mean.Length {
		a, b := mean.Offset+ch, variance.Offset+ch
		if math.Abs(float64(after[a]-2*before[a])) > 1e-5*math.Abs(float64(after[a])) || math.Abs(float64(after[b]-4*before[b])) > 1e-5*float64(after[b]) {
			t.Errorf("channel %d with doubled weights: mean %g → %g, variance %g → %g, want twice and four times", ch, before[a], after[a], before[b], after[b])
		}
	}
}

// A checkpoint holds the statistics of the last evaluation under PyTorch's
// names; with them the saved network is right on as many images as reported.
func TestCheckpointKeepsStatistics(t *testing.T) {
	oktest.Slow(t)
	c := narrow(quick("bsp").Engine)
	c.Save = filepath.Join(t.TempDir(), "w.safetensors")
	o := mustRun(t, c)
	m, s := modelOf(t, c)
	params, stats := make([]float32, m.NumParams()), make([]float32, m.NumStats())
	oktest.Nil(t, LoadState(c.Save, m, c.Width, params, stats))
	if ParamsHash(params) != o.ParamsSHA256 {
		t.Error("the file holds other parameters")
	}
	accuracy, loss, err := s.score(params, stats, 0)
	if err != nil || accuracy != *o.TestAccuracy {
		t.Errorf("the file's network reaches %g (%v), the run reported %g", accuracy, err, *o.TestAccuracy)
	}
	m.InitStats(stats)
	if _, fresh, err := s.score(params, stats, 0); err != nil || fresh == loss {
		t.Errorf("with fresh statistics the loss is %g, with the file's %g (%v): nothing depends on them", fresh, loss, err)
	}
	f, names := oktest.Must(safetensors.Read(c.Save))(t), map[string]bool{}
	for _, x := range f.Tensors {
		names[x.Name] = true
	}
	for _, name := range []string{"conv1.weight", "bn1.weight", "bn1.running_mean", "layer4.0.downsample.1.running_var", "fc.bias"} {
		if !names[name] {
			t.Errorf("the file lacks %s", name)
		}
	}
	// Training goes on from the file; what it says of statistics is not used.
	c.Load, c.Save = c.Save, ""
	oktest.Must(Run(context.Background(), c))(t)
	// Without statistics the parameters load, and statistics do not.
	bare := filepath.Join(t.TempDir(), "bare.safetensors")
	oktest.Nil(t, SaveParams(bare, m, params))
	oktest.Nil(t, LoadState(bare, m, c.Width, params, nil))
	if err := LoadState(bare, m, c.Width, params, stats); err == nil || !strings.Contains(err.Error(), "no running statistics") {
		t.Errorf("statistics of a file without any: %v", err)
	}
}

// Engines differ in rounding, not in what they learn: LeNet-5 on the embedded images ends at the same accuracy, up to
// tolerance. Rounding grows along a training until the parameters are others: of 400 gradients, seeds 0 to 4 lie 0.08
// apart, and two engines at one seed up to 0.03.
func TestEnginesLearnTheSame(t *testing.T) {
	oktest.Slow(t)
	c := Config{Sync: "bsp", Model: "lenet5", Data: "fashion-mnist", Platform: uneven(1), Batch: 16, MaxPushes: 100, EvalEvery: -1, Rate: 0.02, Momentum: 0.9}
	const tolerance = 0.05
	if os.Getenv("GRADSYNC_LONG") != "" {
		c.MaxPushes = 400
	}
	reached := map[string]float64{}
	for _, engine := range tensor.Engines() {
		c.Engine = engine
		reached[engine] = *mustRun(t, c).TestAccuracy
	}
	want := reached["portable"]
	if want < 0.3 {
		t.Errorf("portable reaches %g: nothing was learnt", want)
	}
	for engine, got := range reached {
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s reaches %g, portable %g, want at most %g apart", engine, got, want, tolerance)
		}
	}
	t.Logf("after %d gradients: %v", c.MaxPushes, reached)
}
