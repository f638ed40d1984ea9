package train

import (
	"context"
	"errors"
)

func (r *runner) allReduce(context.Context) error { return errors.New("not yet") }
