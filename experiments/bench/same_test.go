package bench

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/vec"
)

// few makes three steps of a case for one contender.
func few(_ work, step func() error) error {
	for range 3 {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// near reports by how much two vectors differ, as a share of the larger number at most.
func near(a, b []float32) (worst float64) {
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i]-b[i]))/max(math.Abs(float64(a[i])), math.Abs(float64(b[i])), 1))
	}
	return worst
}

// hasAsm says whether this processor runs engine asm, a contender of ours.
var hasAsm = slices.Contains(tensor.Engines(), "asm")

// Engines and gorgonia train the same network: after three steps from the same weights on the same images they have the
// same weights, which is not where they began.
func TestStepsAreTheSame(t *testing.T) {
	k := keysOf("model=lenet5/batch=4/threads=1")
	m := oktest.Must(network(k))(t)
	var first, drawn []float32
	for _, by := range Find("Step").contenders("lenet5") {
		if foreign.MatchString(by) || by == "asm" && !hasAsm {
			continue
		}
		x := oktest.Must(newTrainee(t, m, k, by, 7))(t)
		drawn = append(drawn[:0], x.params...)
		x.sgd.Rate = 0.1
		if err := few(work{}, x.step); err != nil {
			t.Fatal(by, err)
		}
		if first == nil {
			first = x.params
		}
		if d, moved := near(first, x.params), near(drawn, x.params); d > 1e-4 || moved < 1e-3 {
			t.Errorf("%s: %g from the first contender's weights, %g from those drawn", by, d, moved)
		}
	}
}

// Steps at once are as many, and each moves its own weights.
func TestStepsAtOnce(t *testing.T) {
	for _, name := range []string{"model=lenet5/batch=2", "model=lenet5/batch=2/at-once=3"} {
		if err := step(t, keysOf(name), "portable", few); err != nil {
			t.Error(name, err)
		}
	}
	if err := step(t, keysOf("model=lenet6"), "portable", few); err == nil {
		t.Error("a network that does not exist")
	}
	if err := step(t, keysOf("model=lenet5"), "nobody", few); err == nil {
		t.Error("an engine that does not exist")
	}
}

