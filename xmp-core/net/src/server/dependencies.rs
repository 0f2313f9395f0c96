//! Dependencies on messages of other images of a host, in the memory that these share.
//!
//! In a job of two hosts, each image has a number: how many of its messages to the other host others may depend on. A host has a
//! count of publications. A publisher writes its number, increments the count, and only then notifies an image. So an image that has
//! been notified, directly or by others, has seen that increment, or sees it now; and when it looks at the numbers because the count
//! has changed, it finds that number, or a greater one.

use crate::rank::Rank;
use crate::server::wire::Dependency;
use crate::sync::{AtomicU64, Ordering};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// Publishes that other images may depend on this many messages of the image that writes `number`. Returns how often
/// dependencies had been published before.
pub fn publish(count: &AtomicU64, number: &AtomicU64, messages: u64) -> u64 {
    // Relaxed: the increment below publishes it.
    number.store(messages, Ordering::Relaxed);
    // Release: an image that reads this increment, or a later one, finds the number. (Increments by other images continue
    // the release sequence.)
    count.fetch_add(1, Ordering::Release)
}

/// What an image knows of the dependencies that images of its host have published.
#[derive(Debug)]
pub struct KnownDependencies {
    /// The publications that it has seen.
    count: Cell<u64>,
    /// The number of each image of this host when it last looked, in their order.
    messages: RefCell<Box<[u64]>>,
}

impl KnownDependencies {
    /// What an image knows at the start, one of `images` images of its host.
    pub fn new(images: usize) -> KnownDependencies {
        KnownDependencies { count: Cell::new(0), messages: RefCell::new(vec![0; images].into()) }
    }

    /// Whether it has seen all publications that precede what it does now.
    #[inline(always)]
    pub fn is_current(&self, count: &AtomicU64) -> bool {
        // Relaxed: a notification that this image has acquired orders the publications before it, and makes them visible. Others
        // are of no interest.
        count.load(Ordering::Relaxed) == self.count.get()
    }

    /// It has published a dependency itself, after `before` publications.
    pub fn has_published(&self, before: u64) {
        if before == self.count.get() {
            self.count.set(before + 1);
        }
    }

    /// The dependencies that it did not know; `numbers` has each image of this host, in their order.
    pub fn learn<'a>(
        &self,
        count: &AtomicU64,
        numbers: impl Iterator<Item = (Rank, &'a AtomicU64)>,
    ) -> SmallVec<[Dependency; 8]> {
        // Acquire: pairs with the increments of `publish`.
        self.count.set(count.load(Ordering::Acquire));
        let mut known = self.messages.borrow_mut();
        let new = |(known, (image, number)): (&mut u64, (Rank, &AtomicU64))| {
            // Relaxed: at least as late as the count.
            let messages = number.load(Ordering::Relaxed);
            (std::mem::replace(known, messages) != messages)
                .then_some(Dependency { image, messages })
        };
        known.iter_mut().zip(numbers).filter_map(new).collect()
    }

    /// Makes all dependencies unknown again: they could not be sent.
    pub fn forget(&self) {
        // No count of publications.
        self.count.set(u64::MAX);
        self.messages.borrow_mut().fill(0);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    struct Host {
        count: AtomicU64,
        numbers: [AtomicU64; 3],
        notified: AtomicU64,
    }

    fn learn(known: &KnownDependencies, host: &Host) -> SmallVec<[Dependency; 8]> {
        let numbers = host.numbers.iter().enumerate();
        known.learn(&host.count, numbers.map(|(at, number)| (Rank::new(at as u32), number)))
    }

    /// Image 3 looks whenever it likes, also between the two steps of a publication, and while image 2 publishes, too; then it
    /// publishes itself. Once image 1 has notified it, it depends on the message of image 1.
    #[test]
    fn loom_a_notified_image_knows_the_dependency() {
        loom::model(|| {
            let new = || AtomicU64::new(0);
            let host =
                Arc::new(Host { count: new(), numbers: [new(), new(), new()], notified: new() });
            let publisher = |at: usize, messages| {
                let host = host.clone();
                thread::spawn(move || {
                    publish(&host.count, &host.numbers[at], messages);
                    if at == 0 {
                        host.notified.store(1, Ordering::Release);
                    }
                })
            };
            let others = [publisher(0, 7), publisher(1, 9)];
            let known = KnownDependencies::new(3);
            let mut found = learn(&known, &host);
            known.has_published(publish(&host.count, &host.numbers[2], 5));
            let notified = host.notified.load(Ordering::Acquire) == 1;
            if !known.is_current(&host.count) {
                found.extend(learn(&known, &host));
            }
            let first = Dependency { image: Rank::new(0), messages: 7 };
            assert!(!notified || found.contains(&first), "{found:?}");
            others.into_iter().for_each(|other| other.join().unwrap());
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_learnt_once_and_again_when_it_grows() {
        let (count, numbers) = (AtomicU64::new(0), [0, 1].map(|_| AtomicU64::new(0)));
        let all = || (0..2).map(|at| (Rank::new(at), &numbers[at as usize]));
        let known = KnownDependencies::new(2);
        assert!(known.is_current(&count));
        publish(&count, &numbers[1], 3);
        assert!(!known.is_current(&count));
        let dependency = |messages| Dependency { image: Rank::new(1), messages };
        assert_eq!(known.learn(&count, all())[..], [dependency(3)]);
        assert!(known.is_current(&count));
        publish(&count, &numbers[1], 5);
        assert_eq!(known.learn(&count, all())[..], [dependency(5)]);
        publish(&count, &numbers[0], 0);
        assert_eq!(known.learn(&count, all())[..], []);
        known.forget();
        assert!(!known.is_current(&count));
        assert_eq!(known.learn(&count, all())[..], [dependency(5)]);
    }

    #[test]
    fn an_image_need_not_look_at_its_own_publication_alone() {
        let (count, numbers) = (AtomicU64::new(0), [0, 1].map(|_| AtomicU64::new(0)));
        let known = KnownDependencies::new(2);
        known.has_published(publish(&count, &numbers[0], 3));
        assert!(known.is_current(&count));
        publish(&count, &numbers[1], 1);
        known.has_published(publish(&count, &numbers[0], 4));
        assert!(!known.is_current(&count), "the other image has published, too");
    }
}
