package train

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"gradsync/datasets"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// opened keeps the sets of this process: an experiment trains many times on one.
var opened = struct {
	sync.Mutex
	sets map[[3]string]*datasets.Set
}{sets: map[[3]string]*datasets.Set{}}

// OpenData opens the data set called name. If name is "", it opens the set that the documents train
// the model on or, where that is not found, the embedded one. A set is read once per process.
func OpenData(name, dir, modelName string) (*datasets.Set, error) {
	paper := name == ""
	key := [3]string{name, dir, os.Getenv(datasets.EnvDir)}
	if paper {
		key[0] = "paper:" + paperData(modelName)
	}
	opened.Lock()
	defer opened.Unlock()
	if s, ok := opened.sets[key]; ok {
		return s, nil
	}
	var s *datasets.Set
	var err error
	if paper {
		s, err = datasets.OpenFor(paperData(modelName), datasets.Options{Dir: dir})
	} else {
		s, err = datasets.Open(name, datasets.Options{Dir: dir})
	}
	if err == nil {
		opened.sets[key] = s
	}
	return s, err
}

// own reports whether Data names a set of own images.
func (c *Config) own() bool {
	return c.Data != "" && !c.TimingOnly && !slices.Contains(datasets.Names(), c.Data)
}

// Follow lets Classes and Image follow from a set of own images where they are 0: as many logits
// as the set has classes, and, of a network that takes several sizes, the set's own side. It
// changes nothing for other sets. A name that no set has is an *InputError.
func (c *Config) Follow() error {
	if !c.own() {
		return nil
	}
	set, err := OpenData(c.Data, c.DataDir, c.Model)
	var unknown *datasets.UnknownError
	if errors.As(err, &unknown) {
		return input(err)
	}
	if err != nil {
		return err
	}
	if c.Classes == 0 {
		c.Classes = set.Classes
	}
	if side := set.Train.H; c.Image == 0 && takes(c.Model, side) {
		c.Image = side
	}
	return nil
}

// takes reports whether a network takes several sizes of images, that one among them.
func takes(name string, side int) bool {
	for _, image := range append(dataSides, side) {
		if _, err := model.Build(model.Spec{Name: name, Image: image}); err != nil {
			return false
		}
	}
	return true
}

