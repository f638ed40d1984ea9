package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// put writes a file and the folders above it.
func put(t *testing.T, body []byte, path ...string) string {
	t.Helper()
	at := filepath.Join(path...)
	must(t, os.MkdirAll(filepath.Dir(at), 0o755))
	must(t, os.WriteFile(at, body, 0o644))
	return at
}

// encoder compresses nothing: tests write many images.
var encoder = png.Encoder{CompressionLevel: png.NoCompression}

// encoded returns an image as a PNG.
func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, encoder.Encode(&b, img))
	return b.Bytes()
}

// grey returns a grey image whose pixels follow from n.
func grey(side, n int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		img.Pix[i] = byte(i*7 + n*31 + n*i)
	}
	return img
}

// coloured returns an opaque colour image whose planes differ.
func coloured(side, n int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			img.SetRGBA(x, y, color.RGBA{byte(x + n), byte(y + 2*n), byte(x*y + 3*n), 255})
		}
	}
	return img
}

// pets writes class folders of ten cats and twenty dogs.
func pets(t *testing.T) string {
	dir := t.TempDir()
	for i := range 30 {
		put(t, encoded(t, grey(28, i)), dir, map[bool]string{true: "cat", false: "dog"}[i < 10], fmt.Sprintf("%d.png", i))
	}
	put(t, []byte("not read"), dir, "README.txt")
	put(t, nil, dir, "cat", ".DS_Store")
	return dir
}

// idx returns an IDX file.
func idx(body []byte, dims ...int) []byte {
	out := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		out = binary.BigEndian.AppendUint32(out, uint32(d))
	}
	return append(out, body...)
}

// everything returns all bytes of a folder, by name.
func everything(t *testing.T, folder string) string {
	t.Helper()
	entries := sure(os.ReadDir(folder))(t)
	var b strings.Builder
	for _, e := range entries {
		raw := sure(os.ReadFile(filepath.Join(folder, e.Name())))(t)
		fmt.Fprintf(&b, "%s %x\n", e.Name(), raw)
	}
	return b.String()
}

// The images of class folders are found under the name given, split by the rule of README.md,
// with the same bytes whatever the files are called.
func TestImportClassFolders(t *testing.T) {
	t.Setenv(EnvDir, "")
	dir, to := pets(t), t.TempDir()
	made := sure(Import(dir, ImportOptions{Name: "pets", To: to}))(t)
	if !slices.Equal(made.Classes, []string{"cat", "dog"}) || !slices.Equal(made.Train, []int{8, 16}) || !slices.Equal(made.Test, []int{2, 4}) ||
		made.Side != 28 || made.Channels != 1 || made.Split != splitByKey || made.InBoth != 0 || made.Same {
		t.Errorf("made %+v", made.Sidecar)
	}
	s := sure(Open("pets", Options{Dir: to}))(t)
	if s.Classes != 2 || s.Train.Len() != 24 || s.Test.Len() != 6 || s.SHA256 != made.SHA256 || !strings.Contains(s.Note, "0.2 of each class") {
		t.Errorf("opened %d classes, %d + %d images, %s, %q", s.Classes, s.Train.Len(), s.Test.Len(), s.SHA256, s.Note)
	}
	seen := map[string]int{} // every image is in one split, with its own label
	for _, split := range []*Split{&s.Train, &s.Test} {
		for i := range split.Len() {
			seen[string(split.image(i))] = int(split.Labels[i]) + 1
		}
	}
	for i := range 30 {
		if want := map[bool]int{true: 1, false: 2}[i < 10]; seen[string(grey(28, i).Pix)] != want {
			t.Errorf("image %d has label %d, want %d", i, seen[string(grey(28, i).Pix)]-1, want-1)
		}
	}
	for i := range 30 { // other names, another order
		class := map[bool]string{true: "cat", false: "dog"}[i < 10]
		must(t, os.Rename(filepath.Join(dir, class, fmt.Sprintf("%d.png", i)), filepath.Join(dir, class, fmt.Sprintf("%c%d.PNG", 'z'-i%20, i))))
	}
	other := t.TempDir()
	sure(Import(dir, ImportOptions{Name: "pets", To: other}))(t)
	if everything(t, filepath.Join(to, "pets")) != everything(t, filepath.Join(other, "pets")) {
		t.Error("the same images under other names give other bytes")
	}
	if again, err := Import(dir, ImportOptions{Name: "pets", To: to}); err != nil || !again.Same {
		t.Errorf("a second import: %+v, %v", again, err)
	}
	if _, err := Import(dir, ImportOptions{Name: "pets", To: to, Seed: 1}); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("another seed overwrites: %v", err)
	}
	if seeded, err := Import(dir, ImportOptions{Name: "pets", To: to, Seed: 1, Replace: true}); err != nil || seeded.SHA256 == made.SHA256 {
		t.Errorf("another seed gives the same split, or %v", err)
	}
}

