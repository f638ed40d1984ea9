//go:build race

package asm

const raceDetector = true
