//! Sets whose hosts have no room for another collective area: everything goes by messages.

use std::sync::atomic::{AtomicU32, Ordering};
use xmp_collectives::Op;
use xmp_core::image_set::Members;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank};

/// Opens collective areas until this host has no room for any of several images in the order of their ranks: those of
/// all lists of images of this host in other orders, the longest first.
pub fn use_up_areas(image: &Image) {
    let near = |rank: &Rank| image.host_of(*rank) == image.host();
    let ranks: Vec<Rank> = image.job().ranks().filter(near).collect();
    let mut lists = vec![vec![]];
    for len in 1..=ranks.len() {
        let longer = |list: &Vec<Rank>| {
            let others = ranks.iter().filter(|rank| !list.contains(rank));
            others.map(|&rank| [&list[..], &[rank]].concat()).collect::<Vec<_>>()
        };
        let last = lists.iter().filter(|list| list.len() + 1 == len);
        // Enough of them to fill all hosts.
        let next: Vec<Vec<Rank>> = last.take(60).flat_map(longer).collect();
        lists.extend(next);
    }
    lists.retain(|list| list.len() > 1 && !list.is_sorted());
    lists.sort_by_key(|list| std::cmp::Reverse(list.len()));
    for list in lists.into_iter().filter(|list| list.contains(&image.rank())) {
        let set = image.set(Members::from_list(&list).unwrap()).unwrap();
        set.levels(image).unwrap();
    }
}

#[test]
fn everything_works_by_messages() {
    for hosts in [1, 2] {
        let arrived = AtomicU32::new(0);
        threads::run(8, hosts, |image| {
            use_up_areas(image);
            let set = image.executing();
            assert!(set.levels(image).unwrap().area().is_none());
            let me = set.position().unwrap();
            let all_images = [0, 1, 2, 3, 4, 5, 6, 7];
            for turn in 1..=20 {
                // No image leaves a barrier before all have come to it.
                arrived.fetch_add(1, Ordering::Relaxed);
                xmp_collectives::barrier(image, &set).unwrap();
                assert!(arrived.load(Ordering::Relaxed) >= 8 * turn);
                let mut data = [me; 1000];
                xmp_collectives::allreduce(image, &set, &mut data, Op::Sum).unwrap();
                assert_eq!(data, [28; 1000]);
                xmp_collectives::broadcast(image, &set, 5, &mut data).unwrap();
                let mut all = [0; 8];
                xmp_collectives::allgather(image, &set, &[me], &mut all).unwrap();
                assert_eq!(all, all_images);
                xmp_collectives::alltoall(image, &set, &[me; 8], &mut all).unwrap();
                assert_eq!(all, all_images);
                let mut mine = [0];
                xmp_collectives::scatter(image, &set, 3, &all, &mut mine).unwrap();
                assert_eq!(mine, [me]);
            }
        })
        .unwrap();
    }
}

/// The leader of a host learns first that one of its local peers has ended; it does not leave the others waiting, who
/// would take messages of the next operation for what they wait for.
#[test]
fn an_image_that_has_stopped_leaves_messages_in_step() {
    for stops in [5, 7] {
        let outcomes = threads::run(8, 2, |image| {
            use_up_areas(image);
            let set = image.executing();
            if image.rank().get() == stops {
                return;
            }
            let others: Vec<Rank> = (0..8).filter(|&i| i != stops).map(Rank::new).collect();
            let others = image.set(Members::from_list(&others).unwrap()).unwrap();
            for turn in 0..20u64 {
                let mut mine = [0; 100];
                let outcome = xmp_collectives::scatter(image, &set, 0, &[1; 800], &mut mine);
                assert!(matches!(outcome, Ok(()) | Err(Error::StoppedImage(_))), "{outcome:?}");
                let mut data = [turn; 300];
                xmp_collectives::allreduce(image, &others, &mut data, Op::Sum).unwrap();
                assert_eq!(data, [7 * turn; 300]);
            }
        });
        assert_eq!(outcomes.unwrap().len(), 8);
    }
}
