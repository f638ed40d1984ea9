package safetensors

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sample() File {
	return File{
		Tensors: []Tensor{
			{Name: "conv1.weight", Shape: []int{2, 1, 3}, Data: []float32{1, -2, 3.5, 0, float32(math.Inf(1)), -1e-40}},
			{Name: "empty", Shape: []int{0, 4}, Data: []float32{}},
			{Name: "scalar", Shape: []int{}, Data: []float32{7}},
		},
		Metadata: map[string]string{"model": "lenet5", "seed": "1"},
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	must(t, Write(path, sample()))
	got, err := Read(path)
	must(t, err)
	if d := cmp.Diff(sample(), got); d != "" {
		t.Error(d)
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(names) != 1 {
		t.Errorf("files left: %v, want only the result", names)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	there, here := filepath.Join(t.TempDir(), "there"), filepath.Join(t.TempDir(), "here")
	must(t, Write(there, File{}))
	if err := os.Symlink(there, here); err != nil {
		t.Skip("no links here:", err)
	}
	must(t, Write(here, sample()))
	if info, err := os.Lstat(here); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v now", info, err)
	}
	got, err := Read(there)
	must(t, err)
	if d := cmp.Diff(sample(), got); d != "" {
		t.Error(d)
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f File
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9."\\é]{1,9}`), 0, 5, rapid.ID[string]).Draw(t, "names")
		for i, name := range names {
			shape, n := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape"), 1
			for _, d := range shape {
				n *= d
			}
			data := make([]float32, n)
			for j := range data {
				data[j] = float32(100*i + j)
			}
			if i%3 == 2 {
				f.Tensors = append(f.Tensors, Tensor{Name: name, Shape: shape, Bytes: bytes.Repeat([]byte{byte(i)}, n)})
				continue
			}
			f.Tensors = append(f.Tensors, Tensor{Name: name, Shape: shape, Data: data})
		}
		raw, err := Encode(f)
		must(t, err)
		got, err := Decode(raw)
		must(t, err)
		if len(f.Tensors) > 0 && !cmp.Equal(f, got) {
			t.Fatal(cmp.Diff(f, got))
		}
	})
}

// file glues a header and a body of n zero bytes together.
func file(header string, n int) []byte {
	raw := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(raw, header...), make([]byte, n)...)
}

// TestStrict: each file breaks one rule of the format; the first breaks none.
func TestStrict(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	const b = `"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}`
	if f, err := Decode(file("{"+b+","+a+"}  ", 12)); err != nil || f.Tensors[0].Name != "a" {
		t.Fatalf("a valid file: %v, %v", f, err)
	}
	for rule, raw := range map[string][]byte{
		"too short":        {1, 2, 3},
		"header past end":  binary.LittleEndian.AppendUint64(nil, 1<<40),
		"no object":        file(`[]`, 0),
		"leading space":    file(" {"+a+"}", 8),
		"text after":       file("{"+a+"}x", 8),
		"second object":    file("{"+a+"}{}", 8),
		"repeated name":    file("{"+a+","+a+"}", 8),
		"empty name":       file(`{"":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8),
		"other dtype":      file(`{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, 8),
		"unknown field":    file(`{"a":{"dtype":"F32","x":1,"shape":[2],"data_offsets":[0,8]}}`, 8),
		"wrong case":       file(`{"a":{"DTYPE":"F32","shape":[2],"data_offsets":[0,8]}}`, 8),
		"field twice":      file(`{"a":{"dtype":"F32","shape":[1],"shape":[2],"data_offsets":[0,8]}}`, 8),
		"entry no object":  file(`{"a":null}`, 0),
		"no shape":         file(`{"a":{"dtype":"F32","data_offsets":[0,8]}}`, 8),
		"one offset":       file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}}`, 8),
		"negative size":    file(`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,-8]}}`, 0),
		"overflow":         file(`{"a":{"dtype":"F32","shape":[2147483647,2147483647,4],"data_offsets":[0,16]}}`, 16),
		"hole":             file("{"+b+"}", 12),
		"overlap":          file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12),
		"past end":         file("{"+a+"}", 4),
		"data left over":   file("{"+a+"}", 12),
		"shape not data":   file(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8),
		"metadata no text": file(`{"__metadata__":{"x":1},`+a+`}`, 8),
		"not UTF-8":        file("{\"\xff\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8),
	} {
		if _, err := Decode(raw); err == nil {
			t.Errorf("%s: accepted", rule)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, tensors := range [][]Tensor{
		{{Name: "a", Shape: []int{1}, Data: []float32{1}}, {Name: "a", Shape: []int{1}, Data: []float32{2}}},
		{{Name: "__metadata__", Shape: []int{1}, Data: []float32{1}}},
		{{Name: "", Shape: []int{1}, Data: []float32{1}}},
		{{Name: "a", Shape: []int{2}, Data: []float32{1}}},
		{{Name: "a", Shape: []int{-1}, Data: nil}},
	} {
		if _, err := Encode(File{Tensors: tensors}); err == nil {
			t.Errorf("%v: accepted", tensors)
		}
	}
}

// Bytes are no weights: Read refuses them.
func TestReadRefusesBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bytes")
	must(t, Write(path, File{Tensors: []Tensor{{Name: "raw", Shape: []int{3}, Bytes: []byte("abc")}}}))
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), `"raw" has dtype U8, want F32`) {
		t.Errorf("error %v", err)
	}
}

func TestReadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken.safetensors")
	must(t, os.WriteFile(path, []byte("nonsense"), 0o600))
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "broken.safetensors") {
		t.Errorf("error %v does not name the file", err)
	}
}

// FuzzDecode: no bytes make Decode panic; what it accepts survives a round trip and is no larger than its input.
func FuzzDecode(f *testing.F) {
	raw, err := Encode(sample())
	must(f, err)
	f.Add(raw)
	f.Add(file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8))
	f.Add(file(`{"a":{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]}}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Decode(data)
		if err != nil {
			return
		}
		size := 0
		for _, x := range got.Tensors {
			size += 4 * len(x.Data)
		}
		if size > len(data) {
			t.Fatalf("%d bytes of tensors from %d bytes", size, len(data))
		}
		again, err := Encode(got)
		must(t, err)
		back, err := Decode(again)
		must(t, err)
		if len(back.Tensors) != len(got.Tensors) || len(back.Metadata) != len(got.Metadata) {
			t.Fatalf("round trip changed %v to %v", got, back)
		}
	})
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
