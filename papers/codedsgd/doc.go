// Package codedsgd reproduces a paper: synchronous SGD whose nodes hold the
// data redundantly and exchange gradients in coded multicast packets.
//
//	Li Bowen, Xie Zaipeng, Mao Yingchi, Xu Yuanyuan, Zhu Xiaorui, Zhang Ji.
//	A synchronized gradient descent algorithm based on distributed coding.
//	Computer Engineering 47(4), 2021, 68–76, 83.
//	DOI 10.19678/j.issn.1000-3428.0057340. In Chinese.
//
// # Map
//
// # Notation
package codedsgd
