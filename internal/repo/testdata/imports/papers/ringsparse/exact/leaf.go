// Package exact stands here so that others can import it.
package exact
