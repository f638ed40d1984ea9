package setup

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// Each reduction is judged against the model, baseline and cluster that claims.csv names.
func TestReductionClaimsMatchTheTable(t *testing.T) {
	name := map[string]string{"lenet5": "LeNet-5", "resnet18": "ResNet-18", "vgg19_bn": "VGG19_BN"}
	n := 0
	for platform, words := range map[string]string{Homogeneous: "homogeneous cluster", Heterogeneous: "heterogeneous cluster"} {
		for _, r := range Reductions(platform) {
			c, ok := claims.Get(r.ID)
			if !ok || c.Baseline != strings.ToUpper(r.Against) || !strings.HasPrefix(c.Conditions, words+"; "+name[r.Model]+";") {
				t.Errorf("%s is judged for %s against %s on %s; the row says %s, %s", r.ID, r.Model, r.Against, platform, c.Baseline, c.Conditions)
			}
			n++
		}
	}
	if n != 18 {
		t.Errorf("%d reductions, the paper states 18", n)
	}
}
