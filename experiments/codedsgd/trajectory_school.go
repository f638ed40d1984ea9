package codedsgd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
)

// school trains, each part once per command: what several figures need is in the
// memo, under a key of everything that decides its numbers.
type school struct {
	ctx context.Context
	env exp.Env

	mu          sync.Mutex            // guards what follows, the memo and the progress
	kept        map[string]trajectory // of this experiment, by key
	done, total float64
}

// lesson is a training with the words that its progress is told in.
type lesson struct {
	what string
	cfg  train.Config
}

// all trains several lessons, as many at once as there are cores: a synchronous
// trajectory has one node and keeps one of them busy. The order of results is that of
// the lessons, and no training knows of another.
func (s *school) all(lessons []lesson) ([]trajectory, error) {
	out, errs := make([]trajectory, len(lessons)), make([]error, len(lessons))
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, l := range lessons {
		cores <- struct{}{}
		group.Go(func() {
			defer func() { <-cores }()
			out[i], errs[i] = s.get(l)
		})
	}
	group.Wait()
	return out, errors.Join(errs...)
}

// get trains one lesson, or loads what an earlier figure or an interrupted command left.
func (s *school) get(l lesson) (t trajectory, err error) {
	cfg := l.cfg
	cfg.Engine, cfg.DataDir = s.env.Engine, s.env.DataDir
	key, err := trajectoryKey(cfg)
	if err != nil {
		return t, err
	}
	if t, ok := s.load(key); ok {
		s.tell(l)
		return t, nil
	}
	if err := s.ctx.Err(); err != nil {
		return t, err
	}
	o, err := train.Run(s.ctx, cfg)
	if err != nil {
		return t, fmt.Errorf("codedsgd: %s: %w", l.what, err)
	}
	t = trajectoryOf(o)
	if err := s.save(key, t); err != nil {
		return t, err
	}
	s.tell(l)
	return t, nil
}

func (s *school) load(key string) (t trajectory, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok = s.kept[key]; ok || s.env.Memo == nil {
		return t, ok
	}
	return t, s.env.Memo.Load(key, &t)
}

func (s *school) save(key string, t trajectory) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]trajectory{}
	}
	s.kept[key] = t
	if s.env.Memo == nil {
		return nil
	}
	return s.env.Memo.Save(key, t)
}

func (s *school) tell(l lesson) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += costOf(l.cfg)
	if s.env.Progress != nil {
		s.env.Progress(min(s.done, s.total), s.total, l.what)
	}
}

func trajectoryKey(cfg train.Config) (string, error) {
	raw, err := json.Marshal(cfg)
	if err != nil {
		return "", fmt.Errorf("codedsgd: configuration: %w", err)
	}
	set, err := train.OpenData(cfg.Data, cfg.DataDir, cfg.Model)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(raw, set.SHA256...))
	return "codedsgd/trajectory/" + hex.EncodeToString(sum[:]), nil
}

// costOf estimates a training's share of two cores of 2023 with engine asm, in
// seconds: trainings run side by side. Micro-blocks are small passes with a gradient
// each, and cost more than batches.
func costOf(c train.Config) float64 {
	per := map[string][2]float64{dnn.Model: {28e-6, 85e-6}, cnn.Model: {280e-6, 400e-6}}[c.Model]
	images, width := float64(c.BatchSize)*float64(c.MaxUpdates), c.Width
	if c.MaxPushes > 0 {
		images = float64(c.Batch) * float64(c.MaxPushes)
	}
	if width == 0 {
		width = 1
	}
	if c.Coded != nil {
		return 0.01 + float64(per[1]*images*width)
	}
	return 0.01 + float64(per[0]*images*width)
}
