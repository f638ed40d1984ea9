package cluster

import (
	"errors"
	"hash/crc32"
	"testing"
)

func TestHeaderComesBack(t *testing.T) {
	for _, m := range []Msg{
		{From: 3, Tag: MaxTag - 1, Meta: [4]int64{1, -2, 1 << 62, 4}, Body: []byte("gradient")},
		{From: 0, Tag: 0, Declared: 123456789},
		{Body: []byte{}},
	} {
		b := AppendHeader([]byte("before"), &m)[len("before"):]
		if len(b) != HeaderBytes {
			t.Fatalf("header of %d bytes, want %d", len(b), HeaderBytes)
		}
		got, declared, crc, err := ParseHeader(b)
		if err != nil || got.From != m.From || got.Tag != m.Tag || got.Meta != m.Meta || got.Declared != m.Size() ||
			declared != (m.Body == nil) || crc != crc32.Checksum(m.Body, castagnoli) {
			t.Errorf("%+v came back as %+v, declared %v, %v", m, got, declared, err)
		}
		for i := range b { // every flipped bit is noticed
			b[i] ^= 1 << (i % 8)
			if _, _, _, err := ParseHeader(b); !errors.Is(err, ErrHeader) {
				t.Fatalf("byte %d changed: %v", i, err)
			}
			b[i] ^= 1 << (i % 8)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add(AppendHeader(nil, &Msg{From: 1, Tag: 2, Body: []byte("x")}))
	f.Add(make([]byte, HeaderBytes-1))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= HeaderBytes { // make the checksum right, to get beyond it
			sum := crc32.Checksum(b[:60], castagnoli)
			b[60], b[61], b[62], b[63] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		}
		m, _, _, err := ParseHeader(b)
		if err == nil && (m.From < 0 || m.Tag < 0 || m.Tag >= MaxTag || m.Declared < 0) {
			t.Fatalf("accepted %+v", m)
		}
	})
}
