package reports

import (
	"strconv"

	"gradsync/reports/playground"
)

// The words of the playground, in both languages. What a number is not stands beside
// what it is.

// stops returns values from lo to hi, the same ten steps in each power of ten, to two
// digits.
func stops(lo, hi float64) (out []float64) {
	for x := lo; ; x *= 10 {
		for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
			if m*x > hi*1.0001 {
				return out
			}
			short, _ := strconv.ParseFloat(strconv.FormatFloat(m*x, 'g', 3, 64), 64) // 0.012, not what 1.2·0.01 is
			out = append(out, short)
		}
	}
}

var playSliders = []playSlider{
	{ID: "n", Name: said{"workers", "工作节点"}, Scale: 1,
		Stops: []float64{2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024},
		Help:  said{"N; a parameter server is one machine more", "N；参数服务器另算一台机器"}},
	{ID: "p", Name: said{"parameters", "参数个数"}, Unit: "M", Scale: 1e6, Stops: stops(0.01, 100000), Help: said{"millions, four bytes each", "单位：百万，每个 4 字节"}},
	{ID: "b", Name: said{"bandwidth", "带宽"}, Unit: "Gb/s", Scale: 1.25e8, Stops: stops(0.01, 1000),
		Help: said{"of every network card, in each direction at once", "每块网卡、每个方向同时可用的带宽"}},
	{ID: "a", Name: said{"latency", "延迟"}, Unit: "µs", Scale: 1e-6, Stops: stops(0.1, 100000), Help: said{"α, of every message", "α，每条消息的延迟"}},
	{ID: "c", Name: said{"compute per batch", "每批计算时间"}, Unit: "ms", Scale: 1e-3, Stops: stops(0.1, 100000),
		Help: said{"of an ordinary worker, without redundancy", "普通工作节点、无冗余时的时间"}},
	{ID: "h", Name: said{"slowest worker", "最慢工作节点"}, Unit: "×", Scale: 1, Stops: []float64{1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.6, 4, 5, 6, 8, 10},
		Help: said{"its time over an ordinary one’s; links stay equal", "其计算时间与普通工作节点之比；链路仍然相同"}},
	{ID: "r", Name: said{"redundancy", "冗余度"}, Scale: 1, Stops: []float64{1, 2, 3, 4, 5, 6, 7, 8},
		Help: said{"r: workers that compute each block; coded SGD alone", "r：计算每个样本块的工作节点数；仅用于编码 SGD"}},
	{ID: "z", Name: said{"zeros in a gradient", "梯度中零的比例"}, Unit: "%", From: 1, Scale: -0.01,
		Stops: []float64{0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 93, 95, 97, 98, 99, 99.5, 99.8, 99.9},
		Help:  said{"sparsity, independent from worker to worker; RingSparse alone", "稀疏度，各工作节点相互独立；仅用于 RingSparse"}},
	{ID: "q", Name: said{"packing", "打包速率"}, Unit: "GB/s", Scale: 1e9, Stops: stops(0.1, 100), More: true,
		Help: said{"and unpacking, of dense bytes; RingSparse alone", "解包速率与此相同，按稠密字节计；仅用于 RingSparse"}},
	{ID: "g", Name: said{"workers per machine", "每台机器的工作节点数"}, Scale: 1, Stops: []float64{1, 2, 4, 8, 16}, More: true,
		Help: said{"G; the two-level ring alone. All others count every worker as a machine", "G；仅用于两级环，其余方法把每个工作节点当作一台机器"}},
	{ID: "i", Name: said{"bandwidth within", "机内带宽"}, Unit: "Gb/s", Scale: 1.25e8, Stops: stops(1, 10000), More: true,
		Help: said{"between workers of one machine; the two-level ring alone", "同一机器内工作节点之间的带宽；仅用于两级环"}},
}

var (
	linkNaive  = playLink{"ring/code.html#naive", said{"the single reducer", "单个归约节点"}}
	linkRing   = playLink{"ring/code.html#alpha-beta", said{"ring with latency", "含延迟的环"}}
	linkBytes  = playLink{"ring/code.html#bytes", said{"bytes", "字节数"}}
	linkRivals = playLink{"ring/placement.html", said{"compared on a simulated cluster", "在模拟集群上的比较"}}
	linkModel  = playLink{"codedsgd/code.html#t-cssgd", said{"time model", "时间模型"}}
	linkCount  = playLink{"codedsgd/accounting.html", said{"loads counted", "负载计数"}}
)

