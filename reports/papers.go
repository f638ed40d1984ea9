package reports

// paper is what a page says about its source before any result is read.
type paper struct {
	Key      string // folder of its results, stem of its page
	Short    string
	Title    string // in English; ours where the source prints none
	Original string // in the source's language
	Lang     string // of Original
	Lede     string // two sentences for a reader who has not read the paper
	Plain    string // citation
	BibTeX   string
	Cite     string // what a formula list calls the source
	Formulas []formula
	// Algorithms are the source's, in our words.
	Algorithms []algorithm
}

// formula is one display formula: TeX for the page's MathML and for copying.
type formula struct {
	ID, Name, TeX, Note string
	Chance              string // how sure a reconstruction is; "" for what is printed
}

// papers lists the four sources in the order of the index.
var papers = []paper{
	{
		Key: "ring", Short: "Ring all-reduce",
		Title: "Bringing HPC techniques to deep learning",
		Lede:  "Sums gradients round a ring, so that what each worker sends hardly grows with the number of workers.",
		Plain: "A. Gibiansky, “Bringing HPC Techniques to Deep Learning”; read in a Chinese translation of 2019-02-21.",
	},
	{
		Key: "ringsparse", Short: "Sparse ring",
		Title: "Distributed training method for large-scale deep neural network",
		Lede:  "A ring whose blocks travel as weights or as gradients, whichever is sparser, and compressed where that pays.",
		Plain: "Liu Chubo, Zeng Zihao, Yang Wangdong, “Distributed training method for large-scale deep neural network”, Chinese patent application filed 2021-04-28.",
	},
	{
		Key: "dasp", Short: "DASP",
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
		Formulas: daspFormulas, Algorithms: daspAlgorithms,
	},
	{
		Key: "codedsgd", Short: "Coded SGD",
		Title: "A synchronized gradient descent algorithm based on distributed coding",
		Lede:  "Workers hold the data redundantly, so that one coded multicast packet serves several of them at once.",
		Plain: "Li Bowen, Xie Zaipeng, Mao Yingchi et al., “A Synchronized Gradient Descent Algorithm Based on Distributed Coding”, Computer Engineering 47(4), 2021, 68–76, 83, DOI 10.19678/j.issn.1000-3428.0057340.",
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
