//! Loom model: an image that is about to proceed is not taken for one that waits for ever.

use super::survey::{Outcome, Survey};
use crate::endpoint::{Record, State};
use crate::sync::{AtomicU64, Ordering};
use loom::sync::Arc;

#[derive(Default)]
struct Shared {
    /// The records of the posting image and of the one that it posts to.
    records: [Record; 2],
    /// The event.
    event: AtomicU64,
}

impl Shared {
    /// The second image waits for the event: it looks this often, and proceeds when it finds the event.
    fn wait(&self, most: u32) {
        let [_, record] = &self.records;
        for looks in 1..=most {
            record.publish(State { generation: 0, looks });
            if self.event.load(Ordering::Relaxed) != 0 {
                return record.publish(State { generation: 1, looks: 0 });
            }
        }
    }
}

/// One image waits for an event; the other posts it, waits, and surveys. The first one would proceed, so there is no
/// deadlock.
#[test]
fn loom_a_posted_image_is_not_in_a_deadlock() {
    loom::model(|| {
        let shared = Arc::new(Shared::default());
        let waiting = shared.clone();
        let waiter = loom::thread::spawn(move || waiting.wait(4));
        let [own, other] = &shared.records;
        shared.event.store(1, Ordering::Relaxed);
        own.publish(State { generation: 0, looks: 1 });
        if let Ok(mut survey) = Survey::begin([()], |()| other.state(), |()| true) {
            assert_ne!(survey.confirm(|()| other.state()), Outcome::Deadlock);
        }
        waiter.join().unwrap();
    });
}

/// A third image surveys: it has not seen the post itself, but the record of the image that made it.
#[test]
fn loom_a_post_of_a_waiting_image_is_not_missed() {
    loom::model(|| {
        let shared = Arc::new(Shared::default());
        let waiting = shared.clone();
        let waiter = loom::thread::spawn(move || waiting.wait(3));
        let poster = {
            let shared = shared.clone();
            loom::thread::spawn(move || {
                shared.event.store(1, Ordering::Relaxed);
                for looks in 1..=3 {
                    shared.records[0].publish(State { generation: 0, looks });
                }
            })
        };
        let state = |image: usize| shared.records[image].state();
        if let Ok(mut survey) = Survey::begin([0, 1], state, |_| true) {
            assert_ne!(survey.confirm(state), Outcome::Deadlock);
        }
        waiter.join().unwrap();
        poster.join().unwrap();
    });
}
