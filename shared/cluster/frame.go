package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// HeaderBytes is the length of the header before every body on the wire. The
// virtual runtime charges it too, so that its byte counts are TCP's.
//
// Source: ours: AppendHeader's layout, one cache line
const HeaderBytes = 64

// frameMagic begins every header: "GSF1", little-endian.
const frameMagic = 0x31465347

const flagDeclared = 1 // no body follows, its length was only declared

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// ErrHeader is what ParseHeader wraps for a header that is not one.
	ErrHeader = errors.New("cluster: bad frame header")
)

// AppendHeader appends m's frame header to dst: little-endian
//
//	magic u32 · from i32 · tag i32 · flags u32 · meta 4×i64 · body bytes u64 ·
//	CRC-32C of the body u32 · CRC-32C of the header before it u32
//
// Source: ours: fixed length, checked before a body is believed
func AppendHeader(dst []byte, m *Msg) []byte {
	start := len(dst)
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, frameMagic)
	dst = le.AppendUint32(dst, uint32(int32(m.From)))
	dst = le.AppendUint32(dst, uint32(m.Tag))
	var flags uint32
	if m.Body == nil && m.Declared > 0 {
		flags = flagDeclared
	}
	dst = le.AppendUint32(dst, flags)
	for _, w := range m.Meta {
		dst = le.AppendUint64(dst, uint64(w))
	}
	dst = le.AppendUint64(dst, uint64(m.Size()))
	dst = le.AppendUint32(dst, crc32.Checksum(m.Body, castagnoli))
	return le.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// ParseHeader reads a header into a message whose Declared is the length of
// the body that follows, or that was declared; bodyCRC is the CRC-32C of the
// body. The error wraps ErrHeader.
//
// Source: ours: the inverse of AppendHeader
func ParseHeader(b []byte) (m Msg, declaredOnly bool, bodyCRC uint32, err error) {
	if len(b) < HeaderBytes {
		return m, false, 0, fmt.Errorf("%w: %d bytes, want %d", ErrHeader, len(b), HeaderBytes)
	}
	le := binary.LittleEndian
	if got := le.Uint32(b); got != frameMagic {
		return m, false, 0, fmt.Errorf("%w: magic %#x, want %#x", ErrHeader, got, uint32(frameMagic))
	}
	if got, want := le.Uint32(b[60:]), crc32.Checksum(b[:60], castagnoli); got != want {
		return m, false, 0, fmt.Errorf("%w: checksum %#x, want %#x", ErrHeader, got, want)
	}
	m.From = int(int32(le.Uint32(b[4:])))
	m.Tag = Tag(le.Uint32(b[8:]))
	flags, size := le.Uint32(b[12:]), le.Uint64(b[48:])
	if m.From < 0 || m.Tag < 0 || m.Tag >= MaxTag || flags > flagDeclared || size > 1<<40 {
		return Msg{}, false, 0, fmt.Errorf("%w: from %d, tag %d, flags %d, %d body bytes", ErrHeader, m.From, m.Tag, flags, size)
	}
	for i := range m.Meta {
		m.Meta[i] = int64(le.Uint64(b[16+8*i:]))
	}
	m.Declared = int(size)
	return m, flags == flagDeclared, le.Uint32(b[56:]), nil
}
