package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/result"
	"gradsync/internal/shell"
)

// provenance returns a result's sidecar: facts of the host and the hour.
func provenance(start time.Time, wall time.Duration, engine, accelerator string) *result.Run {
	commit, dirty := commit()
	return &result.Run{
		Command: commandLine(os.Args[1:]), Commit: commit, Dirty: dirty, Version: Version,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, CPU: cpu(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Engine: engine, Accelerator: accelerator, Started: start.UTC().Format(time.RFC3339), WallSeconds: wall.Seconds(),
		PeakRSSBytes: peakRSS(),
	}
}

// commandLine writes a command as a result's sidecar and page show it, and anybody may read them:
// folders that are named from the root of a machine's disk keep their last element, and a word with spaces is quoted.
func commandLine(args []string) string {
	said := []string{"gradsync"}
	for _, arg := range args {
		flag, value, given := strings.Cut(arg, "=")
		if !given {
			flag, value = "", arg
		}
		paths := strings.Split(value, ",")
		for i, p := range paths {
			if filepath.IsAbs(p) {
				paths[i] = filepath.Base(p)
			}
		}
		if value = strings.Join(paths, ","); given {
			value = flag + "=" + value
		}
		said = append(said, shell.Quoted(value))
	}
	return strings.Join(said, " ")
}

// commit returns the revision stamped into the binary; where none is (`go run`, a git
// worktree, -buildvcs=false) the folder's, or "unknown". It asks once, and a command that takes
// long asks at its start: HEAD may move meanwhile. The results that a command writes into the
// folder are no change of the program that made them, and neither are those of the command before.
var commit = sync.OnceValues(func() (revision string, dirty bool) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				dirty = s.Value == "true"
			}
		}
		if revision != "" {
			return revision, dirty
		}
	}
	module, err := exec.Command("git", "show", "HEAD:go.mod").Output()
	if err != nil || !strings.HasPrefix(string(module), "module gradsync\n") {
		return "unknown", false // some other repository, or none
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "unknown", false
	}
	status, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)experiments/results").Output()
	return strings.TrimSpace(string(head)), err != nil || len(status) > 0
})

// cpu names the processor where the system says it in a file.
func cpu() string { return procField("/proc/cpuinfo", "model name", runtime.GOARCH) }

// peakRSS returns the process's largest resident set in bytes; 0 where unknown.
func peakRSS() int64 {
	kib, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/self/status", "VmHWM", "0 kB"), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// procField returns the value of the first "key: value" line of a file.
func procField(path, key, otherwise string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return otherwise
	}
	for _, line := range strings.Split(string(raw), "\n") {
		k, v, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return otherwise
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and Go release",
		Example: "  gradsync version --json",
		Args:    args(0, 0, "none"),
		RunE:    func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

// printVersion prints release, commit, Go and system.
func (a *app) printVersion() error {
	revision, dirty := commit()
	if a.json {
		return a.printJSON(map[string]any{"version": Version, "commit": revision, "dirty": dirty,
			"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	if dirty {
		revision += ", modified"
	}
	fmt.Fprintf(a.out, "gradsync %s (%s) %s %s/%s\n", Version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
