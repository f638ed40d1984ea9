package quiz

import (
	"math/big"
	"strings"
)

// unit is what a number is asked in, and what other units it may be given in.
type unit struct {
	name  Text
	words map[string]*big.Rat // lower case: how many of the unit asked for
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

// units of time by name, in nanoseconds, and of data, in bytes.
var (
	times = map[string]*big.Rat{"ns": rat(1, 1), "纳秒": rat(1, 1), "µs": rat(1e3, 1), "us": rat(1e3, 1), "μs": rat(1e3, 1), "微秒": rat(1e3, 1), "ms": rat(1e6, 1), "毫秒": rat(1e6, 1),
		"s": rat(1e9, 1), "sec": rat(1e9, 1), "second": rat(1e9, 1), "seconds": rat(1e9, 1), "秒": rat(1e9, 1)}
	data = map[string]*big.Rat{"b": rat(1, 1), "byte": rat(1, 1), "bytes": rat(1, 1), "字节": rat(1, 1), "kb": rat(1e3, 1), "mb": rat(1e6, 1), "gb": rat(1e9, 1),
		"kib": rat(1<<10, 1), "mib": rat(1<<20, 1), "gib": rat(1<<30, 1)}
)

// The units that questions ask for.
var (
	none         = unit{}
	seconds      = unit{Text{"s", "秒"}, per(times, 1e9)}
	milliseconds = unit{Text{"ms", "毫秒"}, per(times, 1e6)}
	bytes        = unit{Text{"bytes", "字节"}, data}
	perSecond    = unit{Text{"bytes/s", "字节/秒"}, nil}
	share        = unit{Text{}, map[string]*big.Rat{"%": rat(1, 100)}}
	gradients    = counted("gradient", "梯度")
	blocks       = counted("block", "块")
	packets      = counted("packet", "数据包")
	groups       = counted("group", "组")
)

// per are the units of a table in one of so many of its base unit.
func per(table map[string]*big.Rat, base int64) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for word, size := range table {
		out[word] = new(big.Rat).Quo(size, rat(base, 1))
	}
	return out
}

// counted is the unit of things that are counted.
func counted(en, zh string) unit {
	one := rat(1, 1)
	return unit{Text{en + "s", zh}, map[string]*big.Rat{en: one, en + "s": one, zh: one, "个" + zh: one, "个": one}}
}

// factor is how many of the unit one of the word is; nil: the word is none of its
// units. No word is the unit itself.
func (u unit) factor(word string) *big.Rat {
	if word == "" {
		return rat(1, 1)
	}
	return u.words[strings.ToLower(word)]
}
