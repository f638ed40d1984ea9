package serve

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// site answers for the files below root, and for nothing else on the disk: names that
// climb out of it, links that do, and hidden files are not found.
type site struct {
	root      *os.Root
	host      string // that the user named
	news      *news
	rendering atomic.Bool // pages are on their way
	writing   sync.Mutex  // held while pages are written
}

// Two addresses are the server's own; no page is called so.
const (
	eventsPath = "/-/events"
	reloadPath = "/-/reload.js"
)

// reloadJS loads the page again when the state of the pages is not the one that it was
// sent with. A browser comes back by itself after the server was restarted.
const reloadJS = `"use strict";
(function () {
  var sent = document.currentScript.dataset.state;
  var events = new EventSource("` + eventsPath + `");
  events.onmessage = function (e) { if (e.data !== sent) { events.close(); location.reload(); } };
  addEventListener("pagehide", function () { events.close(); });
})();
`

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache") // a later render shows at once
	switch {
	case !s.named(r.Host):
		http.Error(w, fmt.Sprintf("Not served under the name %q: `gradsync serve --addr NAME:PORT` allows a name.", r.Host), http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD.", http.StatusMethodNotAllowed)
	case r.URL.Path == eventsPath:
		s.events(w, r)
	case r.URL.Path == reloadPath:
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = io.WriteString(w, reloadJS)
	default:
		s.file(w, r)
	}
}

// named reports whether a request asks for us by a name of ours. A foreign page may let
// its own name point to this machine to read what we serve; it cannot do so with a
// number, nor with a name that the user chose.
func (s *site) named(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(name, "."), "["), "]")
	if addr, _, _ := strings.Cut(name, "%"); net.ParseIP(addr) != nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || strings.EqualFold(name, s.host)
}

// file sends one file; a page is sent with the script that loads it again.
func (s *site) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	if strings.HasPrefix(name, ".") || strings.Contains(name, "/.") || strings.ContainsAny(name, "\\:\x00") {
		http.NotFound(w, r)
		return
	}
	state, _ := s.news.get() // before the file is read: an older state reloads once too often, never too seldom
	f, err := s.root.Open(name)
	if err != nil {
		s.missing(w, r, name, state, err)
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	if !strings.HasSuffix(name, ".html") {
		if kind := contentTypes[path.Ext(name)]; kind != "" { // the same on systems that register others
			w.Header().Set("Content-Type", kind)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/") && r.Header.Get("Range") == "" {
			text, err := io.ReadAll(f)
			if err != nil {
				http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
				return
			}
			send(w, r, http.StatusOK, text)
			return
		}
		http.ServeContent(w, r, name, st.ModTime(), f)
		return
	}
	page, err := io.ReadAll(f)
	if err != nil {
		http.Error(w, "The page cannot be read.", http.StatusInternalServerError)
		return
	}
	sendPage(w, r, http.StatusOK, reloading(page, state))
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm", ".woff2": "font/woff2",
	".csv": "text/csv; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".json": "application/json",
}

// missing answers for what is not there: a page that is still being made is waited for.
func (s *site) missing(w http.ResponseWriter, r *http.Request, name, state string, err error) {
	if !s.rendering.Load() || !strings.HasSuffix(name, ".html") || !errors.Is(err, fs.ErrNotExist) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Retry-After", "5")
	sendPage(w, r, http.StatusServiceUnavailable, reloading([]byte(waitingPage), state))
}

const waitingPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/><title>Rendering · gradsync</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}</style></head>
<body><main><h1>The pages are being rendered</h1><p>This takes up to a minute; they appear here by themselves.</p>
<p lang="zh">页面正在生成，最多一分钟，完成后会自动出现。</p></main></body></html>
`

func sendPage(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	send(w, r, status, page)
}

// send sends a text, as gzip to whoever takes that.
func send(w http.ResponseWriter, r *http.Request, status int, text []byte) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if takesGzip(r.Header.Values("Accept-Encoding")) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(text) // a buffer takes all
		_ = z.Close()
		h.Set("Content-Encoding", "gzip")
		text = b.Bytes()
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// takesGzip reports whether the lines of an Accept-Encoding name gzip, and not with the
// weight zero, which refuses it.
func takesGzip(lines []string) bool {
	for _, coding := range strings.Split(strings.Join(lines, ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return err != nil || q > 0
	}
	return false
}

var policy = regexp.MustCompile(`(<meta http-equiv="Content-Security-Policy" content=")([^"]*)("\s*/?>)`)

// reloading returns a page with the script that loads it again, and with a policy that lets
// it: scripts of this server, and a connection to it. Nothing else is loosened.
func reloading(page []byte, state string) []byte {
	page = policy.ReplaceAllFunc(page, func(meta []byte) []byte {
		m := policy.FindSubmatch(meta)
		rules := strings.Split(html.UnescapeString(string(m[2])), ";")
		rules = allow(allow(rules, "script-src"), "connect-src")
		return []byte(string(m[1]) + html.EscapeString(strings.Join(rules, ";")) + string(m[3]))
	})
	script := []byte(`<script src="` + reloadPath + `" data-state="` + state + `"></script>`)
	if i := bytes.LastIndex(page, []byte("</body>")); i >= 0 {
		return bytes.Join([][]byte{page[:i], script, page[i:]}, nil)
	}
	return append(page, script...)
}

// allow adds 'self' to a rule of a policy.
func allow(rules []string, name string) []string {
	for i, rule := range rules {
		words := strings.Fields(rule)
		if len(words) == 0 || words[0] != name {
			continue
		}
		var kept []string
		for _, word := range words[1:] {
			if word != "'none'" && word != "'self'" {
				kept = append(kept, word)
			}
		}
		rules[i] = " " + strings.Join(append([]string{name, "'self'"}, kept...), " ")
		return rules
	}
	return append(rules, " "+name+" 'self'")
}

// events streams the state of the pages: now, and whenever it changes.
func (s *site) events(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	for {
		state, changed := s.news.get()
		if _, err := fmt.Fprintf(w, "data: %s\n\n", state); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