// The rule by its own sentences: in a class sorted by key the first fifth, rounded, is for
// tests, and images equal to the last of them follow it.
func TestSplitByKey(t *testing.T) {
	c := &collection{classes: []string{"a"}, side: 1}
	for i := range 13 {
		c.train = append(c.train, picture{pixels: []byte{byte(i)}, label: 0})
	}
	c.name(0)
	keys := map[[32]byte]bool{}
	for _, p := range c.train[:13] {
		keys[p.key] = true
	}
	must(t, c.split(0.2))
	if test := c.counts(c.test); test[0] != 3 { // 2.6 rounded
		t.Errorf("%d of 13 images are for tests, want 3", test[0])
	}
	worst := c.test[2].key
	for k := range keys {
		if bytes.Compare(k[:], worst[:]) < 0 && !slices.ContainsFunc(c.test, func(p picture) bool { return p.key == k }) {
			t.Error("an image with a smaller key than a test image is a training image")
		}
	}
	together := map[int]bool{}
	for v := range 10 { // nine equal images and three others, in some order of their keys
		c := &collection{classes: []string{"a"}}
		for i := range 12 {
			c.train = append(c.train, picture{pixels: []byte{byte(max(i-8, 0)), byte(v)}})
		}
		c.name(0)
		must(t, c.split(0.2))
		equal := 0
		for _, p := range c.test {
			if p.pixels[0] == 0 {
				equal++
			}
		}
		together[equal] = true
	}
	if !together[9] || len(together) > 2 || len(together) == 2 && !together[0] {
		t.Errorf("of nine equal images so many became test images: %v, want all or none", together)
	}
	one := &collection{classes: []string{"a"}, train: []picture{{pixels: []byte{1}}, {pixels: []byte{1}}}}
	one.name(0)
	if err := one.split(0.2); err == nil || !strings.Contains(err.Error(), "equal") {
		t.Errorf("two equal images were split: %v", err)
	}
}

// Grey and colour, palettes, and what --channels asks for.
func TestImportChannels(t *testing.T) {
	t.Setenv(EnvDir, "")
	dir := t.TempDir()
	palette := image.NewPaletted(image.Rect(0, 0, 16, 16), color.Palette{color.RGBA{9, 9, 9, 255}, color.RGBA{250, 0, 10, 255}})
	palette.Pix[3] = 1
	put(t, encoded(t, palette), dir, "2", "p.png")
	put(t, encoded(t, coloured(16, 1)), dir, "2", "c.png")
	put(t, encoded(t, grey(16, 1)), dir, "10", "g.png")
	put(t, encoded(t, grey(16, 2)), dir, "10", "h.png")
	for channels, want := range map[int]int{0: 3, 1: 1, 3: 3} {
		to := t.TempDir()
		made, err := Import(dir, ImportOptions{Name: "mixed", To: to, Channels: channels})
		if err != nil || made.Channels != want || !slices.Equal(made.Classes, []string{"2", "10"}) {
			t.Fatalf("--channels %d: %+v, %v", channels, made, err)
		}
		s, images := sure(Open("mixed", Options{Dir: to}))(t), map[string]bool{}
		for _, split := range []*Split{&s.Train, &s.Test} {
			for i := range split.Len() {
				images[string(split.image(i))] = true
			}
		}
		full, err := planes(coloured(16, 1))
		if err != nil || len(full) != 3*256 {
			t.Fatal(err)
		}
		if want == 3 && (!images[string(full)] || !images[string(bytes.Repeat(grey(16, 1).Pix, 3))]) {
			t.Error("colour is lost, or grey not repeated")
		}
		if want == 1 && (!images[string(luma(full, 256))] || !images[string(grey(16, 1).Pix)]) {
			t.Error("colour has not become grey")
		}
	}
	if g := luma([]byte{255, 0, 0, 0, 255, 0, 0, 0, 255}, 3); !bytes.Equal(g, []byte{76, 150, 29}) { // Rec. 601: 0.299, 0.587, 0.114 of 255
		t.Errorf("luma of red, green and blue is %v", g)
	}
}