// The work of a step by hand: mlp has 784·512 + 512·512 + 512·10 multiply-adds
// forward, as many for weights, and for inputs all but the first.
func TestWorkByHand(t *testing.T) {
	m := oktest.Must(network(keysOf("model=mlp")))(t)
	if got, want := stepFLOP(m, 6), 6*2.0*(3*(784*512+512*512+512*10)-784*512); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// All products are the sums of products.
func TestProductsAreTheSame(t *testing.T) {
	const n = 17
	r := rand.New(rand.NewPCG(1, 1))
	a, b, want := normal(r, n*n), normal(r, n*n), make([]float32, n*n)
	for i := range n {
		for j := range n {
			sum := 0.0
			for l := range n {
				sum += float64(a[i*n+l]) * float64(b[l*n+j])
			}
			want[i*n+j] = float32(sum)
		}
	}
	for _, by := range []string{"asm", "gonum", "portable"} {
		if by == "asm" && !hasAsm {
			continue
		}
		out := make([]float32, n*n)
		once := oktest.Must(multiply(by, n, 2, a, b, out))(t)
		if once(); near(want, out) > 1e-5 {
			t.Errorf("%s is %g off", by, near(want, out))
		}
	}
	if _, err := multiply("nobody", n, 1, a, b, want); err == nil {
		t.Error("an engine that does not exist")
	}
}

// Kernels, packets and messages run in every case, and count the bytes that they move: by hand for 4096 numbers.
func TestKernels(t *testing.T) {
	defer func(n int) { kernelElements = n }(kernelElements)
	kernelElements = 4096
	bytes := map[string]float64{}
	note := func(name string) func(work, func() error) error {
		return func(w work, step func() error) error {
			bytes[name] = w.bytes
			return few(w, step)
		}
	}
	for _, c := range Find("Codec").Cases {
		for _, by := range Find("Codec").contenders(c) {
			if err := kernel(t, keysOf(c), by, note(c+" "+by)); err != nil {
				t.Error(c, by, err)
			}
		}
	}
	full, packed := float64(vec.Bytes(4096)), float64(vec.BitmapBytes(4096, 4096))
	for name, want := range map[string]float64{"op=quantise copy": 2 * full, "op=quantise gradsync": 2 * full,
		"op=add-int32 gradsync": 3 * full, "op=pack/density=100 gradsync": full + packed, "op=unpack-add/density=100 gradsync": 2*full + packed} {
		if bytes[name] != want {
			t.Errorf("%s moves %g bytes, want %g", name, bytes[name], want)
		}
	}
	if sparse := bytes["op=pack/density=1 gradsync"]; !(sparse > full && sparse < 1.1*full) {
		t.Errorf("at 1 %% %g bytes of %g", sparse, full)
	}
	if kernel(t, keysOf("op=shuffle"), "gradsync", few) == nil {
		t.Error("a kernel that does not exist")
	}
	for name, want := range map[string]float64{"layer=64/op=encode/r=2": 64, "layer=448/op=decode/r=3": 448, // not whole thirds
		"layer=64KiB/op=decode/r=5": 64 << 10} {
		for _, by := range []string{"gradsync", "copy"} {
			if err := packet(t, keysOf(name), by, note(name)); err != nil || bytes[name] != want {
				t.Errorf("%s, %s: %v, %g bytes", name, by, err, bytes[name])
			}
		}
	}
	for _, by := range []string{"virtual", "channels"} {
		if err := messages(t, keysOf("ranks=1000"), by, func(_ work, step func() error) error { return step() }); err != nil {
			t.Error(by, err)
		}
	}
}

// Every method pushes; what no training can do is an error.
func TestPushes(t *testing.T) {
	oktest.Slow(t)
	for _, c := range Find("Push").Cases {
		for _, by := range []string{"gradsync", "copy+update"} {
			k := keysOf(c)
			k["model"], k["batch"] = "lenet5", "4"
			if err := push(t, k, by, few); err != nil {
				t.Error(c, by, err)
			}
		}
	}
	delete(train.Backends, "idle")
	for _, bad := range []string{"model=lenet5/batch=4/sync=nobody", "model=lenet6/batch=4/sync=asp"} {
		if push(t, keysOf(bad), "gradsync", few) == nil {
			t.Error(bad)
		}
	}
}

// Our ring sums over processes, in the clear and over TLS, which each of them checks; so do the contenders of the MPI
// libraries that are here, of which one that is not leaves a note.
func TestRings(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes: make test has it")
	}
	for name, by := range map[string]string{"np=2/size=4KiB": "gradsync", "np=4/size=64KiB": "gradsync",
		"np=2/size=64KiB": "gradsync-tls"} {
		if err := ring(t, keysOf(name), by, few); err != nil {
			t.Error(name, by, err)
		}
	}
	self := oktest.Must(os.Executable())(t)
	r := &Runner{Root: "../..", Rounds: 1, Seconds: 1e-3, dir: t.TempDir(), program: self, mpi: map[string]string{}}
	for _, name := range []string{"Ring", "MPI"} {
		q, b := Find(name), NewBook("", "", "")
		q.Cases = []string{"np=2/size=4KiB"}
		oktest.Nil(t, r.Measure(t.Context(), q, b, func(float64, string) {}))
		c := b.Find(name, q.Cases[0])
		for _, by := range q.contenders(q.Cases[0]) {
			library, _, _ := strings.Cut(strings.TrimPrefix(by, "gradsync-"), "-")
			if library == "mpi" {
				library = "openmpi"
			}
			_, missing := exec.LookPath("mpicc." + library)
			if foreign.MatchString(library) && missing != nil {
				if c.Notes[by] == "" {
					t.Errorf("%s: %s is not here, and nothing says so", name, by)
				}
				continue
			}
			if s := c.speed(q, by); s == nil || !(s.Center > 0) {
				t.Errorf("%s: %s: %v, %q", name, by, s, c.Notes[by])
			}
		}
	}
}

// The Python peers print what their names say, where a python3 has what they need, and one line where it has not.
func TestPythonPeers(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("starting PyTorch takes seconds: set GRADSYNC_LONG=1")
	}
	r := &Runner{Root: "../..", Rounds: 1, Seconds: 1e-3}
	for question, name := range map[string]string{"Step": "model=lenet5/batch=2/threads=1/at-once=2",
		"Product": "size=64/threads=1"} {
		q, b := Find(question), NewBook("", "", "")
		by := q.Peers[0]
		got, err := r.once(t.Context(), q, name, by)
		switch {
		case err != nil && (strings.Contains(err.Error(), "no PyTorch: ") || strings.Contains(err.Error(), "no NumPy: ")):
			t.Log(err)
			continue
		case err != nil:
			t.Fatal(err)
		}
		if b.learn(by, got); b.Libraries[by] == "" {
			t.Errorf("%s says nothing of its library", by)
		}
		if x, ok := got.Value("sec/op"); !ok || !(x > 0) {
			t.Errorf("%s: %v", by, got.Values)
		}
	}
}
