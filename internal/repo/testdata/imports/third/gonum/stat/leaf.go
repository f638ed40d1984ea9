// Package stat stands for any module of others.
package stat
