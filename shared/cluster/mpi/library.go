//go:build linux && (amd64 || arm64) && !nodl

package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function numbers the functions of MPI that we call.
type function int

const (
	initThread function = iota
	finalize
	libraryVersion
	commRank
	commSize
	processorName
	isend
	irecv
	ibarrier
	test
	testsome
	cancel
	abort
	functions // how many
)

var symbols = [functions]string{
	initThread: "MPI_Init_thread", finalize: "MPI_Finalize", libraryVersion: "MPI_Get_library_version",
	commRank: "MPI_Comm_rank", commSize: "MPI_Comm_size", processorName: "MPI_Get_processor_name",
	isend: "MPI_Isend", irecv: "MPI_Irecv", ibarrier: "MPI_Ibarrier",
	test: "MPI_Test", testsome: "MPI_Testsome", cancel: "MPI_Cancel", abort: "MPI_Abort",
}

// library is an MPI library that was opened.
type library struct {
	table
	file, name string
	address    [functions]uintptr
	asked      struct { // what it answers, on the heap
		text         [8192]byte
		count, minor int32
	}
}

// call calls a function. What args point to is on the heap, and kept by its owner. MPI's own handler of errors ends the process.
func (l *library) call(f function, args ...uintptr) {
	if r, _, _ := purego.SyscallN(l.address[f], args...); int32(r) != 0 {
		panic(fmt.Sprintf("mpi: %s of %s returned error %d", symbols[f], l.name, int32(r)))
	}
}

// number returns an int argument of C.
func number(n int) uintptr { return uintptr(uint32(int32(n))) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// load opens a library by its name or path, or the first of those that go with the launcher.
func load(file string) (*library, error) {
	if _, ok := os.LookupEnv("UCX_ERROR_SIGNALS"); !ok { // or UCX takes SIGSEGV away from Go
		_ = os.Setenv("UCX_ERROR_SIGNALS", "") // C's environment too
	}
	files := candidates(os.LookupEnv)
	if file != "" {
		files = []string{file}
	}
	var reasons []string
	for _, f := range files {
		h, err := purego.Dlopen(f, purego.RTLD_NOW|purego.RTLD_GLOBAL) // its plug-ins look for its symbols
		if err == nil {
			return bind(f, h)
		}
		reasons = append(reasons, err.Error())
	}
	return nil, fmt.Errorf("mpi: no MPI library: tried %s (Debian: openmpi-bin or mpich; --mpi-lib PATH opens another): %s",
		strings.Join(files, ", "), strings.Join(reasons, "; "))
}

// bind finds a library's functions and its table.
func bind(file string, h uintptr) (*library, error) {
	l := &library{file: file}
	for f, name := range symbols {
		var err error
		if l.address[f], err = purego.Dlsym(h, name); err != nil {
			return nil, fmt.Errorf("mpi: %s is no MPI library of version 3 or later: %w", file, err)
		}
	}
	l.call(libraryVersion, address(&l.asked.text[0]), address(&l.asked.count))
	var err error
	text := string(l.asked.text[:l.asked.count])
	if l.name, l.table, err = identify(text, l.abiVersion(h)); err != nil {
		return nil, fmt.Errorf("mpi: %s: %w", file, err)
	}
	if !l.symbols {
		return l, nil
	}
	world, err := purego.Dlsym(h, "ompi_mpi_comm_world")
	bytes, err2 := purego.Dlsym(h, "ompi_mpi_byte")
	l.world, l.bytes = world, bytes
	return l, errors.Join(err, err2)
}

// abiVersion returns the major version of the standard ABI that a library has.
func (l *library) abiVersion(h uintptr) int {
	f, err := purego.Dlsym(h, "MPI_Abi_get_version")
	if err != nil || !strings.Contains(l.file, "mpi_abi") {
		return 0
	}
	purego.SyscallN(f, address(&l.asked.count), address(&l.asked.minor))
	return int(l.asked.count)
}
