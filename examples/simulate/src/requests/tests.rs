//! Runs of small jobs, and what must hold on all.

use super::*;
use crate::Costs;
use xmp_core::cooperation::{Mode, Policy, Topology};

fn machine(hosts: u32, per_host: u32, policy: Policy) -> Machine {
    let group = if policy.mode == Mode::Direct {
        1
    } else {
        xmp_core::cooperation::mode::group_size(hosts)
    };
    let costs = Costs::xt();
    let topology = Topology::new(hosts, group).unwrap();
    Machine { costs, serving: Serving::of(&costs), topology, policy, per_host }
}

fn policies() -> [(&'static str, Policy); 4] {
    variants(Policy::new(Mode::Direct, 4, 16 << 10), 20_000)
}

fn contention(policy: Policy, one_in: u32) -> (f64, Outcome) {
    let mut program = Contention::new(Operation::FETCH_ADD, 256, 4, 8, one_in);
    let outcome = run(&machine(64, 4, policy), &mut program, 7);
    assert_eq!(program.times().len(), 252usize.div_ceil(8));
    (program.mean(), outcome)
}

#[test]
fn the_same_seed_gives_the_same() {
    for (name, policy) in policies() {
        assert_eq!(contention(policy, 5), contention(policy, 5), "{name}");
    }
}

#[test]
fn without_contention_a_direct_request_costs_two_messages() {
    let [direct, forwarding, merged, paper] = policies().map(|(_, policy)| contention(policy, 0).0);
    let machine = machine(64, 4, policies()[0].1);
    let link = machine.costs.network;
    let bytes = (Operation::FETCH_ADD.bytes() + Operation::FETCH_ADD.answer) as f64;
    let served = machine.serving.execute;
    let least = 4.0 * link.overhead + 2.0 * link.latency + link.per_byte * bytes + served;
    // Times are rounded to nanoseconds, messages have gaps.
    assert!((direct - least).abs() < 0.2, "{direct}, {least}");
    assert!(forwarding > direct && forwarding < 1.6 * direct, "{forwarding}, {direct}");
    // Events, not time, end the window: a lone request is not held, unless its image is so near that it asks again
    // before the acknowledgement after the answer is there.
    assert!((merged - forwarding).abs() < 0.05 * forwarding, "{merged}, {forwarding}");
    assert!(paper > merged + 15.0, "{paper}, {merged}");
}

#[test]
fn contention_hurts_least_where_requests_are_merged() {
    let [direct, forwarding, merged, paper] = policies().map(|(_, policy)| contention(policy, 5).0);
    assert!(
        2.5 * merged < direct && merged < paper && paper < forwarding,
        "{merged} {paper} {direct}"
    );
    // A target handles three messages of each forwarded request, two of each direct one.
    assert!(forwarding < 1.8 * direct, "{forwarding} {direct}");
}

#[test]
fn pairs_of_hosts_are_hardly_slower_merged_than_directly() {
    let [direct, forwarding, merged, _] = policies().map(|(_, policy)| {
        let mut program = Pairs::new(Operation::FETCH_ADD, 16 * 8, 8, 50);
        run(&machine(16, 8, policy), &mut program, 1);
        program.mean()
    });
    assert!(merged < 1.6 * direct && merged < forwarding, "{direct} {forwarding} {merged}");
}

#[test]
fn an_application_executes_the_same_requests_in_every_mode() {
    let outcomes = policies().map(|(_, policy)| {
        let mut program = Application::new(48, 3);
        program.tasks = 300;
        run(&machine(16, 3, policy), &mut program, 1)
    });
    for outcome in outcomes {
        // The counter is asked by images of other hosts only.
        assert!((600..=900).contains(&outcome.requests), "{outcome:?}");
        assert!(outcome.most_used > 0);
    }
    assert_eq!(outcomes[0].batches, 0);
    assert!(outcomes[2].batches <= outcomes[1].batches);
}

#[test]
fn buffers_are_a_seventh_at_most_on_a_thousand_hosts() {
    let [direct, .., merged, _] =
        policies().map(|(_, policy)| engine::buffers(&machine(1024, 12, policy)));
    assert!(direct >= 7 * merged, "{direct} {merged}");
}
