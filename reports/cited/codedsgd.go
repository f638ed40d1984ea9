package cited

import "gradsync/reports/notebook"

// codedFormulas are the equations of the paper on coded SGD under its own numbers,
// the printed form beside ours where the two differ, and what this page adds.
var codedFormulas = []Formula{
	{
		ID: "eq1", Also: []string{"eq2"}, Name: notebook.Both{"Eqs. (1), (2): gradient descent", "式 (1)、(2)：梯度下降"},
		TeX: `\min_w F(w;\, x, y) \qquad w(t) = w(t-1) - \eta\,\nabla F\bigl(w(t-1);\, x, y\bigr)`,
		Note: notebook.Both{"w are the weights, x and y samples and labels, η the learning rate, t the iteration.",
			"w 是权重，x 和 y 是样本和标签，η 是学习率，t 是迭代序号。"},
		NoCode: notebook.Both{"The general method; what a node computes of it is (3), (17) and (18).",
			"一般方法；其中节点计算的是 (3)、(17) 和 (18)。"},
	},
	{
		ID: "eq3", Name: notebook.Both{"Eq. (3): what a node computes", "式 (3)：一个节点计算什么"},
		TeX: `\Delta w_i(t) = \nabla F\bigl(w_i(t-1);\, x_i, y_i\bigr)`,
		Note: notebook.Both{"Right if F is the sum, not the mean, of the samples’ losses: (4) divides once for all.",
			"若 F 是各样本损失之和而不是均值，则成立：(4) 最后统一除一次。"},
		Code: []string{"papers/codedsgd Task"},
	},
	{
		ID: "eq4", Name: notebook.Both{"Eq. (4): the update", "式 (4)：更新"},
		TeX: `w(t) = w(t-1) - \eta\,\frac{1}{|x|}\sum_i \Delta w_i(t)`,
		Note: notebook.Both{"Right while no two nodes share a sample. With redundancy r a sum over nodes counts every block r " +
			"times; (17) sums over blocks.",
			"只要没有两个节点共有样本，就成立。冗余度为 r 时，对节点求和会把每个样本块算 r 次；(17) 是对样本块求和。"},
		Code: []string{"papers/codedsgd Update"},
	},
	{
		ID: "eq5", Also: []string{"eq6"}, Name: notebook.Both{"Eqs. (5), (6): the nodes, and who holds what", "式 (5)、(6)：各节点，以及谁持有什么"},
		TeX: `U = \{N_0, \dots, N_{n-1}\} \qquad C = \mathrm{combinations}(U, r), \quad |C| = \binom{n}{r}`,
		Note: notebook.Both{"Block q of a batch goes to the nodes of the q-th r-subset, in lexicographic order.",
			"一批的样本块 q 归第 q 个 r 元子集的节点，按字典序。"},
		Code: []string{"papers/codedsgd Assignment", "papers/codedsgd Assignment.set"},
	},
	{
		ID: "eq7", Also: []string{"eq8", "eq9"}, Name: notebook.Both{"Eqs. (7) to (9): a node’s gradients, and the combinations it would send",
			"式 (7) 到 (9)：一个节点的各梯度，以及它要发送的各组合"},
		TeX: `R_i = \Bigl\{\,\{G_{S \setminus \{k\}} : k \in S \setminus \{i\}\} \;:\; i \in S \subseteq U,\ |S| = r+1\,\Bigr\}`,
		Printed: `\begin{gathered} B_i = \{G_{q_z} : z = 1, \dots, \mu\} \qquad R_i = \mathrm{combinations}(B_i, r) \\[0.3em] R_i^s = \{G_{(i,d_1)}, \dots, ` +
			`G_{(q,d_r)}\} \end{gathered}`,
		Note: notebook.Both{"Printed, R holds all C(μ, r) combinations of the node’s μ = C(n − 1, r − 1) gradients; where 3 ≤ r " +
			"≤ n − 2 most of them tell nobody anything new. Useful are those of one group S of r + 1 nodes, G " +
			"being named by its holders. The last member has q in the place of i.",
			"按原文，R 含有该节点 μ = C(n − 1, r − 1) 个梯度的全部 C(μ, r) 个组合；3 ≤ r ≤ n − 2 时，其中大多没有" +
				"给任何节点带来新内容。有用的是同属一个节点组 S（r + 1 个节点）的组合，G 以它的持有者命名。最后一个元" +
				"素的下标把 i 写成了 q。"},
		Code: []string{"papers/codedsgd Assignment.Packets"},
	},
	{
		ID: "eq10", Name: notebook.Both{"Eq. (10): a gradient is cut in r segments", "式 (10)：一个梯度切成 r 个片段"},
		TeX:     `\mathcal{G}^s = \{B^{\,k}_{d} : k = 0, 1, \dots, r-1,\ d = d_1, \dots, d_r\}`,
		Printed: `k = 0, 1, 5, \dots, r-1`,
		Note: notebook.Both{"A slip of the print. Segments are by rows or by columns; the last may be shorter.",
			"印刷笔误。片段按行或按列切分；最后一个可能更短。"},
		Code: []string{"papers/codedsgd Segment"},
	},
	{
		ID: "eq11", Also: []string{"eq12", "eq13", "eq14"}, Name: notebook.Both{"Eqs. (11) to (14): a packet", "式 (11) 到 (14)：一个数据包"},
		TeX: `\begin{gathered} C_q = \{N_{a_1}, \dots, N_{a_r} : a_1 < \dots < a_r\} \qquad A_q = U \setminus C_q \\[0.5em] M = \sum_d B^{\,\alpha_d}_{d} ` +
			`\qquad \mathrm{pack}(P, J, M, T) \end{gathered}`,
		Note: notebook.Both{"α is the sender’s place, from 0, among the sorted holders of block d. A are the nodes that lack it. " +
			"P are positions, J blocks, T the receivers; in one place the prose has P and J the other way round.",
			"α 是发送者在样本块 d 的已排序持有者中的位置，从 0 数起。A 是没有它的节点。P 是位置，J 是样本块，T 是接收者；正文有一处把 P 和 J 写反了。"},
		Code: []string{"papers/codedsgd Packet", "papers/codedsgd Term", "papers/codedsgd Assignment.Position", "papers/codedsgd Cut.AddTo"},
	},
	{
		ID: "eq15", Name: notebook.Both{"Eq. (15): what a receiver takes out", "式 (15)：接收者减去什么"},
		TeX:     `M^{\,k}_{q_v} = H - \sum_{z \ne v} B^{\,\alpha_z}_{q_z}`,
		Printed: `M^{\,k}_{q_v} = H - \sum_{q_z \ne q_v} B_{q_z}`,
		Note: notebook.Both{"H is the packet’s sum, q_v the one block in it that the receiver lacks. Of the others the very " +
			"segments that the sender added are subtracted, each at its own position.",
			"H 是数据包的和，q_v 是其中接收者唯一缺少的样本块。其余样本块中，减去的正是发送者所加的那些片段，各在自己的位置上。"},
		Code: []string{"papers/codedsgd Decode", "papers/codedsgd Cut.SubtractFrom"},
	},
	{
		ID: "eq16", Name: notebook.Both{"Eq. (16): segments put together", "式 (16)：拼合片段"},
		TeX:     `M_{q_v} = \begin{pmatrix} M^{0}_{q_v} \\ \vdots \\ M^{\,r-1}_{q_v} \end{pmatrix}`,
		Printed: `M_{q_v} = \begin{pmatrix} M^{0}_{q_v} \\ M^{1}_{q_v} \\ \vdots \\ M^{\,r}_{q_v} \end{pmatrix}`,
		Note:    notebook.Both{"There are r segments, 0 to r − 1.", "片段共有 r 个，编号 0 到 r − 1。"},
		Code:    []string{"papers/codedsgd Cut.Scatter"},
	},
	{
		ID: "eq17", Name: notebook.Both{"Eq. (17): the gradient of the batch", "式 (17)：整批的梯度"},
		TeX:     `G = \frac{1}{|F_j|}\Bigl[\,\sum_{v} M_{q_v} + \sum_{z} G_{q_z}\Bigr]`,
		Printed: `G = \frac{1}{|F_j|}\Bigl[\,\sum_{i_v} M_{q_v} + \sum_{i_z} G_{q_z}\Bigr]`,
		Note: notebook.Both{"Decoded blocks q_v and own blocks q_z: every block once. Integers are added, in any order the same; " +
			"one division.",
			"解码得到的样本块 q_v 和自己的样本块 q_z：每个样本块一次。整数相加，按任何顺序都相同；只除一次。"},
		Code: []string{"papers/codedsgd coded.add", "papers/codedsgd node.addOwn", "papers/codedsgd Accumulate"},
	},
	{
		ID: "eq18", Name: notebook.Both{"Eq. (18): on to the update", "式 (18)：转入更新"},
		TeX:     `w_i(t) = w_i(t-1) - \eta\,G`,
		Printed: `\Delta w_i(t) \leftarrow G`,
		Note: notebook.Both{"η is left out, and (4), which line 7 of Algorithm 1 names, would divide by the size of the batch " +
			"again.",
			"略去 η；算法 1 第 7 行所引的 (4) 会再除以一次批大小。"},
		Code: []string{"papers/codedsgd Update"},
	},
	{
		ID: "eq19", Name: notebook.Both{"Eq. (19): the ratio of loads", "式 (19)：通信负载之比"},
		TeX: `\frac{L_{\mathrm{coding}}}{L_{\mathrm{normal}}} = \frac{\binom{n}{r+1}\,(r+1)\,\frac1r}{(n-1)\binom nr} = \frac{n-r}{n-1}\cdot\frac1r`,
		Note: notebook.Both{"The algebra is right. But the numerator counts a multicast packet once, whoever hears it, and the " +
			"denominator every delivery of a unicast; and the denominator’s nodes send the gradient of every " +
			"block by itself, which ordinary SSGD does not.",
			"代数推导是对的。但分子中的多播数据包不论有谁听到都只算一次，而分母把单播的每次送达都算上；并且分母的节点把每个样本块的梯度单独发送，普通的 SSGD 并不如此。"},
		Code: []string{"papers/codedsgd LRatio", "papers/codedsgd loadRatio"},
	},
	{
		ID: "eq20", Also: []string{"eq21"}, Name: notebook.Both{"Eqs. (20), (21): what a node has, and lacks", "式 (20)、(21)：一个节点有什么、缺什么"},
		TeX: `D_{\mathrm{have}} = \frac rn\binom nr = \binom{n-1}{r-1} \qquad D_{\mathrm{left}} = \binom nr - \frac rn\binom nr = \binom{n-1}{r}`,
		Note: notebook.Both{"In blocks of a batch. The last form of each is what is counted from the assignment.",
			"以一批的样本块计。每一项的最后一种形式，是从分配中数出来的。"},
		Code: []string{"papers/codedsgd DHave", "papers/codedsgd DLeft", "papers/codedsgd blocksHave"},
	},
	{
		ID: "eq22", Also: []string{"eq23"}, Name: notebook.Both{"Eqs. (22), (23): r nodes share one block", "式 (22)、(23)：r 个节点共有一个样本块"},
		TeX: `\mathcal{D}_i = \{P_q : i \in C_q\} \qquad \bigl|\mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_r}\bigr| = 1`,
		Note: notebook.Both{"For every r nodes: the block whose holders they are, and no other.",
			"对每 r 个节点：恰是由它们持有的那个样本块，没有别的。"},
		Code: []string{"papers/codedsgd Assignment.Of", "papers/codedsgd commonOfR"},
	},
	{
		ID: "eq24", Name: notebook.Both{"Eq. (24): what r + 1 nodes have among them", "式 (24)：r + 1 个节点之间共有什么"},
		TeX:     `\bigl|\{P_q : C_q \subset M\}\bigr| = \binom{r+1}{r} = r+1, \qquad |M| = r+1`,
		Printed: `\bigl|\mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_{r+1}}\bigr| = r+1`,
		Note: notebook.Both{"Wrong as printed: a block lives on exactly r nodes, so no block is on r + 1, and the intersection " +
			"is empty. What the proof needs is the number of blocks whose holders all lie in the group M.",
			"印错了：一个样本块恰好在 r 个节点上，所以没有样本块在 r + 1 个节点上，交集是空集。证明需要的是持有者全部在节点组 M 中的样本块的个数。"},
		Code: []string{"papers/codedsgd dWithin", "papers/codedsgd commonOfMore"},
	},
	{
		ID: "eq25", Name: notebook.Both{"Eq. (25): what a group exchanges", "式 (25)：一个节点组交换什么"},
		TeX:     `\mathcal{D}_{\mathrm{exchange}}(M) = \{P_{M \setminus \{k\}} : k \in M\}`,
		Printed: `\mathcal{D}_{\mathrm{exchange}} = \mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_{r+1}}`,
		Note: notebook.Both{"r + 1 blocks, each named by its holders: the one that member k lacks is held by all the others.",
			"r + 1 个样本块，各以其持有者命名：成员 k 所缺的那一块由其余所有成员持有。"},
		Code: []string{"papers/codedsgd dExchange", "papers/codedsgd blocksExchanged"},
	},
	{
		ID: "eq26", Name: notebook.Both{"Eq. (26): what a member of it sends", "式 (26)：组中一个成员发送什么"},
		TeX:     `\mathcal{D}_{\mathrm{send}}(i, M) = \{P_{M \setminus \{k\}} : k \in M,\ k \ne i\}`,
		Printed: `\mathcal{D}_{\mathrm{send}} = \mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_r}`,
		Note: notebook.Both{"r blocks, a segment of each in one packet. The printed intersection is a single block.",
			"r 个样本块，每块取一个片段，合成一个数据包。印出的交集是单个样本块。"},
		Code: []string{"papers/codedsgd dSend", "papers/codedsgd blocksSentBy"},
	},
	{
		ID: "groups", Name: notebook.Both{"§2.4: in how many groups all holders of a block are",
			"§2.4：一个样本块的全部持有者同在多少个节点组中"},
		TeX:     `\#\{M : C_q \subset M,\ |M| = r+1\} = n-r`,
		Printed: `\#\{M : C_q \subset M,\ |M| = r+1\} = 1`,
		Note: notebook.Both{"The text says that a block is in one group only, so that no two groups send the same. A block is in " +
			"one group for each node that lacks it, and is sent anew in each; what is in one group only is a " +
			"block together with a node that lacks it, which is enough for (27).",
			"正文说，一个样本块只在一个节点组中，所以没有两个节点组发送相同的内容。缺少一个样本块的节点有几个，它" +
				"就在几个节点组中，并且在每个组里都重新发送；只在一个节点组中的，是样本块与一个缺少它的节点的组合，对" +
				" (27) 而言这已足够。"},
		Code: []string{"papers/codedsgd groupsOfBlock"},
	},
	{
		ID: "eq27", Name: notebook.Both{"Eq. (27): after all groups nothing is missing", "式 (27)：所有节点组之后什么也不缺"},
		TeX: `r\cdot\frac1r\cdot\binom{n-1}{r} = \binom{n-1}{r} = \binom nr\cdot\frac{n-r}{n} = D_{\mathrm{left}}`,
		Note: notebook.Both{"A node is in C(n−1, r) groups, and gets r segments of one block in each.",
			"一个节点在 C(n−1, r) 个节点组中，在每个组里得到一个样本块的 r 个片段。"},
		Code: []string{"papers/codedsgd groupsOf", "papers/codedsgd gradientsGot"},
	},
	{
		ID: "eq28", Name: notebook.Both{"Eq. (28): the coded load", "式 (28)：编码的通信负载"},
		TeX: `L_{\mathrm{coding}} = \binom{n}{r+1}\,(r+1)\,\frac1r = \binom nr\,\frac{n-r}{r}`,
		Note: notebook.Both{"In gradients, a multicast packet counted once: every member of every group sends one packet of 1/r " +
			"gradient.",
			"以梯度计，一个多播数据包算一次：每个节点组的每个成员发送一个长为梯度 1/r 的数据包。"},
		Code: []string{"papers/codedsgd LCoding", "papers/codedsgd codedLoad"},
	},
	{
		ID: "eq29", Name: notebook.Both{"Eq. (29): uncoded, with the same redundancy", "式 (29)：不编码，冗余度相同"},
		TeX:  `L_{\mathrm{uncoded}} = n\,D_{\mathrm{left}} = (n-r)\binom nr`,
		Note: notebook.Both{"Unicast. (28) is exactly 1/r of it.", "单播。(28) 恰好是它的 1/r。"},
		Code: []string{"papers/codedsgd LUncoding", "papers/codedsgd uncodedLoad"},
	},
	{
		ID: "eq30", Name: notebook.Both{"Eq. (30): without redundancy", "式 (30)：没有冗余"},
		TeX: `L_{\mathrm{normal}} = (n-1)\binom nr`,
		Note: notebook.Both{"Unicast, and still one gradient for each of C(n, r) blocks, though a node without redundancy could " +
			"add up its own and send one.",
			"单播，并且 C(n, r) 个样本块仍各有一个梯度，尽管没有冗余的节点可以把自己的相加，只发送一个。"},
		Code: []string{"papers/codedsgd LNormal", "papers/codedsgd normalLoad"},
	},
	{
		ID: "one-nth", Name: notebook.Both{"§2.2: “to 1/n of the naive method”", "§2.2：“降低至朴素方法的 1/n”"},
		TeX:     `\frac{L_{\mathrm{coding}}}{L_{\mathrm{normal}}} = \frac{n-r}{(n-1)\,r} \approx \frac1r`,
		Printed: `\frac{L_{\mathrm{coding}}}{L_{\mathrm{normal}}} = \frac1n`,
		Note: notebook.Both{"By (19) the two agree only at r = n²/(2n − 1), a little above n/2.",
			"按 (19)，两者只在 r = n²/(2n − 1) 处一致，略大于 n/2。"},
		Code: []string{"papers/codedsgd reducedToOneNth"},
	},
	{
		ID: "t-cssgd", Name: notebook.Both{"§3.2.4: the time of a batch", "§3.2.4：一批的时间"},
		TeX:     `T_{\mathrm{CSSGD}} = r\,T_{\mathrm{calculate}} + \frac{n-r}{(n-1)\,r}\,T_{\mathrm{communicate}}`,
		Printed: `T_{\mathrm{CSSGD}} = r\,T_{\mathrm{calculate}} + \frac1r\,T_{\mathrm{communicate}}`,
		Note: notebook.Both{"The exact form follows from (19). The text takes the time of communication from SSGD with " +
			"multicast; the baseline of (19) is unicast.",
			"精确形式由 (19) 得出。正文取的通信时间是多播 SSGD 的；(19) 的基线是单播。"},
		Code: []string{"papers/codedsgd/formula Time", "papers/codedsgd/formula ShortTime"},
	},
	{
		ID: "rstar", Name: notebook.Both{"The best redundancy by that model", "该模型下的最佳冗余度"},
		TeX: `r^* = \sqrt{\frac{n}{n-1}\cdot\frac{T_{\mathrm{communicate}}}{T_{\mathrm{calculate}}}}`,
		Note: notebook.Both{"Of the exact form; without n/(n − 1) of the printed one. The best whole r is one of its neighbours. " +
			"Ours; the paper says that one exists.",
			"属于精确形式；印出的形式没有 n/(n − 1)。最佳的整数 r 是与它相邻的两个整数之一。我们给出；论文只说它存在。"},
		Code: []string{"papers/codedsgd/formula Star", "papers/codedsgd/formula shortStar", "papers/codedsgd/formula Best"},
	},
	{
		ID: "like-for-like", Name: notebook.Both{"Both multicast, both unicast", "两者都用多播，两者都用单播"},
		TeX: `\frac{L_{\mathrm{coding}}}{\binom nr} = \frac{n-r}{r} \qquad\qquad \frac{r\,L_{\mathrm{coding}}}{(n-r)\binom nr} = 1`,
		Note: notebook.Both{"Every node needs every block, so a plain multicast of a block already serves the n − r nodes that " +
			"lack it, and a coded one r. Coding gains for r > n/2; delivered by unicasts it gains nothing. Ours.",
			"每个节点都需要每个样本块，所以样本块的一次直接多播已经服务于缺少它的 n − r 个节点，而一次编码多播服务" +
				"于 r 个。r > n/2 时编码有收益；改用单播送达就没有任何收益。我们给出。"},
		Code: []string{"papers/codedsgd LikeForLike", "papers/codedsgd CodedUnicast"},
	},
	{
		ID: "summed", Name: notebook.Both{"SSGD that sums first, and a ring", "先求和的 SSGD，以及环"},
		TeX: `n \text{ (multicast)} \qquad n\,(n-1) \text{ (unicast)} \qquad 2\,(n-1) \text{ (ring all-reduce)}`,
		Note: notebook.Both{"In gradients per batch: a gradient does not shrink with its block, so a node that adds up its " +
			"blocks’ gradients sends one. Ours, to compare with.",
			"以每批的梯度计：梯度并不随样本块缩小，所以先把自己各样本块的梯度相加的节点只发送一个。本复现所加，供比较。"},
		Code: []string{"papers/codedsgd SummedMulticast", "papers/codedsgd SummedUnicast", "papers/codedsgd ringLoad"},
	},
	{
		ID: "compressed", Name: notebook.Both{"Sum, then code, at depth t", "先求和再编码，深度 t"},
		TeX: `L = \frac1n\left[\binom{n-r+t}{t+1}\,\frac{t+1}{t} + (r-t)\binom{n-r+t-1}{t}\right] + 1, \qquad 1 \le t \le r`,
		Note: notebook.Both{"Each node reduces one n-th of the gradient from coded packets of sums, and multicasts it to all: " +
			"the last 1. At t = 1 nothing is coded, only summed, and the load is n − r + 1; for r = n nothing is " +
			"sent. After the idea of the paper’s reference [14]; derivation ours.",
			"每个节点由编码的和的数据包归约出梯度的 n 分之一，再多播给所有节点：即公式末尾的 1。t = 1 时不编码，只" +
				"求和，负载是 n − r + 1；r = n 时什么也不发送。依照论文参考文献 [14] 的思路；推导是我们的。"},
		Code: []string{"papers/codedsgd/formula Compressed"},
	},
	{
		ID: "bound", Name: notebook.Both{"For comparison: the bound of coded computing", "作为比较：编码计算的界"},
		TeX: `L^*(r) = \frac1r\left(1 - \frac rn\right)`,
		Note: notebook.Both{"Of the paper’s reference [13]: the share of all intermediate values that must be sent where each " +
			"node wants values of its own. Here all nodes want the same sum, so it does not bind; over n·C(n, r) " +
			"gradients it is exactly (28).",
			"出自论文的参考文献 [13]：若每个节点要的是各自的值，全部中间值中必须发送的比例。这里所有节点要的是同一" +
				"个和，所以它不构成约束；除以 n·C(n, r) 个梯度，它恰好就是 (28)。"},
		Code: []string{"papers/codedsgd/formula Bound"},
	},
}

