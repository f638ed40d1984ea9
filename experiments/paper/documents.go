package paper

// documents are the four sources and the comparison of their methods, in the order in
// which their experiments run.
var documents = []Paper{
	{
		Key: "dasp", Noun: pair{"paper", "论文"}, Short: pair{"DASP", "DASP"},
		Title: pair{"A dynamic adaptive parallel acceleration method for heterogeneous distributed machine learning",
			"面向异构分布式机器学习的动态自适应并行加速方法"},
		Original: "面向异构分布式机器学习的动态自适应并行加速方法", Lang: "zh",
		By: pair{"Ma Xiang, Shen Guowei, Guo Chun, Cui Yunhe, Chen Yi (2023)", "马翔、申国伟、郭春、崔允贺、陈意（2023 年）"},
		Lede: pair{"Workers of unequal speed train one model through a parameter server. DASP lets a worker run on " +
			"freely while the weights it holds are not much newer than the oldest in use, holds it back a little " +
			"when they are, and stops it when they are far newer.",
			"速度不等的工作节点通过参数服务器训练同一个模型。DASP 的规则是：工作节点持有的权重比在用的最旧权重新得不多时任其运行，新了一些时稍作等待，新得太多时令其停下。"},
		Plain: "马翔, 申国伟, 郭春, 崔允贺, 陈意 (Ma Xiang, Shen Guowei, Guo Chun, Cui Yunhe, Chen Yi), " +
			"“面向异构分布式机器学习的动态自适应并行加速方法” " +
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
		Diagram: "dasp/walk#events",
		First:   []string{"dasp/table4", "dasp/table5", "dasp/fig3", "dasp/fig4", "dasp/table6", "dasp/table7"},
		Index:   3, Claims: "DX", Dated: "DASP: dynamic adaptive synchronous parallel (2023)",
		Chapters: []Chapter{
			{Title: pair{"The method at work", "方法的运行过程"}, Stems: []string{"walk"}},
			{Title: pair{"The paper’s tables and figures", "论文的表和图"}, Pattern: `^(table|fig)\d+$`},
			{Title: pair{"The claims over many readings", "多种解读下的论断"}, Stems: []string{"multiverse"}},
			{Title: pair{"Choices the paper leaves open", "论文未定、由我们作的选择"}, Stems: []string{"thresholds", "tuning", "switches", "weights", "sensitivity"}},
			{Title: pair{"Beyond the paper", "论文之外"}, Stems: []string{"versions-vs-clocks", "dynamic", "network", "dssp-anchor"}},
			{Title: pair{"What must have been true", "当时必须具备什么条件"}, Stems: []string{"explain"}},
		},
	},
	{
		Key: "ring", Noun: pair{"blog", "博客"}, Short: pair{"Ring all-reduce", "环形全归约"},
		Title:    pair{"Bringing HPC Techniques to Deep Learning", "把高性能计算技术带入深度学习"},
		Original: "Ring Allreduce", Lang: "en",
		By: pair{"Andrew Gibiansky (2017)", "Andrew Gibiansky（2017 年）"},
		Lede: pair{"Workers with equal copies of one network must add up their gradients after every mini-batch. Passed " +
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
		Diagram: "ring/steps#transfers",
		Index:   1, Claims: "B", Dated: "Ring all-reduce (2017)",
		Chapters: []Chapter{
			{Title: pair{"What a ring does, and what it costs", "环做什么，代价是多少"}, Stems: []string{"steps", "cost"}},
			{Title: pair{"What it buys in training", "它给训练带来什么"}, Stems: []string{"scaling", "overlap"}},
			{Title: pair{"Which ring, and its weakest link", "哪一个环，及其最弱的链路"}, Stems: []string{"placement", "slow-link"}},
			{Title: pair{"Is it the same training?", "是同样的训练吗？"}, Stems: []string{"equals-sgd"}},
		},
	},
	{
		Key: "ringsparse", Noun: pair{"patent", "专利"}, Short: pair{"RingSparse", "RingSparse"},
		Title: pair{"Distributed training method for large-scale deep neural network",
			"一种面向大规模深度神经网络的分布式训练方法"},
		Original: "一种面向大规模深度神经网络的分布式训练方法", Lang: "zh",
		By: pair{"Liu Chubo, Zeng Zihao, Yang Wangdong (application of 2021)", "刘楚波、曾子豪、阳王东（2021 年申请）"},
		Lede: pair{"A ring all-reduce whose blocks travel as updated weights or as gradients, whichever holds more " +
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
		Diagram: "ringsparse/decisions#hops",
		Index:   2, Claims: "P", Dated: "RingSparse (patent application, 2021)",
		Chapters: []Chapter{
			{Title: pair{"What is sent, and what that saves", "发送什么，省下什么"}, Stems: []string{"decisions", "traffic", "time", "where"}},
			{Title: pair{"What becomes of zeros on the way", "零在途中变成什么"}, Stems: []string{"fill-in", "conversion-error"}},
			{Title: pair{"What the patent promises", "专利的承诺"}, Stems: []string{"scaling", "accuracy", "overlap"}},
		},
	},
	{
		Key: "codedsgd", Noun: pair{"paper", "论文"}, Short: pair{"Coded SGD", "编码 SGD"},
		Title: pair{"A Synchronized Gradient Descent Algorithm Based on Distributed Coding",
			"一种基于分布式编码的同步梯度下降算法"},
		Original: "一种基于分布式编码的同步梯度下降算法", Lang: "zh",
		By: pair{"Li Bowen, Xie Zaipeng, Mao Yingchi, Xu Yuanyuan, Zhu Xiaorui, Zhang Ji (2021)", "李博文、谢在鹏、毛莺池、徐媛媛、朱晓瑞、张基（2021 年）"},
		Lede: pair{"Every block of a batch is computed by several nodes. A node can then send one coded packet of which " +
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
		Diagram: "codedsgd/fig2#packets-4-2",
		Index:   4, Claims: "C", Dated: "Coded SGD (2021)",
		Chapters: []Chapter{
			{Title: pair{"The scheme", "方案"}, Stems: []string{"fig1", "fig2", "fig3"}},
			{Title: pair{"The proof, step by step", "证明，逐步进行"}, Stems: []string{"proof", "overcount", "accounting"}},
			{Title: pair{"The paper’s experiments", "论文的实验"}, Stems: []string{"table1", "table2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9",
				"fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "abstracts"}},
			{Title: pair{"Beyond the paper", "论文之外"}, Stems: []string{"quantisation", "speed", "survival"}},
		},
	},
	{
		Key: "compare", Noun: pair{"comparison", "比较"}, Short: pair{"Which method when", "何时用哪种方法"}, Ours: true,
		Title: pair{"Every method of the four documents on the same model, data, cluster and seed",
			"四篇文献的每种方法，用同样的模型、数据、集群和种子"},
		Lede: pair{"The four documents answer one question in four ways, each against rivals of its own choice. Here " +
			"all of their methods train the same network on the same data and the same cluster, and the page " +
			"says which one to take when.",
			"四篇文献用四种方式回答同一个问题，各自选择了不同的对手。在这里，它们的全部方法在同样的数据和集群上训练同一个网络，本页说明何时该用哪一个。"},
		Index: 5,
		Chapters: []Chapter{
			{Title: pair{"Which method when", "何时用哪种方法"}, Stems: []string{"when", "facts"}},
			{Title: pair{"Up to how many workers", "直到多少工作节点"}, Stems: []string{"scale"}},
			{Title: pair{"The same training by every method", "每种方法做同一次训练"}, Stems: []string{"heterogeneous"}},
		},
	},
}
