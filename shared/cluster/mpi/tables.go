package mpi

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// table holds the values in which a family of libraries differs from the next.
type table struct {
	world, bytes uintptr // handles, where they are numbers
	symbols      bool    // they are addresses: of ompi_mpi_comm_world and ompi_mpi_byte
	request      int     // bytes of an MPI_Request
	anySource    int32
	funneled     int32 // MPI_THREAD_FUNNELED
}

// The tables: mpi.h of Open MPI 4.1.4 and 5.0.11, of MPICH 4.0.2 and 5.0.2, and mpi_abi.h of MPICH 5.0.2.
var (
	openMPI     = table{symbols: true, request: 8, anySource: -1, funneled: 1}
	mpich       = table{world: 0x44000000, bytes: 0x4c00010d, request: 4, anySource: -2, funneled: 1}
	standardABI = table{world: 0x101, bytes: 0x247, request: 8, anySource: -1, funneled: 1024}
)

// Files of the libraries.
const (
	fileABI     = "libmpi_abi.so.1"
	fileOpenMPI = "libmpi.so.40"
	fileMPICH   = "libmpi.so.12"
	fileDebian  = "libmpich.so.12" // MPICH, as Debian calls it
)

var versions = []struct {
	family string
	text   *regexp.Regexp // of MPI_Get_library_version
	table  table
}{
	{"Open MPI", regexp.MustCompile(`^Open MPI v(\d+)\.([0-9.a-z]+)`), openMPI},
	{"MPICH", regexp.MustCompile(`^MPICH Version:\s*(\d+)\.([0-9.a-z]+)`), mpich},
}

// identify finds a library's table by its own text; abi is the version of the standard ABI that it has, 0: not that.
func identify(text string, abi int) (name string, t table, err error) {
	line, _, _ := strings.Cut(strings.TrimRight(text, "\x00\n "), "\n")
	for _, v := range versions {
		m := v.text.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name = v.family + " " + m[1] + "." + m[2]
		if abi == 1 {
			return name + " (MPI-5 ABI)", standardABI, nil
		}
		if major, _ := strconv.Atoi(m[1]); abi == 0 && (major == 4 || major == 5) {
			return name, v.table, nil
		}
	}
	if abi == 1 && line != "" { // the standard says what is where, whoever made it
		return fmt.Sprintf("%.60s (MPI-5 ABI)", line), standardABI, nil
	}
	return "", t, fmt.Errorf("it says %.120q: known are Open MPI 4 and 5, MPICH 4 and 5 and version 1 of the MPI-5 ABI", line)
}

// Launcher returns who started this process by the environment that it left, "" if nobody did.
func Launcher(lookup func(string) (string, bool)) string {
	for _, v := range launchers {
		if _, ok := lookup(v.variable); ok {
			return v.name
		}
	}
	if _, ok := lookup("SLURM_PROCID"); ok {
		if n, _ := lookup("SLURM_STEP_NUM_TASKS"); n != "" && n != "1" {
			return "srun"
		}
	}
	return ""
}

// launchers lists variables of the environment of a rank, the most telling first, with the libraries that go with them.
var launchers = []struct {
	variable, name string
	files          []string
}{
	{"OMPI_COMM_WORLD_RANK", "Open MPI's mpirun", []string{fileOpenMPI, fileABI}},
	{"PMIX_RANK", "a PMIx launcher", []string{fileOpenMPI, fileABI, fileMPICH, fileDebian}},
	{"PMI_RANK", "MPICH's mpiexec", []string{fileABI, fileMPICH, fileDebian}},
	{"PMI_FD", "a PMI launcher", []string{fileABI, fileMPICH, fileDebian}},
}

// candidates lists the libraries to try for the launcher in the environment.
func candidates(lookup func(string) (string, bool)) []string {
	for _, v := range launchers {
		if _, ok := lookup(v.variable); ok {
			return v.files
		}
	}
	return []string{fileABI, fileOpenMPI, fileMPICH, fileDebian}
}
