package walk

import (
	"strings"
	"testing"
	"time"

	"gradsync/experiments/dasp/retrace"
	"gradsync/papers/dasp"
)

func TestTimelineNamesWaits(t *testing.T) {
	ms := time.Millisecond
	l := &dasp.Log{Workers: 1, Pushes: []dasp.Push{
		{Sent: 0, Received: 2 * ms, Replied: 3 * ms, State: dasp.WSS},
		{Sent: 3 * ms, Received: 5 * ms, Replied: 5 * ms, State: 0},
	}, End: 5 * ms}
	for method, want := range map[string]string{"dasp": "compute WSS compute", "ssp": "compute at-once compute"} {
		var got []string
		for _, s := range retrace.Stretches(method, l, shownUntil(l)) {
			got = append(got, s.State)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", method, got, want)
		}
	}
}
