package train

// InputError is a Config that cannot be run as it stands: known before anything
// is computed, and to be mended by whoever wrote it. A file or data set that is
// missing or broken is another error.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// input marks err as an InputError; nil stays nil.
func input(err error) error {
	if err == nil {
		return nil
	}
	return &InputError{err}
}
