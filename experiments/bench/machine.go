package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

// Machine describes where a report was measured, as pairs of name and value.
func Machine() [][2]string {
	out := [][2]string{
		{"processor", field("/proc/cpuinfo", "model name", runtime.GOARCH)},
		{"family, model, stepping", strings.Join([]string{field("/proc/cpuinfo", "cpu family", "?"), field("/proc/cpuinfo", "model", "?"),
			field("/proc/cpuinfo", "stepping", "?")}, ", ")},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"memory", memory()},
		{"system", strings.Trim(field("/etc/os-release", "PRETTY_NAME", runtime.GOOS), `"`) + ", " + runtime.GOOS + "/" + runtime.GOARCH},
		{"Go", runtime.Version()},
	}
	if limit := os.Getenv("GRADSYNC_CPU"); limit != "" {
		out = append(out, [2]string{"GRADSYNC_CPU", limit})
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "gonum.org/v1/gonum" || m.Path == "gorgonia.org/gorgonia" {
				out = append(out, [2]string{m.Path, m.Version})
			}
		}
	}
	return out
}

// Busy returns a warning if half a core or more was in use before the run; "" if not, or if the
// system does not tell.
func Busy() string {
	loads := load()
	if last, err := strconv.ParseFloat(loads[0], 64); err != nil || last < 0.5 {
		return ""
	}
	return fmt.Sprintf("Other programs ran when this began (load average %s on %d cores): speeds are low, spreads are wide, and ratios by CPU "+
		"time say more than those by wall time.", loads[0], runtime.NumCPU())
}

// ReadLoad sleeps for a pause and says how many processors others used meanwhile. The load average
// of a minute cannot tell that, since what was measured last is in it.
func ReadLoad(ctx context.Context, pause time.Duration) (Load, error) {
	out := Load{Cores: -1, Average: -1}
	busy, all := ticks()
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return out, ctx.Err()
	}
	if b, a := ticks(); a > all {
		out.Cores = (b - busy) / (a - all) * float64(runtime.NumCPU())
	}
	if average, err := strconv.ParseFloat(load()[0], 64); err == nil {
		out.Average = average
	}
	return out, nil
}

// ticks returns how long all processors together were busy since the system began, and that with the time
// that they had nothing to do; 0 where the system does not say.
func ticks() (busy, all float64) {
	text, err := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	f := strings.Fields(line)
	if err != nil || len(f) < 9 || f[0] != "cpu" {
		return 0, 0
	}
	for i, word := range f[1:9] { // what guests used is in the first two
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0, 0
		}
		all += n
		if i != 3 && i != 4 { // idle, waiting for a disk
			busy += n
		}
	}
	return busy, all
}

// field returns the value of the first "key: value" or "key=value" line of a file.
func field(path, key, otherwise string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return otherwise
	}
	for line := range strings.Lines(string(text)) {
		at := strings.IndexAny(line, ":=")
		if at > 0 && strings.TrimSpace(line[:at]) == key {
			return strings.TrimSpace(line[at+1:])
		}
	}
	return otherwise
}

// MachineMemory returns the machine's memory in bytes, 0 where the system does not say.
func MachineMemory() float64 {
	var kib float64
	if _, err := fmt.Sscanf(field("/proc/meminfo", "MemTotal", ""), "%g kB", &kib); err != nil {
		return 0
	}
	return kib * 1024
}

func memory() string {
	if bytes := MachineMemory(); bytes > 0 {
		return fmt.Sprintf("%.1f GiB", bytes/(1<<30))
	}
	return "unknown"
}

// load returns the mean number of running processes over 1, 5 and 15 minutes: a busy machine
// measures low.
func load() []string {
	text, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 {
		return []string{"unknown"}
	}
	return f[:3]
}

// coreType is the variable that tells OpenBLAS which kernels to use.
const coreType = "OPENBLAS_CORETYPE"

// environ returns a worker's environment. An OpenBLAS older than its processor falls back to
// kernels of 2004, which would flatter whoever is compared with it (and with PyTorch's linear
// layers), so it is told what the processor can do, unless the user has told it.
func environ(more ...string) []string {
	env := append(os.Environ(), more...)
	if _, told := os.LookupEnv(coreType); told {
		return env
	}
	switch x := cpu.X86; {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		env = append(env, coreType+"=SkylakeX")
	case x.HasAVX2 && x.HasFMA:
		env = append(env, coreType+"=Haswell")
	}
	return env
}

// WithEnvironment gives a worker's command its environment and the further variables of more,
// "KEY=value".
func WithEnvironment(cmd *exec.Cmd, more ...string) *exec.Cmd {
	cmd.Env = environ(more...)
	return cmd
}

// MaxFile is the size in bytes of the largest report, or file of measurements, that is read.
const MaxFile = 16 << 20
