module gradsync

go 1.26.0

require (
	github.com/klauspost/compress v1.18.0
	golang.org/x/sys v0.30.0
	gonum.org/v1/gonum v0.17.0
)

replace (
	github.com/klauspost/compress => ./third/compress
	golang.org/x/sys => ./third/sys
	gonum.org/v1/gonum => ./third/gonum
)
