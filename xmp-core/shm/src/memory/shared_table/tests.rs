//! Tables that several images hold.

use crate::members::Words;
use crate::rank::Rank;
use crate::thread_images as threads;
use std::sync::atomic::AtomicU64;

#[test]
fn a_table_lives_until_the_last_holder_lets_go() {
    let told = AtomicU64::new(0);
    threads::run(3, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        let words: Vec<u32> = (0..1000).collect();
        let held = (image.rank().get() == 0).then(|| {
            let (held, offset) = image.memory().publish(&words, 3).unwrap();
            told.store(offset, std::sync::atomic::Ordering::Release);
            held
        });
        area.barrier(image).unwrap();
        let offset = told.load(std::sync::atomic::Ordering::Acquire);
        // SAFETY: image 0 has published the offset with a hold for each image and synchronised; each attaches it
        // once.
        let attach = || unsafe { image.memory().attach(Rank::new(0), offset) };
        let held = Words::of(held.unwrap_or_else(attach));
        assert_eq!(&*held, &words[..]);
        let kept = (image.rank().get() == 2).then(|| held.clone());
        drop(held);
        area.barrier(image).unwrap();
        let in_use = || {
            image.memory().reclaim();
            image.memory().usage()[1].0
        };
        assert_eq!(in_use() > 0, image.rank().get() == 0);
        area.barrier(image).unwrap();
        drop(kept);
        area.barrier(image).unwrap();
        assert_eq!(in_use(), 0);
    })
    .unwrap();
}

#[test]
fn a_withdrawn_table_is_freed() {
    threads::run(2, 1, |image| {
        let (held, _) = image.memory().publish(&[1, 2, 3], 2).unwrap();
        held.withdraw();
        drop(held);
        image.memory().reclaim();
        assert_eq!(image.memory().usage()[1].0, 0);
    })
    .unwrap();
}
