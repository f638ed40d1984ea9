// Package codedsgd reproduces a paper: synchronous SGD whose nodes hold the
// data redundantly and exchange gradients in coded multicast packets.
//
//	Li Bowen, Xie Zaipeng, Mao Yingchi, Xu Yuanyuan, Zhu Xiaorui, Zhang Ji.
//	A synchronized gradient descent algorithm based on distributed coding.
//	Computer Engineering 47(4), 2021, 68–76, 83.
//	DOI 10.19678/j.issn.1000-3428.0057340. In Chinese:
//	李博文, 谢在鹏, 毛莺池, 徐媛媛, 朱晓瑞, 张基: 一种基于分布式编码的同步梯度下降算法.
//
// # Idea
//
// Each batch is cut into C(n,r) blocks, one for every set of r nodes, and each block's
// gradient is computed by the r nodes of its set. A node that lacks a block so finds r
// others that have it, and each of them sends it one r-th. Take any r+1 nodes: each
// lacks exactly one block that the r others share. So one of them can add the r
// segments that it owes the r others, and multicast the sum: each receiver knows all
// summands but its own, subtracts them and is left with what it lacks. One packet
// serves r nodes.
//
// Sums must be undone exactly, so gradients are fixed point: int32 addition wraps, and
// subtraction unwraps it. All nodes add the same numbers, in int64, and take the same
// step, bit for bit the step of SGD without coding.
//
// The rules are pure: Assign is Algorithm 2, Assignment.Packets and Encode Algorithm 3,
// Decode Algorithm 4; Assignment.Literal is Algorithm 3 as it is printed. Run is one
// rank's training, Algorithm 1, on any runtime, with the paper's rivals and with what
// its reference [14] proposes (compressed): sums of blocks, then code. There coding
// spares bytes beside summing alone where r ≥ 2 and n−2 ≤ r ≤ n−1, and nowhere else
// (BestDepth). Proof is the proof of section 2.4 as checks.
//
// On a cluster.Survivor a run goes on without the nodes that it loses, as long as every block has a living
// holder, to the very parameters of a run that loses nobody (survival.go): the paper does not say so, its
// redundancy allows it. From the first loss on blocks travel uncoded.
//
// # Map
//
// By item of the paper; generated from the Source: lines by go generate.
//
//	§2.1 (codedsgd.html#s2.1)
//	    Go    Assignment.Redundancy, BlockCount, formula.Choose
//	    tests TestSection21EveryNodeHasMuBlocks, TestSection21SamplesFollowSpeed
//	§2.4 (codedsgd.html#s2.4)
//	    Go    Assignment.Groups, GroupCount, Proof, Side, Step, Step.Sides
//	    tests TestSection24ByHand, TestSection24BytesAreTheLoads,
//	          TestSection24BytesOfRaggedLayers, TestSection24Loads,
//	          TestSection24Proof, TestSection24ProofAgainstRealExchanges,
//	          TestSection24ProofNoticesMistakes
//	§3.1 (codedsgd.html#s3.1)
//	    Go    Dequantise, FixedPoint, FixedPoint.quantise, Quantise, Top
//	    tests TestSection31FixedPointBesideRationals,
//	          TestSection31FixedPointOnTheRange,
//	          TestSection31NotFiniteIsAnErrorAndSaturationACount,
//	          TestSection31SaturatesAndCounts
//	§3.2.2 (codedsgd.html#s3.2.2)
//	    Go    CSSGD, Compressed, SSGDMulticast, SSGDUnicast, SummedMulticast,
//	          SummedUnicast
//	§3.2.4 (codedsgd.html#s3.2.4)
//	    Go    BatchTime, BestRedundancy, ShortBatchTime, formula.Best,
//	          formula.ShortTime, formula.Time
//	    tests TestSection324BestRedundancy
//	Eq. (10) (codedsgd/code.html#eq10)
//	    Go    Cut.Len, Segment
//	    tests TestEquation10SegmentsCoverTheLength
//	Eq. (12) (codedsgd/code.html#eq12)
//	    Go    Cut.AddTo, Encode, Term
//	    tests TestEquation12ContentIsTheSumOfSegments
//	Eq. (14) (codedsgd/code.html#eq14)
//	    Go    Packet
//	Eq. (15) (codedsgd/code.html#eq15)
//	    Go    Cut.SubtractFrom
//	    tests TestEquation15SubtractsEachAtItsPosition
//	Eq. (16) (codedsgd/code.html#eq16)
//	    Go    Cut.Scatter
//	    tests TestEquation16SegmentsMakeTheLayerWhole
//	Eq. (17) (codedsgd/code.html#eq17)
//	    Go    Accumulate, Cut.AccumulateTo
//	    tests TestEquation17AfterARealExchange, TestEquation17SumsAreWide
//	Eq. (19) (codedsgd/code.html#eq19)
//	    Go    LRatio, formula.Ratio
//	Eq. (20) (codedsgd/code.html#eq20)
//	    Go    DHave, formula.Have
//	Eq. (21) (codedsgd/code.html#eq21)
//	    Go    DLeft, formula.Left
//	Eq. (22) (codedsgd/code.html#eq22)
//	    Go    Assignment.Holds, dAll
//	Eq. (23) (codedsgd/code.html#eq23)
//	    Go    dCommon
//	Eq. (24) (codedsgd/code.html#eq24)
//	    Go    dWithin
//	Eq. (25) (codedsgd/code.html#eq25)
//	    Go    dExchange
//	Eq. (26) (codedsgd/code.html#eq26)
//	    Go    dSend
//	Eq. (27) (codedsgd/code.html#eq27)
//	    Go    groupsOf
//	Eq. (28) (codedsgd/code.html#eq28)
//	    Go    LCoding, Totals, formula.Coding
//	    tests TestEquation28IsTheBound
//	Eq. (29) (codedsgd/code.html#eq29)
//	    Go    LUncoding, formula.Uncoding
//	Eq. (3) (codedsgd/code.html#eq3)
//	    Go    Task
//	Eq. (30) (codedsgd/code.html#eq30)
//	    Go    LNormal, formula.Normal
//	Eq. (4) (codedsgd/code.html#eq4)
//	    Go    Update
//	    tests TestEquation4StepOfDescent
//	Eq. (5) (codedsgd/code.html#eq5)
//	    Go    Assignment.Nodes
//	Eq. (6) (codedsgd/code.html#eq6)
//	    Go    Assignment
//	Eq. (8) (codedsgd/code.html#eq8)
//	    Go    LoopCombinations
//	Alg. 1 (codedsgd/code.html#alg1)
//	    Go    Job, Run
//	    tests TestAlgorithm1Line4OwnBlocksAlone,
//	          TestAlgorithm1Line7IsDescentWithTheWholeBatch,
//	          TestAlgorithm1Line8EvaluatesAfterEachStep
//	Alg. 2 (codedsgd/code.html#alg2)
//	    Go    Assign, Enumerate
//	    tests TestAlgorithm2Line1BlocksAreTheSubsets,
//	          TestAlgorithm2Line5PiecesCoverTheBatch
//	Alg. 2, line 5 (codedsgd/code.html#alg2)
//	    Go    Assignment.Blocks, Assignment.Split
//	    tests TestAlgorithm2Line5PiecesCoverTheBatch
//	Alg. 2, line 7 (codedsgd/code.html#alg2)
//	    Go    Assignment.Holders
//	Alg. 2, line 8 (codedsgd/code.html#alg2)
//	    Go    Assignment.Of
//	Alg. 3 (codedsgd/code.html#alg3)
//	    Go    Assignment.Packets, Options, UsefulPackets, formula.Packets
//	    tests TestAlgorithm3Line13ForgedHeadersAreRefused,
//	          TestAlgorithm3Line13HeaderSaysPJAndT, TestAlgorithm3Line2LoopCount,
//	          TestAlgorithm3Line2LoopsOverAllCombinations,
//	          TestAlgorithm3PacketsBringEverySegmentOnce
//	Alg. 3, line 13 (codedsgd/code.html#alg3)
//	    Go    Assignment.Header, Header
//	    tests TestAlgorithm3Line13ForgedHeadersAreRefused,
//	          TestAlgorithm3Line13HeaderSaysPJAndT
//	Alg. 3, line 2 (codedsgd/code.html#alg3)
//	    Go    Assignment.Literal, Enumeration.Loop, LoopCount
//	    tests TestAlgorithm3Line2LoopCount,
//	          TestAlgorithm3Line2LoopsOverAllCombinations
//	Alg. 3, line 7 (codedsgd/code.html#alg3)
//	    Go    Assignment.Position
//	Alg. 3, line 8 (codedsgd/code.html#alg3)
//	    Go    Assignment.Index
//	Alg. 3, line 9 (codedsgd/code.html#alg3)
//	    Go    Cut.Gather
//	Alg. 4 (codedsgd/code.html#alg4)
//	    Go    Decode, Known
//	    tests TestAlgorithm4DecodesEveryPacketExactly,
//	          TestAlgorithm4Line5ExactlyOneIsUnknown
//	Alg. 4, line 1 (codedsgd/code.html#alg4)
//	    Go    Assignment.ReadHeader
//	Alg. 4, line 5 (codedsgd/code.html#alg4)
//	    Go    Unknown
//	    tests TestAlgorithm4Line5ExactlyOneIsUnknown
//	Fig. 3 (codedsgd/fig3.html)
//	    Go    Columns, Cut, NewCut, Rows
//	    tests TestFigure3SplitsByColumns
//
// # Notation
//
//	n      Proc.Size                nodes                                     1
//	r      Options.Redundancy       nodes that hold a block                   1
//	U      0 … n−1                  the nodes
//	F_j    Job.Batch                batch j, its number of samples            1
//	P_q    Assignment.Split         block q, its bounds within the batch      samples
//	C_q    Assignment.Holders       the nodes that hold block q
//	D_i    Assignment.Of            the blocks that node i holds
//	μ      len(Assignment.Of)       their number, C(n−1,r−1)                  1
//	B      Known                    gradients that a node has
//	G      Task.BlockGrad           gradient of a block, a sum over samples   1
//	α      Assignment.Position      place of a node among a block's holders   1
//	M      Assignment.Groups        r+1 nodes that exchange (not the paper's letter)
//	J, P   Packet.Terms             blocks and positions in a packet
//	M      Encode                   a packet's content                        steps of limit/Top
//	T      Packet.To                its receivers
//	H      (Decode)                 a packet received
//	η      Job.Rate                 learning rate                             1
//	L      LCoding, LUncoding, …    load                                      whole gradients
//
// # Differences from the paper
//
//   - (3), (4): right for sums of losses, divided once by the batch. Summed over nodes,
//     (4) would count each block r times. Ours: (17), each block once.
//   - (9), (10), (16), (17) have wrong letters or counts: G_(q,…) for G_(i,…); k = 0, 1,
//     "5"; r+1 pieces, 0 … r, where there are r; i_v and i_z for v and z. Ours: 0 … r−1.
//   - (15) subtracts whole gradients. Ours: of each its segment at its position.
//   - (18) leaves the learning rate out. Ours: w ← w − η·(Δw + λ·w), as in (4), in
//     float64, rounded once.
//   - (24) to (26) intersect the blocks of r+1 nodes, which have none in common. Meant
//     are the r+1 blocks whose holders lie within the r+1 nodes. See Proof.
//   - (19) divides what is sent by multicast by what is received by unicast; (30) is of
//     nodes that send every block's gradient by itself, where ordinary SSGD adds up its
//     own and sends one. A node needs every block, so a plain multicast already serves
//     n−r nodes, a coded one r. Every node receives C(n−1,r) gradients, however they are
//     sent. See Accountings, and TradeOff for what follows of whole gradients.
//   - §2.2, "reduced to 1/n": (19) is (n−r)/((n−1)·r).
//   - T = r·Tcalc + Tcomm/r (§3.2.4) is nearly (19) with unicast for Tcomm, which the text
//     calls multicast. See BatchTime and ShortBatchTime.
//   - Algorithm 1, line 8 evaluates the loss over the whole data after every batch. Ours:
//     Job.OnStep, which takes no time of the run's clock, as often as its caller likes.
//   - Algorithm 2, lines 7 and 8 have one letter for node and block, and D_i is not said to
//     be of a batch. Ours: blocks of every batch anew. "Split" of a batch that C(n,r) does
//     not divide is not said. Ours: bounds ⌊i·F/Q⌋; blocks may be empty. "Samples on a node
//     can follow its speed": ours: Options.Speeds, by blocks of unequal size; the blocks'
//     number and holders stay, and with them decoding.
//   - Algorithm 3 loops over all C(μ,r) combinations. For r = 2 and r ≥ n−1 those that
//     have receivers are the packets of (28); for 3 ≤ r ≤ n−2 there are far more, which
//     bring nothing new: 4 times as many at n = 5, r = 3, 31 times at (8,3), 39 at (6,4),
//     283 at (7,4), 13,683 at (8,5), the most of n ≤ 8. At r = 1 there is one packet for
//     n−1 nodes, where (28) has n−1. Ours: the r+1 packets of each group of r+1 nodes.
//     Literal: Options.Literal, Assignment.Literal.
//   - P and J change places between Algorithm 3 and the text. Ours: Term, which has both;
//     on the wire Header, in the frame's header. What is received must have the header that
//     is due, and in the bits that n leaves of its first word a hash of the options and the
//     job: a rank of another range or split would send nonsense of the same length.
//   - Algorithm 4 returns the last unknown block, however many there are. Ours: one, or an
//     error.
//   - Segments of one packet differ by a row or a column. Ours: filled with zeros to the
//     longest, and trimmed.
//   - "Multicast when the network is free" (§2.2): ours: packets leave while the node computes, the
//     last layer's first; two are with the network at a time. Options.NoOverlap waits for
//     all gradients.
//   - The order in which a node computes its blocks is not said. Ours: those shared with
//     the nodes after it first, so that nobody is everybody's first receiver.
//   - "Int32 on [−10, 10]": of a sum over a block's samples. Ours: as printed, or
//     Options.Range; what is out of range becomes its end and is counted
//     (Totals.Saturated), NaN and infinities end the run. A node quantises what it keeps
//     as what it sends. The sum of (17) is wider: six blocks of 2.0 are −8.0 in int32.
//   - "Gradients of blocks" may be one whole gradient for each of C(n,r) blocks, whose
//     traffic grows with r, or one for each of a number of micro-blocks that is the same
//     for every r, which (19) and the figures need. Ours: Options.MicroBlocks, 0 for the
//     first. A packet then holds its segments of all micro-blocks side by side.
//
// Blocks of one batch must not see each other: a normalisation over the batch would
// make r-fold computing and uncoded SGD differ. The r nodes that compute a block must
// get the same bits, or what decoding leaves is off by the difference.
//
// Multicast is the platform's: where it has none, a packet is sent r times. Totals
// count it once (Bytes) and once per receiver (Delivered).
//
// # Not implemented
//
//   - Anytime minibatch ([15], [16]): nodes that stop at a deadline have other samples
//     each, so no two have the same gradient, and nothing could be subtracted.
//   - Entangled polynomial codes ([17], [18]): they spare stragglers in matrix products;
//     they do not spare bytes of an exchange.
//   - 1-bit SGD ([19]): loses precision, for which the paper names it; decoding is
//     exact only of what adds up without loss.
//   - BMUF ([20]): averages models after many steps, which is not synchronous SGD.
//   - Stochastic gradient push ([21]): nodes disagree, so there is no one sum.
//   - MDS codes ([22]): they make any k of n answers enough and send more, not less.
//   - Lost packets: the runtimes' links are reliable; multicast over a network that
//     loses packets would need repetition.
package codedsgd

//go:generate go run gradsync/papers/internal/mapgen . codedsgd
