package cli

import (
	"context"
	"errors"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/result1"
	"gradsync/reports"
)

// outcome is a result of either version of the format, as run sees it.
type outcome interface {
	about() (engine, kind, status string)
	verdicts() []string
	interrupt()
	write(root string, run *result.Run) (path string, err error)
}

// measure runs a step's experiment.
func (s step) measure(ctx context.Context, env exp.Env) (outcome, error) {
	if s.Old != nil {
		if r, err := s.Old(ctx, env); r != nil {
			return version1{r}, err
		} else {
			return nil, err
		}
	}
	if r, err := s.Run(ctx, env); r != nil {
		return version2{r}, err
	} else {
		return nil, err
	}
}

// readAny reads a result file of either version.
func readAny(path string) (outcome, error) {
	r, err := result.Read(path)
	if err == nil {
		return version2{r}, nil
	}
	if !errors.Is(err, result.ErrSchema) {
		return nil, err
	}
	old, err := result1.Read(path)
	if err != nil {
		return nil, err
	}
	return version1{old}, nil
}

type version2 struct{ *result.Result }

func (r version2) about() (engine, kind, status string) { return r.Engine, r.Kind, r.Status }
func (r version2) interrupt()                           { r.Status = result.Incomplete }
func (r version2) write(root string, run *result.Run) (string, error) {
	return result.Write(root, r.Result, run)
}

func (r version2) verdicts() (out []string) {
	for _, c := range r.Claims {
		out = append(out, c.Verdict)
	}
	return out
}

type version1 struct{ *result1.Result }

func (r version1) about() (engine, kind, status string) { return r.Engine, r.Kind, r.Status }
func (r version1) interrupt()                           { r.Status = result.Incomplete }
func (r version1) write(root string, run *result.Run) (string, error) {
	return result1.Write(root, r.Result, run)
}

func (r version1) verdicts() (out []string) {
	for _, c := range r.Claims {
		out = append(out, c.Verdict)
	}
	return out
}

// presented reads a result file of either version as readers see it, in English.
func presented(path string) (*result1.Result, error) {
	r, err := readAny(path)
	if err != nil {
		return nil, err
	}
	if old, ok := r.(version1); ok {
		return old.Result, nil
	}
	return reports.Presented(r.(version2).Result)
}
