// Package lib is NVIDIA's libraries where a machine has them: cuBLAS for products, cuDNN for
// convolutions and batch norms, NCCL for sums over devices. They are found and opened at run
// time, without a C compiler; nothing needs them, and what is missing is said in one line.
//
// Handles belong to one stream and one goroutine. A call neither waits for the device nor
// allocates Go memory once its shape has been seen.
package lib

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/shared/gpu/driver"
)

// Set is the libraries of this machine.
//
// Source: ours: what Find found
type Set struct {
	BLAS    *BLAS    // nil: none
	DNN     *DNN     // nil: none
	Missing []string // one line for each library that is not used, with the reason
}

// Find opens what there is: in the given folders, in those of GRADSYNC_CUDA_LIBS, where the
// loader looks, in CUDA's toolkit, and in the wheels of python3, in this order. cuda is the
// newest version that the driver speaks; zero is any. GRADSYNC_CUDA_LIBS=none finds none.
//
// Source: ours: libraries found at run time
func Find(folders []string, cuda [2]int) *Set { return find(machine(), folders, cuda) }

func find(m surroundings, folders []string, cuda [2]int) *Set {
	if m.env(Variable) == "none" {
		const why = "none (" + Variable + "=none)"
		return &Set{Missing: []string{"cuBLAS: " + why, "cuDNN: " + why}}
	}
	all, s := m.folders(folders), &Set{}
	var err error
	if s.BLAS, err = openBLAS(all, cuda); err != nil {
		s.Missing = append(s.Missing, fmt.Sprintf("cuBLAS: none (%v)", err))
	}
	if s.DNN, err = openDNN(all, cuda); err != nil {
		s.Missing = append(s.Missing, fmt.Sprintf("cuDNN: none (%v)", err))
	}
	return s
}

// Working returns those of the libraries that work on a device: a handle of the others cannot
// be made, which is their reason to be missing.
func (s *Set) Working(h driver.Host) *Set {
	w := &Set{Missing: slices.Clone(s.Missing)}
	if s.BLAS != nil {
		p, err := s.BLAS.Open(h, 0, nil, 0, false)
		if err == nil {
			err = p.Close()
		}
		if err == nil {
			w.BLAS = s.BLAS
		} else {
			w.Missing = append(w.Missing, fmt.Sprintf("cuBLAS: none (%s: %v)", s.BLAS.Path(), err))
		}
	}
	if s.DNN != nil {
		l, err := s.DNN.Open(h, 0, 0, false)
		if err == nil {
			err = l.Close()
		}
		if err == nil {
			w.DNN = s.DNN
		} else {
			w.Missing = append(w.Missing, fmt.Sprintf("cuDNN: none (%s: %v)", s.DNN.Path(), err))
		}
	}
	return w
}

// String names the libraries for a line, "cuBLAS 13.1, cuDNN 9.28"; empty if there is none.
func (s *Set) String() string {
	var list []string
	if s.BLAS != nil {
		list = append(list, "cuBLAS "+s.BLAS.Version())
	}
	if s.DNN != nil {
		list = append(list, "cuDNN "+s.DNN.Version())
	}
	return strings.Join(list, ", ")
}

// Versions names the libraries for a bit class, with their patches, which may give other
// bits: "cublas 13.1.0/cudnn 9.28.1"; empty if there is none.
func (s *Set) Versions() string {
	var list []string
	if s.BLAS != nil {
		list = append(list, "cublas "+s.BLAS.version.whole())
	}
	if s.DNN != nil {
		list = append(list, "cudnn "+s.DNN.version.whole())
	}
	return strings.Join(list, "/")
}

// Error is a call that a library refused.
//
// Source: ours: cublasStatus_t, cudnnStatus_t, ncclResult_t
type Error struct {
	Library string // cuBLAS, cuDNN or NCCL, with its version
	Call    string
	Code    int
	Name    string // what the library calls the code
	Hint    string // for the user; may be empty
}

func (e *Error) Error() string {
	s := fmt.Sprintf("gpu: %s: %s: %s (%d)", e.Library, e.Call, e.Name, e.Code)
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// version is a library's, from the number that it gives.
type version struct{ major, minor, patch int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// whole returns a version with its patch.
func (v version) whole() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

// libraryVersion takes the number of cudnnGetVersion or ncclGetVersion apart: 91002 is 9.10.2,
// 8907 was 8.9.7.
func libraryVersion(n int) version {
	if n >= 10000 {
		return version{n / 10000, n / 100 % 100, n % 100}
	}
	return version{n / 1000, n / 100 % 10, n % 100}
}
