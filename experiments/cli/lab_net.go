package cli

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

// labPrefix begins the names of a lab's network namespaces; the process's number
// follows, and that of the worker, or "hub".
const labPrefix = "gradsync-lab-"

// labNet is a network of namespaces: each worker in its own, with its own address
// and a rate each way, and a bridge between them in one more. Nothing of it
// touches the machine's own network.
type labNet struct {
	id   string
	mbit []int // by worker
	made []string
}

func newLabNet(mbit []int) *labNet {
	return &labNet{id: labPrefix + strconv.Itoa(os.Getpid()), mbit: mbit}
}

func (n *labNet) hub() string        { return n.id + "-hub" }
func (n *labNet) space(i int) string { return fmt.Sprintf("%s-%d", n.id, i) }
func labAddress(i int) string        { return fmt.Sprintf("10.77.0.%d", i+1) }
func inSpace(ns string, words ...string) []string {
	return append([]string{"ip", "netns", "exec", ns}, words...)
}

// labBucket is how long a link may pass what comes at any rate after a pause. A
// smaller bucket overflows, and the rate is not reached, where the system's
// timers are late by more than it holds.
const labBucket = 10 * time.Millisecond

// shape are tc's words for a rate on a device: a bucket of labBucket, and a packet
// of 64 KiB at least. Packets wait up to 100 ms for it, so that none is lost.
func shape(device string, mbit int) []string {
	burst := max(64<<10, int(float64(mbit)*1e6/8*labBucket.Seconds()))
	return []string{"tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", fmt.Sprintf("%dmbit", mbit), "burst", strconv.Itoa(burst), "latency", "100ms"}
}

// labImpossible is why there is no lab here: nothing that a lab can mend.
type labImpossible struct{ why string }

func (e *labImpossible) Error() string { return e.why }

// probe returns a *labImpossible where namespaces cannot be made.
func probeLab(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return &labImpossible{"network namespaces are Linux's, this is " + runtime.GOOS}
	}
	for _, tool := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return &labImpossible{"there is no " + tool + " here (Debian: iproute2)"}
		}
	}
	if os.Geteuid() != 0 {
		return &labImpossible{"network namespaces need root (CAP_NET_ADMIN)"}
	}
	n := newLabNet([]int{100})
	defer n.down()
	if err := n.up(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return &labImpossible{"network namespaces are not permitted: " + err.Error()}
	}
	return nil
}

// up makes the network. What was made is there for down also if that fails.
func (n *labNet) up(ctx context.Context) error {
	hub := func(words ...string) []string { return inSpace(n.hub(), words...) }
	steps := [][]string{{"ip", "netns", "add", n.hub()}, hub("ip", "link", "add", "br0", "type", "bridge"), hub("ip", "link", "set", "br0", "up")}
	n.made = append(n.made, n.hub())
	for i, mbit := range n.mbit {
		ns, port := n.space(i), fmt.Sprintf("p%d", i)
		n.made = append(n.made, ns)
		steps = append(steps,
			[]string{"ip", "netns", "add", ns},
			[]string{"ip", "link", "add", "e0", "netns", ns, "type", "veth", "peer", "name", port, "netns", n.hub()},
			inSpace(ns, "ip", "address", "add", labAddress(i)+"/24", "dev", "e0"),
			inSpace(ns, "ip", "link", "set", "lo", "up"), inSpace(ns, "ip", "link", "set", "e0", "up"),
			hub("ip", "link", "set", port, "master", "br0", "up"),
			inSpace(ns, shape("e0", mbit)...), hub(shape(port, mbit)...))
	}
	for _, words := range steps {
		if err := labRun(ctx, words); err != nil {
			return err
		}
	}
	return nil
}

// down removes all that was made, also after an interrupt.
func (n *labNet) down() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var all error
	for _, ns := range n.made {
		if _, err := os.Stat(filepath.Join("/run/netns", ns)); err == nil {
			all = errors.Join(all, labRun(ctx, []string{"ip", "netns", "delete", ns}))
		}
	}
	n.made = nil
	return all
}

// labRun runs a command; its error says what it said.
func labRun(ctx context.Context, words []string) error {
	said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("lab: %s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// sweepLabs removes the namespaces of labs whose process was killed.
func sweepLabs(ctx context.Context) error {
	left, _ := filepath.Glob("/run/netns/" + labPrefix + "*") // the pattern is a good one
	var all error
	for _, path := range left {
		ns := filepath.Base(path)
		pid, _, _ := strings.Cut(strings.TrimPrefix(ns, labPrefix), "-")
		if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
			all = errors.Join(all, labRun(ctx, []string{"ip", "netns", "delete", ns}))
		}
	}
	return all
}
