package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"gradsync/datasets/embedded"
)

// alone makes a test independent of the machine's data: no variable, empty cache.
func alone(t *testing.T) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv(EnvDir, "")
	for _, v := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(v, cache)
	}
}

// sum of the files that embedded/gen wrote from Debian's dataset-fashion-mnist
// 0.0~git20200523, in the order of the names below.
const embeddedSum = "a8502b1b1803eb429fcf0a7a76cd67f2816a68afec843a6a985addd30a255f0f"

func TestEmbeddedArchiveIsTheCommittedOne(t *testing.T) {
	h, total := sha256.New(), 0
	for _, name := range []string{embedded.TrainImages, embedded.TrainLabels, embedded.TestImages,
		embedded.TestLabels, embedded.TrainIndex, embedded.TestIndex} {
		raw := sure(embedded.Files.ReadFile(name))(t)
		total += len(raw)
		h.Write(raw)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != embeddedSum {
		t.Errorf("embedded files: sha256 %s, want %s", got, embeddedSum)
	}
	if total > 5_000_000 {
		t.Errorf("embedded files: %d bytes, want at most 5,000,000", total)
	}
	if licence, err := embedded.Files.ReadFile("LICENSE"); err != nil || !bytes.Contains(licence, []byte("Zalando SE")) {
		t.Errorf("MIT notice of Zalando SE is not embedded: %v", err)
	}
}

func TestEmbeddedIsNormalised(t *testing.T) {
	alone(t)
	s := sure(Open("fashion-mnist", Options{}))(t)
	if s.Origin != OriginEmbedded || s.Train.Len() != 10000 || s.Test.Len() != 1000 {
		t.Fatalf("origin %s, %d + %d images, want embedded, 10000 + 1000", s.Origin, s.Train.Len(), s.Test.Len())
	}
	// Mean and deviation of the whole set are 0.2860 and 0.3530 (the values that
	// PyTorch's examples use); a balanced sixth lies near.
	if d := s.Mean[0] - 0.2860; d*d > 0.005*0.005 {
		t.Errorf("mean %g, want 0.2860 ± 0.005", s.Mean[0])
	}
	if d := s.Std[0] - 0.3530; d*d > 0.005*0.005 {
		t.Errorf("std %g, want 0.3530 ± 0.005", s.Std[0])
	}
}

func TestEmbeddedEqualsTheOriginals(t *testing.T) {
	dir := ""
	for _, d := range []string{os.Getenv(EnvDir), "/usr/share/datasets"} {
		if d != "" && exists(filepath.Join(d, "fashion-mnist")) {
			dir = d
			break
		}
	}
	if dir == "" {
		t.Skip("needs the whole Fashion-MNIST: Debian package dataset-fashion-mnist, or $" + EnvDir + "/fashion-mnist")
	}
	alone(t)
	whole := sure(Open("fashion-mnist", Options{Dir: dir}))(t)
	if whole.Note != "" || whole.Train.Len() != 60000 {
		t.Fatalf("%s is not the official set: %s", dir, whole.Note)
	}
	small := sure(openEmbedded())(t)
	for _, p := range []struct {
		name       string
		sub, whole *Split
	}{{"train", &small.Train, &whole.Train}, {"test", &small.Test, &whole.Test}} {
		for i, orig := range p.sub.Index {
			if !bytes.Equal(p.sub.image(i), p.whole.image(int(orig))) || p.sub.Labels[i] != p.whole.Labels[orig] {
				t.Fatalf("%s image %d differs from original %d", p.name, i, orig)
			}
			if i > 0 && orig <= p.sub.Index[i-1] {
				t.Fatalf("%s index %d: %d after %d, want ascending", p.name, i, orig, p.sub.Index[i-1])
			}
		}
	}
}
