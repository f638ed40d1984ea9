//gradsync:pure

package dasp

// State is a worker's synchronisation state.
//
// Source: §2.2
type State uint8

// The three states, from free to held.
const (
	// QIS, quick iteration state: v_n − v_min ≤ Smin; answered at once.
	QIS State = iota + 1
	// WSS, weak synchronisation state: Smin < v_n − v_min ≤ Smax; answered after
	// T_wait, eq. (1).
	WSS
	// FSS, force synchronisation state: v_n − v_min > Smax; answered when the
	// worker with the oldest version has completed its iteration.
	FSS
)

// String returns the paper's abbreviation, "-" for no state.
func (s State) String() string {
	switch s {
	case QIS:
		return "QIS"
	case WSS:
		return "WSS"
	case FSS:
		return "FSS"
	}
	return "-"
}
