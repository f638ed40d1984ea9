package bench

import "fmt"

// Open is the Opener of this binary: every kind of job, every contender that
// is linked or can be opened.
func Open(j Job) (*Task, error) {
	switch j.Kind {
	case KindStep:
		return openStep(j)
	case KindGemm:
		return openGemm(j)
	case KindVec:
		return openVec(j)
	case KindCoded:
		return openCoded(j)
	}
	return nil, fmt.Errorf("bench: no kind of job %q", j.Kind)
}
