package tcp

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"gradsync/shared/cluster"
)

// authorityFile is the certificate that all others of a folder are signed with.
// Its key is nowhere: it is forgotten once the last certificate is signed.
const authorityFile = "ca.pem"

// rendezvousHolder is the holder of the certificate with which a process hosts
// the rendezvous: a rank cannot pass for it.
const rendezvousHolder = "rendezvous"

// holderOf returns the holder of a rank's certificate.
func holderOf(rank int) string { return fmt.Sprint("rank-", rank) }

// everybody is the one DNS name of all certificates, which TLS itself compares;
// holder and job stand in the URI.
const everybody = "gradsync"

// Certs says which certificates MakeCerts makes.
type Certs struct {
	Job   string // stands in every certificate, which whoever connects is shown: no secret
	Ranks int
	From  time.Time
	Until time.Time // the last moment at which they count
}

// MakeCerts makes a folder of a job's certificates: its authority's, and one with
// its P-256 key for the rendezvous and for each rank, readable by their owner
// alone. The folder is there whole or not at all, and what is there already is an
// error. It returns the files' names.
//
// Source: ours: an authority per job, whose key nobody keeps
func MakeCerts(dir string, c Certs) (files []string, err error) {
	switch {
	case c.Ranks < 1 || c.Ranks > MaxSize:
		return nil, fmt.Errorf("certs: %d ranks, want 1 to %d", c.Ranks, MaxSize)
	case c.Job == "":
		return nil, errors.New("certs: the job has no name")
	case !c.Until.After(c.From):
		return nil, fmt.Errorf("certs: good until %v, from %v", c.Until, c.From)
	}
	if err := cluster.CheckName(c.Job); err != nil {
		return nil, fmt.Errorf("certs: name of the job: %w", err)
	}
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return nil, fmt.Errorf("certs: %s: %w: certificates go into a new folder", dir, errors.Unwrap(&fs.PathError{Err: err}))
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".certs-*") // for its owner alone
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	defer os.RemoveAll(tmp) // harmless after the rename
	a, err := newAuthority(c)
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	put := func(name string, text []byte) {
		if err == nil {
			err = writeSecret(filepath.Join(tmp, name), text)
			files = append(files, name)
		}
	}
	put(authorityFile, pemOf("CERTIFICATE", a.cert.Raw))
	for i := -1; i < c.Ranks && err == nil; i++ {
		holder := rendezvousHolder
		if i >= 0 {
			holder = holderOf(i)
		}
		text, wrong := a.issue(holder)
		err = wrong
		put(holder+".pem", text)
	}
	if err == nil {
		err = errors.Join(syncFolder(tmp), os.Rename(tmp, dir), syncFolder(filepath.Dir(dir)))
	}
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	return files, nil
}

// writeSecret writes a file for its owner alone, to the disk.
func writeSecret(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder writes a folder's list of files to the disk, where the system can.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && runtime.GOOS != "windows" && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// authority signs certificates while it is in memory.
type authority struct {
	spec Certs
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(c Certs) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := template(c, "gradsync "+c.Job)
	t.IsCA, t.BasicConstraintsValid, t.MaxPathLenZero, t.KeyUsage = true, true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{spec: c, key: key, cert: cert}, err
}

// template returns what all certificates of a job have. x509 draws the serial number.
func template(c Certs, name string) *x509.Certificate {
	return &x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: c.From, NotAfter: c.Until}
}

