//! The bound of unexpected packets, and the state after operations.

use super::engine::Engine;
use super::mailbox::EAGER;
use super::{allreduce, barrier, broadcast};
use crate::Op;
use xmp_core::image_set::Members;
use xmp_core::notify::PACKET;
use xmp_core::transport::threads;
use xmp_core::{Image, Rank, failure};

/// The members 0 and 1, and a set of all.
fn pair(image: &Image) -> std::rc::Rc<xmp_core::image_set::ImageSet> {
    image.set(Members::range(Rank::new(0), 1, 2).unwrap()).unwrap()
}

/// Image 0 begins very many broadcasts while image 1 waits for something else and so takes what arrives: what it has
/// to keep is bounded by the credits, plus a request for each operation that image 0 has not completed.
#[test]
fn unexpected_packets_are_bounded() {
    const OPERATIONS: usize = 500;
    threads::run(2, 1, |image| {
        let (pair, all) = (pair(image), image.set(Members::all(2)).unwrap());
        assert_eq!(pair.key(), all.key(), "one set");
        let reversed = [1, 0].map(Rank::new);
        let other = image.set(Members::from_list(&reversed).unwrap()).unwrap();
        let mailbox = Engine::of(image).mailbox();
        // In flight until the end, so that image 1 takes packets in every wait.
        let behind = allreduce(image, &other, vec![1u8; 100], Op::Max);
        if image.rank().get() == 0 {
            let sent: Vec<_> =
                (0..OPERATIONS).map(|i| broadcast(image, &all, 0, vec![i as u8; 5000])).collect();
            let unfinished = sent.iter().filter(|handle| !handle.as_ref().unwrap().test().unwrap());
            assert!(unfinished.count() >= OPERATIONS - EAGER as usize);
            crate::barrier(image, &all).unwrap();
            sent.into_iter().for_each(|handle| drop(handle.unwrap().wait().unwrap()));
        } else {
            crate::barrier(image, &all).unwrap();
            let (packets, bytes) = mailbox.early();
            assert!(packets <= OPERATIONS + EAGER as usize, "{packets}");
            assert!(bytes <= EAGER as usize * PACKET, "{bytes}");
            for i in 0..OPERATIONS {
                let data = broadcast(image, &all, 0, vec![0; 5000]).unwrap().wait().unwrap();
                assert!(data.iter().all(|&x| x == i as u8));
            }
        }
        behind.wait().unwrap();
        crate::barrier(image, &all).unwrap();
        assert!(mailbox.is_empty());
    })
    .unwrap();
}

#[test]
fn nothing_is_left_of_operations_that_are_complete() {
    for hosts in [1, 2] {
        threads::run(4, hosts, |image| {
            let set = image.executing();
            for len in [0, 1, 5000, 100_000] {
                let first = allreduce(image, &set, vec![1u32; len], Op::Sum);
                let second = barrier(image, &set);
                second.wait().unwrap();
                assert_eq!(first.wait().unwrap(), vec![4; len]);
            }
            crate::barrier(image, &set).unwrap();
            assert!(Engine::of(image).mailbox().is_empty(), "{:?}", Engine::of(image).mailbox());
        })
        .unwrap();
    }
}

#[test]
fn the_end_of_the_job_ends_operations() {
    threads::run(2, 1, |image| {
        let set = image.executing();
        if image.rank().get() == 0 {
            let sum = allreduce(image, &set, vec![1u32; 100_000], Op::Sum);
            assert_eq!(sum.wait(), Err(xmp_core::Error::JobEnding));
            let next = barrier(image, &set);
            assert_eq!(next.test(), Err(xmp_core::Error::JobEnding));
        } else {
            failure::start_ending(image.job(), image.rank(), 3);
        }
    })
    .unwrap();
}
