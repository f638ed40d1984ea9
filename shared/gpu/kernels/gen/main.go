// Command gen compiles the kernels (go generate).
package main

import (
	"flag"
	"fmt"
	"os"

	"gradsync/shared/gpu/kernels/clang"
)

func main() {
	src, out := flag.String("src", "cuda", "folder with kernels.cu"), flag.String("out", "kernels.ptx", "file to write")
	flag.Parse()
	text, err := clang.Compile(*src)
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
