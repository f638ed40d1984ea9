// Package ringsparse reproduces a patent application: a layer-wise ring
// all-reduce that sends, block by block, weights or gradients, whichever is
// sparser, compressed or not, while the backward pass goes on.
//
//	Liu Chubo, Zeng Zihao, Yang Wangdong. Distributed training method for
//	large-scale deep neural networks. Chinese patent application, filed
//	2021-04-28. In Chinese: 一种面向大规模深度神经网络的分布式训练方法.
//
// # Idea
//
// N ranks train replicas of one network on disjoint shards. When the backward pass
// has a layer's gradient g, a rank takes the step W′ = W0 − η·g, beside W0, and so
// has two vectors that say the same. Each is cut into N blocks, and the sparser of
// the two goes to the next rank of a ring, with a tag that says which it is. There
// it is added to the local block of its kind, the sum is turned into the other
// kind too, and again the sparser goes on. What is sent is compressed if that is
// sooner there. After N−1 hops every block is the sum over all ranks somewhere,
// and goes round once more, overwriting. The layers before compute their gradients
// meanwhile.
//
// The rules are pure functions: Sparsity, Choose, ToWeights, ToGradients, Compress.
// Run is one rank's training, on any runtime.
//
// # Map
//
// By item of the paper; generated from the Source: lines by go generate.
//
//	S1 (ringsparse.html#s1)
//	    Go    Job
//	S13 (ringsparse.html#s13)
//	    Go    formula.Dense, formula.T
//	    tests TestS13EachRankSendsToTheNextAlone,
//	          TestS13ExchangeOverlapsTheBackwardPass,
//	          TestS13LayersAreExchangedLastFirst
//	S3 (ringsparse.html#s3)
//	    Go    Local, LocalStep
//	    tests TestS3LocalStepIsKeptAside
//	S4 (ringsparse.html#s4)
//	    Go    Block, Header, Header.Meta, Options
//	    tests TestS4BlocksCoverTheLayer
//	S41 (ringsparse.html#s41)
//	    Go    Choose, Density, Gradients, Kind, Sparsity, Weights
//	    tests TestS41CountsTwoNBlocks, TestS41DenseBlocksAreWeightsByTieAlone,
//	          TestS41LocalStepLeavesNoMoreZerosThanTheGradient,
//	          TestS41SparserBlockIsKept, TestS41SparsityCountsExactZeros
//	S42 (ringsparse.html#s42)
//	    Go    CheapestCoder, Coder, Coder.Costs, Compress, CostCompressed,
//	          CostDirect, formula.Ta, formula.Tb
//	    tests TestS42CheapestCodecOfSeveral, TestS42CompressIfSoonerThere,
//	          TestS42EquallySoonIsDirect, TestS42LayerSizeFavoursCompression,
//	          TestS42OfEquallyCheapCodecsTheFirst
//	S5 (ringsparse.html#s5)
//	    Go    ReadHeader
//	    tests TestS5TheSlowestLinkSetsTheTime
//	S51 (ringsparse.html#s51)
//	    Go    Descent, Printed, Sign, ToGradients, ToWeights, formula.Pg, formula.Pw
//	    tests TestS51CoefficientIsTheContributorCount,
//	          TestS51ConversionInBothDirections,
//	          TestS51ConversionStaysWithinTheBound,
//	          TestS51FalseNonZerosFromSixNodesOn,
//	          TestS51PrintedSignIsWrongForGradients, TestS51PrintedSignTrainsTheSame,
//	          TestS51UpdateStaysWithinTheBound
//	S52 (ringsparse.html#s52)
//	    Go    Choice
//	    tests TestS52CodecFollowsFillIn, TestS52KindIsChosenAnewAtEveryHop
//	S6 (ringsparse.html#s6)
//	    Go    formula.Steps
//	    tests TestS6AllGatherForwardsTheSameBytes, TestS6AllParametersAgree,
//	          TestS6TwiceNMinusOneExchanges
//	S7 (ringsparse.html#s7)
//	    Go    Run
//	    tests TestS7RepeatsForThePredefinedIterations
//
// # Notation
//
//	N     Proc.Size            ranks of the ring               1
//	η     Job.Rate             learning rate                   1
//	W0    Task.Params          weights of the forward pass     1
//	W′    (LocalStep)          local weights                   1
//	g     Task.Grads           local gradient, decay folded in 1
//	F     Sparsity             share of zeros of a block       1
//	Sw    1 − Choice.WeightDensity    F of the weights         1
//	Sg    1 − Choice.GradientDensity  F of the gradients       1
//	Pw    (ToWeights)          partial sum of weights          1
//	Pg    (ToGradients)        partial sum of gradients        1
//	m     Header.Contributors  ranks in a sum; the patent's k+1 1
//	D     4·Header.Elements    size of what is sent            bytes
//	B     Options.Bandwidth    of a link                       bytes/s
//	Tc    Coder.Costs          time to compress                s
//	Td    Coder.Costs          time to decompress              s
//	Ta    CostDirect           time to send directly           s
//	Tb    CostCompressed       time to send compressed         s
//
// # Differences from the paper
//
// Three formulas are lost with their images: T, Ta with Tb, and the line of Pg. F and
// Compres are never given. Where the text is in error or silent:
//
//   - 1. "D is the data of a layer" in Ta, while a block is sent. Ours: D is the
//     block, in Ta as in Compres(D). Literal: Size "layer", which favours compression
//     N times.
//   - 2. "If Ta ≥ Tb send directly, else compress", twice: the wrong way round. Ours:
//     compress if Tb < Ta. Literal: Rule "printed".
//   - 3. "Pw = η·(Pg′+Pg″) + (k+1)·W0" has a plus, although S3 takes a descent step.
//     Ours: W′ = W0 − η·g and Pw = m·W0 − η·ΣPg. Literal: Sign "printed", right if "gradient"
//     means the direction of descent; Run then makes it of the task's gradient.
//   - 4. k, "the exchanges already carried out", is one short if it counts from 0.
//     Ours: m, the ranks in the sum, carried in every block's Header; m = k+1 if k
//     counts the receive just done.
//   - 5. "Repeat S4 and S5 N−1 times" would send the first blocks N−1 times. Ours: S4
//     once per layer, S5 N−1 times.
//   - 6. No division by N, and no word on how a block becomes parameters again, yet "all
//     parameters agree". Ours: ΣW/N, or W0 − (η/N)·Σg, as the block's tag says, from the
//     bytes of the all-gather on all ranks, the owner's own included. The local step of
//     S3 is never trained on: W0 stays until the step is over.
//   - 7. "Sends to the next" in S5 would also hold for the last receive of the
//     reduce-scatter. Ours: that block begins the all-gather.
//   - 8. "Communication time does not grow with the number of nodes": T grows from
//     D/B for N = 2 to 2D/B (formula.T).
//   - 9. "Sw ≥ Sg: weights" lets two dense blocks be weights, which costs conversions and
//     precision. Ours: as printed; Tie "gradients" is the other. Choice.Tie and
//     Totals.Ties say what was chosen by the tie alone.
//   - 10. "Delete" the other kind (S41) cannot be meant of the stores: the block that
//     arrives may be of either kind, and its local term is needed. Ours: both kinds of
//     every block are kept until its sum is. Of S41's N choices a rank sends one;
//     S52 makes the others anew. All 2N blocks are counted, as S41 says.
//   - 11. ΣW/N and W0 − (η/N)·Σg are one number in exact arithmetic and two in float32.
//     Blocks that are gradients at every hop are the dense gradient ring to the bit,
//     with weight decay one that folds it into the gradient as Job does, which leaves
//     it no zeros where W0 has none;
//     weights at every hop a dense ring of local weights; converted ones neither, but
//     within formula.UpdateError, and the same on all ranks.
//
// What F is: the share of the bit pattern +0, so that what is lossless to the
// patent is lossless to the bit. An exact zero of W0 − η·g is then one of W0 and g
// both, so weights win by the tie rule alone, unless a mask projects the local
// step (Job.Mask). With Options.Threshold F is the share of what is small, and the run
// is lossy (Log.Lossy): of a block that is sent as gradients, at whatever hop, the rank that
// sends it keeps what it drops, and adds it to its own gradient of those entries in
// the next iteration. Blocks that are sent as weights drop nothing: a small weight is no
// small change.
//
// Conversion takes the zeros away that it is to exploit. Where m·W0 and W0 + … + W0
// round apart, from m = 6 on, gradients made of weights that did not move are not zero.
// Where a mask holds weights at zero, gradients made of them are zero, whatever the
// gradients were, and weights made of gradients are not. So Mask is applied to the
// local step and again to the average.
//
// Every rank of a layer sends 2(N−1) messages, empty ones included. A block is decoded
// while its bytes travel on. The time that Options.Charge lets pass is that of the
// thread that exchanges, as if a copy engine counted and coded beside the device that
// computes gradients; the local step is charged as a conversion.
//
// B on a real clock is measured before training by the program that runs the method
// (train, where --link does not give it): every rank sends four messages of 1 MiB to
// the next, the first to warm the connection; where the second takes longer than
// 100 ms, as below 10 MB/s, an empty one follows and no more. These bytes are in
// probe_bytes of the outcome's ringsparse and not in bytes_sent. In virtual time
// nothing of it is sent.
//
// # Not implemented
//
//   - Momentum, clipping, rates per layer: see Job.
//   - Initial parameters, shards and mini-batches of BatchSize/N (S1, S2) are the
//     task's. Ranks that begin with other parameters are not found out here.
//   - Statistics of batch normalisation are no gradients and are not exchanged.
//
// # Patent
//
// The method is the subject of a patent application and is reproduced for
// study. The Apache License of this repository covers our code; it grants no
// right to the method.
package ringsparse

//go:generate go run gradsync/papers/internal/mapgen . ringsparse
