// Package zstd stands for the entropy coders.
package zstd
