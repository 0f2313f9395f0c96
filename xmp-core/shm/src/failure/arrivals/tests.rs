//! Arrivals of images that are threads.

use super::*;
use crate::image::Image;
use crate::image_set::ImageSet;
use crate::image_set::Members;
use crate::thread_images as threads;
use std::rc::Rc;

fn set(image: &Image, ranks: &[u32]) -> Rc<ImageSet> {
    let ranks: Vec<Rank> = ranks.iter().copied().map(Rank::new).collect();
    image.set(Members::from_list(&ranks).unwrap()).unwrap()
}

/// Returns when both images have called it.
fn meet(image: &Image) {
    image.executing().levels(image).unwrap().area().unwrap().barrier(image).unwrap();
}

#[test]
fn others_see_the_arrivals_of_an_image() {
    threads::run(2, 1, |image| {
        let (both, turned) = (set(image, &[0, 1]), set(image, &[1, 0]));
        let me = image.rank().get();
        let mut other = Other::new(Rank::new(1 - me));
        let words = |of: u32, number| [u64::from(of), number];
        // Image 1 arrives first, then image 2.
        for number in 1..20 {
            let arrival = (me == 0).then(|| arrive(image, &both, words(me, number)).unwrap());
            if let Some(arrival) = arrival {
                assert_eq!(other.look(image, &both, &arrival), Ok(ArrivalState::Absent));
            }
            meet(image);
            let arrival =
                arrival.unwrap_or_else(|| arrive(image, &both, words(me, number)).unwrap());
            assert_eq!((arrival.number, arrival.words()), (number, words(me, number)));
            meet(image);
            let came = ArrivalState::Came(Some(words(1 - me, number)));
            assert_eq!(other.look(image, &both, &arrival), Ok(came));
            meet(image);
        }
        // Another set has another count.
        let arrival = arrive(image, &turned, [7, 8]).unwrap();
        assert_eq!(arrival.number, 1);
        meet(image);
        let seen = Other::new(other.rank).look(image, &turned, &arrival);
        assert_eq!(seen, Ok(ArrivalState::Came(Some([7, 8]))));
        // An image that has proceeded has arrived.
        meet(image);
        if me == 1 {
            arrive(image, &turned, [0, 0]).unwrap();
            arrive(image, &turned, [0, 0]).unwrap();
        }
        meet(image);
        if me == 0 {
            let seen = Other::new(other.rank).look(image, &turned, &arrival);
            assert_eq!(seen, Ok(ArrivalState::Came(None)));
        }
    })
    .unwrap();
}

#[test]
fn a_set_without_room_is_unknown() {
    threads::run(6, 1, |image| {
        // All orders of six images, one after the other.
        let order = |mut k: u32| {
            let mut left: Vec<u32> = (0..6).collect();
            let mut next = |n| {
                let it = left.remove((k % n) as usize);
                k /= n;
                it
            };
            set(image, &[6, 5, 4, 3, 2, 1].map(&mut next))
        };
        let last = SETS as u32;
        if image.rank().get() == 1 {
            for k in 0..last {
                assert!(arrive(image, &order(k), [0, 0]).is_some());
            }
            assert_eq!(arrive(image, &order(last), [0, 0]), None);
        }
        meet(image);
        // Without room, too, all images count the synchronisations of all images alike: the count is part of
        // message labels.
        assert_eq!(arrive(image, &order(last + 1), [0, 0]).is_some(), image.rank().get() != 1);
        meet(image);
        let counts =
            |rank: u32| image.job().entry(Rank::new(rank)).arrivals.load(Ordering::Relaxed);
        if image.rank().get() < 2 {
            assert_eq!(counts(2), 1);
            assert_eq!(counts(1), 257);
        }
        meet(image);
        if image.rank().get() == 0 {
            for (k, expected) in
                [(last, ArrivalState::Unknown), (5, ArrivalState::Came(Some([0, 0])))]
            {
                let arrival = arrive(image, &order(k), [0, 0]).unwrap();
                let seen = Other::new(Rank::new(1)).look(image, &order(k), &arrival);
                assert_eq!(seen, Ok(expected));
            }
        }
        meet(image);
    })
    .unwrap();
}
