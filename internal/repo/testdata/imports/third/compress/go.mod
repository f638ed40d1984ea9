module github.com/klauspost/compress

go 1.26.0