// IDX files of any count: with a split and without, with a front, grey and colour, from label 1.
func TestImportIDX(t *testing.T) {
	t.Setenv(EnvDir, "")
	pixels := func(n int) (all []byte) {
		for i := range n {
			all = append(all, grey(16, i).Pix...)
		}
		return all
	}
	dir, to := t.TempDir(), t.TempDir()
	put(t, idx(pixels(6), 6, 16, 16), dir, "emnist-letters-train-images-idx3-ubyte")
	put(t, idx([]byte{1, 2, 3, 3, 2, 1}, 6), dir, "emnist-letters-train-labels-idx1-ubyte")
	put(t, idx(pixels(3), 3, 16, 16), dir, "emnist-letters-test-images-idx3-ubyte")
	put(t, idx([]byte{3, 2, 1}, 3), dir, "emnist-letters-test-labels-idx1-ubyte")
	made, err := Import(dir, ImportOptions{Name: "letters", To: to})
	if err != nil || made.Split != splitGiven || made.InBoth != 3 || !slices.Equal(made.Classes, []string{"1", "2", "3"}) {
		t.Fatalf("%+v, %v", made, err)
	}
	s, err := Open("letters", Options{Dir: filepath.Join(to, "letters")}) // the folder itself
	if err != nil || !bytes.Equal(s.Train.Labels, []byte{0, 1, 2, 2, 1, 0}) ||
		!bytes.Equal(s.Train.Pixels, pixels(6)) || !strings.Contains(s.Note, "3 test images") {
		t.Errorf("%v, %v", s, err)
	}
	dir = t.TempDir()
	full, _ := planes(coloured(16, 3))
	put(t, idx(append(slices.Clone(full), make([]byte, 3*256*3)...), 4, 3, 16, 16), dir, "images-idx4-ubyte")
	put(t, idx([]byte{0, 1, 0, 1}, 4), dir, "labels-idx1-ubyte")
	put(t, []byte("black or not\r\nwhite\n"), dir, "classes.txt")
	made, err = Import(dir, ImportOptions{Name: "colours", To: to})
	if err == nil { // class 1 is two equal images
		t.Fatalf("made %+v of a class of equal images", made)
	}
	put(t, idx([]byte{0, 1, 0, 1}, 4), dir, "labels-idx1-ubyte")
	other, _ := planes(coloured(16, 4))
	put(t, idx(slices.Concat(full, other, other, full), 4, 3, 16, 16), dir, "images-idx4-ubyte")
	made, err = Import(dir, ImportOptions{Name: "colours", To: to})
	if err != nil || made.Channels != 3 || !slices.Equal(made.Classes, []string{"black or not", "white"}) || !slices.Equal(made.Test, []int{1, 1}) {
		t.Errorf("%+v, %v", made, err)
	}
}

