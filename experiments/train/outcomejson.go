package train

import "encoding/json"

// MarshalJSON writes null where there is nothing to tell: times and shares of
// no pushes, engine and parameters of a run that computed none. A 0 would read
// as a measurement.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type plain Outcome
	p := struct {
		plain
		Iteration    iterationJSON       `json:"iteration_seconds"`
		StateShare   map[string]*float64 `json:"state_share"`
		ParamsSHA256 *string             `json:"params_sha256"`
		Engine       *string             `json:"engine"`
	}{plain: plain(o), StateShare: map[string]*float64{}, ParamsSHA256: orNull(o.ParamsSHA256), Engine: orNull(o.Engine)}
	for state, share := range o.StateShare {
		p.StateShare[state] = unless(o.Answered == 0, share)
	}
	t := o.Iteration
	p.Iteration = iterationJSON{PerWorker: unless(o.Answered == 0, t.PerWorker), PerPush: unless(o.Answered == 0, t.PerPush),
		PerUpdate: unless(o.Answered == 0 || t.PerUpdate == 0, t.PerUpdate), ByWorker: []*float64{}}
	for _, s := range t.ByWorker {
		p.Iteration.ByWorker = append(p.Iteration.ByWorker, unless(s == 0, s)) // an iteration takes time: 0 is a mean of none
	}
	return json.Marshal(p)
}

// iterationJSON is IterationTime with null for a mean of nothing.
type iterationJSON struct {
	PerWorker *float64   `json:"per_worker"`
	PerPush   *float64   `json:"per_push"`
	PerUpdate *float64   `json:"per_update"` // null also with fewer than two updates after the warm-up
	ByWorker  []*float64 `json:"by_worker"`
}

// unless is &v, or nil where nothing is known.
func unless(nothing bool, v float64) *float64 {
	if nothing {
		return nil
	}
	return &v
}

// orNull is &s, or nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
