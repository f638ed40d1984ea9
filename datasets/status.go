package datasets

import "fmt"

// States of a data set on this machine.
const (
	StateReady      = "ready"      // List: lies there, not read; Verify: read, and the official images
	StateBroken     = "broken"     // lies there and cannot be used; Detail says why
	StateUnofficial = "unofficial" // readable, but other images than the official ones
	StateAbsent     = "absent"     // nowhere; `gradsync data fetch` gets it
	StateBuiltIn    = "built-in"   // embedded or synthetic, always there
	StateOwn        = "own"        // List: own images lie there, not read; Verify: read, and those of the sidecar
)

// Status holds what `gradsync data list` and `gradsync data verify` report of a set.
type Status struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	State    string   `json:"state"`
	Origin   string   `json:"origin,omitempty"` // as in Set
	Path     string   `json:"path,omitempty"`
	Detail   string   `json:"detail,omitempty"`
	Train    int      `json:"train"` // images
	Test     int      `json:"test"`
	Shape    [3]int   `json:"shape"` // channels, height, width
	Licence  string   `json:"licence"`
	SHA256   string   `json:"sha256,omitempty"` // of the content; Verify only
	Download int64    `json:"download_bytes"`   // what Fetch would get; 0: nothing to fetch
	Looked   []string `json:"looked,omitempty"` // places without the set
}

// List reports every set without reading one: the place where Open would find it.
// An error means that a place named by the user does not exist.
func List(o Options) ([]Status, error) {
	var all []Status
	for _, e := range entries {
		st, err := e.locate(o)
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	all = append(all, syntheticStatus())
	own, err := Own(o)
	if err != nil {
		return nil, err
	}
	for _, name := range own {
		st, _, err := locateOwn(name, o)
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	return all, nil
}

// locateOwn finds a set of own images and says what its sidecar does. A name that none has
// gives *UnknownError.
func locateOwn(name string, o Options) (Status, *ownPlace, error) {
	st := Status{Name: name, Title: name, State: StateOwn}
	at, err := findOwn(name, o)
	if err != nil {
		return st, nil, err
	}
	if at == nil {
		own, err := Own(o)
		if err == nil {
			err = &UnknownError{name, own}
		}
		return st, nil, err
	}
	st.Origin, st.Path = at.place.origin, at.folder
	side, err := readSidecar(at.folder)
	if err != nil {
		st.State, st.Detail = StateBroken, err.Error()
		return st, at, nil
	}
	st.Train, st.Test, st.Shape, st.Detail = total(side.Train), total(side.Test), [3]int{side.Channels, side.Side, side.Side}, side.note()
	return st, at, nil
}

// verifyOwn reads a set of own images completely.
func verifyOwn(name string, o Options) (Status, error) {
	st, at, err := locateOwn(name, o)
	if err != nil || st.State == StateBroken {
		return st, err
	}
	s, _, err := at.load(name)
	if err != nil {
		st.State, st.Detail = StateBroken, err.Error()
		return st, nil
	}
	st.SHA256 = s.SHA256
	return st, nil
}

// locate finds the first place that holds a set.
func (e *entry) locate(o Options) (Status, error) {
	st := e.status()
	for _, p := range o.places() {
		if err := p.check(); err != nil {
			return st, err
		}
		if f := findDir(e, p.dir); len(f) > 0 {
			st.State, st.Origin, st.Path = StateReady, p.origin, f[0].path
			return st, nil
		}
		st.Looked = append(st.Looked, p.label)
	}
	if e.Name == fashionMNIST {
		return st, st.builtIn()
	}
	st.State = StateAbsent
	st.Detail = "`gradsync data fetch " + e.Name + "` downloads it"
	return st, nil
}

// Verify reads a set where Open would find it and compares its images with the
// official ones, or own images with their sidecar. A broken set is reported in the Status, not as an error; an error
// means an unknown name or a place named by the user that does not exist.
func Verify(name string, o Options) (Status, error) {
	if name == synthetic {
		return syntheticStatus(), nil
	}
	e, err := lookup(name)
	if err != nil {
		return verifyOwn(name, o)
	}
	at, err := e.locate(o)
	if err != nil {
		return at, err
	}
	s, looked, err := openPlaces(e, o)
	at.Looked = looked
	switch {
	case err != nil:
		at.State, at.Detail = StateBroken, err.Error()
	case s == nil && name == fashionMNIST:
		return at, at.builtIn()
	case s == nil: // absent, or the files found are another set's
		at = e.status()
		at.State, at.Looked, at.Detail = StateAbsent, looked, (&notFoundError{name, looked}).Error()
	default:
		at.Origin, at.Path, at.SHA256 = s.Origin, s.Path, s.SHA256
		at.State, at.Detail = StateReady, "the official images"
		if s.SHA256 != e.Content {
			at.State, at.Detail = StateUnofficial, s.Note
		}
	}
	return at, nil
}

// status returns what the manifest says of a set.
func (e *entry) status() Status {
	st := Status{Name: e.Name, Title: e.Title, Train: e.Train, Test: e.Test, Shape: [3]int{e.C, e.H, e.W}, Licence: e.Licence}
	for _, d := range e.Downloads {
		st.Download += d.Size
	}
	return st
}

// builtIn makes s the embedded subset's status.
func (s *Status) builtIn() error {
	sub, err := openEmbedded()
	if err != nil {
		return err
	}
	s.State, s.Origin, s.SHA256 = StateBuiltIn, OriginEmbedded, sub.SHA256
	s.Path, s.Train, s.Test = "", sub.Train.Len(), sub.Test.Len()
	s.Detail = fmt.Sprintf("%s; `gradsync data fetch %s` gets the whole set", subsetNote(sub), fashionMNIST)
	return nil
}

// syntheticStatus returns the status of the set that is always there.
func syntheticStatus() Status {
	s := Synthetic(SyntheticConfig{})
	return Status{
		Name: synthetic, Title: "Synthetic", State: StateBuiltIn, Origin: originSynthetic, Licence: s.Licence, Detail: s.Note,
		Train: s.Train.Len(), Test: s.Test.Len(), Shape: [3]int{s.Train.C, s.Train.H, s.Train.W}, SHA256: s.SHA256,
	}
}