// Mistakes name the file, what it has and what is wanted.
func TestImportNamesMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	gray16, clear := image.NewGray16(image.Rect(0, 0, 28, 28)), image.NewNRGBA(image.Rect(0, 0, 28, 28))
	train := func(dir string, images, labels []byte) {
		put(t, images, dir, "train-images-idx3-ubyte")
		put(t, labels, dir, "train-labels-idx1-ubyte")
	}
	for name, c := range map[string]struct {
		change func(dir string)
		want   string
	}{
		"another size":     {func(d string) { put(t, encoded(t, grey(32, 0)), d, "dog", "99.png") }, "99.png: 32×32 pixels, want 28×28"},
		"no square":        {func(d string) { put(t, encoded(t, image.NewGray(image.Rect(0, 0, 28, 20))), d, "dog", "a.png") }, "a.png: 28×20 pixels, want a square"},
		"no network's":     {func(d string) { put(t, encoded(t, grey(30, 0)), d, "cat", "0.png") }, "0.png: 30×30, want a side that networks take"},
		"16 bits":          {func(d string) { put(t, encoded(t, gray16), d, "cat", "x.png") }, "x.png: 16 bits per channel, want 8"},
		"transparent":      {func(d string) { put(t, encoded(t, clear), d, "cat", "x.png") }, "x.png: pixel 0, 0 has opacity 0, want 255"},
		"no PNG":           {func(d string) { put(t, []byte("<html>"), d, "cat", "x.png") }, "x.png: not a PNG that can be read"},
		"cut off":          {func(d string) { put(t, encoded(t, grey(28, 1))[:60], d, "cat", "x.png") }, "x.png: not a PNG that can be read"},
		"a JPEG":           {func(d string) { put(t, nil, d, "cat", "x.jpg") }, "x.jpg: is no PNG"},
		"a folder":         {func(d string) { put(t, nil, d, "cat", "sub", "x.png") }, "sub: is a folder in a class folder"},
		"no class":         {func(d string) { put(t, nil, d, "x.png") }, "x.png: lies in no class folder"},
		"empty class":      {func(d string) { put(t, nil, d, "eel", ".keep") }, "eel: a class with 0 images"},
		"one image":        {func(d string) { put(t, encoded(t, grey(28, 0)), d, "eel", "x.png") }, `class "eel" has 1 images, want 2`},
		"too many classes": {func(d string) { manyClasses(t, d) }, "258 class folders, want 2 to 256"},
		"other classes": {func(d string) {
			must(t, os.RemoveAll(filepath.Join(d, "dog")))
			must(t, os.Rename(filepath.Join(d, "cat"), filepath.Join(d, "c")))
			for _, at := range []string{"train/cat", "train/dog", "test/cat"} {
				put(t, encoded(t, grey(28, len(at))), d, filepath.FromSlash(at), "x.png")
			}
			must(t, os.RemoveAll(filepath.Join(d, "c")))
		}, "test: class folders cat, want those of train: cat, dog"},
		"wrong magic":  {func(d string) { train(d, []byte{1, 2, 3, 4, 5}, nil) }, "train-images-idx3-ubyte: not an IDX file: magic 01 02 03 04, want 00 00 08 03"},
		"floats":       {func(d string) { train(d, []byte{0, 0, 13, 3}, nil) }, "element type 0x0d, want 0x08"},
		"labels first": {func(d string) { train(d, idx([]byte{1}, 1), idx([]byte{1}, 1)) }, "holds labels, want images"},
		"unequal": {func(d string) { train(d, idx(make([]byte, 3*256), 3, 16, 16), idx([]byte{0, 1}, 2)) },
			"labels-idx1-ubyte: 2 labels, want 3, the images of train-images"},
		"short": {func(d string) { train(d, idx(make([]byte, 700), 3, 16, 16), idx([]byte{0, 1, 1}, 3)) }, "truncated body: 700 bytes, want 768"},
		"long": {func(d string) { train(d, idx(make([]byte, 769), 3, 16, 16), idx([]byte{0, 1, 1}, 3)) },
			"longer than 784 bytes, the size that its header states"},
		"huge":         {func(d string) { train(d, idx(nil, 1<<30, 256, 256), idx([]byte{0}, 1)) }, "more than 4 GiB"},
		"not square":   {func(d string) { train(d, idx(make([]byte, 2*16*32), 2, 16, 32), idx([]byte{0, 1}, 2)) }, "images of 16×32 pixels, want squares"},
		"gap":          {func(d string) { train(d, idx(make([]byte, 3*256), 3, 16, 16), idx([]byte{0, 3, 1}, 3)) }, "class 2 has 0 images"},
		"from 5":       {func(d string) { train(d, idx(make([]byte, 2*256), 2, 16, 16), idx([]byte{5, 6}, 2)) }, "labels are 5 to 6, want them from 0 or 1"},
		"labels alone": {func(d string) { put(t, idx([]byte{0}, 1), d, "train-labels-idx1-ubyte") }, "train-images-idx3-ubyte(.gz) is missing"},
		"names of less": {func(d string) {
			train(d, idx(make([]byte, 2*256), 2, 16, 16), idx([]byte{0, 1}, 2))
			put(t, []byte("a\n"), d, "classes.txt")
		}, "classes.txt: 1 names, want 2"},
		"twice": {func(d string) {
			train(d, idx(make([]byte, 2*256), 2, 16, 16), idx([]byte{0, 1}, 2))
			put(t, nil, d, "train-labels-idx1-ubyte.gz")
		}, "hold the same part"},
	} {
		dir, to := pets(t), t.TempDir()
		c.change(dir)
		made, err := Import(dir, ImportOptions{Name: "pets", To: to})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %+v, %v; want one line with %q", name, made, err, c.want)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func manyClasses(t *testing.T, dir string) {
	for i := range 256 {
		must(t, os.MkdirAll(filepath.Join(dir, fmt.Sprint(i)), 0o755))
	}
}

