// Package ringsparse is the room of a patent application: a layer-wise ring
// all-reduce that sends, block by block, weights or gradients, whichever is
// sparser, compressed or not, while the backward pass goes on.
//
//	Liu Chubo, Zeng Zihao, Yang Wangdong. Distributed training method for
//	large-scale deep neural networks. Chinese patent application, filed
//	2021-04-28.
//
// Nothing of it is built yet; the dense ring it starts from is in
// shared/cluster/collective.
//
// # Patent
//
// The method is the subject of a patent application and is reproduced for
// study. The Apache License of this repository covers our code; it grants no
// right to the method.
package ringsparse
