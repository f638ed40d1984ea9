package shell

import "testing"

func TestQuoted(t *testing.T) {
	got := Quoted("/a/b-c_d", "--x=1,2", "it's", "", "a b", "$HOME", "[::1]", "a$b")
	if want := `/a/b-c_d --x=1,2 'it'\''s' '' 'a b' '$HOME' '[::1]' 'a$b'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
