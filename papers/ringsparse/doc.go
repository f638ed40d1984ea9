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
//	S1
//	    job.go               Job
//	    page                 ringsparse.html#s1
//	S13
//	    formula/formula.go   formula.T, formula.Dense
//	    tests                TestS13EachRankSendsToTheNextAlone,
//	                         TestS13ExchangeOverlapsTheBackwardPass,
//	                         TestS13LayersAreExchangedLastFirst
//	    page                 ringsparse.html#s13
//	S3
//	    convert.go           LocalStep
//	    tests                TestS3LocalStepIsKeptAside
//	    page                 ringsparse.html#s3
//	S4
//	    block.go             Block, Header, Header.Meta
//	    options.go           Options
//	    tests                TestS4BlocksCoverTheLayer
//	    page                 ringsparse.html#s4
//	S41
//	    block.go             Kind, Weights, Gradients
//	    choose.go            Choose
//	    sparsity.go          Sparsity, Density
//	    tests                TestS41CountsTwoNBlocks,
//	                         TestS41DenseBlocksAreWeightsByTieAlone,
//	                         TestS41SparserBlockIsKept,
//	                         TestS41SparsityCountsExactZeros
//	    page                 ringsparse.html#s41
//	S42
//	    compress.go          CostDirect, CostCompressed, Compress, Coder,
//	                         Coder.Costs, CheapestCoder
//	    formula/formula.go   formula.Ta, formula.Tb
//	    tests                TestS42CheapestCodecOfSeveral,
//	                         TestS42CompressIfSoonerThere
//	    page                 ringsparse.html#s42
//	S5
//	    block.go             ReadHeader
//	    tests                TestS5TheSlowestLinkSetsTheTime
//	    page                 ringsparse.html#s5
//	S51
//	    convert.go           Sign, Descent, Printed, ToWeights, ToGradients
//	    formula/formula.go   formula.Pw, formula.Pg
//	    tests                TestS51CoefficientIsTheContributorCount,
//	                         TestS51ConversionInBothDirections,
//	                         TestS51ConversionStaysWithinTheBound,
//	                         TestS51FalseNonZerosFromSixNodesOn,
//	                         TestS51PrintedSignIsWrongForGradients,
//	                         TestS51PrintedSignTrainsTheSame,
//	                         TestS51UpdateStaysWithinTheBound
//	    page                 ringsparse.html#s51
//	S52
//	    log.go               Choice
//	    tests                TestS52CodecFollowsFillIn,
//	                         TestS52KindIsChosenAnewAtEveryHop
//	    page                 ringsparse.html#s52
//	S6
//	    formula/formula.go   formula.Steps
//	    tests                TestS6AllGatherForwardsTheSameBytes,
//	                         TestS6AllParametersAgree, TestS6TwiceNMinusOneExchanges
//	    page                 ringsparse.html#s6
//	S7
//	    overlap.go           Run
//	    tests                TestS7RepeatsForThePredefinedIterations
//	    page                 ringsparse.html#s7
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
// # Not implemented
//
// # Patent
//
// The method is the subject of a patent application and is reproduced for
// study. The Apache License of this repository covers our code; it grants no
// right to the method.
package ringsparse

//go:generate go run gradsync/papers/internal/mapgen . ringsparse
