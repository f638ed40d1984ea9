package ran

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// Fact is one line of a provenance block. Names of machines, versions and times are the
// same in both languages.
type Fact struct {
	Name, Value said
	Code        bool
	Warn        bool
	SHA256      string // follows the value
}

// Provenance lists what a reader needs to run a result again and to compare
// the bytes, in a fixed order.
func Provenance(r File) []Fact {
	fs := []Fact{}
	say := func(name, value said) {
		if value.En() != "" {
			fs = append(fs, Fact{Name: name, Value: value})
		}
	}
	add := func(name said, value string) { say(name, said{value, value}) }
	code := func(name said, value string) {
		if value != "" {
			fs = append(fs, Fact{Name: name, Value: said{value, value}, Code: true})
		}
	}
	if r.Run == nil {
		fs = append(fs, Fact{Name: said{"run", "运行"}, Warn: true,
			Value: said{"No record of the run lies beside this result: command, commit and machine are unknown.",
				"此结果旁边没有运行记录：命令、提交和机器未知。"}})
	} else {
		code(said{"command", "命令"}, r.Run.Command)
		say(said{"how", "方式"}, notebook.Bothf("%s: %s", "%s：%s", page.KindWords(page.KindsOf(r.Result)), page.KindMeans(page.KindsOf(r.Result))))
		code(said{"commit", "提交"}, r.Run.Commit)
		switch {
		case r.Run.Dirty:
			fs = append(fs, Fact{Name: said{"changes", "变化"}, Warn: true, Value: said{"The working tree had changes that no commit holds.", "工作目录含有未提交的改动。"}})
		case known(r.Run.Commit):
			say(said{"changes", "变化"}, said{"none: the working tree was clean", "无：工作目录没有改动"})
		default:
			say(said{"changes", "变化"}, said{"unknown", "未知"})
		}
		add(said{"version", "版本"}, r.Run.Version)
		add(said{"Go", "Go"}, strings.TrimSpace(fmt.Sprintf("%s %s, GOMAXPROCS %d", r.Run.Go, r.Run.Platform, r.Run.GOMAXPROCS)))
		add(said{"CPU", "CPU"}, r.Run.CPU)
		say(said{"accelerator", "加速器"}, accelerator(r.Run.Accelerator))
	}
	say(said{"engine", "引擎"}, engineName(engine(r)))
	switch list := seeds(r.Seeds); {
	case len(r.Seeds) > 0 && Seedless(r.Result):
		say(said{"seeds", "种子"}, notebook.Bothf("%s given; %s", "给出 %s；%s", said{list, strings.ReplaceAll(list, ", ", "、")}, NoSeed))
	default:
		add(said{"seeds", "种子"}, list)
	}
	for _, d := range r.Data {
		text := notebook.Bothf("%s (%s), %s training and %s test images", "%s（%s），%s 张训练图像和 %s 张测试图像", d.Name, Origins[d.Origin],
			typeset.Number(float64(d.Train), 0), typeset.Number(float64(d.Test), 0))
		say(said{"data", "数据"}, text)
		code(said{"data sha256", "数据 sha256"}, d.SHA256)
	}
	code(said{"configuration sha256", "配置 sha256"}, r.ConfigSHA256)
	if r.Run != nil {
		add(said{"started", "开始时间"}, r.Run.Started)
		say(said{"wall time", "实际用时"}, wallTime(r))
		if r.Run.PeakRSSBytes > 0 {
			add(said{"peak memory", "内存峰值"}, typeset.Bytes(r.Run.PeakRSSBytes))
		}
	}
	code(said{"result sha256", "结果 sha256"}, r.SHA256)
	if r.Stale {
		fs = append(fs, Fact{Name: said{"warning", "警告"}, Warn: true, SHA256: r.Run.ResultSHA256,
			Value: said{"Command, commit and machine above may not be this result’s: the record of the run names another result, sha256",
				"以上命令、提交和机器可能不属于此结果：运行记录对应另一个结果，sha256"}})
	}
	add(said{"schema", "格式"}, r.Schema)
	return fs
}

// places is the order of what a result has once.
var places = []string{"run", "command", "how", "commit", "changes", "version", "Go", "CPU", "accelerator", "engine", "seeds", "data", "data sha256",
	"configuration sha256", "started", "wall time", "peak memory", "result sha256", "warning", "schema"}

// Place returns where a fact stands among those of a result.
func Place(f Fact) int { return slices.Index(places, f.Name.En()) }

// accelerator and engineName word what a record says; its few own words have Chinese.
func accelerator(s string) said {
	if s == "none used" {
		return said{"none used", "未使用"}
	}
	return said{s, s}
}

func engineName(s string) said {
	switch s {
	case "none":
		return said{"none", "无"}
	case "none (timing-only)":
		return said{"none (timing-only)", "无（仅计时）"}
	}
	return said{s, strings.ReplaceAll(s, "bit class", "位类")}
}

// wallTime returns how long the run took, "" where its record does not say.
func wallTime(r File) said {
	if r.Run.WallSeconds <= 0 {
		return said{}
	}
	took := typeset.Seconds(r.Run.WallSeconds)
	if len(r.Data) > 0 {
		return notebook.Bothf("%s, without trainings that were finished before", "%s，不含先前已完成的训练", took)
	}
	return took
}

// engine prefers the result's own word, which is compared, to the sidecar's.
func engine(r File) string {
	if r.Engine != "" || r.Run == nil {
		return r.Engine
	}
	return r.Run.Engine
}

func seeds(ss []uint64) string {
	words := make([]string, len(ss))
	for i, s := range ss {
		words[i] = fmt.Sprint(s)
	}
	return strings.Join(words, ", ")
}

// NoSeed is said of a result that was given seeds and drew nothing.
var NoSeed = said{"no seed used", "未用种子"}

// Seedless reports whether nothing of r depends on its seeds. An experiment's
// configuration holds all that decides its numbers, its seeds with it; where it names
// none, none was used. A result without a configuration tells nothing, and one with
// data draws their order.
func Seedless(r *result.Result) bool {
	settings, ok := r.Config.(map[string]any)
	return ok && len(settings) > 0 && len(r.Data) == 0 && !namesSeed(settings)
}

// namesSeed reports whether a key anywhere in settings speaks of a seed.
func namesSeed(settings any) bool {
	switch v := settings.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.Contains(key, "seed") || namesSeed(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, namesSeed)
	}
	return false
}

// Origins names where data come from.
var Origins = map[string]said{"embedded": {"embedded", "内置"}, "directory": {"directory", "目录"}, "cache": {"cache", "缓存"}, "synthetic": {"synthetic", "合成"}}
