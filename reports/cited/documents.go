package cited

// Document holds what a page says about its source before any result is read.
type Document struct {
	Key      string // folder of its results, stem of its page
	Noun     said   // what a page calls it: paper, blog, patent
	Short    said
	Title    said   // ours where the source prints none
	Original string // in the source's language
	Lang     string // of Original
	Lede     said   // two sentences for a reader who has not read the paper
	Plain    string // citation
	BibTeX   string
	Formulas []Formula
	// Algorithms are the source's, in our words.
	Algorithms []algorithm
	// Diagram is the table whose widget shows the idea: experiment#table.
	Diagram string
	// Ours is set for what is no document: a page of experiments of our own, which
	// claims nothing that could be judged and has nobody else to cite.
	Ours bool
	// Of the two lists, what was lost and what their numbers are.
	FormulaNote, AlgorithmNote said
}

// Formula is one display formula: TeX for the page's MathML and for copying.
type Formula struct {
	ID, TeX    string
	Name, Note said
	Also       []string // further anchors: the numbers of what it shows besides
	Printed    string   // TeX of the source's own form, where it is wrong
	Chance     string   // how sure a reconstruction is; "" for what is printed
	Code       []string // what computes it, as algorithm.Code
	NoCode     said     // why nothing does
}

// algorithm is one algorithm of a source in our words, by its own line numbers.
type algorithm struct {
	ID            string
	Name, In, Out said
	Mark          said // what its lines that are ours are called; "" is restored
	Steps         []algorithmLine
	// Place begins every mark of it in the source: "Alg. 1, line" or "all-gather, step".
	Place string
	// Code are the declarations that carry it out, as "papers/dasp Config.Decide".
	Code []string
	// Elsewhere says of the steps that none of their lines is marked with, why.
	Elsewhere map[int]said

	Views []stepView // with their places; of a page
	Go    []excerpt  // of a page that is made with the source
}

// Ours returns the word on lines that are not the source's.
func (a algorithm) Ours() said {
	if a.Mark.En() != "" {
		return a.Mark
	}
	return said{"restored", "补全"}
}

// algorithmLine is one line; Depth is how far it is set in, Lost whether the source's
// line is missing, garbled or wrong, so that it is ours.
type algorithmLine struct {
	Depth int
	Text  said
	Lost  bool
}

