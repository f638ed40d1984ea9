package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// prefix begins the names of a lab's network namespaces; the number of the process and the
// number of the worker, or "hub", follow.
const prefix = "gradsync-lab-"

// namespaces joins namespaces: each worker has its own, with its own address and a rate each
// way, and a bridge between them is in one more. The machine's own network is not touched.
type namespaces struct {
	id   string
	mbit []int // by worker
	made []string
}

func newNamespaces(mbit []int) *namespaces {
	return &namespaces{id: prefix + strconv.Itoa(os.Getpid()), mbit: mbit}
}

func (n *namespaces) hub() string        { return n.id + "-hub" }
func (n *namespaces) space(i int) string { return fmt.Sprintf("%s-%d", n.id, i) }
func address(i int) string               { return fmt.Sprintf("10.77.0.%d", i+1) }
func inSpace(ns string, words ...string) []string {
	return append([]string{"ip", "netns", "exec", ns}, words...)
}

// bucket is the time after a pause in which a link passes bytes at any rate. A smaller
// bucket overflows, and the rate is not reached, where the system's timers are late by
// more than it holds.
const bucket = 10 * time.Millisecond

// shape returns tc's words for a rate on a device. The bucket holds one packet of 64 KiB
// at least. Packets wait up to 100 ms for it, so that none is lost.
func shape(device string, mbit int) []string {
	burst := max(64<<10, int(float64(mbit)*1e6/8*bucket.Seconds()))
	return []string{"tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", fmt.Sprintf("%dmbit", mbit), "burst", strconv.Itoa(burst), "latency", "100ms"}
}

// Impossible says why there can be no lab here.
type Impossible struct{ Why string }

func (e *Impossible) Error() string { return e.Why }

// Probe returns an *Impossible where namespaces cannot be made.
func Probe(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return &Impossible{"network namespaces are Linux's, this is " + runtime.GOOS}
	}
	for _, tool := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return &Impossible{"there is no " + tool + " here (Debian: iproute2)"}
		}
	}
	if os.Geteuid() != 0 {
		return &Impossible{"network namespaces need root (CAP_NET_ADMIN)"}
	}
	n := newNamespaces([]int{100})
	defer n.down()
	if err := n.up(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return &Impossible{"network namespaces are not permitted: " + err.Error()}
	}
	return nil
}

// up makes the namespaces. If it fails, down removes the part that was made.
func (n *namespaces) up(ctx context.Context) error {
	hub := func(words ...string) []string { return inSpace(n.hub(), words...) }
	steps := [][]string{{"ip", "netns", "add", n.hub()}, hub("ip", "link", "add", "br0", "type", "bridge"), hub("ip", "link", "set", "br0", "up")}
	n.made = append(n.made, n.hub())
	for i, mbit := range n.mbit {
		ns, port := n.space(i), fmt.Sprintf("p%d", i)
		n.made = append(n.made, ns)
		steps = append(steps,
			[]string{"ip", "netns", "add", ns},
			[]string{"ip", "link", "add", "e0", "netns", ns, "type", "veth", "peer", "name", port, "netns", n.hub()},
			inSpace(ns, "ip", "address", "add", address(i)+"/24", "dev", "e0"),
			inSpace(ns, "ip", "link", "set", "lo", "up"), inSpace(ns, "ip", "link", "set", "e0", "up"),
			hub("ip", "link", "set", port, "master", "br0", "up"),
			inSpace(ns, shape("e0", mbit)...), hub(shape(port, mbit)...))
	}
	for _, words := range steps {
		if err := command(ctx, words); err != nil {
			return err
		}
	}
	return nil
}

// down removes all namespaces that up made, also after an interrupt.
func (n *namespaces) down() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var all error
	for _, ns := range n.made {
		if _, err := os.Stat(filepath.Join("/run/netns", ns)); err == nil {
			all = errors.Join(all, command(ctx, []string{"ip", "netns", "delete", ns}))
		}
	}
	n.made = nil
	return all
}

// command runs a command; its error has the command's output.
func command(ctx context.Context, words []string) error {
	said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("lab: %s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// Sweep removes the namespaces of labs whose process was killed.
func Sweep(ctx context.Context) error {
	left, _ := filepath.Glob("/run/netns/" + prefix + "*") // the pattern is a good one
	var all error
	for _, path := range left {
		ns := filepath.Base(path)
		pid, _, _ := strings.Cut(strings.TrimPrefix(ns, prefix), "-")
		if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
			all = errors.Join(all, command(ctx, []string{"ip", "netns", "delete", ns}))
		}
	}
	return all
}
