//! The entry of a set in the call log of an image.
//!
//! Only the image itself writes it. Others read it word by word, over the transport. It is a seqlock in two ways: the key is 0 while the
//! entry is claimed for another set, and the stamp of a call is [`WRITING`] while the call is written.

use crate::error::Result;
use crate::sync::{AtomicU64, Ordering, fence};

/// Sets in a table.
pub(super) const ENTRIES: usize = 32;
/// Calls that an entry keeps of each of the last two phases.
const KEPT: u64 = 4;
/// Words of an entry, whole cache lines.
const WORDS: usize = 24;

/// The key of the set; 0 while the entry is written for another one.
const KEY: usize = 0;
/// The stamp from which on the entry has all calls.
const SINCE: usize = 1;
/// The stamp of the last call, or of the beginning of a phase.
pub(super) const LAST: usize = 2;
/// The stamp of the first call of a phase that the image has given up; 0 for none.
pub(super) const GIVEN_UP: usize = 3;
/// The first call: its stamp, [`WRITING`] while it is written, then its hash.
const CALLS: usize = 4;
const WRITING: u64 = u64::MAX;

const _: () = assert!(CALLS + 4 * KEPT as usize <= WORDS);
// (loom's atomics have other sizes.)
#[cfg(not(loom))]
const _: () = assert!((ENTRIES * size_of::<Entry>()) as u64 == crate::job::CALLS);

/// What an image has published of a set. Zeroed memory is an empty entry.
#[repr(C)]
pub(super) struct Entry(pub(super) [AtomicU64; WORDS]);

/// The place of the call with this stamp.
fn place(stamp: u64) -> usize {
    let (phase, count) = (stamp >> 32, stamp & u64::from(u32::MAX));
    CALLS + 2 * (phase % 2 * KEPT + count % KEPT) as usize
}

impl Entry {
    pub(super) fn load(&self, word: usize) -> u64 {
        // Relaxed: only this image writes the entry.
        self.0[word].load(Ordering::Relaxed)
    }

    /// Makes it the entry of the set with this key, whose next stamp is `stamp`.
    pub(super) fn claim(&self, key: u64, stamp: u64) {
        if self.load(KEY) == key {
            return;
        }
        self.0[KEY].store(0, Ordering::Relaxed);
        // Release: an image that sees a word of what follows sees that the entry is being written.
        fence(Ordering::Release);
        for word in &self.0[LAST..] {
            word.store(0, Ordering::Relaxed);
        }
        self.0[SINCE].store(stamp, Ordering::Relaxed);
        // Release: the words above.
        self.0[KEY].store(key, Ordering::Release);
    }

    /// Whether it is the entry of the set with this key, and has this call.
    pub(super) fn has(&self, key: u64, stamp: u64, hash: u64) -> bool {
        let at = place(stamp);
        self.load(KEY) == key && self.load(at) == stamp && self.load(at + 1) == hash
    }

    /// Publishes a call.
    pub(super) fn begin(&self, stamp: u64, hash: u64) {
        let at = place(stamp);
        self.0[at].store(WRITING, Ordering::Relaxed);
        // Release: as above.
        fence(Ordering::Release);
        self.0[at + 1].store(hash, Ordering::Relaxed);
        // Release: the hash, then the call.
        self.0[at].store(stamp, Ordering::Release);
        self.0[LAST].store(stamp, Ordering::Release);
    }
}

/// The hash of the call with this stamp of another image, if its entry for `key` has it. `read` reads a word, with acquire order.
pub(super) fn word_of(
    key: u64,
    stamp: u64,
    read: impl Fn(usize) -> Result<u64>,
) -> Result<Option<u64>> {
    if read(KEY)? != key {
        return Ok(None);
    }
    let at = place(stamp);
    let (found, hash) = (read(at)?, read(at + 1)?);
    // The stamp first: an image that has claimed the entry for another key has stored 0 as the key before it changed the stamp.
    let is_whole = found == stamp && read(at)? == stamp && read(KEY)? == key;
    Ok(is_whole.then_some(hash))
}

/// How another image differs from this one in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// It executes another call, or has left this one out.
    Calls,
    /// It has given up this call, or one before it in the same phase.
    GivenUp,
}

/// The call that an image is in.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// The key of its set.
    pub key: u64,
    pub stamp: u64,
    pub hash: u64,
}

impl Call {
    /// Compares it with the entry of another image, of which `read` reads a word, with acquire order.
    pub(super) fn compare(
        &self,
        read: impl Fn(usize) -> Result<u64>,
    ) -> Result<Option<Difference>> {
        if read(KEY)? != self.key {
            return Ok(None);
        }
        let (given_up, phase) = (read(GIVEN_UP)?, self.stamp >> 32);
        let difference = if given_up >> 32 == phase && (1..=self.stamp).contains(&given_up) {
            Some(Difference::GivenUp)
        } else {
            // The last stamp first: what the image has logged before it is there.
            let (last, at) = (read(LAST)?, place(self.stamp));
            let (stamp, hash) = (read(at)?, read(at + 1)?);
            let differs = match stamp {
                WRITING => false,
                _ if stamp == self.stamp => hash != self.hash && read(at)? == stamp,
                _ => stamp < self.stamp && self.stamp < last,
            };
            differs.then_some(Difference::Calls)
        };
        // In this order: an image that has claimed the entry anew has stored the stamp before the key.
        let is_known = read(KEY)? == self.key && read(SINCE)? <= self.stamp;
        Ok(difference.filter(|_| is_known))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::array::from_fn;

    /// What an image does with a set.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Step {
        Call(u64),
        Synchronise,
        /// Another set takes its entry.
        Lose,
    }

