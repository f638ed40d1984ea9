package result

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
	"gradsync/internal/strict"
)

// SchemaJSON is the JSON Schema (2020-12) of a Result; every file that Write
// writes obeys it.
//
//go:embed schema.json
var SchemaJSON []byte

// runSchemaJSON is the JSON Schema (2020-12) of a Run, the sidecar.
//
//go:embed run.schema.json
var runSchemaJSON []byte

// digits is how many significant digits a number keeps in a file: enough for
// every table, few enough that a sum in another order prints the same.
const digits = 9

// Path returns where the result of an experiment lives below root:
//
//	<root>/dasp/table5.json            the profile quick
//	<root>/dasp/<profile>/table5.json  any other
func Path(root, id, profile string) string {
	dir, name := filepath.Split(filepath.FromSlash(id))
	if profile != "quick" {
		dir = filepath.Join(dir, profile)
	}
	return filepath.Join(root, dir, name+".json")
}

// Write stores r and its sidecar below root, each by a temporary file and a rename, and
// returns the path of the JSON. It fills Schema and ConfigSHA256 of r, and ResultSHA256
// of run. A nil run writes no sidecar.
func Write(root string, r *Result, run *Run) (string, error) {
	raw, err := Encode(r)
	if err != nil {
		return "", err
	}
	path := Path(root, r.ID, r.Profile)
	return path, writeFiles(path, raw, run)
}

// writeFiles stores the bytes of a result at path and its sidecar beside it.
func writeFiles(path string, raw []byte, run *Run) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if run != nil {
		run.ResultSHA256 = Sum(raw)
		side, err := json.MarshalIndent(run, "", "  ")
		if err != nil {
			return fmt.Errorf("result: sidecar of %s: %w", path, err)
		}
		if err := atomic.WriteFile(strings.TrimSuffix(path, ".json")+".run.json", append(side, '\n')); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	if err := atomic.WriteFile(path, raw); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// Encode returns the bytes of r's file: a fixed key order, 9 significant digits, frames
// by column. Same result, same bytes. A result that Check refuses is an error.
func Encode(r *Result) (raw []byte, err error) {
	r.Schema = Schema
	if r.Config, err = sorted(r.Config); err != nil {
		return nil, err
	}
	if r.ConfigSHA256, err = ConfigHash(r.Config); err != nil {
		return nil, err
	}
	if err := Check(r); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return encodeAny(r.ID, r)
}

// encodeAny returns the bytes of a file that holds v; errors name id.
func encodeAny(id string, v any) ([]byte, error) {
	raw, err := Canonical(v)
	if err != nil {
		return nil, fmt.Errorf("result: %s: %w", id, err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("result: %s: %w", id, err)
	}
	return append(oneLine(out.Bytes()), '\n'), nil
}

// ConfigHash returns the SHA-256 of a configuration's compact JSON, keys in order, so that a file
// read back has the same hash.
func ConfigHash(config any) (string, error) {
	config, err := sorted(config)
	if err != nil {
		return "", err
	}
	raw, err := Canonical(config)
	if err != nil {
		return "", fmt.Errorf("result: configuration: %w", err)
	}
	return Sum(raw), nil
}

// sorted turns a configuration into maps, which encode with their keys in
// order.
func sorted(config any) (any, error) {
	raw, err := Canonical(config)
	if err != nil {
		return nil, fmt.Errorf("result: configuration: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("result: configuration: %w", err)
	}
	return out, nil
}

// Sum returns the hexadecimal SHA-256 of raw.
func Sum(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Canonical returns compact JSON, without HTML escapes, whose numbers have at most 9 significant
// digits.
func Canonical(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return roundNumbers(bytes.TrimSpace(buf.Bytes())), nil
}

// roundNumbers rewrites the number tokens of compact JSON. Integers stay as
// they are: a seed or a byte count has more than 9 digits and is exact.
func roundNumbers(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := i + 1
			for raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			out = append(out, raw[i:end+1]...)
			i = end + 1
		case c == '-' || '0' <= c && c <= '9':
			end := i + 1
			for end < len(raw) && strings.IndexByte("0123456789+-.eE", raw[end]) >= 0 {
				end++
			}
			out = append(out, round(string(raw[i:end]))...)
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

func round(token string) string {
	if !strings.ContainsAny(token, ".eE") {
		return token
	}
	v, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return token
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if short == 0 {
		short = 0 // no −0
	}
	if abs := math.Abs(short); abs != 0 && (abs < 1e-6 || abs >= 1e15) {
		return strconv.FormatFloat(short, 'e', -1, 64)
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

const scalar = `("(?:[^"\\]|\\.)*"|[^\s\[\]{},"]+)`

var (
	flatArray = regexp.MustCompile(`\[\n *` + scalar + `(,\n *` + scalar + `)*\n *\]`)
	lineBreak = regexp.MustCompile(`\n *`)
)

// oneLine folds arrays of scalars: a table's row is a line of the file. JSON
// strings hold no raw line break, so nothing inside a string can match.
func oneLine(indented []byte) []byte {
	return flatArray.ReplaceAllFunc(indented, func(a []byte) []byte {
		a = bytes.ReplaceAll(a, []byte(",\n"), []byte(", \n"))
		return lineBreak.ReplaceAll(a, nil)
	})
}

// errSchema is wrapped by Read where a file is of another version of the format.
var errSchema = errors.New("another schema")

// MaxFile is the size in bytes of the largest result file, or record beside it, that is read.
const MaxFile = 64 * readfile.MiB

// Read loads a result file. An unknown field or another schema is an error.
func Read(path string) (*Result, error) {
	raw, err := readfile.Limited(path, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return Decode(path, raw)
}

// Decode decodes the bytes of the result file at path, which errors name.
func Decode(path string, raw []byte) (*Result, error) {
	var version struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(raw, &version); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	if version.Schema != Schema {
		return nil, fmt.Errorf("result: %s: schema is %q, want %q: %w", path, version.Schema, Schema, errSchema)
	}
	r := new(Result)
	if err := strict.JSON(raw, r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	if err := Check(r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	return r, nil
}

// ReadRun loads the sidecar beside the result file at path.
func ReadRun(path string) (*Run, error) {
	raw, err := readfile.Limited(strings.TrimSuffix(path, ".json")+".run.json", MaxFile)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	var run Run
	if err := json.Unmarshal(raw, &run); err != nil {
		return nil, fmt.Errorf("result: sidecar of %s: %w", path, err)
	}
	return &run, nil
}
