// Package peers holds what gradsync is compared with: PyTorch modules of the
// same networks (torch_models.py), an evaluation of saved weights
// (torch_eval.py), and gradients of the same samples (torch_grad.py). The tests
// run them against the portable engine where a python3 with torch is installed. What
// experiments/bench times beside ours are torch_step.py, numpy_gemm.py and mpi/ring.c.
package peers

import "embed"

// Scripts are the Python files of this folder, so that a binary can run them
// wherever it lies.
//
//go:embed *.py
var Scripts embed.FS
