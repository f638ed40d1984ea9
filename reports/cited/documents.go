package cited

import (
	"gradsync/experiments/paper"
	"gradsync/reports/notebook"
)

// Document holds what a page says about its source before any result is read: its
// descriptor, and its formulas and algorithms.
type Document struct {
	paper.Paper
	Formulas []Formula
	// Algorithms are the source's, in our words.
	Algorithms []algorithm
	// Of the two lists, what was lost and what their numbers are.
	FormulaNote, AlgorithmNote notebook.Both
}

// Noun, Short, Title, By and Lede return the descriptor's pairs as texts of a page.
func (d *Document) Noun() notebook.Both  { return d.Paper.Noun }
func (d *Document) Short() notebook.Both { return d.Paper.Short }
func (d *Document) Title() notebook.Both { return d.Paper.Title }
func (d *Document) By() notebook.Both    { return d.Paper.By }
func (d *Document) Lede() notebook.Both  { return d.Paper.Lede }

// Formula is one display formula: TeX for the page's MathML and for copying.
type Formula struct {
	ID, TeX    string
	Name, Note notebook.Both
	Also       []string      // further anchors: the numbers of what it shows besides
	Printed    string        // TeX of the source's own form, where it is wrong
	Chance     notebook.Both // how sure a reconstruction is; empty for what is printed
	Code       []string      // what computes it, as algorithm.Code
	NoCode     notebook.Both // why nothing does
}

// algorithm is one algorithm of a source in our words, by its own line numbers.
type algorithm struct {
	ID            string
	Name, In, Out notebook.Both
	Mark          notebook.Both // what its lines that are ours are called; "" is restored
	Steps         []algorithmLine
	// Place begins every mark of it in the source: "Alg. 1, line" or "all-gather, step".
	Place string
	// Code are the declarations that carry it out, as "papers/dasp Config.Decide".
	Code []string
	// Elsewhere says of the steps that none of their lines is marked with, why.
	Elsewhere map[int]notebook.Both

	Views []stepView // with their places; of a page
	Go    []excerpt  // of a page that is made with the source
}

// Ours returns the word on lines that are not the source's.
func (a algorithm) Ours() notebook.Both {
	if a.Mark.En() != "" {
		return a.Mark
	}
	return notebook.Both{"restored", "补全"}
}

// algorithmLine is one line; Depth is how far it is set in, Lost whether the source's
// line is missing, garbled or wrong, so that it is ours.
type algorithmLine struct {
	Depth int
	Text  notebook.Both
	Lost  bool
}

// shown are the formulas and algorithms of documents, by their keys.
var shown = map[string]Document{
	"ring": {
		Formulas: ringFormulas, Algorithms: ringAlgorithms,
		FormulaNote: notebook.Both{"The text that we have names the quantities of its two formulas and has lost their images. The " +
			"others are ours, to compare with.",
			"我们所读的正文说出了它两个公式中各量的名称，公式的图像则缺失。其余的是我们加入的，供比较。"},
		AlgorithmNote: notebook.Both{"The blog’s two loops in our words. It gives the first exchange of each and says that later ones go " +
			"backwards from there; a line marked restored writes that out, as baidu-allreduce does.",
			"用我们的话写出的博客的两个循环。它给出每个循环的第一次交换，并说此后的各次“从那里向后进行”；标有“补全”的行像 baidu-allreduce 那样把这一点写明。"},
	},
	"ringsparse": {
		Formulas: sparseFormulas, Algorithms: sparseAlgorithms,
		FormulaNote: notebook.Both{"The text lists the variables of its formulas and has lost all images but one. These are our " +
			"reconstructions, with how sure we are of each, and the printed forms where those are wrong.",
			"原文列出了公式的变量，图像除一个外全部缺失。这些是我们的复原，附上对每一个的把握程度；印出的形式有误之处也一并列出。"},
		AlgorithmNote: notebook.Both{"Steps S1 to S7 of the description, in our words and under the patent’s own numbers. A line marked " +
			"restored is ours: the text leaves it out or contradicts itself.",
			"说明书中的步骤 S1 到 S7，以我们的话写出，沿用专利自己的编号。标有“补全”的行是我们所加：原文省略了它，或自相矛盾。"},
	},
	"dasp": {
		Formulas: daspFormulas, Algorithms: daspAlgorithms,
		FormulaNote: notebook.Both{"The text of the paper that we have kept the legends of its formulas and lost their images. These " +
			"are our reconstructions, with how sure we are of each.",
			"我们手上的论文文本保留了公式的说明，丢失了公式的图像。这些是我们的补全，各附把握程度。"},
		AlgorithmNote: notebook.Both{"The paper’s own algorithms in our words, by its line numbers. A line marked restored is ours: the " +
			"text lost or garbled it.",
			"论文自己的算法，用我们的话写出，按其行号。标有“补全”的行是我们写的：原文缺失或有乱码。"},
	},
	"codedsgd": {
		Formulas: codedFormulas, Algorithms: codedAlgorithms,
		FormulaNote: notebook.Both{"The paper’s equations under its own numbers; the indices of node, layer and batch are left out " +
			"where nothing depends on them. Where the printed form is wrong it stands beside the one that holds. " +
			"The last ones are ours.",
			"论文的公式，沿用它自己的编号；凡不影响结果之处，略去节点、层和批的下标。印出的形式有错时，旁边列出成立的形式。最后几项是我们的。"},
		AlgorithmNote: notebook.Both{"The paper’s four algorithms in our words, by its line numbers. In a line marked corrected the " +
			"printed one is wrong, ambiguous or too costly, and stands in brackets.",
			"论文的四个算法，用我们的话写出，沿用它的行号。标为“更正”的行，原文有误、有歧义或代价过高，原文列在方括号中。"},
	},
}

// Documents lists the documents in the order of the index.
var Documents = func() (out []Document) {
	for _, p := range paper.Indexed() {
		d := shown[p.Key]
		d.Paper = p
		out = append(out, d)
	}
	return out
}()

// own says what pages call somebody's own comparisons, which are of no document.
var own = Document{Paper: paper.Paper{
	Key: notebook.Own, Noun: notebook.Both{"comparison", "比较"}, Short: notebook.Both{"My comparison", "我的比较"},
	Title: notebook.Both{"Methods of my choice, compared", "自选方法的比较"}, Ours: true,
}}

// Find returns the paper whose results lie in folder key.
func Find(key string) *Document {
	if key == own.Key {
		return &own
	}
	for i := range Documents {
		if Documents[i].Key == key {
			return &Documents[i]
		}
	}
	return nil
}