// codedAlgorithms are the four algorithms of the paper on coded SGD, by its line
// numbers. A line marked differs from the printed one, which then stands in
// brackets or in the differences.
var codedAlgorithms = []algorithm{
	{
		ID: "alg1", Name: notebook.Both{"Algorithm 1: the training", "算法 1：训练"}, Mark: notebook.Both{"corrected", "更正"},
		In:    notebook.Both{"the data set F, the number of iterations T", "数据集 F、迭代次数 T"},
		Out:   notebook.Both{"the final weights w^f", "最终的权重 w^f"},
		Place: "Alg. 1, line",
		Code: []string{"papers/codedsgd newNode", "papers/codedsgd Run", "papers/codedsgd node.iterate", "papers/codedsgd node.gradient",
			"papers/codedsgd coded.load", "papers/codedsgd coded.unload"},
		Elsewhere: map[int]notebook.Both{
			1:  notebook.Both{"before Run: every Task begins with the same weights", "在 Run 之前：每个 Task 以相同的权重开始"},
			9:  notebook.Both{"closes line 3", "结束第 3 行"},
			10: notebook.Both{"the caller’s: w^f is what OnStep kept", "由调用者负责：w^f 是 OnStep 留下的权重"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"give w^f and every node’s w_i(0) the same values", "给 w^f 和每个节点的 w_i(0) 赋予相同的值"}, false},
			{0, notebook.Both{"each node i gets its samples D_i by Algorithm 2", "每个节点 i 按算法 2 得到它的样本 D_i"}, false},
			{0, notebook.Both{"for t = 1, 2, …, T:", "对 t = 1, 2, …, T："}, false},
			{1, notebook.Both{"each node i, all at once: compute Δw_i(t), Eq. (3)", "所有节点 i 同时：计算 Δw_i(t)，式 (3)"}, false},
			{1, notebook.Both{"each node: encode it and send it, Algorithm 3", "每个节点：按算法 3 编码并发送"}, false},
			{1, notebook.Both{"each node: receive and decode Δw(t), Algorithm 4", "每个节点：按算法 4 接收并解码得到 Δw(t)"}, false},
			{1, notebook.Both{"w_i(t) ← w(t) for all i, every block counted once, Eqs. (17), (18) [printed: Eq. (4)]",
				"对所有 i，w_i(t) ← w(t)，每个样本块只计一次，式 (17)、(18) [原文：式 (4)]"}, true},
			{1, notebook.Both{"every E batches: w^f ← whichever of w^f and w(t) has the smaller F on a fixed set [printed: after " +
				"every batch, on all of it]",
				"每隔 E 批：w^f ← w^f 与 w(t) 中在一个固定集合上 F 较小的一个 [原文：每批之后，在全部数据上]"}, true},
			{0, notebook.Both{"end for", "结束循环"}, false},
			{0, notebook.Both{"return w^f", "返回 w^f"}, false},
		},
	},
	{
		ID: "alg2", Name: notebook.Both{"Algorithm 2: who gets which samples", "算法 2：谁得到哪些样本"}, Mark: notebook.Both{"corrected", "更正"},
		In:    notebook.Both{"the data set F, the nodes U, the batch size b", "数据集 F、节点集 U、批大小 b"},
		Out:   notebook.Both{"the samples D_i of each node i", "每个节点 i 的样本 D_i"},
		Place: "Alg. 2, line",
		Code:  []string{"papers/codedsgd eachSubset", "papers/codedsgd Assignment.Split", "papers/codedsgd Assignment.Of"},
		Elsewhere: map[int]notebook.Both{
			2: notebook.Both{"the Task’s: step t is batch number t", "由 Task 负责：第 t 步就是第 t 个批"},
			4: notebook.Both{"not needed: who has block i is the same in every batch",
				"不需要：谁持有第 i 块，在每个批中都相同"},
			9:  notebook.Both{"closes line 7", "结束第 7 行"},
			10: notebook.Both{"closes line 6", "结束第 6 行"},
			11: notebook.Both{"closes line 4", "结束第 4 行"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"C ← combinations(U, r): all r-subsets of the nodes, in lexicographic order",
				"C ← combinations(U, r)：节点的所有 r 元子集，按字典序"}, false},
			{0, notebook.Both{"F ← F cut into batches of b", "F ← 把 F 切成大小为 b 的批"}, false},
			{0, notebook.Both{"D ← an empty D_i for each node", "D ← 每个节点一个空的 D_i"}, false},
			{0, notebook.Both{"for each batch F_j in F:", "对 F 中的每个批 F_j："}, false},
			{1, notebook.Both{"P ← F_j cut into |C| blocks", "P ← F_j 切成 |C| 个样本块"}, false},
			{1, notebook.Both{"for i = 1, 2, …, |C|:", "对 i = 1, 2, …, |C|："}, false},
			{2, notebook.Both{"for each node N_k in C_i: [printed: N_i, the block’s letter]",
				"对 C_i 中的每个节点 N_k：[原文：N_i，与样本块的下标字母相同]"}, true},
			{3, notebook.Both{"D_k of batch j: add P_i [printed: D_i, of no batch]",
				"D_k 的批 j：加入 P_i［原文印作 D_i，未指明批］"}, true},
			{2, notebook.Both{"end for", "结束循环"}, false},
			{1, notebook.Both{"end for", "结束循环"}, false},
			{0, notebook.Both{"end for", "结束循环"}, false},
			{0, notebook.Both{"return D", "返回 D"}, false},
		},
	},
	{
		ID: "alg3", Name: notebook.Both{"Algorithm 3: encoding, on node N", "算法 3：编码（节点 N 上）"}, Mark: notebook.Both{"corrected", "更正"},
		In: notebook.Both{"the list B of the gradients that node N computed, N itself, the redundancy r",
			"节点 N 所计算的梯度列表 B、N 本身、冗余度 r"},
		Out:   notebook.Both{"the set of packets to send", "要发送的数据包的集合"},
		Place: "Alg. 3, line",
		Code:  []string{"papers/codedsgd newCoded", "papers/codedsgd Assignment.Packets", "papers/codedsgd Encode"},
		Elsewhere: map[int]notebook.Both{
			10: notebook.Both{"not needed: line 12 has the receivers without counting", "不需要：第 12 行不经计数就得到接收者"},
			11: notebook.Both{"closes line 6", "结束第 6 行"},
			14: notebook.Both{"closes line 2", "结束第 2 行"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"begin with no packet", "开始时没有数据包"}, false},
			{0, notebook.Both{"for each group S of r + 1 nodes with N in it, R being the r blocks that S without one other node " +
				"holds: [printed: each R in combinations(B, r)]",
				"对每个含有 N 的、由 r + 1 个节点组成的节点组 S，R 为 r 个样本块，每块的持有者是 S 去掉一个其他节点：[原文：combinations(B, r) 中的每个 R]"}, true},
			{1, notebook.Both{"content M ← 0", "内容 M ← 0"}, false},
			{1, notebook.Both{"positions P, blocks J ← empty", "位置 P、样本块 J ← 空"}, false},
			{1, notebook.Both{"receivers T ← an empty list", "接收者 T ← 空列表"}, false},
			{1, notebook.Both{"for each gradient G in R:", "对 R 中的每个梯度 G："}, false},
			{2, notebook.Both{"P ← P + the place of N among the holders of G", "P ← P + N 在 G 的持有者中的位次"}, false},
			{2, notebook.Both{"J ← J + the number of G’s block", "J ← J + G 的样本块编号"}, false},
			{2, notebook.Both{"M ← M + the segment of G at that place", "M ← M + G 在该位置的片段"}, false},
			{2, notebook.Both{"T ← T + the nodes that lack G", "T ← T + 缺少 G 的节点"}, false},
			{1, notebook.Both{"end for", "结束循环"}, false},
			{1, notebook.Both{"T ← S without N [printed: the nodes that stand in T once; the same for r ≥ 2]",
				"T ← S 去掉 N [原文：T 中只出现一次的节点；r ≥ 2 时两者相同]"}, true},
			{1, notebook.Both{"add the packet (M, P, J, T)", "加入数据包 (M, P, J, T)"}, false},
			{0, notebook.Both{"end for", "结束循环"}, false},
			{0, notebook.Both{"return the packets", "返回这些数据包"}, false},
		},
	},
	{
		ID: "alg4", Name: notebook.Both{"Algorithm 4: decoding", "算法 4：解码"}, Mark: notebook.Both{"corrected", "更正"},
		In: notebook.Both{"the list B of the gradients that the node computed, a packet H",
			"该节点所计算的梯度列表 B、一个数据包 H"},
		Out:   notebook.Both{"a segment, its block, its position", "一个片段、它的样本块和它的位置"},
		Place: "Alg. 4, line",
		Code:  []string{"papers/codedsgd Unknown", "papers/codedsgd Decode"},
		Elsewhere: map[int]notebook.Both{
			10: notebook.Both{"closes line 5", "结束第 5 行"},
			11: notebook.Both{"closes line 4", "结束第 4 行"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"ids ← the blocks J of H", "ids ← H 的样本块 J"}, false},
			{0, notebook.Both{"poss ← the positions P of H", "poss ← H 的位置 P"}, false},
			{0, notebook.Both{"content ← the content M of H", "content ← H 的内容 M"}, false},
			{0, notebook.Both{"for each (id, pos) in (ids, poss):", "对 (ids, poss) 中的每个 (id, pos)："}, false},
			{1, notebook.Both{"if B has block id:", "若 B 有样本块 id："}, false},
			{2, notebook.Both{"content ← content − the segment of that gradient at pos",
				"content ← content − 该梯度在 pos 处的片段"}, false},
			{1, notebook.Both{"else:", "否则："}, false},
			{2, notebook.Both{"block ← id; a second one that B lacks is an error [printed: overwritten in silence]",
				"block ← id；若出现第二个 B 所缺的样本块，则报错 [原文：不作提示就覆盖]"}, true},
			{2, notebook.Both{"position ← pos", "position ← pos"}, false},
			{1, notebook.Both{"end if", "结束判断"}, false},
			{0, notebook.Both{"end for", "结束循环"}, false},
			{0, notebook.Both{"return content, block, position", "返回 content、block、position"}, false},
		},
	},
}