// An imported set that was changed since is told, and so are names that no set can have.
func TestOwnSetIsChecked(t *testing.T) {
	t.Setenv(EnvDir, "")
	dir, to := pets(t), t.TempDir()
	for _, name := range []string{"mnist", "Pets", "", "a/b", strings.Repeat("a", 33)} {
		if _, err := Import(dir, ImportOptions{Name: name, To: to}); err == nil {
			t.Errorf("imported as %q", name)
		}
	}
	sure(Import(dir, ImportOptions{Name: "pets", To: to}))(t)
	if names, err := Own(Options{Dir: to}); err != nil || !slices.Contains(names, "pets") {
		t.Errorf("own sets %v, %v", names, err)
	}
	if st, err := Verify("pets", Options{Dir: to}); err != nil || st.State != StateOwn || st.Train != 24 || st.SHA256 == "" {
		t.Errorf("verified %+v, %v", st, err)
	}
	var unknown *UnknownError
	if _, err := Open("cats", Options{Dir: to}); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "pets; `gradsync data import") {
		t.Errorf("opened cats: %v", err)
	}
	folder := filepath.Join(to, "pets")
	sidecar, images := filepath.Join(folder, sidecarFile), filepath.Join(folder, "train-images-idx3-ubyte")
	raw := sure(os.ReadFile(images))(t)
	last := raw[len(raw)-9:]
	for _, c := range []struct{ file, old, by, want string }{
		{sidecar, `"side": 28`, `"side": 27`, "27×27, want a side"},
		{sidecar, `"side": 28`, `"side": 32`, "bytes, want"},
		{sidecar, `gradsync.data/v1`, `v2`, `schema "v2", want "gradsync.data/v1"`},
		{sidecar, `"name": "pets"`, `"name": "cats"`, `name is "cats", want "pets"`},
		{sidecar, `"classes"`, `"clases"`, `unknown field "clases"`},
		{images, "\x00\x00\x00\x1c", "\x00\x00\x00\x1d", "IDX dimension 1 is 29, want 28"},
		{images, string(last), "otherwise", "sha256 of the images is"},
	} {
		before := sure(os.ReadFile(c.file))(t)
		after := bytes.Replace(before, []byte(c.old), []byte(c.by), 1)
		if bytes.Equal(before, after) {
			c.want = "nothing to change: " + c.old
		}
		must(t, os.WriteFile(c.file, after, 0o644))
		if _, err := Open("pets", Options{Dir: to}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s: %v, want %q", c.old, c.by, err, c.want)
		}
		if st, err := Verify("pets", Options{Dir: to}); err != nil || st.State != StateBroken {
			t.Errorf("%s → %s: verified as %+v, %v", c.old, c.by, st, err)
		}
		must(t, os.WriteFile(c.file, before, 0o644))
	}
}

func sure[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}
