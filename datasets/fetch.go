package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// FetchOptions say where a set goes and when a mirror is given up. Zero values
// take the defaults.
type FetchOptions struct {
	Dir      string         // data directory; "": the cache folder
	Client   *http.Client   // http.DefaultClient
	Stall    time.Duration  // without a byte: next mirror; 20 s
	MinSpeed int64          // slower than this many bytes/s over Window: next mirror; 200,000
	Window   time.Duration  // 15 s
	Progress func(Progress) // called from Fetch's goroutine, at most ten times a second
	openPart openPartFunc   // os.OpenFile; tests put a full disk in its place
}

// Progress is one step of a download.
type Progress struct {
	File  string // name of the file
	URL   string // mirror in use; "" while waiting for another process's lock
	Done  int64  // bytes so far, resumed ones included
	Total int64  // bytes, of the manifest
}

// withDefaults fills in the zero values.
func (o FetchOptions) withDefaults() FetchOptions {
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Stall == 0 {
		o.Stall = 20 * time.Second
	}
	if o.Window == 0 {
		o.Window = 15 * time.Second
	}
	if o.MinSpeed == 0 {
		o.MinSpeed = 200_000
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.openPart == nil {
		o.openPart = func(path string, flag int) (partFile, error) { return os.OpenFile(path, flag, 0o644) }
	}
	return o
}

// Fetch downloads a set into the folder that Open looks in and returns this
// folder. It is the only function of this package that uses the network.
//
// Mirrors are tried in the manifest's order, the origin last; an error, a stall or
// low speed moves on to the next, which resumes the ".part" file. (Mirrors that
// were merely slow get a second, patient round before Fetch gives up.) A file is
// renamed into place only when size and checksum are the manifest's. Files that
// are there and right are not fetched again. A lock lets one process at a time
// fetch a set; others wait and then find it done.
func Fetch(ctx context.Context, name string, o FetchOptions) (string, error) {
	if name == synthetic {
		return "", errors.New("datasets: synthetic is made, not fetched")
	}
	e, err := lookup(name)
	if err != nil {
		return "", err
	}
	return fetchEntry(ctx, e, o.withDefaults())
}

// fetchEntry fetches the files of a manifest entry, as Fetch does.
func fetchEntry(ctx context.Context, e *entry, o FetchOptions) (string, error) {
	if o.Dir == "" {
		d, err := cacheDir()
		if err != nil {
			return "", err
		}
		o.Dir = d
	}
	folder := filepath.Join(o.Dir, e.Name)
	if missing, err := incomplete(folder, e.Downloads); err != nil || len(missing) == 0 {
		return folder, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", writeError(folder, 0, err)
	}
	lock := flock.New(filepath.Join(folder, ".lock"))
	o.Progress(Progress{File: e.Name})
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("datasets: fetch %s: waiting for another process's lock %s: %w", e.Name, lock.Path(), err)
		}
		return "", writeError(folder, 0, err)
	}
	defer lock.Close()
	missing, err := incomplete(folder, e.Downloads) // another process may have finished it
	if err != nil {
		return "", err
	}
	for _, d := range missing {
		if err := fetchFile(ctx, folder, d, o); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// incomplete lists the files that are not there with the manifest's checksum.
func incomplete(folder string, all []Download) ([]Download, error) {
	var missing []Download
	for _, d := range all {
		path := filepath.Join(folder, d.File)
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			return nil, fileError(path, errors.New("is a directory, want a file; remove it to fetch"))
		}
		if err != nil || d.check(path) != nil {
			missing = append(missing, d)
		}
	}
	return missing, nil
}

// errSlow is how a mirror below MinSpeed is given up; a patient round may follow.
var errSlow = errors.New("too slow")

// fetchFile gets one file from the first mirror that delivers it.
func fetchFile(ctx context.Context, folder string, d Download, o FetchOptions) error {
	path := filepath.Join(folder, d.File)
	var failures []string
	var slow []string
	try := func(url string, speed int64) (done bool, err error) {
		err = fetchFrom(ctx, url, path, d, speed, o)
		var w *localError
		switch {
		case err == nil, errors.As(err, &w):
			return true, err
		case ctx.Err() != nil:
			return true, fmt.Errorf("datasets: fetch %s: %w; what arrived is kept in %s", d.File, context.Cause(ctx), path+".part")
		case errors.Is(err, errSlow):
			slow = append(slow, url)
		}
		failures = append(failures, fmt.Sprintf("%s: %v", url, err))
		return false, nil
	}
	for i, url := range d.URLs {
		speed := o.MinSpeed
		if i == len(d.URLs)-1 {
			speed = 0 // nowhere faster to go
		}
		if done, err := try(url, speed); done {
			return err
		}
	}
	for _, url := range slow {
		if done, err := try(url, 0); done {
			return err
		}
	}
	return fmt.Errorf("datasets: fetch %s: no mirror delivered it: %s", path, strings.Join(failures, "; "))
}

// localError is a failure of this machine, which no other mirror would cure.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }

// writeError puts a failed write into words: read-only, full, other. need is the
// number of bytes still to come, 0 if unknown.
func writeError(path string, need int64, err error) error {
	cause := err
	var p *fs.PathError
	if errors.As(err, &p) {
		cause = p.Err
	}
	switch {
	case isDiskFull(err):
		return &localError{fmt.Errorf("datasets: %s: disk full, %d bytes still to come; what arrived is kept: %w", path, need, cause)}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &localError{fmt.Errorf("datasets: %s: cannot be written (read-only?): %w; choose another folder with --data-dir", path, cause)}
	}
	return &localError{fmt.Errorf("datasets: %s: %w", path, cause)}
}

// isDiskFull knows the disk-full and quota errors of the systems we build for.
func isDiskFull(err error) bool {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return false
	}
	const windowsHandleDiskFull, windowsDiskFull = 39, 112
	return no == syscall.ENOSPC || no == diskQuota ||
		(os.PathSeparator == '\\' && (no == windowsHandleDiskFull || no == windowsDiskFull))
}
