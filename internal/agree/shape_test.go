package agree

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/cli"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// shapes are the columns and rows that each document's table has on the page that is named after it; English first.
var shapes = map[string]struct{ columns, rows string }{
	"dasp/table1":     {"host|effective speed (TFLOP/s)|link (Gb/s)", "server|p100-0|p100-1|p100-2|p100-3|p100-4|p100-5"},
	"dasp/table2":     {"host|effective speed (TFLOP/s)|link (Gb/s)", "server|v100|rtx2080ti|gtx1080ti|p100|t4|halfk80"},
	"dasp/table3":     {"parameter|value|confidence|why", "workers N|Smin|Smax|α|learning rate γ"},
	"dasp/table4":     {"BSP|ASP|SSP|DSSP|DASP", "LeNet-5|ResNet-18|VGG-19-BN"},
	"dasp/table5":     {"BSP|ASP|SSP|DSSP|DASP", "LeNet-5|ResNet-18|VGG-19-BN"},
	"dasp/table6":     {"BSP|ASP|SSP|DSSP|DASP", "LeNet-5|ResNet-18|VGG-19-BN"},
	"dasp/table7":     {"BSP|ASP|SSP|DSSP|DASP", "LeNet-5|ResNet-18|VGG-19-BN"},
	"codedsgd/table1": {"number of hosts|effective speed (GFLOP/s)|link (Gb/s)", "node0|server"},
	"codedsgd/table2": {"alone|SSGD and CSSGD|ASGD", "DNN|CNN"},
	"codedsgd/proof": {"equation|what it says|as printed|as it holds|cases|verdict|n|r",
		"the saving of §2.2|Algorithm 3 (r ≥ 2)|Algorithm 3 (r = 1)|Algorithm 4|(16)|(19)|(20)|(21)|(22)|(23)|(24)|(25)|(26)|the groups of §2.4|(27)|(28)|(29)|(30)"},
}

var (
	aTable = regexp.MustCompile(`(?s)<table.*?</table>`)
	aRow   = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	aCell  = regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`)
	inZh   = regexp.MustCompile(`(?s)<span class="zh[^>]*>.*?</span>`)
	aTag   = regexp.MustCompile(`<[^>]+>`)
)

// firstTable returns the cells of the first table of a page, if it stands above all that is folded.
func firstTable(page string) (rows [][]string) {
	_, body, _ := strings.Cut(page, "<h1>")
	open, _, _ := strings.Cut(body, "<details")
	for _, row := range aRow.FindAllStringSubmatch(aTable.FindString(open), -1) {
		var cells []string
		for _, c := range aCell.FindAllStringSubmatch(row[1], -1) {
			cells = append(cells, strings.TrimSpace(html.UnescapeString(aTag.ReplaceAllString(inZh.ReplaceAllString(c[1], ""), ""))))
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestTablesHaveTheirShape: the page named after a document's table, and that of the proof, show it first and open: its
// columns in their order, and its rows in theirs.
func TestTablesHaveTheirShape(t *testing.T) {
	root := mustRoot(t)
	for name, want := range shapes {
		page, err := os.ReadFile(filepath.Join(root, "reports", "html", filepath.FromSlash(name)+".html"))
		if err != nil {
			t.Error(err)
			continue
		}
		rows := firstTable(string(page))
		if len(rows) < 2 || !holdsInOrder(rows[0], strings.Split(want.columns, "|")) {
			t.Errorf("%s: the first table is %q, want columns %s", name, rows, want.columns)
			continue
		}
		var heads []string
		for _, r := range rows[1:] {
			heads = append(heads, r[0])
		}
		if !holdsInOrder(heads, strings.Split(want.rows, "|")) {
			t.Errorf("%s: rows of %q, want %s", name, heads, want.rows)
		}
		if n, ok := strings.CutPrefix(name, "dasp/table"); ok && n > "3" {
			printsWhatThePaperSays(t, root, n, rows)
		}
	}
}

// holdsInOrder reports whether list has all of want, in that order.
func holdsInOrder(list, want []string) bool {
	for _, w := range want {
		i := slices.Index(list, w)
		if i < 0 {
			return false
		}
		list = list[i+1:]
	}
	return true
}

// printsWhatThePaperSays compares the line of the paper's numbers in DASP's Table n, network by network and rival by
// rival, with claims.csv.
func printsWhatThePaperSays(t *testing.T, root, n string, rows [][]string) {
	t.Helper()
	id := map[bool]string{true: "dasp/table" + n, false: "dasp/multiverse"}[n > "5"]
	r := oktest.Must(result.Read(result.Path(filepath.Join(root, "experiments", "results"), id, "standard")))(t)
	names := map[string]string{"lenet5": "LeNet-5", "resnet18": "ResNet-18", "vgg19_bn": "VGG-19-BN"}
	seen := 0
	for _, x := range r.Claims {
		c, _ := claims.Get(x.ID)
		stated, ok := c.Number()
		if x.Table != n || x.Rival == "" || x.Remark != "" || !ok {
			continue
		}
		at, want := slices.Index(rows[0], strings.ToUpper(x.Rival)), strconv.FormatFloat(stated, 'f', -1, 64)
		found := slices.ContainsFunc(rows, func(row []string) bool {
			return row[0] == names[x.Network] && row[1] == "paper (%)" && strings.TrimSuffix(row[at], ".0") == want
		})
		if seen++; !found {
			t.Errorf("table %s: %s is %s beside %s with %s, the page has %q", n, x.ID, want, x.Rival, x.Network, rows)
		}
	}
	if seen < 8 {
		t.Errorf("table %s: %d numbers of the paper", n, seen)
	}
}

// TestContradictionsAreNamed: REPRODUCIBILITY.md names every claim that profile quick decides otherwise than standard,
// and how many there are.
func TestContradictionsAreNamed(t *testing.T) {
	root, text := mustRoot(t), readRoot(t, "REPRODUCIBILITY.md")
	var both []string
	for _, e := range cli.Experiments() {
		sides := map[string]string{}
		for _, profile := range []string{"quick", "standard"} {
			r, err := result.Read(result.Path(filepath.Join(root, "experiments", "results"), e.ID, profile))
			if err != nil {
				continue // not every experiment has both
			}
			for _, c := range claims.InScope(r.Claims) {
				side := map[string]string{claims.WordHolds: "for", claims.WordDirection: "for", claims.WordNot: "against"}[claims.Word(c.Verdict)]
				if before := sides[c.ID]; before != "" && side != "" && before != side {
					both = append(both, c.ID)
				}
				sides[c.ID] = side
			}
		}
	}
	_, said, _ := strings.Cut(text, "contradict each other")
	said, _, _ = strings.Cut(said, "\n\n")
	for _, id := range both {
		if !strings.Contains(said, id) {
			t.Errorf("REPRODUCIBILITY.md does not name %s among what quick and standard contradict each other on", id)
		}
	}
	if words := map[int]string{1: "one", 2: "two", 3: "three", 4: "four"}; !strings.Contains(said, "Today these are "+words[len(both)]) {
		t.Errorf("REPRODUCIBILITY.md does not say that there are %d: %v", len(both), both)
	}
}
