package quiz

import (
	"slices"
	"strings"
	"testing"
)

// TestUnits: how many of the unit asked for each word is, word by word, and that
// there are no others.
func TestUnits(t *testing.T) {
	count := func(words string) string { return strings.ReplaceAll(words, " ", " 1 ") + " 1" }
	for name, c := range map[string]struct {
		of   unit
		want string // words, each with its factor
	}{
		"none":      {none, ""},
		"perSecond": {perSecond, ""},
		"seconds": {seconds, "ns 1/1000000000 纳秒 1/1000000000 µs 1/1000000 us 1/1000000 μs 1/1000000 微秒 1/1000000 ms 1/1000 毫秒 1/1000 " +
			count("s sec second seconds 秒")},
		"milliseconds": {milliseconds, "ns 1/1000000 纳秒 1/1000000 µs 1/1000 us 1/1000 μs 1/1000 微秒 1/1000 ms 1 毫秒 1 s 1000 sec 1000 second 1000 seconds 1000 秒 1000"},
		"bytes":        {bytes, count("b byte bytes 字节") + " kb 1000 mb 1000000 gb 1000000000 kib 1024 mib 1048576 gib 1073741824"},
		"share":        {share, "% 1/100"},
		"gradients":    {gradients, count("gradient gradients 梯度 个梯度 个")},
		"blocks":       {blocks, count("block blocks 块 个块 个")},
		"packets":      {packets, count("packet packets 数据包 个数据包 个")},
		"groups":       {groups, count("group groups 组 个组 个")},
	} {
		t.Run(name, func(t *testing.T) {
			if f := c.of.factor(""); f == nil || f.RatString() != "1" {
				t.Errorf("no word is %v of the unit", f)
			}
			fields, known := strings.Fields(c.want), map[string]bool{}
			for i := 0; i < len(fields); i += 2 {
				known[fields[i]] = true
				for _, word := range []string{fields[i], strings.ToUpper(fields[i])} {
					if got := c.of.factor(word); got == nil || got.RatString() != fields[i+1] {
						t.Errorf("%s is %v, want %s", word, got, fields[i+1])
					}
				}
			}
			for word := range c.of.words {
				if !known[word] {
					t.Errorf("%s is a word of no test", word)
				}
			}
			if f := c.of.factor("parsec"); f != nil {
				t.Errorf("parsec is %v", f)
			}
			if word := strings.ToLower(c.of.name.ZH); word != "" && name != "perSecond" && !slices.Contains(fields, word) {
				t.Errorf("its own word %s is none of its words", word)
			}
		})
	}
}
