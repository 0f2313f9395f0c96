//! The lane of another host of the group: requests that a server holds for it, and when they go.
//!
//! The aggregation window is driven by events. A request for a host to which no message is in transit goes at once, so
//! a lone request is never held. Requests that arrive until that message is acknowledged are merged. They go when the
//! acknowledgement arrives, when a message is full, or when the window of the oldest request ends, whichever is first:
//! the more work a target has, the later it acknowledges, and the more requests are merged. Requests leave in the order
//! in which they came.

use super::mode::{Mode, Policy};
use std::collections::VecDeque;

/// A request that waits: its content, its bytes, when it came.
#[derive(Clone, Debug)]
struct HeldRequest<T> {
    item: T,
    bytes: usize,
    at: u64,
}

/// The requests for one host, and the messages in transit to it.
#[derive(Clone, Debug)]
pub struct Lane<T> {
    held: VecDeque<HeldRequest<T>>,
    bytes: usize,
    on_the_way: u32,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Lane { held: VecDeque::new(), bytes: 0, on_the_way: 0 }
    }
}

impl<T> Lane<T> {
    /// Adds a request of `bytes` bytes, at `now` nanoseconds of any clock.
    pub fn push(&mut self, now: u64, item: T, bytes: usize) {
        self.held.push_back(HeldRequest { item, bytes, at: now });
        self.bytes += bytes;
    }

    /// The requests of the next message, if one must be sent now; it counts as in transit then. `more`: the server has
    /// messages that it has not read, so that waiting for them is worthwhile.
    pub fn take(&mut self, now: u64, more: bool, policy: &Policy) -> Option<Vec<T>> {
        if !self.is_due(now, more, policy) {
            return None;
        }
        self.on_the_way += 1;
        let mut room = policy.batch_bytes;
        let mut taken = Vec::new();
        while let Some(first) = self.held.front() {
            let left = room.checked_sub(first.bytes);
            // One goes in any case, even a large one.
            if left.is_none() && !taken.is_empty() {
                break;
            }
            self.bytes -= first.bytes;
            taken.extend(self.held.pop_front().map(|held| held.item));
            let Some(left) = left.filter(|_| policy.mode == Mode::Aggregation) else { break };
            room = left;
        }
        Some(taken)
    }

    fn is_due(&self, now: u64, more: bool, policy: &Policy) -> bool {
        let Some(deadline) = self.deadline(policy) else { return false };
        let full = self.bytes >= policy.batch_bytes;
        let idle = self.on_the_way == 0 && !more && !policy.holds_first;
        policy.mode != Mode::Aggregation || full || idle || deadline <= now
    }

    /// When the window of the oldest request ends; `None` if there is none, or no credit to send it with.
    pub fn deadline(&self, policy: &Policy) -> Option<u64> {
        let oldest = self.held.front().filter(|_| self.on_the_way < policy.batches)?;
        Some(oldest.at.saturating_add(policy.window))
    }

    /// Records an acknowledgement; returns whether a message was in transit.
    #[must_use]
    pub fn acknowledged(&mut self) -> bool {
        let expected = self.on_the_way > 0;
        self.on_the_way -= u32::from(expected);
        expected
    }

    /// Whether no request is held and no message in transit.
    pub fn is_idle(&self) -> bool {
        self.held.is_empty() && self.on_the_way == 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const POLICY: Policy = Policy {
        window: 100,
        batches: 2,
        batch_bytes: 50,
        ..Policy::new(Mode::Aggregation, 4, 50)
    };

    fn lane(policy: &Policy, sizes: &[usize]) -> Lane<usize> {
        let mut lane = Lane::default();
        lane.push(0, 0, 10);
        assert_eq!(lane.take(0, false, policy), Some(vec![0]));
        for (number, &bytes) in sizes.iter().enumerate() {
            lane.push(10 + number as u64, 1 + number, bytes);
        }
        lane
    }

    #[test]
    fn a_lone_request_goes_at_once_unless_more_is_waiting() {
        let mut lane = Lane::default();
        lane.push(5, 'a', 10);
        assert_eq!(lane.take(5, true, &POLICY), None);
        assert_eq!(lane.take(5, false, &POLICY), Some(vec!['a']));
        assert!(!lane.is_idle() && lane.acknowledged() && lane.is_idle() && !lane.acknowledged());
    }

    #[test]
    fn requests_in_the_window_go_together_on_acknowledgement() {
        let mut lane = lane(&POLICY, &[10, 10]);
        assert_eq!(lane.take(20, false, &POLICY), None);
        assert!(lane.acknowledged());
        assert_eq!(lane.take(20, false, &POLICY), Some(vec![1, 2]));
    }

    #[test]
    fn or_when_its_window_ends() {
        let mut lane = lane(&POLICY, &[10, 10]);
        assert_eq!(lane.deadline(&POLICY), Some(110));
        assert_eq!(lane.take(109, false, &POLICY), None);
        assert_eq!(lane.take(110, true, &POLICY), Some(vec![1, 2]));
        assert_eq!(lane.deadline(&POLICY), None);
    }

    #[test]
    fn or_when_a_message_is_full() {
        let mut lane = lane(&POLICY, &[20, 20, 20]);
        assert_eq!(lane.take(12, true, &POLICY), Some(vec![1, 2]));
        assert_eq!(lane.take(12, true, &POLICY), None);
    }

    #[test]
    fn never_more_messages_than_credits() {
        let mut lane = lane(&POLICY, &[60, 60]);
        assert_eq!(lane.take(12, false, &POLICY), Some(vec![1]));
        assert_eq!(lane.take(1000, false, &POLICY), None);
        assert!(lane.acknowledged());
        assert_eq!(lane.take(1000, false, &POLICY), Some(vec![2]));
    }

    #[test]
    fn forwarding_sends_each_at_once_by_itself() {
        let policy = Policy { mode: Mode::Forwarding, ..POLICY };
        let mut lane = lane(&policy, &[10, 10]);
        assert_eq!(lane.take(11, true, &policy), Some(vec![1]));
        assert_eq!(lane.take(11, true, &policy), None);
    }

    #[test]
    fn the_papers_window_holds_the_first_one_too() {
        let policy = Policy { holds_first: true, ..POLICY };
        let mut lane = Lane::default();
        lane.push(5, 'a', 10);
        assert_eq!(lane.take(6, false, &policy), None);
        assert_eq!(lane.take(105, false, &policy), Some(vec!['a']));
    }
}