// playRegistered is the note on a registered method that has no words here.
var playRegistered = said{"A registered method, by the formula of its descriptor.", "注册的方法，按其描述符中的公式计算。"}

// playMethods are the words of formulas by their keys.
var playMethods = map[string]playMethod{
	"bsp": {Name: said{"parameter server, BSP", "参数服务器，BSP"}, Links: []playLink{linkNaive},
		Note: said{"Bulk synchronous parallel: all workers push, the server adds up, all pull: the single reducer’s formula with N + 1 machines. Everybody " +
			"waits for the slowest worker. One server, not sharded.",
			"批量同步并行（bulk synchronous parallel）：所有工作节点推送，服务器求和，再全部拉取；公式与由一台机器归约相同，只是机器有 N + 1 台。所有工作节点都等待最慢的一个。只有一台服务器，不分片。"}},
	"asp": {Name: said{"parameter server, ASP", "参数服务器，ASP"}, Links: []playLink{linkNaive},
		Note: said{"Asynchronous parallel: nobody waits. The time is that of N gradients, at least: the workers’ own turns, or the server’s link if that is " +
			"full. Queues are not modelled, nor how many more gradients staleness costs.",
			"异步并行（asynchronous parallel）：互不等待。时间是得到 N 个梯度至少所需：由各工作节点自身的一轮决定，服务器链路已满时则由链路决定。没有计入排队，也没有计入陈旧度使梯度增多多少。"}},
	"naive": {Name: said{"single reducer", "单个归约节点"}, Links: []playLink{linkNaive},
		Note: said{"One of the workers gathers all gradients and sends the sum back. The blog counts the gathering alone.", "由一个工作节点收集全部梯度再发回总和。博客只算收集的一半。"}},
	"ring": {Name: said{"ring", "环形全归约"}, Links: []playLink{linkBytes, linkRing},
		Note: said{"All-reduce in 2(N − 1) steps of chunks of K/N. Equal links.", "分 2(N − 1) 步、每步传 K/N 的全归约。链路相同。"}},
	"halving-doubling": {Name: said{"halving and doubling", "减半加倍法"},
		Links: []playLink{{"ring/code.html#halving-doubling", said{"formula", "公式"}}, linkRivals},
		Note:  said{"The ring’s bytes in 2·log₂N messages; more where N is no power of two.", "字节数与环相同，但只有 2·log₂N 条消息；N 不是 2 的幂时更多。"}},
	"hierarchical": {Name: said{"ring in two levels", "两级环"}, Links: []playLink{linkRivals},
		Note: said{"A ring within each machine and one between machines, whose workers share a network card. Only where machines of G ≥ 2 workers are full " +
			"and there are two or more; its bytes are a machine’s.", "每台机器内一个环，机器之间再一个环，机内工作节点共用网卡。仅当每机 G ≥ 2、机器全部填满且不少于两台时有定义；字节数按机器计。"}},
	"ringsparse": {Name: said{"RingSparse", "RingSparse"},
		Links: []playLink{{"ringsparse/code.html#rule", said{"rule", "规则"}}, {"ringsparse/code.html#fill-in-law", said{"fill-in", "填充"}},
			{"ringsparse/code.html#sizes", said{"sizes", "大小"}}},
		Note: said{"The ring, every block as bitmap and values where that is sooner there, Tb < Ta. Zeros of different workers are independent, so sums " +
			"fill in. Gradients only; counting zeros takes no time here, and α of every exchange is ours.",
			"环形全归约，每个数据块在 Tb < Ta 时以位图加数值传输。各工作节点的零相互独立，因此部分和会逐渐填满。只传梯度；这里数零不计时间，每次交换的 α 由我们加入。"}},
	"ssgd-unicast": {Name: said{"SSGD, unicast", "SSGD，单播"},
		Links: []playLink{linkCount, {"codedsgd/code.html#eq30", said{"Eq. (30) at r = 1", "式 (30)，r = 1"}}},
		Note: said{"Synchronous SGD: every worker sends its gradient to every other, summed over its batch. At least what N − 1 gradients need to arrive " +
			"over one link.", "同步 SGD：每个工作节点把本批求和后的梯度发给其他每个工作节点。时间至少是 N − 1 个梯度经一条链路到达所需。"}},
	"ssgd-multicast": {Name: said{"SSGD, multicast", "SSGD，多播"}, Links: []playLink{linkCount},
		Note: said{"The same, sent once and copied by the network. As many bytes arrive, so on a switch the time stays.", "同上，但只发一次、由网络复制。到达的字节同样多，因此在交换机上时间不变。"}},
	"cssgd": {Name: said{"coded SGD, one gradient per block", "编码 SGD，每个样本块一个梯度"},
		Links: []playLink{{"codedsgd/code.html#eq28", said{"Eq. (28)", "式 (28)"}}, {"codedsgd/code.html#eq20", said{"Eq. (21)", "式 (21)"}}},
		Note: said{"A batch of C(N, r) blocks, whose gradients travel one by one in coded multicasts. At least what must arrive over one link. None where " +
			"there are more blocks than a float64 counts.", "一批分为 C(N, r) 个样本块，各样本块的梯度以编码多播逐个传输。时间至少是必须经一条链路到达的内容所需。样本块数超出 float64 能精确计数的范围时不给出。"}},
	"cssgd-model": {Name: said{"coded SGD, the paper’s model", "编码 SGD，论文模型"},
		Links: []playLink{linkModel, {"codedsgd/code.html#eq19", said{"Eq. (19)", "式 (19)"}}},
		Note: said{"The paper’s time model. Its T_communicate is that of an SSGD that sends the gradient of each of the C(N, r) blocks by unicast, Eq. " +
			"(30): not the SSGD above, which sums its batch first. It counts what a node sends; on a switch what it must take in takes longer, so there the " +
			"model promises too much.", "论文的时间模型。其 T_communicate 属于把 C(N, r) 个样本块的梯度逐个单播的 SSGD，即式 (30)：不是上面那种先对本批求和的 SSGD。它只算一个节点发送的内容；在交换机上，必须接收的内容用时更长，" +
			"因此模型在那里过于乐观。"}},
	"compressed": {Name: said{"redundant blocks, summed first", "冗余样本块，先求和"},
		Links: []playLink{{"codedsgd/code.html#compressed", said{"formula, t = 1", "公式，t = 1"}}},
		Note: said{"Workers with r blocks add up what they can before they send; nothing is coded. At least what must arrive over one link. Which machine " +
			"sends most no formula says.", "每个样本块由 r 个工作节点计算，发送前能相加的先相加；不编码。时间至少是必须经一条链路到达的内容所需。哪台机器发送最多，没有公式可用。"}},
}