// Documents lists the four sources in the order of the index, and last the page that
// compares their methods.
var Documents = []Document{
	{
		Key: "ring", Noun: said{"blog", "博客"}, Short: said{"Ring all-reduce", "环形全归约"},
		Title:    said{"Bringing HPC Techniques to Deep Learning", "把高性能计算技术带入深度学习"},
		Original: "Ring Allreduce", Lang: "en",
		Lede: said{"Workers with equal copies of one network must add up their gradients after every mini-batch. Passed " +
			"round a ring in pieces, the gradient costs each worker less than twice its own size, however many " +
			"workers there are.",
			"持有同一网络副本的工作节点，每个小批量之后都必须把梯度加起来。把梯度切成小块沿环传递，不论有多少工作节点，每个节点的发送量都不到梯度本身的两倍。"},
		Plain: "Andrew Gibiansky, “Bringing HPC Techniques to Deep Learning”, on andrew.gibiansky.com; read here in a Chinese translation, “Ring " +
			"Allreduce”, of 2019-02-21.",
		BibTeX: `@misc{gibiansky2017ring,
  author       = {Gibiansky, Andrew},
  title        = {Bringing {HPC} Techniques to Deep Learning},
  year         = {2017},
  howpublished = {http://andrew.gibiansky.com/},
  note         = {Read in the Chinese translation “Ring Allreduce” of 2019-02-21}
}`,
		Diagram:  "ring/steps#transfers",
		Formulas: ringFormulas, Algorithms: ringAlgorithms,
		FormulaNote: said{"The text that we have names the quantities of its two formulas and has lost their images. The " +
			"others are ours, to compare with.",
			"我们所读的正文说出了它两个公式中各量的名称，公式的图像则缺失。其余的是我们加入的，供比较。"},
		AlgorithmNote: said{"The blog’s two loops in our words. It gives the first exchange of each and says that later ones go " +
			"backwards from there; a line marked restored writes that out, as baidu-allreduce does.",
			"用我们的话写出的博客的两个循环。它给出每个循环的第一次交换，并说此后的各次“从那里向后进行”；标有“补全”的行像 baidu-allreduce 那样把这一点写明。"},
	},
	{
		Key: "ringsparse", Noun: said{"patent", "专利"}, Short: said{"RingSparse", "RingSparse"},
		Title: said{"Distributed training method for large-scale deep neural network",
			"一种面向大规模深度神经网络的分布式训练方法"},
		Original: "一种面向大规模深度神经网络的分布式训练方法", Lang: "zh",
		Lede: said{"A ring all-reduce whose blocks travel as updated weights or as gradients, whichever holds more " +
			"zeros, and compressed where that is sooner there. Each layer starts its ring as soon as the " +
			"backward pass has its gradient.",
			"一种环形全归约：每个数据块以更新后的权重或以梯度传输，取零元素更多的一种；压缩能更快送达时就压缩。反向传播一得到某层的梯度，该层就开始自己的环。"},
		Plain: "Liu Chubo (刘楚波), Zeng Zihao (曾子豪), Yang Wangdong (阳王东), “一种面向大规模深度神经网络的分布式训练方法” " +
			"[Distributed training method for large-scale deep neural network], Chinese patent application filed 2021-04-28. Our copy of the text is dated " +
			"2021-10-19 and carries no publication number.",
		BibTeX: `@misc{liu2021ringsparse,
  author = {Liu, Chubo and Zeng, Zihao and Yang, Wangdong},
  title  = {一种面向大规模深度神经网络的分布式训练方法},
  year   = {2021},
  note   = {Chinese patent application filed 2021-04-28.
            Distributed training method for large-scale deep neural network}
}`,
		Diagram:  "ringsparse/decisions#hops",
		Formulas: sparseFormulas, Algorithms: sparseAlgorithms,
		FormulaNote: said{"The text lists the variables of its formulas and has lost all images but one. These are our " +
			"reconstructions, with how sure we are of each, and the printed forms where those are wrong.",
			"原文列出了公式的变量，图像除一个外全部缺失。这些是我们的复原，附上对每一个的把握程度；印出的形式有误之处也一并列出。"},
		AlgorithmNote: said{"Steps S1 to S7 of the description, in our words and under the patent’s own numbers. A line marked " +
			"restored is ours: the text leaves it out or contradicts itself.",
			"说明书中的步骤 S1 到 S7，以我们的话写出，沿用专利自己的编号。标有“补全”的行是我们所加：原文省略了它，或自相矛盾。"},
	},
	{
		Key: "dasp", Noun: said{"paper", "论文"}, Short: said{"DASP", "DASP"},
		Title: said{"A dynamic adaptive parallel acceleration method for heterogeneous distributed machine learning",
			"面向异构分布式机器学习的动态自适应并行加速方法"},
		Original: "面向异构分布式机器学习的动态自适应并行加速方法", Lang: "zh",
		Lede: said{"Workers of unequal speed train one model through a parameter server. DASP lets a worker run on " +
			"freely while the weights it holds are not much newer than the oldest in use, holds it back a little " +
			"when they are, and stops it when they are far newer.",
			"速度不等的工作节点通过参数服务器训练同一个模型。DASP 的规则是：工作节点持有的权重比在用的最旧权重新得不多时任其运行，新了一些时稍作等待，新得太多时令其停下。"},
		Plain: "Ma Xiang, Shen Guowei, Guo Chun, Cui Yunhe, Chen Yi, “面向异构分布式机器学习的动态自适应并行加速方法” " +
			"[A dynamic adaptive parallel acceleration method for heterogeneous distributed machine learning; our translation], CAAI Transactions on " +
			"Intelligent Systems (智能系统学报), 2023, no. 5.",
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
		FormulaNote: said{"The text of the paper that we have kept the legends of its formulas and lost their images. These " +
			"are our reconstructions, with how sure we are of each.",
			"我们手上的论文文本保留了公式的说明，丢失了公式的图像。这些是我们的补全，各附把握程度。"},
		AlgorithmNote: said{"The paper’s own algorithms in our words, by its line numbers. A line marked restored is ours: the " +
			"text lost or garbled it.",
			"论文自己的算法，用我们的话写出，按其行号。标有“补全”的行是我们写的：原文缺失或有乱码。"},
	},
	{
		Key: "codedsgd", Noun: said{"paper", "论文"}, Short: said{"Coded SGD", "编码 SGD"},
		Title: said{"A Synchronized Gradient Descent Algorithm Based on Distributed Coding",
			"一种基于分布式编码的同步梯度下降算法"},
		Original: "一种基于分布式编码的同步梯度下降算法", Lang: "zh",
		Lede: said{"Every block of a batch is computed by several nodes. A node can then send one coded packet of which " +
			"each receiver subtracts what it computed itself, so that one multicast serves them all with " +
			"something new. Computing more to send less: the paper proves how much less, and this page counts it.",
			"一个批的每个样本块由若干个节点重复计算。于是一个节点可以只发一个编码数据包：每个接收者减去自己已经算" +
				"出的部分，一次多播就给所有接收者带来各自没有的内容。多算一些，少传一些：论文证明能少传多少，本页逐一" +
				"数出来。"},
		Plain: "Li Bowen (李博文), Xie Zaipeng (谢在鹏), Mao Yingchi (毛莺池), Xu Yuanyuan (徐媛媛), Zhu Xiaorui (朱晓瑞), Zhang Ji (张基), “一种基于分布式编码的同步梯度下降算法” " +
			"[A Synchronized Gradient Descent Algorithm Based on Distributed Coding], Computer Engineering (计算机工程) 47(4), 2021, 68–76, 83. DOI " +
			"10.19678/j.issn.1000-3428.0057340.",
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
		FormulaNote: said{"The paper’s equations under its own numbers; the indices of node, layer and batch are left out " +
			"where nothing depends on them. Where the printed form is wrong it stands beside the one that holds. " +
			"The last ones are ours.",
			"论文的公式，沿用它自己的编号；凡不影响结果之处，略去节点、层和批的下标。印出的形式有错时，旁边列出成立的形式。最后几项是我们的。"},
		AlgorithmNote: said{"The paper’s four algorithms in our words, by its line numbers. In a line marked corrected the " +
			"printed one is wrong, ambiguous or too costly, and stands in brackets.",
			"论文的四个算法，用我们的话写出，沿用它的行号。标为“更正”的行，原文有误、有歧义或代价过高，原文列在方括号中。"},
	},
	{
		Key: "compare", Noun: said{"comparison", "比较"}, Short: said{"Which method when", "何时用哪种方法"}, Ours: true,
		Title: said{"Every method of the four documents on the same model, data, cluster and seed",
			"四篇文献的每种方法，用同样的模型、数据、集群和种子"},
		Lede: said{"The four documents answer one question in four ways, each against rivals of its own choice. Here " +
			"all of their methods train the same network on the same data and the same cluster, and the page " +
			"says which one to take when.",
			"四篇文献用四种方式回答同一个问题，各自选择了不同的对手。在这里，它们的全部方法在同样的数据和集群上训练同一个网络，本页说明何时该用哪一个。"},
	},
}

// Find returns the paper whose results lie in folder key.
func Find(key string) *Document {
	for i := range Documents {
		if Documents[i].Key == key {
			return &Documents[i]
		}
	}
	return nil
}
