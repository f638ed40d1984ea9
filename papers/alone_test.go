package papers_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPapersImportSharedOnly: a paper is built from the standard library, shared/cluster with the
// checksum of its frames (which asks the processor what it has), shared/simd, shared/tensor and itself. internal/repo builds each alone in a copy of the tree.
func TestPapersImportSharedOnly(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on this machine's PATH")
	}
	for _, paper := range papers(t) {
		own := "gradsync/papers/" + paper
		out, err := exec.Command(goTool, "list", "-deps", "./"+paper+"/...").CombinedOutput()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		seen := false
		for _, dep := range strings.Fields(string(out)) {
			switch {
			case dep == own || strings.HasPrefix(dep, own+"/"):
				seen = true
			case dep == "gradsync/shared/cluster", dep == "gradsync/shared/cluster/collective",
				dep == "gradsync/shared/tensor", dep == "gradsync/shared/tensor/vec", dep == "gradsync/shared/tensor/codec",
				dep == "gradsync/shared/tensor/optim", dep == "gradsync/shared/simd",
				dep == "gradsync/shared/cluster/internal/crc32c", dep == "golang.org/x/sys/cpu":
			case strings.Contains(strings.SplitN(dep, "/", 2)[0], "."), strings.HasPrefix(dep, "gradsync/"):
				t.Errorf("%s depends on %s", own, dep)
			}
		}
		if !seen {
			t.Errorf("go list names no package of %s:\n%s", own, out)
		}
	}
}
