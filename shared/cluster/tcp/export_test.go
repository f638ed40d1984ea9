package tcp

import "net"

// WithFaults passes every data connection through wrap.
func (c Config) WithFaults(wrap func(peer int, conn net.Conn) net.Conn) Config {
	c.wrap = wrap
	return c
}
