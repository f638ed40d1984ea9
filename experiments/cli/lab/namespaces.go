package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// ErrImpossible says that there can be no lab here.
var ErrImpossible = errors.New("network namespaces need Linux, root and iproute2")

// namespaces joins namespaces: each rank has its own, with its own address and a rate each way, and a bridge between
// them is in one more, the hub.
type namespaces struct {
	mbit []int // by rank
	made []string
}

func (n *namespaces) hub() string        { return fmt.Sprintf("gradsync-lab-%d-hub", os.Getpid()) }
func (n *namespaces) space(i int) string { return fmt.Sprintf("gradsync-lab-%d-%d", os.Getpid(), i) }
func address(i int) string               { return fmt.Sprintf("10.77.0.%d", i+1) }

// inSpace returns a command that runs in a namespace.
func inSpace(ns string, words ...string) []string {
	return append([]string{"ip", "netns", "exec", ns}, words...)
}

// shape returns tc's words for a rate on a device. The bucket holds 10 ms of it, and one packet of 64 KiB at least: a
// smaller one overflows, and the rate is not reached, where the system's timers are late by more. Packets wait up to 100 ms
// for it, so that none is lost.
func shape(device string, mbit int) []string {
	burst := max(64<<10, mbit*1e6/8/100)
	return strings.Fields(fmt.Sprintf("tc qdisc replace dev %s root tbf rate %dmbit burst %d latency 100ms", device, mbit, burst))
}

// up makes the namespaces. If it fails, which is ErrImpossible, down removes the part that was made.
func (n *namespaces) up(ctx context.Context) error {
	in := func(ns, line string) []string { return inSpace(ns, strings.Fields(line)...) }
	steps := [][]string{{"ip", "netns", "add", n.hub()}, in(n.hub(), "ip link add br0 type bridge"), in(n.hub(), "ip link set br0 up")}
	for i, mbit := range n.mbit {
		ns, port := n.space(i), "p"+strconv.Itoa(i)
		steps = append(steps, []string{"ip", "netns", "add", ns},
			strings.Fields("ip link add e0 netns "+ns+" type veth peer name "+port+" netns "+n.hub()),
			in(ns, "ip address add "+address(i)+"/24 dev e0"), in(ns, "ip link set lo up"), in(ns, "ip link set e0 up"),
			in(n.hub(), "ip link set "+port+" master br0 up"), inSpace(ns, shape("e0", mbit)...), inSpace(n.hub(), shape(port, mbit)...))
	}
	for _, words := range steps {
		said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
		if err != nil {
			return errors.Join(ctx.Err(), fmt.Errorf("%w: %s: %w: %s", ErrImpossible, strings.Join(words, " "), err, strings.TrimSpace(string(said))))
		}
		if words[2] == "add" && words[1] == "netns" {
			n.made = append(n.made, words[3])
		}
	}
	return nil
}

// down removes all namespaces that up made, also after an interrupt.
func (n *namespaces) down() (err error) {
	for _, ns := range n.made {
		err = errors.Join(err, exec.Command("ip", "netns", "delete", ns).Run())
	}
	return err
}
