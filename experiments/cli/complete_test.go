package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

// TestCompletes: the shell is told the names of methods, models, platforms, experiments, profiles and data
// sets, the last of several after a comma, and a file where no name fits.
func TestCompletes(t *testing.T) {
	for line, want := range map[string]string{
		"train --sync das": "dasp\n:4\n", "train --sync ring": "ring\nringsparse\n:4\n", "train --model le": "lenet5\n:4\n",
		"train --platform hetero": "heterogeneous6\n:4\n", "train --platform mine.js": ":0\n",
		"train --data fa": "fashion-mnist\n:4\n", "train --runtime t": "tcp\n:4\n",
		"train --codecs bitmap,co": "bitmap,coo\n:4\n", "grad --model vg": "vgg19_bn\n:4\n",
		"run dasp/table5 ring/st": "ring/steps\n:4\n", "run codeds": "codedsgd\n", "run --profile qu": "quick\n:4\n",
		"run --except dasp/table4,co": "dasp/table4,codedsgd\n", "reproduce-dasp --profile st": "standard\n:4\n",
		"export ringsparse/c": "ringsparse/c", "quiz co": "codedsgd\n:4\n", "verify cl": "claims\n:4\n",
		"data fetch ci": "cifar-10\n:4\n", "claims D1": "D10\n", "eval codedsgd.ra": "codedsgd.ratio\t",
		"dev rename": "rename-module\t", "tra": "train\t",
	} {
		words := strings.Split(line, " ")
		if rc, out, msg := gradsync(append([]string{"__complete"}, words...)...); rc != exitOK || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %q %s; want %q", line, rc, out, msg, want)
		}
	}
}

// The words of a shell's line as bash-completion cuts them, for machines that lack that package.
const standIn = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
  cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
}
`

// TestREADMEInstallsCompletion: the line of README.md and of completion's help makes a bash complete for
// this program.
func TestREADMEInstallsCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	root := oktest.Must(repo.Root())(t)
	readme := oktest.Must(os.ReadFile(filepath.Join(root, "README.md")))(t)
	line, _, _ := strings.Cut(strings.TrimPrefix(installLines, "bash: "), "   #")
	if _, help, _ := gradsync("completion", "--help"); !strings.Contains(string(readme), "\n"+line+"\n") || !strings.Contains(help, line) {
		t.Fatalf("README.md or completion --help lacks the line %s", line)
	}
	dir := filepath.Join(t.TempDir(), "a clone") // with the program: this test, which is one as a worker
	self := oktest.Must(os.Executable())(t)
	oktest.Nil(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	if err := os.Symlink(self, filepath.Join(dir, "bin", "gradsync")); err != nil {
		t.Skipf("no symbolic link can be made: %v", err)
	}
	script := line + "\n" + standIn + `source ~/.bashrc
COMP_WORDS=(bin/gradsync train --sync ringsp) COMP_CWORD=3 COMP_LINE="bin/gradsync train --sync ringsp" COMP_POINT=32
complete -p gradsync
__start_gradsync
echo "completes ${COMPREPLY[*]}"
`
	c := exec.Command(bash, "--norc", "--noprofile", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, workerEnv+"=1")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "completes ringsparse\n") || !strings.Contains(string(out), "__start_gradsync gradsync") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestVersionNamesTheCommit: --version says what version says, with the commit.
func TestVersionNamesTheCommit(t *testing.T) {
	_, want, _ := gradsync("version")
	for _, args := range []string{"--version", "-v"} {
		if rc, out, _ := gradsync(args); rc != exitOK || out != want || !strings.HasPrefix(out, "gradsync "+Version+" (") {
			t.Errorf("%s: exit code %d, %q, want %q", args, rc, out, want)
		}
	}
	if rc, out, _ := gradsync("--version", "--json"); rc != exitOK || !strings.Contains(out, `"commit": "`) {
		t.Errorf("--version --json: exit code %d, %s", rc, out)
	}
}
