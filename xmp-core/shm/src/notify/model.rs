//! Loom models of message labels together with the table of revocations. Image A sends, image B takes. The memory
//! between them is the next packet's label, the number of packets taken, and A's word of the table
//! (`failure/README.md`, "Revocation").

use super::Label;
use crate::failure::revocation;
use crate::sync::{AtomicU64, Ordering};
use loom::sync::Arc;
use loom::thread;

/// The end of the image because of which A revokes.
const END: u64 = 1;

#[derive(Default)]
struct Shared {
    /// Label of each packet; 0 until it is there.
    packets: [AtomicU64; 2],
    taken: AtomicU64,
    told: AtomicU64,
}

/// The label of an operation of this set, after `count` synchronisations of all images.
fn label(set: u64, count: u64) -> u64 {
    set << 24 | count
}

fn as_label(word: u64) -> Label {
    Label::from_bytes(word.to_ne_bytes())
}

impl Shared {
    /// A sends: the window is one packet.
    fn send(&self, packet: usize, label: u64) {
        while self.taken.load(Ordering::Acquire) < packet as u64 {
            thread::yield_now();
        }
        self.packets[packet].store(label, Ordering::Release);
    }

    /// A is notified, and revokes.
    fn leave(&self) {
        revocation::mark(&self.told, END);
    }

    /// B's look at the table, over the transport, in an operation of a set with these images.
    fn has_left(&self, set: u64) -> bool {
        self.told.load(Ordering::SeqCst) & set != 0
    }

    /// B waits for a message with this label, in a set in which the images `ended` have ended: `None` when A has
    /// revoked. `from`: the next packet.
    fn take(&self, from: &mut usize, mine: u64, ended: u64) -> Option<()> {
        loop {
            // Asked before, as `drive` does.
            let left = self.has_left(ended);
            match self.packets.get(*from).map_or(0, |packet| packet.load(Ordering::Acquire)) {
                met if met == mine => {
                    *from += 1;
                    self.taken.store(*from as u64, Ordering::Release);
                    return Some(());
                }
                // Asked again, after the packet, as `decide` does.
                met if met != 0
                    && !as_label(mine).is_before(as_label(met))
                    && !self.has_left(ended) =>
                {
                    *from += 1;
                    self.taken.store(*from as u64, Ordering::Release);
                    continue;
                }
                _ if left => return None,
                _ => thread::yield_now(),
            }
        }
    }
}

fn model(
    sender: impl Fn(&Shared) + Sync + Send + Clone + 'static,
    taker: impl Fn(&Shared) + Sync + Send + 'static,
) {
    loom::model(move || {
        let shared = Arc::new(Shared::default());
        let other = {
            let (shared, sender) = (shared.clone(), sender.clone());
            thread::spawn(move || sender(&shared))
        };
        taker(&shared);
        other.join().unwrap();
    });
}

/// A does its part and is notified after that.
#[test]
fn loom_a_message_before_the_revocation_is_found() {
    let sender = |shared: &Shared| {
        shared.send(0, label(1, 0));
        shared.leave();
    };
    model(sender, |shared| assert_eq!(shared.take(&mut 0, label(1, 0), END), Some(())));
}

/// A is notified in the operation, and sends the first message of another set: B is notified, and finds that message
/// later.
#[test]
fn loom_a_message_of_another_set_stays() {
    let sender = |shared: &Shared| {
        shared.leave();
        shared.send(0, label(2, 0));
    };
    model(sender, |shared| {
        let mut from = 0;
        assert_eq!(shared.take(&mut from, label(1, 0), END), None);
        assert_eq!(shared.take(&mut from, label(2, 0), 0), Some(()));
    });
}

/// A has sent a message of an operation that B has given up, then both take part in one of a set of their own.
#[test]
fn loom_a_message_of_an_abandoned_operation_is_dropped() {
    let sender = |shared: &Shared| {
        shared.send(0, label(1, 0));
        shared.send(1, label(2, 0));
    };
    model(sender, |shared| assert_eq!(shared.take(&mut 0, label(2, 0), 0), Some(())));
}
