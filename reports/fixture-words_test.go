package reports

// exampleWords are the notebooks, labels and reasons of the examples, by file.
var exampleWords = map[string]string{
	"labels.en.csv": `id,text
model.example@dasp,VGG <b>tags</b> & </script>
column.model@dasp/example5,network
column.method@dasp/example5,method
column.times.seconds@dasp/example5,mean iteration time
column.curves.time@dasp/example-fig4,virtual time
column.curves.accuracy@dasp/example-fig4,test accuracy
column.bands.from@dasp/example-fig2,virtual time
lane.worker1@dasp/example-fig2,worker 1
lane.worker2@dasp/example-fig2,worker 2
lane.worker3@dasp/example-fig2,worker 3
lane.worker4@dasp/example-fig2,worker 4
lane.worker5@dasp/example-fig2,worker 5
lane.worker6@dasp/example-fig2,worker 6 (slow)
state.compute@dasp/example-fig2,compute
state.push@dasp/example-fig2,push
state.WSS@dasp/example-fig2,WSS
state.FSS@dasp/example-fig2,FSS
label.waits@dasp/example-fig2,waits for worker 6
column.item@dasp/example1,item
column.devices.rate@dasp/example1,value
column.reason@dasp/example1,reason
column.sure@dasp/example1,how sure
item.link@dasp/example1,link
item.worker@dasp/example1,worker
why.long@dasp/example1,"an invented reason that is long enough to wrap in a narrow column of a table"
why.other@dasp/example1,another invented reason
sure.low@dasp/example1,low
sure.medium@dasp/example1,medium
example.ring,ring
example.naive,naive
example.halving-doubling,halving-doubling
example.hierarchical,hierarchical
example.bound,bound
example.dense,dense
example.ringsparse,RingSparse
example.gradients,gradients
example.weights,weights
example.all-gather,all-gather
example.bsp,BSP
example.asp,ASP
example.ssp,SSP
example.dssp,DSSP
example.dasp,DASP
example.ssgd,SSGD
example.asgd,ASGD
example.cssgd,CSSGD
example.compressed,compressed
column.bytes.n@ring/example-cost,ranks N
"axis.bytes@ring/example-cost","bytes sent, in units of K"
column.bytes.method@ringsparse/example-choice,method
column.bytes.network@ringsparse/example-choice,network
column.bytes.mb@ringsparse/example-choice,bytes
column.loads.n@codedsgd/example-load,n
column.loads.r@codedsgd/example-load,r
column.loads.coded@codedsgd/example-load,"CSSGD, multicast"
unit.units@codedsgd,gradient units
column.times.method@compare/example-when,method
column.times.cluster@compare/example-when,cluster
column.times.seconds@compare/example-when,time
`,
	"labels.zh.csv": `id,text
model.example@dasp,VGG <b>标签</b> & </script>
column.model@dasp/example5,网络
column.method@dasp/example5,方法
column.times.seconds@dasp/example5,平均迭代时间
column.curves.time@dasp/example-fig4,虚拟时间
column.curves.accuracy@dasp/example-fig4,测试准确率
column.bands.from@dasp/example-fig2,虚拟时间
lane.worker1@dasp/example-fig2,工作节点 1
lane.worker2@dasp/example-fig2,工作节点 2
lane.worker3@dasp/example-fig2,工作节点 3
lane.worker4@dasp/example-fig2,工作节点 4
lane.worker5@dasp/example-fig2,工作节点 5
lane.worker6@dasp/example-fig2,工作节点 6（慢）
state.compute@dasp/example-fig2,计算
state.push@dasp/example-fig2,推送
state.WSS@dasp/example-fig2,WSS
state.FSS@dasp/example-fig2,FSS
label.waits@dasp/example-fig2,等待工作节点 6
column.item@dasp/example1,项目
column.devices.rate@dasp/example1,值
column.reason@dasp/example1,理由
column.sure@dasp/example1,把握
item.link@dasp/example1,链路
item.worker@dasp/example1,工作节点
why.long@dasp/example1,一个足够长、会在窄列中换行的虚构理由
why.other@dasp/example1,另一个虚构的理由
sure.low@dasp/example1,低
sure.medium@dasp/example1,中
example.ring,环
example.naive,朴素
example.halving-doubling,折半倍增
example.hierarchical,分层
example.bound,下界
example.dense,稠密
example.ringsparse,RingSparse
example.gradients,梯度
example.weights,权重
example.all-gather,全收集
example.bsp,BSP
example.asp,ASP
example.ssp,SSP
example.dssp,DSSP
example.dasp,DASP
example.ssgd,SSGD
example.asgd,ASGD
example.cssgd,CSSGD
example.compressed,压缩
column.bytes.n@ring/example-cost,rank 数 N
"axis.bytes@ring/example-cost",发送的字节（以 K 为单位）
column.bytes.method@ringsparse/example-choice,方法
column.bytes.network@ringsparse/example-choice,网络
column.bytes.mb@ringsparse/example-choice,字节
column.loads.n@codedsgd/example-load,n
column.loads.r@codedsgd/example-load,r
column.loads.coded@codedsgd/example-load,CSSGD，多播
unit.units@codedsgd,梯度单位
column.times.method@compare/example-when,方法
column.times.cluster@compare/example-when,集群
column.times.seconds@compare/example-when,时间
`,
	"reasons.en.tmpl": `{{define "example-data"}}data set: {{.images}} invented images{{end}}
{{define "example-wait"}}waiting at the server costs more than it saves where the link, not the worker, is slow{{end}}
{{define "example-left-out"}}left out of this profile: it takes {{.minutes}} minutes{{end}}
{{define "example-larger"}}only the larger set shows it{{end}}
{{define "example-curves"}}ASP {{num .asp}}, BSP {{num .bsp}} points{{end}}
{{define "example-pairs"}}invented: counted for {{.n}} pairs of N and K{{end}}
{{define "example-linear"}}{{num .share}} of linear at N = {{.n}}{{end}}
{{define "example-load"}}{{.load}}{{end}}`,
	"reasons.zh.tmpl": `{{define "example-data"}}数据集：{{.images}} 张虚构图像{{end}}
{{define "example-wait"}}当慢的是链路而不是工作节点时，在服务器处等待得不偿失{{end}}
{{define "example-left-out"}}本档位未包含：需要 {{.minutes}} 分钟{{end}}
{{define "example-larger"}}只有更大的数据集才显示出来{{end}}
{{define "example-curves"}}ASP {{num .asp}}，BSP {{num .bsp}} 个百分点{{end}}
{{define "example-pairs"}}虚构：对 {{.n}} 组 N 与 K 数过{{end}}
{{define "example-linear"}}N = {{.n}} 时为线性的 {{num .share}}{{end}}
{{define "example-load"}}{{.load}}{{end}}`,

	"dasp/example5.en.md": `# Example: mean iteration time, unequal workers

The invented method takes {{num (cell "times" "seconds" "model" "lenet5" "method" "dasp")}} with LeNet-5 and waits {{num (fact "waited")}}; ` +
		"`dasp/example1`" + ` has the devices.

{{table "model method seconds" (rows "times")}}
: Invented numbers of {{num (fact "workers")}} workers, {{n seeds "seed" "seeds"}}.

{{figure "bars"}}
: Whiskers: 95 % over the seeds. <script>alert(1)</script>
alt: Grouped bars: BSP is the slowest for each of three models, ASP the fastest.

{{fold "Waits <i>in</i> detail"}}

In the equal cluster the invented method never leaves QIS.

{{endfold}}

## Claims

{{claims}}
: All of them are invented.
`,
	"dasp/example5.zh.md": `# 示例：不等工作节点的平均迭代时间

虚构的方法在 LeNet-5 上用 {{num (cell "times" "seconds" "model" "lenet5" "method" "dasp")}}，等待 {{num (fact "waited")}}；设备见 ` + "`dasp/example1`" + `。

{{table "model method seconds" (rows "times")}}
: 虚构的数，{{num (fact "workers")}} 个工作节点，{{n seeds "个种子"}}。

{{figure "bars"}}
: 须线：各种子的 95 %。<script>alert(1)</script>
alt: 分组柱形：三个模型中 BSP 都最慢，ASP 最快。

{{fold "等待的<i>细节</i>"}}

在相同节点的集群中，虚构的方法从不离开 QIS。

{{endfold}}

## 论断

{{claims}}
: 全部是虚构的。
`,
	"dasp/example-fig4.en.md": `# Example: accuracy on the test set, unequal workers

{{figure "accuracy"}}
: Bold: mean of the seeds; faint: each seed; shaded: 95 %.
alt: Five rising curves that end between 77 and 88 per cent.

{{claims}}
`,
	"dasp/example-fig4.zh.md": `# 示例：不等工作节点在测试集上的准确率

{{figure "accuracy"}}
: 粗线：各种子的平均；淡线：每个种子；阴影：95 %。
alt: 五条上升的曲线，终点在 77 到 88 之间。

{{claims}}
`,
	"dasp/example-fig2.en.md": `# Example: who waits for whom

{{figure "lanes"}}
: One band per stretch; colours and textures name the state.
alt: Fast workers show WSS and FSS bands, the slowest worker computes without a pause.
`,
	"dasp/example-fig2.zh.md": `# 示例：谁等谁

{{figure "lanes"}}
: 每段一条；颜色和纹理表示状态。
alt: 快的工作节点有 WSS 与 FSS 段，最慢的一直在计算。
`,
	"dasp/example1.en.md": `# Example: assumed devices

The body of the table is lost; every entry is an assumption with its reason.

{{table "item rate reason sure" (rows "devices")}}
: Invented.
`,
	"dasp/example1.zh.md": `# 示例：假设的设备

表的正文缺失；每一项都是附有理由的假设。

{{table "item rate reason sure" (rows "devices")}}
: 虚构。
`,
	"ring/example-cost.en.md": `# Example: bytes by the formula and counted

{{figure "bytes"}}
: Invented numbers.
alt: The ring's line is flat, the single reducer's rises, the three others lie between.

{{claims}}
`,
	"ring/example-cost.zh.md": `# 示例：按公式与按计数的字节

{{figure "bytes"}}
: 虚构的数。
alt: 环的线是平的，单个归约者的线上升，其余三条在其间。

{{claims}}
`,
	"ringsparse/example-choice.en.md": `# Example: what was chosen

{{figure "shares"}}
: Invented numbers.
alt: Five bars of falling height.

{{table "method network mb" (rows "bytes")}}
: Invented numbers.

{{claims}}
`,
	"ringsparse/example-choice.zh.md": `# 示例：选择了什么

{{figure "shares"}}
: 虚构的数。
alt: 五根高度递减的柱形。

{{table "method network mb" (rows "bytes")}}
: 虚构的数。

{{claims}}
`,
	"codedsgd/example-load.en.md": `# Example: what each way of counting says

{{table "n r coded" (rows "loads")}}
: Invented numbers.

{{claims}}
`,
	"codedsgd/example-load.zh.md": `# 示例：各种数法的结果

{{table "n r coded" (rows "loads")}}
: 虚构的数。

{{claims}}
`,
	"compare/example-when.en.md": `# Example: which method when

Invented: take the invented method when {{num (fact "share")}} of the links are slow; ` +
		"`codedsgd/example-load`" + ` says why, ` + "`codedsgd/none`" + ` does not, and ` + "`compare/example-when`" + ` is here.

{{figure "bars"}}
: Invented numbers.
alt: Twelve bars of falling height.

{{table "cluster method seconds" (rows "times")}}
: Invented numbers.
`,
	"compare/example-when.zh.md": `# 示例：何时用哪种方法

虚构：当 {{num (fact "share")}} 的链路慢时用虚构的方法；原因见 ` + "`codedsgd/example-load`" + `，` + "`codedsgd/none`" + ` 没有说，` + "`compare/example-when`" + ` 就是本页。

{{figure "bars"}}
: 虚构的数。
alt: 十二根高度递减的柱形。

{{table "cluster method seconds" (rows "times")}}
: 虚构的数。
`,
}
