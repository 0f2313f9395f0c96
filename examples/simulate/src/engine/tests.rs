//! Times that can be computed by hand.

use super::*;
use crate::costs::Sharing;

const LINK: Link = Link { latency: 10.0, overhead: 1.0, gap: 3.0, per_byte: 0.01 };

fn costs() -> Costs {
    let channel = Link { latency: 0.5, gap: 0.0, ..LINK };
    let sharing = Sharing { copy: 0.0, combine: 0.1, channel, ..Costs::default().sharing };
    Costs { sharing, network: LINK }
}

fn run(hosts: &[u32], starts: &[f64], steps: &[Vec<Step>]) -> (Vec<f64>, Traffic) {
    let layout = Layout::new(hosts.iter().copied(), 64, 64);
    let engine = Engine { costs: &costs(), layout: &layout, techniques: Techniques::ALL };
    engine.run(starts, |p| steps[p].clone().into_iter())
}

fn send(to: usize, bytes: usize) -> Step {
    Step { send: Some((to, bytes)), ..Step::default() }
}

fn receive(from: usize, bytes: usize) -> Step {
    Step { receive: Some((from, bytes)), ..Step::default() }
}

fn near(found: &[f64], expected: &[f64]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    assert!(found.iter().zip(expected).all(close), "{found:?} is not {expected:?}");
}

#[test]
fn a_message_costs_overhead_latency_and_bytes() {
    let (times, traffic) = run(&[0, 1], &[0.0, 0.0], &[vec![send(1, 100)], vec![receive(0, 100)]]);
    near(&times, &[1.0, 1.0 + 1.0 + 10.0 + 1.0]);
    let expected = Traffic { network_messages: 1, network_bytes: 100, ..Traffic::default() };
    assert_eq!(traffic, expected);
}

#[test]
fn a_late_receiver_does_not_wait() {
    let (times, _) = run(&[0, 1], &[0.0, 50.0], &[vec![send(1, 0)], vec![receive(0, 0)]]);
    near(&times, &[1.0, 51.0]);
}

#[test]
fn on_a_host_the_sender_copies_and_the_receiver_copies_out() {
    let (times, traffic) = run(&[0, 0], &[0.0, 0.0], &[vec![send(1, 100)], vec![receive(0, 100)]]);
    near(&times, &[2.0, 2.0 + 0.5 + 1.0 + 1.0]);
    assert_eq!((traffic.host_messages, traffic.host_bytes), (1, 100));
}

#[test]
fn images_of_a_host_share_its_adapter() {
    let steps =
        [vec![send(2, 100)], vec![send(3, 100)], vec![receive(0, 100)], vec![receive(1, 100)]];
    let (times, _) = run(&[0, 0, 1, 2], &[0.0; 4], &steps);
    // The second message begins a gap and the bytes of the first later.
    near(&times, &[1.0, 1.0, 13.0, 13.0 + 3.0 + 1.0]);
    // The same with one receiving host, whose adapter is the bottleneck as much.
    let (times, _) = run(&[0, 1, 2, 2], &[0.0; 4], &steps);
    near(&times[2..], &[13.0, 17.0]);
}

#[test]
fn combining_comes_after_receiving() {
    let step = Step { combine: 50, ..receive(0, 0) };
    let (times, _) = run(&[0, 1], &[0.0, 0.0], &[vec![send(1, 0)], vec![step]]);
    near(&times, &[1.0, 12.0 + 5.0]);
}

#[test]
fn exchanges_do_not_deadlock() {
    let both = |other| Step { send: Some((other, 8)), receive: Some((other, 8)), combine: 0 };
    let (times, _) = run(&[0, 1], &[0.0, 4.0], &[vec![both(1); 3], vec![both(0); 3]]);
    assert!(times.iter().all(|&time| time > 30.0), "{times:?}");
}

/// Two pairs on one core: each participant has its turns one after the other.
#[test]
fn a_waiting_image_yields_its_core() {
    let mut costs = costs();
    costs.sharing.turn = 100.0;
    let layout = Layout::virtual_hosts(4, 1, 1);
    let engine = Engine { costs: &costs, layout: &layout, techniques: Techniques::ALL };
    let steps = [vec![receive(1, 0)], vec![send(0, 0)], vec![receive(3, 0)], vec![send(2, 0)]];
    let (times, _) = engine.run(&[0.0; 4], |p| steps[p].clone().into_iter());
    // 0 waits, 1 sends, 2 waits, 3 sends, then 0 and 2 receive: six turns.
    near(&times, &[503.0, 201.0, 604.0, 402.0]);
}

#[test]
#[should_panic(expected = "deadlocks")]
fn a_message_that_no_image_sends_is_found() {
    run(&[0, 1], &[0.0, 0.0], &[vec![], vec![receive(0, 8)]]);
}
