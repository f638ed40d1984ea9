// Package dasp reproduces dynamic adaptive synchronous parallel (DASP), a
// synchronisation method for a parameter server with unequal workers.
//
//	Ma Xiang, Shen Guowei, Guo Chun, Cui Yunhe, Chen Yi. Dynamic adaptive parallel
//	acceleration method for heterogeneous distributed machine learning. CAAI
//	Transactions on Intelligent Systems, 2023(5). In Chinese:
//	馬翔, 申國偉, 郭春, 崔允賀, 陳意: 面向異構分布式機器學習的動態自適應并行加速方法.
//
// # Idea
//
// The server notes which version of the weights each worker computes on and how
// long its last iteration took. A worker that pushes a gradient is compared with
// the worker that holds the oldest version. Near it, the worker goes on at once
// (QIS). Farther ahead, it waits a time made from both iteration times, in the
// hope that the oldest comes back meanwhile (WSS). Too far ahead, it waits until
// the oldest has come back (FSS). Versions count global updates, so a slow worker
// that has just pushed is not stale, however few iterations it has done.
//
// The rules are pure functions and small state machines: Config.Decide is
// Algorithm 1, Config.Weight and Optimiser.Step are Algorithm 2, New puts them
// together as a Policy. Run is the server and the worker, the same for every
// Policy; the methods of comparison are in package rivals.
//
// # Map
//
// By item of the paper; generated from the Source: lines by go generate.
//
//	§1 (dasp.html#s1)
//	    Go    rivals.NewASP, rivals.NewDSSP, rivals.newBSP, rivals.newBackup,
//	          rivals.newGSSP, rivals.newSSP
//	§2 (dasp.html#s2)
//	    Go    Config, Job, New, Run, rivals.Options.Config
//	    tests TestSection2Algorithm1Line4StaleNode
//	§2.1 (dasp.html#s2.1)
//	    Go    DurationCompute, DurationForm, DurationForm.F, DurationIteration, View,
//	          View.Updated, rivals.Options.F
//	    tests TestSection21VersionAndTimeAreRenewed,
//	          TestSection21VersionsReplaceIterationCounts,
//	          TestSection21WaitIsMadeAtRunTime
//	§2.2 (dasp.html#s2.2)
//	    Go    Config.Validate, FSS, Log.Spread, NewView, QIS, State, StateStats, WSS
//	    tests TestSection22Algorithm1Line15ForceWaitsForTheOldest,
//	          TestSection22Algorithm1LineByLine, TestSection22OnlyTheFarNodesWait,
//	          TestSection22QISHasNoBarrier,
//	          TestSection22QISKeepsDifferencesWithinSmin,
//	          TestSection22StalenessStaysWithinSmax,
//	          TestSection22WeakWaitCanBringTheOldestBack,
//	          TestSection22WeakWaitIsEquation1
//	§3.1 (dasp.html#s3.1)
//	    Go    Log.Stats, Stats, rivals.Names, rivals.New, rivals.Options
//	§3.2 (dasp.html#s3.2)
//	    Go    rivals.Options.AdjustmentOf
//	Eq. (1) (dasp/code.html#eq1)
//	    Go    WaitAbsolute, WaitConvex, WaitDifference, WaitForm, WaitForm.Wait,
//	          WaitForms, WaitOldest, formula.WaitAbsolute, formula.WaitConvex,
//	          formula.WaitDifference, formula.WaitOldest
//	    tests TestEquation1Forms, TestSection22WeakWaitIsEquation1
//	Eq. (2) (dasp/code.html#eq2)
//	    Go    Config.Weight, Scale, ScaleGroup, ScaleWorkers, formula.GroupWeight,
//	          formula.QISWeight, scaleDefault
//	    tests TestSection23Equation2, TestSection23Equation2GroupIsOneUpdate
//	Alg. 1 (dasp/code.html#alg1)
//	    Go    Config.Decide, Decision
//	    tests TestSection22Algorithm1Line15ForceWaitsForTheOldest,
//	          TestSection22Algorithm1LineByLine, TestSection2Algorithm1Line4StaleNode
//	Alg. 1, line 1 (dasp/code.html#alg1)
//	    Go    Event, EventJoin, EventKind, EventLeave, EventPush, EventTimer
//	Alg. 1, line 2 (dasp/code.html#alg1)
//	    Go    View.Finished
//	Alg. 1, line 4 (dasp/code.html#alg1)
//	    Go    View.Oldest
//	    tests TestSection2Algorithm1Line4StaleNode
//	Alg. 2 (dasp/code.html#alg2)
//	    Go    Action, ActionKind, Apply, Drop, Reply, SetTimer
//	    tests TestAlgorithm2Line7, TestAlgorithm2Line9IsTheVersionSent
//	Alg. 2, line 7 (dasp/code.html#alg2)
//	    Go    Optimiser, Optimiser.Step, Update, server.update
//	    tests TestAlgorithm2Line7
//	Alg. 2, line 8 (dasp/code.html#alg2)
//	    Go    server.send
//	Alg. 2, line 9 (dasp/code.html#alg2)
//	    Go    View.Handed
//	    tests TestAlgorithm2Line9IsTheVersionSent
//	Table 4 (dasp/table4.html)
//	    Go    IterationTime
//
// # Notation
//
//	v_n    View.V[n]          version that worker n holds       global updates
//	v_new  View.Newest        newest version                    global updates
//	f_n    View.F[n]          last iteration, own waits aside   time.Duration
//	v_min  View.Oldest        min(v) over the workers present   global updates
//	id_min View.Oldest        who holds it, lowest id first     worker
//	P      Decision.State     QIS, WSS, FSS
//	Smin   Config.Smin        lower threshold                   global updates
//	Smax   Config.Smax        upper threshold                   global updates
//	α      Config.Alpha       weight of eq. (1)                 1
//	T_wait WaitForm.Wait      eq. (1)                           time.Duration
//	N      Config.Workers     workers of the cluster            1
//	K      len(Update.Workers) gradients of one update          1
//	B      (the task's)       mini-batch; g is a mean over it   samples
//	γ      Job.Rate           learning rate                     1
//
// # Differences from the paper
//
// The text that is left lacks both equations, Tables 1–7 and Figures 1–4; of Algorithm 1
// lines 2, 10 and 11, the left sides of 8 and 14 and the variable of 12; of Algorithm 2 the
// condition of 3 and the right sides of 4 and 6. What stands here instead:
//
//   - Eq. (1), T_wait: α·(f_j − f_i), at least 0. The legend survives, the formula
//     does not; WaitForm has three other readings. All are capped at f_j, and are
//     0 while f_i or f_j is unknown. α is unknown too; the default is 0.5.
//   - Eq. (2): 1/N for a gradient in QIS, 1/K in WSS and FSS. N is an input of
//     Algorithm 2, K is in the legend. QISWeight and GroupWeight select others. A
//     group's gradients count N/K times as much as they would in QIS, so the
//     effective learning rate depends on the mix of states. A group of one, which
//     a T_wait of 0 makes often (dasp/network counts them), counts N times.
//   - f is a duration, not an instant: the forward and backward pass as the worker
//     measures it. Waits are not in it, or they would feed on themselves. Transfers
//     are not either, so T_wait is blind to slow links although §1 names unequal
//     networks: our choice, since §2.1 says no more than iteration time. With
//     DurationIteration f runs from the weights' leaving the server to the
//     gradient's arrival.
//   - Smin and Smax count global updates. A round of N workers makes N of them, so
//     a bound of s clocks is comparable to s·N.
//   - The gap is tested before the update, with the version that the gradient was
//     computed on, since line 9 of Algorithm 2 comes later. PostUpdateGap tests the
//     version about to be held.
//   - "QIS keeps version differences between workers within Smin" (§2.2) is then true
//     of the gap that is tested, not of the version handed out in answer: v_new + 1
//     counts what all others updated meanwhile, and may be farther ahead of min(v)
//     than Smin. With PostUpdateGap the sentence is true of what QIS hands out.
//   - FSS waits for one completion of id_min (line 15) and is thereby not within
//     Smax, as the prose promises. Here a WSS or FSS answer is held until the
//     version it hands out is at most Smax ahead of everybody who stays behind;
//     all that are due are tested, and answered, together. LiteralFSS is line 15.
//     QIS answers are not tested: the spread stays within Smax + N − 2 (New).
//   - id_min is set in line 9 only, for WSS, and used in line 15, for FSS: here it
//     is set for all states.
//   - The group: gradients that wait make one update together when the first of
//     their nodes is due, and one version. Nodes that are not due yet go on later,
//     without a further version. K counts the waiter's own gradient. A gradient in
//     QIS is in no group, since QIS sets no barrier; Join lets it join one.
//   - Joining and leaving are ours. A worker silent for Job.Lease leaves min(v); a
//     gradient that it sends afterwards is not used, and it joins anew: registered
//     at min(v), then handed the newest weights and recorded with their version.
//   - On a cluster.Survivor a worker whose rank is lost leaves at once, without a lease, and
//     does not join again. BSP's mean is then over the living; 1/N stays that of the cluster.
//   - A state that depends on min(v) of nobody (all have left) ends the run.
//   - The baselines share Eq. (2)'s scale: ASP, SSP and DSSP apply each gradient
//     with 1/N, BSP one mean per round. ASPWeight gives ASP the usual weight 1.
//     Momentum and weight decay are options at the server, off in the fidelity runs.
//   - DSSP's grants are capped by its upper bound, unless Grants is "printed", and
//     its missing else is there (see rivals.NewDSSP).
//   - Adjusting states costs DASP nothing beside a decision, which all methods pay,
//     though §3.2 names that cost; Adjustment sets one for each decision with which
//     a node's WSS or FSS begins or ends.
//
// # Not implemented
//
//   - BDSGD [22]: predicts a cut-off time per round by Bayesian inference; its
//     predictor is not described in this paper.
//   - FlexRR [24]: moves mini-batches between workers, so it is no rule of a server.
//   - Dynamic batch size [25]: changes what a worker computes, not when it waits.
//   - Bounded delay of Li et al. [17]: the bound is on a server's task graph; with
//     one server and whole-model pushes it is SSP's.
package dasp

//go:generate go run gradsync/papers/internal/mapgen . dasp
