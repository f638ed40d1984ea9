package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gradsync/experiments/exp"
)

// Bits is the version of the numbers that this program computes. A part that was kept under
// another version is made again. It is raised by one whenever a part of profile ci, made anew from
// the same key, has another value: ci-results and ci-check say so.
const Bits = 1

// memos guards the memos: several may ask at once, and a memo need not know.
var memos sync.Mutex

// underWay holds a lock per part that is being made: who asks for it meanwhile waits and has it.
var underWay sync.Map // name → *sync.Mutex

// Keep returns what make made for key, now or in an earlier command. key holds all that decides the
// numbers; state is the file in which make may keep what is under way, "" for none. The name of a
// part is key, Bits and the shape of T, that is its fields but no name of a type. So values of
// different shapes never share a part, and what has a shape in common must differ in key.
func Keep[T any](ctx context.Context, env exp.Env, key any, make func(state string) (T, error)) (out T, err error) {
	if env.Memo == nil {
		return make("")
	}
	name, err := PartName(Bits, out, key)
	if err != nil {
		return out, err
	}
	one, _ := underWay.LoadOrStore(name, &sync.Mutex{})
	one.(*sync.Mutex).Lock()
	defer one.(*sync.Mutex).Unlock()
	memos.Lock()
	kept, state := env.Memo.Load(name, &out), ""
	if !kept {
		state = env.Memo.State(name)
	}
	memos.Unlock()
	if kept {
		return out, nil
	}
	if err = ctx.Err(); err != nil {
		return out, err
	}
	if out, err = make(state); err == nil {
		memos.Lock()
		defer memos.Unlock()
		err = env.Memo.Save(name, out)
	}
	return out, err
}

// PartName returns the name of the part that key has under a version of the bits, with values like
// value: JSON of one line.
func PartName(bits int, value, key any) (string, error) {
	raw, err := json.Marshal(struct {
		Bits  int    `json:"bits"`
		Shape string `json:"shape"`
		Key   any    `json:"key"`
	}{bits, shape(reflect.TypeOf(value), nil), key})
	if err != nil {
		return "", fmt.Errorf("kit: key of a finished part: %w", err)
	}
	return string(raw), nil
}

// shape writes the fields of t as they stand in JSON, "…" for a type that holds itself. A field
// that JSON leaves out is none.
func shape(t reflect.Type, within []reflect.Type) string {
	if t == nil {
		return "any"
	}
	if slices.Contains(within, t) {
		return "…"
	}
	within = append(slices.Clip(within), t)
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + shape(t.Elem(), within)
	case reflect.Slice, reflect.Array:
		return "[]" + shape(t.Elem(), within)
	case reflect.Map:
		return "{" + shape(t.Key(), within) + ":" + shape(t.Elem(), within) + "}"
	case reflect.Interface:
		return "any"
	case reflect.Struct:
		var fields []string
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			if name == "" && !f.Anonymous {
				name = f.Name
			}
			fields = append(fields, name+" "+shape(f.Type, within))
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	return t.Kind().String()
}
