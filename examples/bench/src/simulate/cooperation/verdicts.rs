//! The aims, and the results of the simulator beside them.

use super::figures::{contention, pair_time};
use super::plan::{BUFFERS, Plan, machine, policies};
use crate::report::Targets;
use crate::table::{Table, short};
use xmp_simulate::Costs;
use xmp_simulate::requests::{Operation, engine};

/// What came out.
pub struct Verdicts {
    /// Every target, its figure and its verdict.
    pub table: Table,
    /// The account of the targets.
    pub targets: Targets,
}

/// Judges all targets.
pub fn judge(plan: &Plan) -> Verdicts {
    let mut targets = Targets::default();
    let mut table = Table::new(["network", "what", "target", "simulated", "verdict"]);
    let mut judge = |network: &str, what: String, target: &str, value: f64, met: bool| {
        let verdict = if met { "met" } else { "missed" };
        if met {
            targets.met += 1;
        } else {
            targets.missed.push(format!("{network}, {what}: {target}, is {}", short(value)));
        }
        table.push(vec![
            network.to_owned(),
            what,
            target.to_owned(),
            short(value),
            verdict.to_owned(),
        ]);
    };
    let [(_, direct), (_, forwarded), (_, merged), _] = policies();
    let buffers =
        |policy| engine::buffers(&machine(Costs::default(), (12_288, 12), policy, None)) as f64;
    let less = buffers(direct) / buffers(merged);
    let (count, bytes) = BUFFERS;
    let what =
        format!("memory for requests of 12,288 images ({count} x {bytes} B each), direct / merged");
    judge("any", what, ">= 7", less, less >= 7.0);
    let step = 32;
    let mut shown = Vec::new();
    for &(network, costs) in &plan.networks {
        for (what, operation) in
            [("fetch-and-add", Operation::FETCH_ADD), ("strided put of 256 B", Operation::put(256))]
        {
            let mean = |policy, one_in| {
                let machine = machine(costs, plan.contenders(), policy, None);
                contention(plan, &machine, operation, step, one_in).mean()
            };
            let [of_direct, of_merged] =
                [direct, merged].map(|policy| [0, 5].map(|one_in| mean(policy, one_in)));
            let [by_direct, by_merged] = [of_direct, of_merged].map(|[alone, all]| all / alone);
            let merging = of_merged[0] / mean(forwarded, 0);
            let adds = format!("{what}, alone, merged / forwarded");
            judge(network, adds, "<= 1.25", merging, merging <= 1.25);
            let contended = |how: &str| format!("{what}, 20 % contention / none, {how}");
            judge(network, contended("direct"), "> 10", by_direct, by_direct > 10.0);
            judge(network, contended("merged"), "< 3", by_merged, by_merged < 3.0);
            let gain = of_direct[1] / of_merged[1];
            judge(network, contended("direct / merged time"), "> 1", gain, gain > 1.0);
            shown.push((network, what, of_merged[0] / of_direct[0]));
        }
        let pairs = [direct, merged].map(|policy| pair_time(plan, costs, policy, 11));
        let more = pairs[1] / pairs[0];
        let what = "fetch-and-add of 11 pairs of images of two hosts, merged / direct".to_owned();
        judge(network, what, "<= 1.25", more, more <= 1.25);
    }
    for (network, what, lone) in shown {
        let cells = [network, &format!("{what}, alone, merged / direct"), "-", &short(lone), "-"];
        table.push(cells.map(str::to_owned).into());
    }
    Verdicts { table, targets }
}

impl Verdicts {
    /// The table with what is to be said of it.
    pub fn text(&self) -> String {
        format!(
            "\n## Targets\n\n{}\nWhat merging costs without contention is judged as the paper judges it: against the same requests \
             forwarded one by one, and between pairs of images of two hosts against direct ones (sections IV-A.3 and IV-C.2). \
             That a lone request takes longer than a direct one is the price of forwarding, a message more.\n\nWith n images \
             that wait for their answers, groups of K hosts and o of work for each message, merged requests take \
             2 o max(n / (K - 1), K - 1) at least, whatever else costs nothing: each entry receives and answers its part of n, \
             the target receives and acknowledges K - 1.\n",
            self.table.markdown()
        )
    }
}
