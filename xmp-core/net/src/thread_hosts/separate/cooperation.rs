//! Tests of requests that other servers forward: the same program in every mode, with random delays, sizes, groups and
//! windows.

use super::*;
use crate::cooperation::{Mode, PolicySettings};
use crate::nest::{Loop, Nest};
use crate::server::Limits;
use crate::transport::{AtomicOp, AtomicRequest, FlushScope, Layout, Mark, Post, Width};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;
use xmp_map::hash;

/// Rounds of the program.
const ROUNDS: u64 = 6;
/// Bytes of the part of a segment that each image writes.
const PART: u64 = 4096;

/// A number that looks random.
fn random(number: u64) -> u64 {
    hash::mixed(number.wrapping_add(1).wrapping_mul(hash::STEP))
}

/// What an image got from words that all images change: numbers of a counter, and (before, operand) of additions and
/// swaps.
#[derive(Default)]
struct Observations {
    numbers: u64,
    added: Vec<(u64, u64)>,
    swapped: Vec<(u64, u64)>,
}

/// Puts of any length to several images, over one another, sections, notifications, words that all count in, and
/// numbers of a counter. Returns the final content of this image's segment, and what this image got.
fn program(image: &Image, seed: u64) -> (Vec<u8>, Observations) {
    let (me, images) = (u64::from(image.rank().get()), image.job().images() as u64);
    let heap = image.layout().heap.start;
    let transport = image.transport();
    let counters = heap + images * PART;
    // Words of four bytes after the compared bytes.
    let shared = counters + 16 + images * 8;
    let mut given = Observations::default();
    for round in 0..ROUNDS {
        let dice = |n: u64| random(seed ^ random(me * 1000 + round * 10 + n));
        // Most requests go to the same image.
        let to = if dice(0) % 3 > 0 { 0 } else { dice(1) % images };
        let to = Rank::new(to as u32);
        let len = dice(2) % 300;
        let bytes: Vec<u8> = (0..len).map(|i| (dice(3) + i) as u8).collect();
        let at = heap + me * PART + dice(4) % 500;
        let dims = [Loop { extent: 5, remote: 24, local: 8 }];
        let column = [dice(5) as u8; 40];
        // SAFETY: a part of the target's segment that only this image writes; words that are only accessed atomically.
        unsafe {
            transport.put(to, at, bytes.as_ptr(), Layout::Contiguous(bytes.len())).unwrap();
            let nest = Nest { unit: 8, loops: &dims };
            transport
                .put(to, heap + me * PART + 1000, column.as_ptr(), Layout::Nest(nest))
                .unwrap();
            // A get sees what was put before it.
            let mut back = vec![0; bytes.len()];
            transport.get(to, at, back.as_mut_ptr(), Layout::Contiguous(back.len())).unwrap();
            assert_eq!(back, bytes);
            given.numbers += transport
                .atomic(Rank::new(0), counters, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                .unwrap();
            let some = 1 + dice(6) % 50;
            let (first, width) = (Rank::new(0), Width::W4);
            let before = transport
                .atomic(first, shared, width, AtomicRequest::Fetch(AtomicOp::Add, some))
                .unwrap();
            given.added.push((before, some));
            let mine = 1 + me * ROUNDS + round;
            let before = transport
                .atomic(first, shared + 4, width, AtomicRequest::Fetch(AtomicOp::Swap, mine))
                .unwrap();
            given.swapped.push((before, mine));
            // Of several notifications the last one stays, if they keep their order.
            for value in 1..=5 {
                let counter = counters + 8 + me * 8;
                let value = round * 5 + value;
                let layout = Layout::Contiguous(bytes.len());
                transport.put(to, at, bytes.as_ptr(), layout).unwrap();
                transport.post(to, Post::Notify { counter, value }).unwrap();
            }
            let end = heap + me * PART + 2048;
            let parts = [&bytes[..bytes.len().min(64)], &[1u8, 2, 3, 4, 5, 6, 7, 8][..]];
            transport
                .post(to, Post::Packet { end, parts, mark: Mark::Trailing(round + 1) })
                .unwrap();
        }
    }
    transport.flush(FlushScope::All).unwrap();
    // All have flushed when all have counted themselves.
    let arrived = counters + 8 + images * 8;
    // SAFETY: words that are only accessed atomically.
    let count = |by| unsafe {
        transport
            .atomic(Rank::new(0), arrived, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, by))
            .unwrap()
    };
    count(1);
    let no_failure = || crate::failure::check(image.job(), []);
    image.waits().until(no_failure, || count(0) == images).unwrap();
    let mut segment = vec![0; (images * PART + 8 + images * 8) as usize];
    // SAFETY: no image writes there any more.
    unsafe {
        transport
            .get(image.rank(), heap, segment.as_mut_ptr(), Layout::Contiguous(segment.len()))
            .unwrap()
    };
    (segment, given)
}

/// Whether these operations of all images have taken effect one after the other: each has found the result of another
/// one, and those of each image took effect in its order.
fn are_a_sequence(all: &[Observations]) -> bool {
    let mut added: Vec<(u64, u64)> = all.iter().flat_map(|given| given.added.clone()).collect();
    added.sort_unstable();
    let chain = added.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0);
    let in_order = all.iter().all(|given| given.added.is_sorted());
    let found: BTreeSet<u64> = all.iter().flat_map(|given| &given.swapped).map(|it| it.0).collect();
    let left: BTreeSet<u64> = all.iter().flat_map(|given| &given.swapped).map(|it| it.1).collect();
    // All were found but the last one, and the word's first value, once each.
    let swaps =
        found.len() == left.len() && found.contains(&0) && found.difference(&left).count() == 1;
    chain && in_order && added[0].0 == 0 && swaps
}

fn outcome(limits: Limits, images: u32, hosts: u32, shim: Shim, seed: u64) -> (Vec<Vec<u8>>, u64) {
    let settings = Settings::default();
    let settings = Settings { segment_size: Some(1 << 28), server: limits, ..settings };
    let all = run_on_hosts(settings, images, hosts, shim, |image| program(image, seed)).unwrap();
    let (segments, given): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    assert!(are_a_sequence(&given));
    (segments, given.iter().map(|given| given.numbers).sum())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 0, ..ProptestConfig::default() })]
    #[test]
    fn all_modes_do_the_same(
        hosts in 2..7u32, more in 0..5u32, group in 2..4u32, window in 0..3000u64,
        (inline, credits, delay, eager) in (1..200u32, 1..6u32, 0..5u32, 32..600usize),
        seed in any::<u64>(),
    ) {
        let images = hosts + more;
        let shim = Shim { seed, delay, eager };
        let base = Limits { inline, credits, chunk: 64, pipeline: 2, ..Limits::default() };
        let direct = outcome(base, images, hosts, Shim::default(), seed);
        // Every number was given to one image.
        let numbers = ROUNDS * u64::from(images);
        prop_assert_eq!(direct.1, numbers * (numbers - 1) / 2);
        for mode in [Mode::Forwarding, Mode::Aggregation] {
            let window = Some(Duration::from_micros(window));
            let cooperation = PolicySettings { mode: Some(mode), group: Some(group), window };
            let other = outcome(Limits { cooperation, ..base }, images, hosts, shim, seed);
            prop_assert!(direct == other, "{:?}", mode);
        }
    }
}
