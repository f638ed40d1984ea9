package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine is where a report was measured, as pairs of name and value.
func Machine() [][2]string {
	return [][2]string{
		{"processor", field("/proc/cpuinfo", "model name", runtime.GOARCH)},
		{"family, model, stepping", strings.Join([]string{field("/proc/cpuinfo", "cpu family", "?"), field("/proc/cpuinfo", "model", "?"), field("/proc/cpuinfo", "stepping", "?")}, ", ")},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"memory", memory()},
		{"system", strings.Trim(field("/etc/os-release", "PRETTY_NAME", runtime.GOOS), `"`) + ", " + runtime.GOOS + "/" + runtime.GOARCH},
		{"Go", runtime.Version()},
		{"load average before the run", load()},
	}
}

// field is the value of the first "key: value" or "key=value" line of a file.
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

func memory() string {
	var kib float64
	if _, err := fmt.Sscanf(field("/proc/meminfo", "MemTotal", ""), "%g kB", &kib); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.1f GiB", kib/(1<<20))
}

// load is the mean number of running processes over 1, 5 and 15 minutes: a busy
// machine measures low.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], ", ")
}
