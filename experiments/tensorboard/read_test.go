package tensorboard_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"testing"

	"gradsync/internal/oktest"
)

// written is a record of a file: its version, a scalar or a text.
type written struct {
	Seconds      float64
	Step         int64
	Version, Tag string
	Value        float32
	Plugin       string // "" for a scalar
	Text         string
}

// read returns the events of the file at path, by the format alone: it shares no code with what writes them. A wrong checksum, half a record or
// a field of another type ends the test.
func read(t testing.TB, path string) []written {
	t.Helper()
	raw := oktest.Must(os.ReadFile(path))(t)
	var out []written
	for at := 0; at < len(raw); {
		if len(raw)-at < 16 {
			t.Fatalf("%s: %d bytes after the last record", path, len(raw)-at)
		}
		n := binary.LittleEndian.Uint64(raw[at:])
		check(t, fmt.Sprintf("%s: length at %d", path, at), raw[at:at+8], raw[at+8:])
		if n > uint64(len(raw)-at-16) {
			t.Fatalf("%s: record of %d bytes at %d in a file of %d", path, n, at, len(raw))
		}
		body := raw[at+12 : at+12+int(n)]
		check(t, fmt.Sprintf("%s: event at %d", path, at), body, raw[at+12+int(n):])
		out = append(out, decode(t, body))
		at += 16 + int(n)
	}
	return out
}

// check compares the checksum that follows data with one by bits.RotateLeft.
func check(t testing.TB, what string, data, follows []byte) {
	t.Helper()
	crc := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	if got, want := binary.LittleEndian.Uint32(follows), bits.RotateLeft32(crc, 17)+0xa282ead8; got != want {
		t.Fatalf("%s: checksum %08x, want %08x", what, got, want)
	}
}

func decode(t testing.TB, body []byte) (e written) {
	t.Helper()
	fields(t, body, func(field, number uint64, data []byte) {
		switch field {
		case 1:
			e.Seconds = math.Float64frombits(number)
		case 2:
			e.Step = int64(number)
		case 3:
			e.Version = string(data)
		case 5:
			fields(t, data, func(_, _ uint64, value []byte) { e.value(t, value) })
		}
	})
	return e
}

func (e *written) value(t testing.TB, raw []byte) {
	fields(t, raw, func(field, number uint64, data []byte) {
		switch field {
		case 1:
			e.Tag = string(data)
		case 2:
			e.Value = math.Float32frombits(uint32(number))
		case 8:
			fields(t, data, func(field, number uint64, data []byte) {
				if field == 1 && number != 7 {
					t.Fatalf("%s: a tensor of type %d, want strings", e.Tag, number)
				}
				if field == 8 {
					e.Text = string(data)
				}
			})
		case 9:
			fields(t, data, func(field, _ uint64, data []byte) {
				if field == 1 {
					fields(t, data, func(_, _ uint64, name []byte) { e.Plugin = string(name) })
				}
			})
		}
	})
}

// fields calls f with each field of a message: its number, or its bytes.
func fields(t testing.TB, b []byte, f func(field, number uint64, data []byte)) {
	t.Helper()
	uvarint := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("no varint in % x", b)
		}
		b = b[n:]
		return v
	}
	take := func(n uint64) []byte {
		if n > uint64(len(b)) {
			t.Fatalf("a field of %d bytes in %d", n, len(b))
		}
		data := b[:n]
		b = b[n:]
		return data
	}
	for len(b) > 0 {
		k := uvarint()
		switch k & 7 {
		case 0:
			f(k>>3, uvarint(), nil)
		case 1:
			f(k>>3, binary.LittleEndian.Uint64(take(8)), nil)
		case 2:
			f(k>>3, 0, take(uvarint()))
		case 5:
			f(k>>3, uint64(binary.LittleEndian.Uint32(take(4))), nil)
		default:
			t.Fatalf("wire type %d", k&7)
		}
	}
}
