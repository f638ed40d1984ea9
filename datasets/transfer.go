package datasets

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// partFile is a file that a download writes to.
type partFile interface {
	io.Writer
	Sync() error
	Close() error
}

type openPartFunc func(path string, flag int) (partFile, error)

// check compares a file with the manifest: size, then sha256, or md5 where no
// sha256 is published.
func (d Download) check(path string) error {
	f, size, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size != d.Size {
		return fmt.Errorf("%d bytes, want %d", size, d.Size)
	}
	var h hash.Hash = sha256.New()
	kind, want := "sha256", d.SHA256
	if want == "" {
		h, kind, want = md5.New(), "md5", d.MD5
	}
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, want) {
		return fmt.Errorf("%s %s, want %s", kind, got, want)
	}
	return nil
}

// fetchFrom gets one file from one mirror, resuming path's .part file. If the
// result is wrong after a resume, the part was stale: it is dropped and the mirror
// asked once more from the start.
func fetchFrom(ctx context.Context, url, path string, d Download, minSpeed int64, o FetchOptions) error {
	part := path + ".part"
	for {
		have, err := partSize(part, d.Size)
		if err != nil {
			return err
		}
		if have < d.Size {
			if err := transfer(ctx, url, part, have, d, minSpeed, o); err != nil {
				return err
			}
		}
		err = d.check(part)
		if err == nil {
			if err := os.Rename(part, path); err != nil {
				return writeError(path, 0, err)
			}
			return nil
		}
		if rmErr := os.Remove(part); rmErr != nil {
			return writeError(part, 0, rmErr)
		}
		if have == 0 {
			return err
		}
	}
}

// partSize returns how much of a file is there; a part longer than the file is removed.
func partSize(part string, limit int64) (int64, error) {
	info, err := os.Lstat(part)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, writeError(part, 0, err)
	case info.Mode().IsRegular() && info.Size() <= limit:
		return info.Size(), nil
	}
	if err := os.Remove(part); err != nil {
		return 0, writeError(part, 0, err)
	}
	return 0, nil
}

// transfer appends the bytes from have on to the part file; it returns nil when
// the part has the manifest's size.
func transfer(ctx context.Context, url, part string, have int64, d Download, minSpeed int64, o FetchOptions) error {
	errStall := fmt.Errorf("stalled: no byte for %v", o.Stall)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(o.Stall, func() { cancel(errStall) })
	defer watchdog.Stop()

	resp, err := request(ctx, url, have, o.Client)
	if err != nil {
		return causeOf(ctx, err)
	}
	defer resp.Body.Close()
	flag := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	switch {
	case resp.StatusCode == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case resp.StatusCode == http.StatusOK: // no ranges here: from the start
		have, flag = 0, flag|os.O_TRUNC
	default:
		return fmt.Errorf("status %s", resp.Status)
	}
	if n := resp.ContentLength; n >= 0 && have+n != d.Size {
		return fmt.Errorf("serves %d bytes, want %d%s", have+n, d.Size, pageHint(resp))
	}
	f, err := o.openPart(part, flag)
	if err != nil {
		return writeError(part, d.Size-have, err)
	}
	c := &copier{d: d, url: url, part: part, have: have, minSpeed: minSpeed, o: o, watchdog: watchdog}
	err = c.run(f, resp.Body)
	var local *localError
	if err != nil && !errors.As(err, &local) {
		err = causeOf(ctx, err)
	}
	if syncErr := f.Sync(); err == nil && syncErr != nil {
		err = writeError(part, d.Size-c.have, syncErr)
	}
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = writeError(part, d.Size-c.have, closeErr)
	}
	return err
}

// request asks for the bytes from have on, as they are: a transport that unpacked
// gzip on the way would change the file.
func request(ctx context.Context, url string, have int64, client *http.Client) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "gradsync")
	req.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	return client.Do(req)
}

// causeOf prefers why we cancelled a request over the fact that it was cancelled.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// pageHint names the frequent case of a page served in a file's place.
func pageHint(resp *http.Response) string {
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return " (an HTML page)"
	}
	return ""
}

// copier moves a response's body to the part file and watches its speed.
type copier struct {
	d        Download
	url      string
	part     string
	have     int64
	minSpeed int64
	o        FetchOptions
	watchdog *time.Timer
}

func (c *copier) run(w io.Writer, body io.Reader) error {
	buf := make([]byte, 64<<10)
	start := time.Now()
	shown := start
	inWindow := int64(0)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			c.watchdog.Reset(c.o.Stall)
			if c.have+int64(n) > c.d.Size {
				return fmt.Errorf("serves more than %d bytes", c.d.Size)
			}
			if _, err := w.Write(buf[:n]); err != nil {
				return writeError(c.part, c.d.Size-c.have, err)
			}
			c.have += int64(n)
			inWindow += int64(n)
		}
		now := time.Now()
		if now.Sub(shown) >= 100*time.Millisecond || c.have == c.d.Size {
			shown = now
			c.o.Progress(Progress{File: c.d.File, URL: c.url, Done: c.have, Total: c.d.Size})
		}
		if err == io.EOF {
			if c.have < c.d.Size {
				return fmt.Errorf("connection ended after %d of %d bytes", c.have, c.d.Size)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if took := now.Sub(start); took >= c.o.Window {
			if speed := int64(float64(inWindow) / took.Seconds()); speed < c.minSpeed {
				return fmt.Errorf("%w: %d bytes/s, want at least %d", errSlow, speed, c.minSpeed)
			}
			start, inWindow = now, 0
		}
	}
}