    /// An image that has done some steps: its entry, and the calls that it has been in.
    struct Replayed {
        entry: Entry,
        calls: Vec<Call>,
    }

    const SET: u64 = 77;

    fn replay(steps: impl IntoIterator<Item = Step>) -> Replayed {
        let entry = Entry(from_fn(|_| AtomicU64::new(0)));
        let (mut calls, mut stamp) = (Vec::new(), 0_u64);
        entry.claim(SET, stamp);
        for step in steps {
            match step {
                Step::Call(hash) => {
                    stamp += 1;
                    entry.claim(SET, stamp);
                    entry.begin(stamp, hash);
                    calls.push(Call { key: SET, stamp, hash });
                }
                Step::Synchronise => {
                    stamp = ((stamp >> 32) + 1) << 32;
                    entry.claim(SET, stamp);
                    entry.0[LAST].store(stamp, Ordering::Release);
                }
                Step::Lose => entry.claim(SET + 1, 1),
            }
        }
        Replayed { entry, calls }
    }

    fn compare(call: &Call, other: &Entry) -> Option<Difference> {
        call.compare(|word| Ok(other.0[word].load(Ordering::Acquire))).unwrap()
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (1_u64..1000).prop_map(Step::Call),
            1 => Just(Step::Synchronise),
            1 => Just(Step::Lose),
        ];
        proptest::collection::vec(step, 0..40)
    }

    proptest! {
        /// However far one of them is ahead, and whatever has displaced its entry.
        #[test]
        fn images_that_execute_the_same_do_not_differ(
            steps in steps(), at in 0..40_usize, losses in proptest::collection::vec(0..40_usize, 0..4),
        ) {
            let mut others = steps.clone();
            for loss in losses {
                others.insert(loss.min(others.len()), Step::Lose);
            }
            let others = replay(others.into_iter().take(at));
            for call in &replay(steps).calls {
                prop_assert_eq!(compare(call, &others.entry), None);
            }
        }

        /// Another call, one that is left out, and one too many.
        #[test]
        fn a_call_that_differs_is_found_as_long_as_it_is_kept(
            before in steps(), after in 0..KEPT as usize, kind in 0..3,
        ) {
            let before = || before.iter().copied().filter(|step| *step != Step::Lose);
            let call = |hash| [Step::Call(hash), Step::Synchronise];
            let others: Vec<Step> = match kind {
                0 => call(2001).into_iter().take(1).collect(),
                1 => call(2001)[1..].to_vec(),
                _ => [Step::Call(2001), Step::Call(2000)].to_vec(),
            };
            let later = (0..after).map(|number| Step::Call(3000 + number as u64));
            let later = later.take(if kind == 1 { after } else { after.min(KEPT as usize - 2) });
            let image = replay(before().chain([Step::Call(2000)]));
            let other = replay(before().chain(others).chain(later));
            let found = compare(image.calls.last().unwrap(), &other.entry);
            prop_assert_eq!(found, Some(Difference::Calls));
        }
    }

    #[test]
    fn a_call_that_was_given_up_concerns_the_calls_behind_it_in_its_phase() {
        let call = Step::Call(5);
        let image = replay([call, call, call, Step::Synchronise, call]);
        let other = replay([call, call]);
        other.entry.0[GIVEN_UP].store(2, Ordering::Relaxed);
        let found: Vec<_> = image.calls.iter().map(|call| compare(call, &other.entry)).collect();
        let given_up = Some(Difference::GivenUp);
        assert_eq!(found, [None, given_up, given_up, None]);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use std::array::from_fn;

    /// An image that reads while another one writes, loses its entry and claims it again finds no difference between equal calls.
    #[test]
    fn loom_calls_that_are_equal_do_not_differ_while_they_are_written() {
        loom::model(|| {
            let entry = Arc::new(Entry(from_fn(|_| AtomicU64::new(0))));
            let writer = {
                let entry = entry.clone();
                loom::thread::spawn(move || {
                    entry.claim(7, 1);
                    entry.begin(1, 11);
                    // The place of the first call again.
                    entry.begin(1 + KEPT, 15);
                })
            };
            let read = |word: usize| Ok(entry.0[word].load(Ordering::Acquire));
            let call = Call { key: 7, stamp: 1, hash: 11 };
            // Reads of the call before have loom explore more orders.
            for word in [KEY, place(1), place(1) + 1] {
                read(word).unwrap();
            }
            assert_eq!(call.compare(read), Ok(None));
            writer.join().unwrap();
        });
    }

    /// The same with an entry that another set has taken meanwhile.
    #[test]
    fn loom_calls_of_another_set_do_not_count() {
        loom::model(|| {
            let entry = Entry(from_fn(|_| AtomicU64::new(0)));
            entry.claim(7, 1);
            entry.begin(1, 11);
            let entry = Arc::new(entry);
            let writer = {
                let entry = entry.clone();
                loom::thread::spawn(move || {
                    entry.claim(8, 1);
                    entry.begin(1, 99);
                })
            };
            let read = |word: usize| Ok(entry.0[word].load(Ordering::Acquire));
            let call = Call { key: 7, stamp: 1, hash: 11 };
            assert_eq!(call.compare(read), Ok(None));
            writer.join().unwrap();
        });
    }
}
