//! Broadcast: every algorithm, on every shape of job and set, from every root.

use crate::common::{buffer, forced, forced_between_hosts, on_all_shapes, random, roots, sets};
use std::sync::atomic::{AtomicUsize, Ordering};
use xmp_collectives::broadcast::broadcast_with;
use xmp_collectives::select::{Choices, LeaderBroadcast};
use xmp_core::Rank;
use xmp_core::transport::threads;

#[test]
fn every_algorithm_broadcasts_from_each_root() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let me = set.position().unwrap();
            let most = if set.position_of(Rank::new(0)) == Some(0) { 800_000 } else { 40_000 };
            let bytes = |p: usize| (0..most).map(move |index| random(p, index, 9) as u8);
            let own: Vec<u8> = bytes(me).collect();
            let longest = |root| if root == 0 { most } else { most.min(40_000) };
            let expected = |root| bytes(root).take(longest(root)).collect();
            let expected: Vec<Vec<u8>> = (0..set.len()).map(expected).collect();
            for (name, choices) in forced(|choices, forced| choices.broadcast = forced) {
                for root in roots::<LeaderBroadcast>(name, set.len()) {
                    for len in [0, 1, 7, 56, 57, 800, 8192, 16_384, 16_385, 40_000, 800_000] {
                        if len > longest(root) || len > 40_000 && name == "slots" {
                            continue;
                        }
                        let data = buffer(image, len, len % 2 == 0);
                        data.fill(&own);
                        broadcast_with(image, &set, data.message(root), &choices).unwrap();
                        assert!(
                            data.read::<u8>() == expected[root][..len],
                            "{name} of {len} from {root}"
                        );
                    }
                }
            }
        }
    });
}

/// With collective areas on the hosts, and vectors that are cut into uneven parts.
#[test]
fn every_algorithm_broadcasts_between_hosts() {
    for hosts in [2, 3, 5] {
        threads::run(6, hosts, |image| {
            let set = image.executing();
            let put = |choices: &mut Choices, forced| choices.broadcast = forced;
            for (name, choices) in forced_between_hosts(put) {
                for (len, root) in [1, 3, 1000, 300_001].into_iter().zip([0, 5, 3, 2]) {
                    let byte = |index| random(root, index, 5) as u8;
                    let data = buffer(image, len, false);
                    if image.rank().get() as usize == root {
                        data.fill(&(0..len).map(byte).collect::<Vec<u8>>());
                    }
                    broadcast_with(image, &set, data.message(root), &choices).unwrap();
                    assert!((0..len).map(byte).eq(data.read::<u8>()), "{name} of {len}");
                }
            }
        })
        .unwrap();
    }
}

/// The local peers come when both leaders have returned.
#[test]
fn leaders_do_not_wait_for_their_local_peers() {
    const ROUNDS: u8 = 10;
    let returned = AtomicUsize::new(0);
    threads::run(4, 2, |image| {
        let (set, me) = (image.executing(), image.rank().get());
        let leads = me.is_multiple_of(2);
        while !leads && returned.load(Ordering::Acquire) < 2 {
            std::thread::yield_now();
        }
        for round in 0..ROUNDS {
            let mut bytes = [if me == 0 { round } else { u8::MAX }; 8];
            xmp_collectives::broadcast(image, &set, 0, &mut bytes).unwrap();
            assert_eq!(bytes, [round; 8]);
        }
        if leads {
            returned.fetch_add(1, Ordering::Release);
        }
    })
    .unwrap();
}

#[test]
fn a_root_outside_the_set_is_an_error() {
    threads::run(3, 1, |image| {
        let set = image.executing();
        let outcome = xmp_collectives::broadcast(image, &set, 3, &mut [0; 4]);
        assert_eq!(outcome.unwrap_err().to_string(), "image index 4 is not in 1:3");
    })
    .unwrap();
}
