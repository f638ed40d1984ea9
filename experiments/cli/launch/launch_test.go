package launch

import (
	"fmt"
	"net"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"gradsync/internal/oktest"
	"gradsync/shared/cluster/tcp"
)

// A process reads the place that launch has told it.
func TestPlaceRoundTrip(t *testing.T) {
	for _, m := range []tcp.Config{
		{Rank: 0, Size: 1, Job: "j", Rendezvous: "a:1", Host: true, Insecure: true},
		{Rank: 1, Size: 2, Job: "j", Rendezvous: "a:1", Certs: "c", Elastic: true},
		{Rank: 3, Size: 4, Job: "a b=c", Rendezvous: "[::1]:29571", Listen: "10.0.0.2", Certs: "a b", Timeout: 2500 * time.Millisecond, Join: time.Minute},
	} {
		if got, ok, err := Place(environment(variables(m))); err != nil || !ok || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v, %v, %v; want %+v", got, ok, err, m)
		}
	}
	if _, ok, err := Place(environment(nil)); ok || err != nil {
		t.Errorf("a process that nobody launched: %v, %v", ok, err)
	}
}

// environment looks variables up in "KEY=value" words.
func environment(words []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, w := range words {
			if key, value, _ := strings.Cut(w, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
}

// A variable that is missing or unreadable is named.
func TestPlaceErrors(t *testing.T) {
	if _, ok, err := Place(environment([]string{envSize + "=2", envRendezvous + "=a:1", envJob + "=j"})); ok || err == nil ||
		!strings.Contains(err.Error(), envRank) {
		t.Errorf("no rank: %v, %v", ok, err)
	}
	good := variables(tcp.Config{Rank: 1, Size: 2, Job: "j", Rendezvous: "a:1", Timeout: time.Second, Host: true})
	for change, want := range map[string]string{
		envRank + "=x": envRank, envRank + "=2": "not below", envSize + "=0": envSize, envSize + "=99999999999": envSize, envJob + "=": envJob +
			" is missing", envJob + "=a\nb": "U+000A",
		envRendezvous + "=a": "want host:port", envRendezvous + "=:5": "want host:port", envRendezvous + "=a:0": "want host:port",
		envTimeout + "=5": envTimeout, envTimeout + "=-1s": envTimeout,
		envTimeout + "=5ns": "want a duration of 10ms at least", envHost + "=perhaps": envHost, envRank + "=": envRank,
	} {
		_, ok, err := Place(environment(append([]string{change}, good...))) // the first counts
		if ok || err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "environment: ") {
			t.Errorf("%s: %v, %v; want %q", change, ok, err, want)
		}
	}
}

func TestParseHosts(t *testing.T) {
	got, err := ParseHosts("a:2, b,10.0.0.1:3,[fe80::1]:4,[::1]")
	want := []HostSlots{{"a", 2}, {"b", 1}, {"10.0.0.1", 3}, {"fe80::1", 4}, {"::1", 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for list, want := range map[string]string{
		"": "want host:slots", "a:0": "slots from 1", "a:x": "slots from 1", "a:1,,b:1": "want host:slots", "a:1,a:2": "a stands twice", "fe80::1:4": "brackets",
		":3": "want host:slots", "-oProxyCommand=x:1": "want host:slots", "a b:1": "want host:slots", "a;b:1": "want host:slots", "a:99999999": "slots from 1",
	} {
		if got, err := ParseHosts(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", list, got, err, want)
		}
	}
}

// Ranks are processes; with a server the last process is rank 0.
func TestAssign(t *testing.T) {
	hosts := []HostSlots{{"a", 2}, {"b", 1}}
	for server, want := range map[bool]string{false: "[{0 0 a} {1 1 a} {2 2 b}]", true: "[{0 1 a} {1 2 a} {2 0 b}]"} {
		got, err := Assign(hosts, 3, server)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("server %v: %v, %v; want %s", server, got, err, want)
		}
		if home := HostOf(got, 0); home != map[bool]string{false: "a", true: "b"}[server] {
			t.Errorf("server %v: rank 0 is on %s", server, home)
		}
	}
	if _, err := Assign(hosts, 4, false); err == nil || err.Error() != "--np 4, but --hosts has 3 slots" {
		t.Error(err)
	}
}

func TestFreeAddress(t *testing.T) {
	address, err := FreeAddress("127.0.0.1")
	if err != nil || CheckAddress(address) != nil {
		t.Fatalf("%q, %v", address, err)
	}
	l := oktest.Must(net.Listen("tcp", address))(t)
	l.Close()
}

// Free addresses have ports that neither Linux (32768 and above) nor others (49152 and above) give to who asks for any, nor
// that of jobs on several hosts.
func TestFreeAddressIsNobodysByChance(t *testing.T) {
	seen := map[string]bool{}
	for range 20 {
		address := oktest.Must(FreeAddress("127.0.0.1"))(t)
		seen[address] = true
		_, port, _ := net.SplitHostPort(address)
		if n, err := strconv.Atoi(port); err != nil || n < 20_000 || port >= Port {
			t.Errorf("address %s", address)
		}
	}
	if len(seen) == 1 {
		t.Errorf("always %v", seen)
	}
	if _, err := FreeAddress("192.0.2.1"); err == nil {
		t.Error("an address of another machine is free here")
	}
}
