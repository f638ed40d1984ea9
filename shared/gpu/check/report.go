package check

import "slices"

// Report is all that a machine with a GPU tells of it, a file of JSON.
type Report struct {
	Version   string    `json:"version"` // gradsync's
	Date      string    `json:"date"`    // day, UTC
	Platform  string    `json:"platform"`
	Cards     []string  `json:"cards"`     // a line each; the first one is checked
	Libraries []string  `json:"libraries"` // found, or why not
	Kernels   []Outcome `json:"kernels"`
	LeNet5    Outcome   `json:"lenet5"`
	Sum       *Outcome  `json:"sum,omitempty"` // over two cards
	NoSum     string    `json:"no_sum,omitempty"`
	Steps     []Step    `json:"steps,omitempty"`
	NoPyTorch string    `json:"no_pytorch,omitempty"`
	Right     bool      `json:"right"` // by Judge
}

// Step is a training step of a network at batch 64 on the card, in milliseconds, the median of several.
type Step struct {
	Model   string  `json:"model"`
	Ours    float64 `json:"gradsync_ms"`
	PyTorch float64 `json:"pytorch_ms,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// Judge sets Right: whether every bit and sum is right; speed is not judged.
func (r *Report) Judge() {
	wrong := func(o Outcome) bool { return !o.OK() }
	r.Right = len(r.Kernels) > 0 && !slices.ContainsFunc(r.Kernels, wrong) && r.LeNet5.OK() && (r.Sum == nil || r.Sum.OK())
}