// Fitting lists the networks that a set's images fit, as they are or as Adaptation changes them.
func Fitting(set *datasets.Set) (names []string) {
	for _, name := range model.Names() {
		spec := model.Spec{Name: name}
		if takes(name, set.Train.H) {
			spec.Image = set.Train.H
		}
		if m, err := model.Build(spec); err == nil {
			if _, err := set.Adaptation(m.Input()); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// raws keeps the unnormalised forms of opened sets.
var raws = struct {
	sync.Mutex
	sets map[*datasets.Set]*datasets.Set
}{sets: map[*datasets.Set]*datasets.Set{}}

// unnormalised returns the set with pixels as shares of 255, made once.
func unnormalised(s *datasets.Set) *datasets.Set {
	raws.Lock()
	defer raws.Unlock()
	if raws.sets[s] == nil {
		u := s.Unnormalised()
		if u.Note != "" {
			u.Note += "; "
		}
		u.Note += "pixels as shares of 255, black is 0"
		raws.sets[s] = u
	}
	return raws.sets[s]
}

// few keeps the sets of the first classes.
var few = struct {
	sync.Mutex
	sets map[fewOf]*datasets.Set
}{sets: map[fewOf]*datasets.Set{}}

type fewOf struct {
	set     *datasets.Set
	classes int
}

// firstClasses returns the set's first classes alone, made once.
func firstClasses(s *datasets.Set, n int) (*datasets.Set, error) {
	few.Lock()
	defer few.Unlock()
	k := fewOf{s, n}
	if few.sets[k] == nil {
		f, err := s.FirstClasses(n)
		if err != nil {
			return nil, err
		}
		few.sets[k] = f
	}
	return few.sets[k], nil
}

// paperData returns what the documents train each model on.
func paperData(model string) string {
	if model == "lenet5" || model == "mlp" {
		return "mnist"
	}
	return "cifar-10"
}

// dataOf describes the set as the model sees it. The note of an embedded set in
// a paper's place may name the adaptation already, or that to the size of
// CIFAR-10, of which the model's takes the place.
func dataOf(s *datasets.Set, m *model.Model) *result.Data {
	d := &result.Data{Name: s.Name, Origin: s.Origin, Train: s.Train.Len(), Test: s.Test.Len(), SHA256: s.SHA256, Note: s.Note}
	c, h, w := m.Input()
	how, err := s.Adaptation(c, h, w)
	if err != nil || how == "" || strings.Contains(d.Note, how) {
		return d
	}
	if full, err := s.Adaptation(c, 32, 32); err == nil && full != "" && strings.Contains(d.Note, full) {
		d.Note = strings.Replace(d.Note, full, how, 1)
		return d
	}
	if d.Note != "" {
		d.Note += "; "
	}
	d.Note += how
	return d
}

// Images holds a network, the engine that computes its gradients, and its images, for an experiment
// that has a training loop of its own.
type Images struct {
	Model  *model.Model
	Engine tensor.Engine
	Made   string // the engine's name and its bit class
	Set    *datasets.Set
}

// OpenImages finds the engine of env, builds the network and opens what the documents train
// it on.
func OpenImages(env exp.Env, spec model.Spec) (x Images, err error) {
	if x.Engine, err = tensor.Lookup(cmp.Or(env.Engine, "portable")); err != nil {
		return x, fmt.Errorf("train: %w", err)
	}
	if x.Model, err = model.Build(spec); err != nil {
		return x, fmt.Errorf("train: %w", err)
	}
	x.Made = fmt.Sprintf("%s (bit class %s)", x.Engine.Name(), x.Engine.Class())
	x.Set, err = OpenData("", env.DataDir, spec.Name)
	return x, err
}

// Data describes the images as the set has them, before they are resized for a network.
func (x Images) Data() *result.Data {
	return &result.Data{Name: x.Set.Name, Origin: x.Set.Origin, Train: x.Set.Train.Len(), Test: x.Set.Test.Len(), SHA256: x.Set.SHA256, Note: x.Set.Note}
}

// Start draws the initial parameters.
func (x Images) Start(seed uint64) []float32 {
	w := make([]float32, x.Model.NumParams())
	x.Model.Init(w, cluster.Stream(seed, -1, "data", "init"))
	return w
}

// Gradients computes gradients of batches of one size. Several goroutines may share it, which
// hold no more workspaces than a device has room for.
type Gradients struct {
	set  *datasets.Set
	pool *pool
}

// Gradients makes workspaces when they are needed; Close gives them back.
func (x Images) Gradients(batch int) *Gradients {
	bound := 0
	if d, ok := x.Engine.(tensor.Device); ok {
		bound = d.Workspaces()
	}
	return &Gradients{x.Set, newPool(x.Model, batch, bound, func(batch int) (model.Stepper, error) {
		return x.Model.NewWorkspace(x.Engine, batch, 1), nil
	})}
}

// Mean writes the gradient of the mean loss of training images, a batch at most, and returns
// that loss. on is called as model.Workspace's.
func (g *Gradients) Mean(params, grads []float32, images []int, on tensor.OnGrad) (float64, error) {
	w, err := g.pool.borrow()
	if err != nil {
		return 0, err
	}
	defer g.pool.giveBack(w)
	if err := w.fill(g.set, &g.set.Train, images); err != nil {
		return 0, err
	}
	return w.stepper.Gradient(params, grads, w.x, w.labels, on)
}

// Close gives back what a device lent, when nobody computes.
func (g *Gradients) Close() error { return g.pool.close() }