// issue returns a holder's key and certificate.
func (a *authority) issue(holder string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := template(a.spec, "gradsync "+holder)
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	t.DNSNames, t.URIs = []string{everybody}, []*url.URL{uriOf(a.spec.Job, holder)}
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	return append(pemOf("PRIVATE KEY", secret), pemOf("CERTIFICATE", der)...), err
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// uriOf names a holder as SPIFFE does: spiffe://gradsync/JOB/rank-3.
func uriOf(job, holder string) *url.URL {
	return &url.URL{Scheme: "spiffe", Host: everybody, Path: "/" + job + "/" + holder}
}

// identity is a certificate that this process has the key of.
type identity struct {
	cert *x509.Certificate
	pair tls.Certificate
	pool *x509.CertPool // the job's authority
	job  string
	own  string // its holder
}

// loadIdentity reads a holder's certificate of a folder that MakeCerts made. What
// others would refuse is an error here, before a byte is sent.
func loadIdentity(dir, holder string) (*identity, error) {
	wrong := func(file string, err error) (*identity, error) {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		hint := "`gradsync certs` makes them; each host has its own ranks' and " + authorityFile
		return nil, fmt.Errorf("certs: %s: %w (%s)", filepath.Join(dir, file), err, hint)
	}
	root, err := readGuarded(filepath.Join(dir, authorityFile), 0o022)
	if err != nil {
		return wrong(authorityFile, err)
	}
	id := &identity{pool: x509.NewCertPool(), own: holder}
	if !id.pool.AppendCertsFromPEM(root) {
		return wrong(authorityFile, errors.New("no certificate"))
	}
	file := holder + ".pem"
	text, err := readGuarded(filepath.Join(dir, file), 0o077)
	if err != nil {
		return wrong(file, err)
	}
	if id.pair, err = tls.X509KeyPair(text, text); err != nil {
		return wrong(file, err)
	}
	id.cert = id.pair.Leaf
	if id.job, err = jobIn(id.cert, holder); err != nil {
		return wrong(file, err)
	}
	_, err = id.cert.Verify(x509.VerifyOptions{Roots: id.pool, DNSName: everybody, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if invalid := (x509.CertificateInvalidError{}); errors.As(err, &invalid) && invalid.Reason == x509.Expired {
		err = fmt.Errorf("%w by this host's clock", err)
	}
	if err != nil {
		return wrong(file, err)
	}
	return id, nil
}

// readGuarded reads a file of at most maxCert bytes that others than its owner have none
// of the forbidden rights on. Windows has no such rights.
func readGuarded(path string, forbidden fs.FileMode) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("others than its owner may use it (mode %04o): chmod go= %s", mode, filepath.Base(path))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxCert+1))
	if err == nil && len(text) > maxCert {
		return nil, fmt.Errorf("more than %d bytes: no certificate of gradsync", maxCert)
	}
	return text, err
}

// maxCert is the longest file of certificates that is read, in bytes.
const maxCert = 64 << 10

// jobIn returns the job of a holder's certificate, and an error that says whose it is
// if it is another's.
func jobIn(cert *x509.Certificate, holder string) (string, error) {
	if len(cert.URIs) != 1 || cert.URIs[0].Scheme != "spiffe" || cert.URIs[0].Host != everybody {
		return "", fmt.Errorf("tcp: the certificate names no rank")
	}
	path := []byte(cert.URIs[0].Path)
	at := bytes.LastIndexByte(path, '/')
	if at < 1 || path[0] != '/' {
		return "", fmt.Errorf("tcp: the certificate names no rank")
	}
	job, of := string(path[1:at]), string(path[at+1:])
	if of != holder {
		return "", fmt.Errorf("tcp: the certificate is of %.32q, want %s", of, holder)
	}
	return job, nil
}

// CheckCerts reads the certificates of ranks, and the rendezvous's if host is set, and
// says what is wrong with the first that could not be used.
func CheckCerts(dir string, ranks []int, host bool) error {
	for _, r := range ranks {
		if _, err := loadIdentity(dir, holderOf(r)); err != nil {
			return err
		}
	}
	if host {
		_, err := loadIdentity(dir, rendezvousHolder)
		return err
	}
	return nil
}

// CertFiles returns the files of a folder that a host with these ranks needs.
func CertFiles(ranks []int, host bool) []string {
	files := []string{authorityFile}
	if host {
		files = append(files, rendezvousHolder+".pem")
	}
	for _, r := range ranks {
		files = append(files, holderOf(r)+".pem")
	}
	return files
}
