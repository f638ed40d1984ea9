package reports

// codedFormulas are the equations of the paper on coded SGD under its own numbers,
// the printed form beside ours where the two differ, and what this page adds.
var codedFormulas = []formula{
	{
		ID: "eq1", Also: []string{"eq2"}, Name: "Eqs. (1), (2): gradient descent",
		TeX:  `\min_w F(w;\, x, y) \qquad w(t) = w(t-1) - \eta\,\nabla F\bigl(w(t-1);\, x, y\bigr)`,
		Note: "w are the weights, x and y samples and labels, η the learning rate, t the iteration.",
	},
	{
		ID: "eq3", Name: "Eq. (3): what a node computes",
		TeX:  `\Delta w_i(t) = \nabla F\bigl(w_i(t-1);\, x_i, y_i\bigr)`,
		Note: "Right if F is the sum, not the mean, of the samples’ losses: (4) divides once for all.",
	},
	{
		ID: "eq4", Name: "Eq. (4): the update",
		TeX:  `w(t) = w(t-1) - \eta\,\frac{1}{|x|}\sum_i \Delta w_i(t)`,
		Note: "Right while no two nodes share a sample. With redundancy r a sum over nodes counts every block r times; (17) sums over blocks.",
	},
	{
		ID: "eq5", Also: []string{"eq6"}, Name: "Eqs. (5), (6): the nodes, and who holds what",
		TeX:  `U = \{N_0, \dots, N_{n-1}\} \qquad C = \mathrm{combinations}(U, r), \quad |C| = \binom{n}{r}`,
		Note: "Block q of a batch goes to the nodes of the q-th r-subset, in lexicographic order.",
	},
	{
		ID: "eq7", Also: []string{"eq8", "eq9"}, Name: "Eqs. (7) to (9): a node’s gradients, and the combinations it would send",
		TeX:     `R_i = \Bigl\{\,\{G_{S \setminus \{k\}} : k \in S \setminus \{i\}\} \;:\; i \in S \subseteq U,\ |S| = r+1\,\Bigr\}`,
		Printed: `\begin{gathered} B_i = \{G_{q_z} : z = 1, \dots, \mu\} \qquad R_i = \mathrm{combinations}(B_i, r) \\[0.3em] R_i^s = \{G_{(i,d_1)}, \dots, G_{(q,d_r)}\} \end{gathered}`,
		Note:    "Printed, R holds all C(μ, r) combinations of the node’s μ = C(n − 1, r − 1) gradients; where 3 ≤ r ≤ n − 2 most of them tell nobody anything new. Useful are those of one group S of r + 1 nodes, G being named by its holders. The last member has q in the place of i.",
	},
	{
		ID: "eq10", Name: "Eq. (10): a gradient is cut in r segments",
		TeX:     `\mathcal{G}^s = \{B^{\,k}_{d} : k = 0, 1, \dots, r-1,\ d = d_1, \dots, d_r\}`,
		Printed: `k = 0, 1, 5, \dots, r-1`,
		Note:    "A slip of the print. Segments are by rows or by columns; the last may be shorter.",
	},
	{
		ID: "eq11", Also: []string{"eq12", "eq13", "eq14"}, Name: "Eqs. (11) to (14): a packet",
		TeX:  `\begin{gathered} C_q = \{N_{a_1}, \dots, N_{a_r} : a_1 < \dots < a_r\} \qquad A_q = U \setminus C_q \\[0.5em] M = \sum_d B^{\,\alpha_d}_{d} \qquad \mathrm{pack}(P, J, M, T) \end{gathered}`,
		Note: "α is the sender’s place, from 0, among the sorted holders of block d. A are the nodes that lack it. P are positions, J blocks, T the receivers; in one place the prose has P and J the other way round.",
	},
	{
		ID: "eq15", Name: "Eq. (15): what a receiver takes out",
		TeX:     `M^{\,k}_{q_v} = H - \sum_{z \ne v} B^{\,\alpha_z}_{q_z}`,
		Printed: `M^{\,k}_{q_v} = H - \sum_{q_z \ne q_v} B_{q_z}`,
		Note:    "H is the packet’s sum, q_v the one block in it that the receiver lacks. Of the others the very segments that the sender added are subtracted, each at its own position.",
	},
	{
		ID: "eq16", Name: "Eq. (16): segments put together",
		TeX:     `M_{q_v} = \begin{pmatrix} M^{0}_{q_v} \\ \vdots \\ M^{\,r-1}_{q_v} \end{pmatrix}`,
		Printed: `M_{q_v} = \begin{pmatrix} M^{0}_{q_v} \\ M^{1}_{q_v} \\ \vdots \\ M^{\,r}_{q_v} \end{pmatrix}`,
		Note:    "There are r segments, 0 to r − 1.",
	},
	{
		ID: "eq17", Name: "Eq. (17): the gradient of the batch",
		TeX:     `G = \frac{1}{|F_j|}\Bigl[\,\sum_{v} M_{q_v} + \sum_{z} G_{q_z}\Bigr]`,
		Printed: `G = \frac{1}{|F_j|}\Bigl[\,\sum_{i_v} M_{q_v} + \sum_{i_z} G_{q_z}\Bigr]`,
		Note:    "Decoded blocks q_v and own blocks q_z: every block once. Integers are added, in any order the same; one division.",
	},
	{
		ID: "eq18", Name: "Eq. (18): on to the update",
		TeX:     `w_i(t) = w_i(t-1) - \eta\,G`,
		Printed: `\Delta w_i(t) \leftarrow G`,
		Note:    "η is left out, and (4), which line 7 of Algorithm 1 names, would divide by the size of the batch again.",
	},
	{
		ID: "eq19", Name: "Eq. (19): the ratio of loads",
		TeX: `\frac{L_{\mathrm{coding}}}{L_{\mathrm{normal}}} = \frac{\binom{n}{r+1}\,(r+1)\,\frac1r}{(n-1)\binom nr} = \frac{n-r}{n-1}\cdot\frac1r`,
		Note: "The algebra is right. But the numerator counts a multicast packet once, whoever hears it, and the denominator every delivery of a unicast; " +
			"and the denominator’s nodes send the gradient of every block by itself, which ordinary SSGD does not.",
	},
	{
		ID: "eq20", Also: []string{"eq21"}, Name: "Eqs. (20), (21): what a node has, and lacks",
		TeX:  `D_{\mathrm{have}} = \frac rn\binom nr = \binom{n-1}{r-1} \qquad D_{\mathrm{left}} = \binom nr - \frac rn\binom nr = \binom{n-1}{r}`,
		Note: "In blocks of a batch. The last form of each is what is counted from the assignment.",
	},
	{
		ID: "eq22", Also: []string{"eq23"}, Name: "Eqs. (22), (23): r nodes share one block",
		TeX:  `\mathcal{D}_i = \{P_q : i \in C_q\} \qquad \bigl|\mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_r}\bigr| = 1`,
		Note: "For every r nodes: the block whose holders they are, and no other.",
	},
	{
		ID: "eq24", Name: "Eq. (24): what r + 1 nodes have among them",
		TeX:     `\bigl|\{P_q : C_q \subset M\}\bigr| = \binom{r+1}{r} = r+1, \qquad |M| = r+1`,
		Printed: `\bigl|\mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_{r+1}}\bigr| = r+1`,
		Note:    "Wrong as printed: a block lives on exactly r nodes, so no block is on r + 1, and the intersection is empty. What the proof needs is the number of blocks whose holders all lie in the group M.",
	},
	{
		ID: "eq25", Name: "Eq. (25): what a group exchanges",
		TeX:     `\mathcal{D}_{\mathrm{exchange}}(M) = \{P_{M \setminus \{k\}} : k \in M\}`,
		Printed: `\mathcal{D}_{\mathrm{exchange}} = \mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_{r+1}}`,
		Note:    "r + 1 blocks, each named by its holders: the one that member k lacks is held by all the others.",
	},
	{
		ID: "eq26", Name: "Eq. (26): what a member of it sends",
		TeX:     `\mathcal{D}_{\mathrm{send}}(i, M) = \{P_{M \setminus \{k\}} : k \in M,\ k \ne i\}`,
		Printed: `\mathcal{D}_{\mathrm{send}} = \mathcal{D}_{i_1} \cap \dots \cap \mathcal{D}_{i_r}`,
		Note:    "r blocks, a segment of each in one packet. The printed intersection is a single block.",
	},
	{
		ID: "groups", Name: "§2.4: in how many groups all holders of a block are",
		TeX:     `\#\{M : C_q \subset M,\ |M| = r+1\} = n-r`,
		Printed: `\#\{M : C_q \subset M,\ |M| = r+1\} = 1`,
		Note:    "The text says that a block is in one group only, so that no two groups send the same. A block is in one group for each node that lacks it, and is sent anew in each; what is in one group only is a block together with a node that lacks it, which is enough for (27).",
	},
	{
		ID: "eq27", Name: "Eq. (27): after all groups nothing is missing",
		TeX:  `r\cdot\frac1r\cdot\binom{n-1}{r} = \binom{n-1}{r} = \binom nr\cdot\frac{n-r}{n} = D_{\mathrm{left}}`,
		Note: "A node is in C(n−1, r) groups, and gets r segments of one block in each.",
	},
	{
		ID: "eq28", Name: "Eq. (28): the coded load",
		TeX:  `L_{\mathrm{coding}} = \binom{n}{r+1}\,(r+1)\,\frac1r = \binom nr\,\frac{n-r}{r}`,
		Note: "In gradients, a multicast packet counted once: every member of every group sends one packet of 1/r gradient.",
	},
	{
		ID: "eq29", Name: "Eq. (29): uncoded, with the same redundancy",
		TeX:  `L_{\mathrm{uncoded}} = n\,D_{\mathrm{left}} = (n-r)\binom nr`,
		Note: "Unicast. (28) is exactly 1/r of it.",
	},
	{
		ID: "eq30", Name: "Eq. (30): without redundancy",
		TeX:  `L_{\mathrm{normal}} = (n-1)\binom nr`,
		Note: "Unicast, and still one gradient for each of C(n, r) blocks, though a node without redundancy could add up its own and send one.",
	},
	{
		ID: "one-nth", Name: "§2.2: “to 1/n of the naive method”",
		TeX:     `\frac{L_{\mathrm{coding}}}{L_{\mathrm{normal}}} = \frac{n-r}{(n-1)\,r} \approx \frac1r`,
		Printed: `\frac{L_{\mathrm{coding}}}{L_{\mathrm{normal}}} = \frac1n`,
		Note:    "By (19) the two agree only at r = n²/(2n − 1), a little above n/2.",
	},
	{
		ID: "t-cssgd", Name: "§3.2.4: the time of a batch",
		TeX:     `T_{\mathrm{CSSGD}} = r\,T_{\mathrm{calculate}} + \frac{n-r}{(n-1)\,r}\,T_{\mathrm{communicate}}`,
		Printed: `T_{\mathrm{CSSGD}} = r\,T_{\mathrm{calculate}} + \frac1r\,T_{\mathrm{communicate}}`,
		Note:    "The exact form follows from (19). The text takes the time of communication from SSGD with multicast; the baseline of (19) is unicast.",
	},
	{
		ID: "rstar", Name: "The best redundancy by that model",
		TeX:  `r^* = \sqrt{\frac{n}{n-1}\cdot\frac{T_{\mathrm{communicate}}}{T_{\mathrm{calculate}}}}`,
		Note: "Of the exact form; without n/(n − 1) of the printed one. The best whole r is one of its neighbours. Ours; the paper says that one exists.",
	},
	{
		ID: "like-for-like", Name: "Both multicast, both unicast",
		TeX: `\frac{L_{\mathrm{coding}}}{\binom nr} = \frac{n-r}{r} \qquad\qquad \frac{r\,L_{\mathrm{coding}}}{(n-r)\binom nr} = 1`,
		Note: "Every node needs every block, so a plain multicast of a block already serves the n − r nodes that lack it, and a coded one r. " +
			"Coding gains for r > n/2; delivered by unicasts it gains nothing. Ours.",
	},
	{
		ID: "summed", Name: "SSGD that sums first, and a ring",
		TeX:  `n \text{ (multicast)} \qquad n\,(n-1) \text{ (unicast)} \qquad 2\,(n-1) \text{ (ring all-reduce)}`,
		Note: "In gradients per batch: a gradient does not shrink with its block, so a node that adds up its blocks’ gradients sends one. Ours, to compare with.",
	},
	{
		ID: "compressed", Name: "Sum, then code, at depth t",
		TeX: `L = \frac1n\left[\binom{n-r+t}{t+1}\,\frac{t+1}{t} + (r-t)\binom{n-r+t-1}{t}\right] + 1, \qquad 1 \le t \le r`,
		Note: "Each node reduces one n-th of the gradient from coded packets of sums, and multicasts it to all: the last 1. At t = 1 nothing is coded, only summed, and the load is n − r + 1; for r = n nothing is sent. " +
			"After the idea of the paper’s reference [14]; derivation ours.",
	},
	{
		ID: "bound", Name: "For comparison: the bound of coded computing",
		TeX:  `L^*(r) = \frac1r\left(1 - \frac rn\right)`,
		Note: "Of the paper’s reference [13]: the share of all intermediate values that must be sent where each node wants values of its own. Here all nodes want the same sum, so it does not bind; over n·C(n, r) gradients it is exactly (28).",
	},
}
