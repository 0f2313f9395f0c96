//! Whole operations.

use super::*;
use xmp_collectives::select::{
    Forced, HostReduce, LeaderAllgather, LeaderAllreduce, LeaderBarrier, LeaderBroadcast,
    LeaderReduce, Named,
};

fn forced<H, L>(leaders: L) -> Forced<H, L> {
    Forced { host: None, leaders: Some(leaders) }
}

/// Even hosts, uneven hosts, an image a host, and one host.
fn layouts() -> [Layout; 4] {
    [
        Layout::blocks(64, 16),
        Layout::new([0, 1, 0, 2, 2, 2, 3, 1, 0, 0, 0], 8, 8),
        Layout::blocks(13, 1),
        Layout::blocks(16, 16),
    ]
}

#[test]
fn every_algorithm_of_every_table_runs_everywhere() {
    for layout in layouts() {
        let several = layout.hosts() > 1;
        let new = || Simulation::new(layout.clone());
        let mut outcomes = Vec::new();
        for &(name, algorithm) in LeaderBarrier::ALL {
            let mut simulation = new();
            simulation.choices.barrier = Some(algorithm);
            outcomes.push((name, simulation.barrier()));
        }
        for &(name, algorithm) in LeaderAllreduce::ALL {
            let mut simulation = new();
            simulation.choices.allreduce = forced(algorithm);
            outcomes.push((name, simulation.allreduce(5, 8)));
            outcomes.push((name, simulation.allreduce(40_000, 8)));
        }
        for &(name, algorithm) in LeaderReduce::ALL {
            let mut simulation = new();
            simulation.choices.reduce = forced(algorithm);
            outcomes.push((name, simulation.reduce(1000, 8)));
        }
        for &(name, algorithm) in LeaderBroadcast::ALL {
            let mut simulation = new();
            simulation.choices.broadcast = forced(algorithm);
            outcomes.push((name, simulation.broadcast(100_000)));
        }
        for &(name, algorithm) in LeaderAllgather::ALL {
            let mut simulation = new();
            simulation.choices.allgather = forced(algorithm);
            outcomes.push((name, simulation.allgather(100)));
        }
        outcomes.push(("sync images", new().sync_images()));
        for (name, Outcome { time, traffic }) in outcomes {
            assert!(time.is_finite() && time > 0.0, "{name}: {time}");
            assert_eq!(traffic.network_messages > 0, several, "{name}");
        }
    }
}

#[test]
fn the_host_level_may_use_messages_too() {
    let mut simulation = Simulation::new(Layout::blocks(8, 8));
    simulation.choices.allreduce.host = Some(HostReduce::Messages);
    let outcome = simulation.allreduce(1, 8);
    assert!(outcome.traffic.host_messages > 0 && outcome.traffic.network_messages == 0);
}

#[test]
fn a_dissemination_barrier_of_leaders_sends_log_messages_each() {
    let mut simulation = Simulation::new(Layout::blocks(4096, 16));
    simulation.choices.barrier = Some(LeaderBarrier::Dissemination);
    let outcome = simulation.barrier();
    assert_eq!(outcome.traffic.network_messages, 256 * 8);
    // Eight rounds of a latency with overheads, and two steps of 16 images.
    let link = simulation.costs.network;
    let rounds = 8.0 * (link.latency + 2.0 * link.overhead);
    let steps = 2.0 * simulation.costs.sharing.step(16, 1.0);
    assert!((outcome.time - rounds - steps).abs() < 1e-9, "{}", outcome.time);
}

#[test]
fn two_levels_and_each_technique_save_time() {
    let time = |techniques| {
        let mut simulation = Simulation { techniques, ..Simulation::new(Layout::blocks(256, 16)) };
        simulation.choices.allreduce = forced(LeaderAllreduce::RecursiveDoubling);
        simulation.allreduce(8192, 8).time
    };
    let times = Techniques::LADDER.map(|(_, rung)| time(rung));
    assert!(times.is_sorted_by(|a, b| a > b), "{times:?}");
}

#[test]
fn twelve_thousand_images_are_no_matter() {
    let simulation = Simulation::new(Layout::blocks(12_288, 16));
    assert!(simulation.barrier().time < 100.0);
    assert!(simulation.allreduce(1024, 8).time < 1000.0);
}