// playFacts stand in the order of playground's.
var playFacts = []playFact{
	playground.GradientBytes: {Name: said{"one gradient, K", "一个梯度，K"}, Unit: "bytes"},
	playground.RingPaysAbove: {Name: said{"the ring beats the single reducer above", "环优于单个归约节点的下限"}, Unit: "bytes",
		Link: playLink{"ring/code.html#break-even", said{"formula", "公式"}}},
	playground.FilledDensity: {Name: said{"not zero in the sum of all", "总和中非零的比例"}, Unit: "share",
		Link: playLink{"ringsparse/code.html#fill-in-law", said{"formula", "公式"}}},
	playground.BitmapSize: {Name: said{"a gradient as bitmap and values", "以位图加数值表示的梯度"}, Unit: "bytes",
		Link: playLink{"ringsparse/code.html#sizes", said{"formula", "公式"}}},
	playground.COOSize: {Name: said{"a gradient as coordinates", "以坐标表示的梯度"}, Unit: "bytes",
		Link: playLink{"ringsparse/code.html#sizes", said{"formula", "公式"}}},
	playground.BitmapBreakEven: {Name: said{"the bitmap pays if less than this is not zero", "位图划算的非零比例上限"}, Unit: "share",
		Link: playLink{"ringsparse/code.html#sizes", said{"formula", "公式"}}},
	playground.Blocks: {Name: said{"blocks of a batch, C(N, r)", "一批的样本块数 C(N, r)"}, Link: playLink{"codedsgd/code.html#eq5", said{"formula", "公式"}}},
	playground.BestRedundancy: {Name: said{"best redundancy by the paper’s model", "按论文模型的最佳冗余度"},
		Note: said{"for a batch of that many blocks", "样本块数如上一项"}, Link: playLink{"codedsgd/code.html#rstar", said{"formula", "公式"}}},
	playground.DASPWait: {Name: said{"DASP: an ordinary worker in WSS, weak synchronisation, waits", "DASP：WSS（弱同步）状态下普通工作节点等待"}, Unit: "seconds",
		Link: playLink{"dasp/code.html#eq1", said{"Eq. (1)", "式 (1)"}},
		Note: said{"α = 0.5; iteration times are a worker’s turn alone with the server", "α = 0.5；迭代时间取工作节点独占服务器时的一轮"}},
	playground.DASPSpread: {Name: said{"DASP: versions apart, at most", "DASP：版本差上界"}, Link: playLink{"dasp/code.html#state", said{"states", "状态"}},
		Note: said{"Smax = 6, and N − 2 more (ours)", "Smax = 6，再加 N − 2（我们的）"}},
}

