//! Sets whose hosts have no room for another board: everything goes by messages.

use std::sync::atomic::{AtomicU32, Ordering};
use xmp_collectives::Op;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::transport::threads;
use xmp_core::{Image, Rank};

/// A set of all eight images that has no board, after as many with one as there is room for.
fn set_without_board(image: &Image) -> std::rc::Rc<ImageSet> {
    // Each order of the images has a board of its own.
    let mut order: Vec<Rank> = (0..8).map(Rank::new).collect();
    for turn in 0..10_000 {
        let set = image.set(Members::from_list(&order).unwrap()).unwrap();
        if set.levels(image).unwrap().board().is_none() {
            return set;
        }
        // All images choose the same orders.
        let swap = crate::common::random(0, turn, 8) as usize;
        order.swap(turn % 8, swap % 8);
    }
    panic!("room for all boards");
}

#[test]
fn everything_works_by_messages() {
    let arrived = AtomicU32::new(0);
    threads::run(8, 1, |image| {
        let set = set_without_board(image);
        let me = set.position().unwrap();
        for turn in 1..=20 {
            // Nobody leaves a barrier before all have come to it.
            arrived.fetch_add(1, Ordering::Relaxed);
            xmp_collectives::barrier(image, &set).unwrap();
            assert!(arrived.load(Ordering::Relaxed) >= 8 * turn);
            let mut data = [me; 1000];
            xmp_collectives::allreduce(image, &set, &mut data, Op::Sum).unwrap();
            assert_eq!(data, [28; 1000]);
            xmp_collectives::broadcast(image, &set, 5, &mut data).unwrap();
            let mut all = [0; 8];
            xmp_collectives::allgather(image, &set, &[me], &mut all).unwrap();
            assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    })
    .unwrap();
}
