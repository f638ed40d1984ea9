package reports

import "reflect"

// difference is what turns a into b, as RFC 7396 has it: a member that b lacks is null,
// one that both have is left out. Lists of one object count as the object. It is nil
// where a and b are alike.
func difference(a, b any) any {
	if x, y := only(a), only(b); x != nil && y != nil {
		if d := difference(x, y); d != nil {
			return []any{d}
		}
		return nil
	}
	x, ok1 := a.(map[string]any)
	y, ok2 := b.(map[string]any)
	if !ok1 || !ok2 {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return b
	}
	out := map[string]any{}
	for k := range x {
		if _, ok := y[k]; !ok {
			out[k] = nil
		}
	}
	for k, v := range y {
		if old, ok := x[k]; !ok {
			out[k] = v
		} else if d := difference(old, v); d != nil {
			out[k] = d
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// only is the object that a list holds alone.
func only(list any) map[string]any {
	if l, ok := list.([]any); ok && len(l) == 1 {
		o, _ := l[0].(map[string]any)
		return o
	}
	return nil
}
