// Command oracle compares results of version 2 with the frozen results of version 1, the
// state of commit 783fc90: every number of a table, figure, claim and note of version 1
// must be found again. What need not be found stands in allowed.csv, with its reason.
//
//	go run ./internal/oracle [ID [PROFILE]]
//
// It knows no names of columns: a row of version 1 is found if some row of version 2
// holds all its numbers. testdata/v1.tar.zst was made of `git archive 783fc90
// experiments/results`, without sidecars and CSV, by `zstd --ultra -22 --long=27`.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

func main() {
	id, profile := "", ""
	if len(os.Args) > 1 {
		id = os.Args[1]
	}
	if len(os.Args) > 2 {
		profile = os.Args[2]
	}
	os.Exit(run(os.Stdout, ".", id, profile, allowedCSV))
}

// run compares the results below root/experiments/results and returns the exit status:
// 0 nothing differs, 1 something does, 2 the comparison failed.
func run(w io.Writer, root, id, profile string, exceptions []byte) int {
	fail := func(err error) int {
		fmt.Fprintln(w, "oracle:", err)
		return 2
	}
	list, err := parseAllowed(exceptions)
	if err != nil {
		return fail(err)
	}
	old, err := frozen()
	if err != nil {
		return fail(err)
	}
	fresh, err := ported(filepath.Join(root, "experiments", "results"), id, profile)
	if err != nil {
		return fail(err)
	}
	if len(fresh) == 0 {
		return fail(fmt.Errorf("no result of version 2 for %q %q below %s", id, profile, root))
	}
	failed, all, books := 0, report{}, open(root)
	for _, r := range fresh {
		v1 := old[r.ID+" "+r.Profile]
		if v1 == nil {
			fmt.Fprintf(w, "%s %s: version 1 has no such result\n", r.ID, r.Profile)
			continue
		}
		rep := compare(v1, r, books.page(r))
		rep.allow(list, r.ID, r.Profile)
		fmt.Fprintln(w, rep.String())
		failed += len(rep.differences)
		all.add(rep)
	}
	if len(fresh) > 1 {
		all.id = fmt.Sprintf("%d results", len(fresh))
		fmt.Fprintln(w, all.sum())
	}
	if profile == "" {
		for _, a := range list {
			if !a.used && (id == "" || a.id == id) {
				fmt.Fprintf(w, "allowed.csv: %s matches nothing any more\n", a)
				failed++
			}
		}
	}
	if failed > 0 {
		return 1
	}
	return 0
}

// ported reads the results of version 2 below root, all or one, in the order of their names.
func ported(root, id, profile string) (out []*result.Result, err error) {
	for _, pattern := range []string{"*/*.json", "*/*/*.json"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if strings.HasSuffix(path, ".run.json") {
				continue
			}
			r, err := result.Read(path)
			switch {
			case errors.Is(err, result.ErrSchema):
			case err != nil:
				return nil, err
			case (id == "" || r.ID == id) && (profile == "" || r.Profile == profile):
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b *result.Result) int { return strings.Compare(a.ID+" "+a.Profile, b.ID+" "+b.Profile) })
	return out, nil
}
