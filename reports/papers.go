package reports

// paper is what a page says about its source before any result is read.
type paper struct {
	Key      string // folder of its results, stem of its page
	Noun     string // what a page calls it: paper, blog, patent
	Short    string
	Title    string // in English; ours where the source prints none
	Original string // in the source's language
	Lang     string // of Original
	Lede     string // two sentences for a reader who has not read the paper
	Plain    string // citation
	BibTeX   string
	Formulas []formula
	// Algorithms are the source's, in our words.
	Algorithms []algorithm
	// Diagram is the table whose widget shows the idea: experiment#table.
	Diagram string
	// Ours is set for what is no document: a page of experiments of our own, which
	// claims nothing that could be judged and has nobody else to cite.
	Ours bool
	// Of the two lists, what was lost and what their numbers are.
	FormulaNote, AlgorithmNote string
}

// formula is one display formula: TeX for the page's MathML and for copying.
type formula struct {
	ID, Name, TeX, Note string
	Also                []string // further anchors: the numbers of what it shows besides
	Printed             string   // TeX of the source's own form, where it is wrong
	Chance              string   // how sure a reconstruction is; "" for what is printed
	Code                []string // what computes it, as algorithm.Code
	NoCode              string   // why nothing does
}

// papers lists the four sources in the order of the index, and last the page that
// compares their methods.
var papers = []paper{
	{
		Key: "ring", Noun: "blog", Short: "Ring all-reduce",
		Title:    "Bringing HPC Techniques to Deep Learning",
		Original: "Ring Allreduce", Lang: "en",
		Lede: "Workers with equal copies of one network must add up their gradients after every mini-batch. Passed round a ring in pieces, " +
			"the gradient costs each worker less than twice its own size, however many workers there are.",
		Plain: "Andrew Gibiansky, “Bringing HPC Techniques to Deep Learning”, on andrew.gibiansky.com; read here in a Chinese translation, “Ring Allreduce”, of 2019-02-21.",
		BibTeX: `@misc{gibiansky2017ring,
  author       = {Gibiansky, Andrew},
  title        = {Bringing {HPC} Techniques to Deep Learning},
  year         = {2017},
  howpublished = {http://andrew.gibiansky.com/},
  note         = {Read in the Chinese translation “Ring Allreduce” of 2019-02-21}
}`,
		Diagram:  "ring/steps#transfers",
		Formulas: ringFormulas, Algorithms: ringAlgorithms,
		FormulaNote: "The text that we have names the quantities of its two formulas and has lost their images. The others are ours, to compare with.",
		AlgorithmNote: "The blog’s two loops in our words. It gives the first exchange of each and says that later ones go backwards from there; " +
			"a line marked restored writes that out, as baidu-allreduce does.",
	},
	{
		Key: "ringsparse", Noun: "patent", Short: "RingSparse",
		Title:    "Distributed training method for large-scale deep neural network",
		Original: "一种面向大规模深度神经网络的分布式训练方法", Lang: "zh",
		Lede: "A ring all-reduce whose blocks travel as updated weights or as gradients, whichever holds more zeros, and compressed where that is sooner there. " +
			"Each layer starts its ring as soon as the backward pass has its gradient.",
		Plain: "Liu Chubo (刘楚波), Zeng Zihao (曾子豪), Yang Wangdong (阳王东), “一种面向大规模深度神经网络的分布式训练方法” " +
			"[Distributed training method for large-scale deep neural network], Chinese patent application filed 2021-04-28. Our copy of the text is dated 2021-10-19 and carries no publication number.",
		BibTeX: `@misc{liu2021ringsparse,
  author = {Liu, Chubo and Zeng, Zihao and Yang, Wangdong},
  title  = {一种面向大规模深度神经网络的分布式训练方法},
  year   = {2021},
  note   = {Chinese patent application filed 2021-04-28.
            Distributed training method for large-scale deep neural network}
}`,
		Diagram:  "ringsparse/decisions#hops",
		Formulas: sparseFormulas, Algorithms: sparseAlgorithms,
		FormulaNote: "The text lists the variables of its formulas and has lost all images but one. These are our reconstructions, with how sure we are of each, and the printed forms where those are wrong.",
		AlgorithmNote: "Steps S1 to S7 of the description, in our words and under the patent’s own numbers. " +
			"A line marked restored is ours: the text leaves it out or contradicts itself.",
	},
	{
		Key: "dasp", Noun: "paper", Short: "DASP",
		Title:    "A dynamic adaptive parallel acceleration method for heterogeneous distributed machine learning",
		Original: "面向异构分布式机器学习的动态自适应并行加速方法", Lang: "zh",
		Lede: "Workers of unequal speed train one model through a parameter server. " +
			"DASP lets a worker run on freely while the weights it holds are not much newer than the oldest in use, holds it back a little when they are, and stops it when they are far newer.",
		Plain: "Ma Xiang, Shen Guowei, Guo Chun, Cui Yunhe, Chen Yi, “面向异构分布式机器学习的动态自适应并行加速方法” " +
			"[A dynamic adaptive parallel acceleration method for heterogeneous distributed machine learning; our translation], CAAI Transactions on Intelligent Systems (智能系统学报), 2023, no. 5.",
		BibTeX: `@article{ma2023dasp,
  author  = {Ma, Xiang and Shen, Guowei and Guo, Chun and Cui, Yunhe and Chen, Yi},
  title   = {面向异构分布式机器学习的动态自适应并行加速方法},
  journal = {CAAI Transactions on Intelligent Systems (智能系统学报)},
  year    = {2023},
  number  = {5},
  note    = {In Chinese. A dynamic adaptive parallel acceleration method for
             heterogeneous distributed machine learning (our translation)}
}`,
		Diagram:  "dasp/walk#events",
		Formulas: daspFormulas, Algorithms: daspAlgorithms,
		FormulaNote:   "The text of the paper that we have kept the legends of its formulas and lost their images. These are our reconstructions, with how sure we are of each.",
		AlgorithmNote: "The paper’s own algorithms in our words, by its line numbers. A line marked restored is ours: the text lost or garbled it.",
	},
	{
		Key: "codedsgd", Noun: "paper", Short: "Coded SGD",
		Title:    "A Synchronized Gradient Descent Algorithm Based on Distributed Coding",
		Original: "一种基于分布式编码的同步梯度下降算法", Lang: "zh",
		Lede: "Every block of a batch is computed by several nodes. A node can then send one coded packet of which each receiver subtracts what it computed itself, so that one multicast serves them all with something new. " +
			"Computing more to send less: the paper proves how much less, and this page counts it.",
		Plain: "Li Bowen (李博文), Xie Zaipeng (谢在鹏), Mao Yingchi (毛莺池), Xu Yuanyuan (徐媛媛), Zhu Xiaorui (朱晓瑞), Zhang Ji (张基), “一种基于分布式编码的同步梯度下降算法” " +
			"[A Synchronized Gradient Descent Algorithm Based on Distributed Coding], Computer Engineering (计算机工程) 47(4), 2021, 68–76, 83. DOI 10.19678/j.issn.1000-3428.0057340.",
		BibTeX: `@article{li2021codedsgd,
  author  = {Li, Bowen and Xie, Zaipeng and Mao, Yingchi and Xu, Yuanyuan and Zhu, Xiaorui and Zhang, Ji},
  title   = {一种基于分布式编码的同步梯度下降算法},
  journal = {Computer Engineering (计算机工程)},
  year    = {2021},
  volume  = {47},
  number  = {4},
  pages   = {68--76, 83},
  doi     = {10.19678/j.issn.1000-3428.0057340},
  note    = {In Chinese. A Synchronized Gradient Descent Algorithm Based on
             Distributed Coding}
}`,
		Diagram:  "codedsgd/fig2#packets-4-2",
		Formulas: codedFormulas, Algorithms: codedAlgorithms,
		FormulaNote: "The paper’s equations under its own numbers; the indices of node, layer and batch are left out where nothing depends on them. " +
			"Where the printed form is wrong it stands beside the one that holds. The last ones are ours.",
		AlgorithmNote: "The paper’s four algorithms in our words, by its line numbers. In a line marked corrected the printed one is wrong, ambiguous or too costly, and stands in brackets.",
	},
	{
		Key: "compare", Noun: "comparison", Short: "Which method when", Ours: true,
		Title: "Every method of the four documents on the same model, data, cluster and seed",
		Lede: "The four documents answer one question in four ways, each against rivals of its own choice. " +
			"Here all of their methods train the same network on the same data and the same cluster, and the page says which one to take when.",
	},
}

// findPaper returns the paper whose results lie in folder key.
func findPaper(key string) *paper {
	for i := range papers {
		if papers[i].Key == key {
			return &papers[i]
		}
	}
	return nil
}