var playPresets = []playPreset{
	{Key: "blog", Name: said{"the blog’s 40 GPUs", "博客的 40 块 GPU"},
		Values: map[string]float64{"n": 40, "p": 300, "b": 48, "a": 3, "c": 370, "h": 1, "r": 2, "z": 0, "q": 2, "g": 8, "i": 80},
		Note: said{"300 million parameters, five machines of eight GPUs, 6 GB/s between and 10 GB/s within them, 370 ms on one GPU, as the blog states. " +
			"Latency from platform ring40. Nothing overlaps here and no GPU is late: the blog’s ring takes 650 to 700 ms, because part of its exchange hides " +
			"behind computation.", "3 亿参数，5 台 8 卡机器，机间 6 GB/s、机内 10 GB/s，单块 GPU 370 ms，均为博客所述。延迟取自平台 ring40。这里没有重叠，也没有 GPU 迟到：博客的环用时 650 到 700 ms，因为部分交换与计算重叠。"}},
	{Key: "dasp", Name: said{"DASP’s unequal six", "DASP 的六个速度不等的工作节点"},
		Values: map[string]float64{"n": 6, "p": 11.173962, "b": 10, "a": 70, "c": 25, "h": 3.6, "r": 2, "z": 0, "q": 2, "g": 1, "i": 80},
		Note: said{"ResNet-18 on six workers and a server, 10 Gb/s, as platform heterogeneous6, but with one slow worker instead of five speeds. Compute is " +
			"about a V100’s for 32 images, assumed as the platform is. DASP, SSP and DSSP have no row: no formula gives an iteration that hangs on who arrives " +
			"when. The command gradsync train --timing-only times them.",
			"ResNet-18，六个工作节点加一台服务器，10 Gb/s，同平台 heterogeneous6，但只有一个慢工作节点而非五种速度。计算时间约为 V100 处理 32 张图像，与平台一样是假设。" +
				"表中没有 DASP、SSP 和 DSSP：它们一次迭代的时间取决于谁先到达，没有公式可用；命令 gradsync train --timing-only 可以测得。"}},
	{Key: "codedsgd", Name: said{"coded SGD at eight nodes", "编码 SGD，八个节点"},
		Values: map[string]float64{"n": 8, "p": 0.66868, "b": 1, "a": 70, "c": 128.188416, "h": 1, "r": 3, "z": 0, "q": 2, "g": 1, "i": 80},
		Note: said{"The DNN on eight equal nodes at 1 Gb/s, platform cssgd10. Its speed and link are calibrated so that in the paper’s model, at these " +
			"nodes and 56 blocks, the paper’s best redundancy of 3 comes out: that was put in, not found. The rows beside it are not of that model.",
			"DNN，八个相同的节点，1 Gb/s，平台 cssgd10。其速度与链路经过校准，使论文模型在这些节点和 56 个样本块下得到论文的最佳冗余度 3：这是设定，不是发现。旁边各行不属于该模型。"}},
	{Key: "ringsparse", Name: said{"a sparse gradient on 1 Gb/s", "1 Gb/s 上的稀疏梯度"},
		Values: map[string]float64{"n": 8, "p": 20.040522, "b": 1, "a": 70, "c": 50, "h": 1, "r": 2, "z": 95, "q": 2, "g": 1, "i": 80},
		Note: said{"VGG-19-BN on eight workers of platform sparse32; the patent states no device. 95 % zeros and the compute time are ours.",
			"VGG-19-BN，平台 sparse32 的八个工作节点；专利未说明设备。95 % 的零与计算时间由我们设定。"}},
	{Key: "ethernet", Name: said{"64 workers, 10 Gb/s", "64 个工作节点，10 Gb/s"},
		Values: map[string]float64{"n": 64, "p": 25, "b": 10, "a": 50, "c": 200, "h": 1.2, "r": 2, "z": 50, "q": 13.6, "g": 8, "i": 400},
		Note:   said{"Nobody’s cluster: eight machines of eight GPUs, to begin one’s own question with.", "不属于任何文献的集群：八台 8 卡机器，供您从这里提出自己的问题。"}},
}
