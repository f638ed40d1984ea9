package bench

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os/exec"
	"time"
)

// KindStream is 1 MiB of a one-way TCP stream to another process.
const KindStream = "stream"

// streamWrite is the size of a write and of a read.
const streamWrite = 1 << 20

// ServeStream is the life of the stream's sender: a worker whose step is one
// write. Receiver makes the command of the other process, which calls
// ReceiveStream with the address.
func ServeStream(in io.Reader, out io.Writer, receiver func(address string) *exec.Cmd) error {
	var conn net.Conn
	var other *exec.Cmd
	defer func() {
		if conn != nil {
			conn.Close() // which ends the other
			_ = other.Wait()
		}
	}()
	return Serve(in, out, func(j Job) (*Task, error) {
		if j.Kind != KindStream {
			return nil, fmt.Errorf("bench: stream: a job %q", j.Kind)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_ = listener.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second))
		other = receiver(listener.Addr().String())
		if err := other.Start(); err != nil {
			return nil, err
		}
		if conn, err = listener.Accept(); err != nil {
			_ = other.Process.Kill()
			_ = other.Wait()
			return nil, fmt.Errorf("bench: stream: the other process did not come: %w", err)
		}
		block := make([]byte, streamWrite)
		return &Task{Class: "tcp", Bytes: streamWrite, Run: func(steps int) error { return stream(conn, block, steps) }}, nil
	})
}

// stream says how many blocks follow, writes them and waits for one byte.
func stream(conn net.Conn, block []byte, steps int) error {
	if err := binary.Write(conn, binary.LittleEndian, int64(steps)); err != nil {
		return err
	}
	for range steps {
		if _, err := conn.Write(block); err != nil {
			return err
		}
	}
	_, err := io.ReadFull(conn, make([]byte, 1))
	return err
}

// ReceiveStream reads what ServeStream's process at address sends until it ends.
func ReceiveStream(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	block := make([]byte, streamWrite)
	for {
		var steps int64
		switch err := binary.Read(conn, binary.LittleEndian, &steps); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
		for range steps {
			if _, err := io.ReadFull(conn, block); err != nil {
				return err
			}
		}
		if _, err := conn.Write([]byte{1}); err != nil {
			return err
		}
	}
}
