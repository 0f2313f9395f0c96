//! Sets of images on two hosts.

use super::*;
use crate::members::Members;
use crate::settings::Settings;
use crate::thread_images as threads;

/// Five images on two hosts (0 to 2, 3 and 4), in a set that names the second host first.
fn splits(techniques: Techniques) -> Vec<(Vec<u32>, Vec<u32>, usize)> {
    let settings = Settings { techniques, ..Settings::default() };
    threads::run_with(settings, 5, 2, |image| {
        let ranks = [3, 0, 4, 2, 1].map(Rank::new);
        let set = image.set(Members::from_list(&ranks).unwrap()).unwrap();
        let split = set.split(image);
        let numbers = |ranks: &[Rank]| ranks.iter().map(|rank| rank.get()).collect();
        (numbers(split.local_peers()), numbers(split.leaders()), split.host())
    })
    .unwrap()
}

#[test]
fn hosts_are_in_the_order_of_the_set() {
    let (local, remote) = (vec![0, 2, 1], vec![3, 4]);
    let leaders = vec![3, 0];
    for (rank, (local_peers, found, host)) in splits(Techniques::ALL).into_iter().enumerate() {
        assert_eq!(local_peers, if rank < 3 { local.clone() } else { remote.clone() });
        assert_eq!((found, host), (leaders.clone(), usize::from(rank < 3)));
    }
}

#[test]
fn without_two_levels_every_image_has_a_host_of_its_own() {
    let without = Techniques::ALL.without(Techniques::TWO_LEVEL);
    for (rank, (local_peers, leaders, host)) in splits(without).into_iter().enumerate() {
        assert_eq!((local_peers, leaders.clone()), (vec![rank as u32], vec![3, 0, 4, 2, 1]));
        assert_eq!(leaders[host], rank as u32);
    }
}
