package ptx

// findMeets finds for every branch the instruction at which all ways from it meet first:
// its immediate post-dominator.
//
// Source: ours: Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm (2001), on
// the reversed graph
func findMeets(code []instruction) {
	end := len(code)
	before := make([][]int, end+1) // who can come right before
	for at := range code {
		for _, to := range successors(code, at) {
			before[to] = append(before[to], at)
		}
	}
	order := backwards(before, end)
	number := make([]int, end+1) // a larger one is nearer to the end
	for i, at := range order {
		number[at] = i + 1
	}
	meet := make([]int, end+1)
	for i := range meet {
		meet[i] = -1
	}
	meet[end] = end
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			at := order[i]
			if at == end {
				continue
			}
			found := -1
			for _, to := range successors(code, at) {
				switch {
				case meet[to] < 0:
				case found < 0:
					found = to
				default:
					found = common(meet, number, found, to)
				}
			}
			if found != meet[at] {
				meet[at], changed = found, true
			}
		}
	}
	for at := range code {
		if code[at].meet = meet[at]; meet[at] < 0 { // a loop without an end
			code[at].meet = end
		}
	}
}

// successors returns what can be executed after an instruction; the code's length stands
// for the end.
func successors(code []instruction, at int) []int {
	in := &code[at]
	switch {
	case in.kind == branch && in.guard < 0:
		return []int{in.target}
	case in.kind == branch:
		return []int{in.target, at + 1}
	case in.kind == exit && in.guard < 0:
		return []int{len(code)}
	case in.kind == exit:
		return []int{len(code), at + 1}
	}
	return []int{at + 1}
}

// backwards lists what leads to the end, each after all that lie behind it on the search.
func backwards(before [][]int, end int) (order []int) {
	type visit struct{ at, child int }
	seen := make([]bool, len(before))
	seen[end] = true
	for stack := []visit{{end, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.child == len(before[top.at]) {
			order = append(order, top.at)
			stack = stack[:len(stack)-1]
			continue
		}
		from := before[top.at][top.child]
		top.child++
		if !seen[from] {
			seen[from] = true
			stack = append(stack, visit{from, 0})
		}
	}
	return order
}

// common returns where the ways from a and b meet, as far as known.
func common(meet, number []int, a, b int) int {
	for a != b {
		for number[a] < number[b] {
			a = meet[a]
		}
		for number[b] < number[a] {
			b = meet[b]
		}
	}
	return a
}
