package ring

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// Experiments lists them in the order of the blog: how the ring works, what it
// costs, what it computes, and what it gains.
func Experiments() []exp.Experiment {
	return interruptible(steps(), cost(), equalsSGD(), scaling(), overlap(), placement(), slowLink())
}

// interruptible lets experiments whose context ends return what they have, marked
// incomplete, and the context's own error.
func interruptible(list ...exp.Experiment) []exp.Experiment {
	for i := range list {
		run := list[i].Old
		list[i].Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
			res, err := run(ctx, env)
			if err == nil || ctx.Err() == nil {
				return res, err
			}
			res.Notes = append([]string{"Interrupted: nothing but what was finished stands here, if anything. The same command begins again."}, res.Notes...)
			return res, ctx.Err()
		}
	}
	return list
}
