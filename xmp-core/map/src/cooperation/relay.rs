//! A host's server as a relay: requests arrive, to be executed there or to be forwarded.

use super::aggregate::Lane;
use super::mode::{Answers, Policy};
use super::topology::Topology;
use crate::error::{Error, Result};
use std::ops::Range;

/// Requests that go to the server of a host in one message, in the order in which they are executed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<T> {
    /// The host.
    pub to: u32,
    /// The requests, at least one.
    pub items: Vec<T>,
}

/// The requests that a server holds for the other hosts of its group.
#[derive(Clone, Debug)]
pub struct Relay<T> {
    host: u32,
    group: Range<u32>,
    policy: Policy,
    lanes: Vec<Lane<T>>,
    /// The sender of the last message with requests for this host.
    last: Option<u32>,
}

impl<T> Relay<T> {
    /// The relay of `host`.
    pub fn new(topology: Topology, host: u32, policy: Policy) -> Relay<T> {
        let group = topology.neighbours(host);
        let lanes = group.clone().map(|_| Lane::default()).collect();
        Relay { host, group, policy, lanes, last: None }
    }

    /// Accepts a request of `bytes` bytes for `target` from an image, at `now` nanoseconds of the clock that all times
    /// refer to. Returns it when it must be executed on this host; otherwise it is held until [`Relay::next`] returns
    /// it.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it should have gone to another group.
    pub fn arrived(&mut self, now: u64, target: u32, item: T, bytes: usize) -> Result<Option<T>> {
        if target == self.host {
            return Ok(Some(item));
        }
        self.lane(target)?.push(now, item, bytes);
        Ok(None)
    }

    /// The next message to send now. `more`: messages wait that this server has not read.
    pub fn next(&mut self, now: u64, more: bool) -> Option<Batch<T>> {
        let policy = &self.policy;
        let mut lanes = self.lanes.iter_mut().zip(self.group.clone());
        lanes.find_map(|(lane, to)| lane.take(now, more, policy).map(|items| Batch { to, items }))
    }

    /// When [`Relay::next`] has a message even without another event.
    pub fn wake_at(&self) -> Option<u64> {
        self.lanes.iter().filter_map(|lane| lane.deadline(&self.policy)).min()
    }

    /// Records that the server of `host` has executed a message.
    ///
    /// # Errors
    /// [`Error::Invalid`] when none was in transit to it.
    pub fn acknowledged(&mut self, host: u32) -> Result<()> {
        if self.lane(host)?.acknowledged() {
            Ok(())
        } else {
            Err(Error::Invalid(format!("host {host} acknowledges what was never sent")))
        }
    }

    /// Whether no request is held and no message in transit.
    pub fn is_idle(&self) -> bool {
        self.lanes.iter().all(Lane::is_idle)
    }

    /// How to answer the requests of a message from the server of `from`. `only`: there is one. `at_home`: the first
    /// one's origin is on that host, where the last step is cheap. `more`: other messages wait.
    ///
    /// If requests for this host come by way of several others, because messages wait or those of others have come in
    /// between, it is better that these distribute the answers.
    pub fn answers(&mut self, from: u32, only: bool, at_home: bool, more: bool) -> Answers {
        let before = self.last.replace(from);
        let wanted = more || before.is_some_and(|before| before != from);
        if wanted && (!only || more && at_home) { self.policy.answers } else { Answers::Apart }
    }

    fn lane(&mut self, host: u32) -> Result<&mut Lane<T>> {
        let group = &self.group;
        if group.contains(&host) {
            Ok(&mut self.lanes[(host - group.start) as usize])
        } else {
            Err(Error::Invalid(format!(
                "a request for host {host} came to host {}, whose group is {}..{}",
                self.host, group.start, group.end
            )))
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::cooperation::Mode;

    fn relay() -> Relay<char> {
        let topology = Topology::new(6, 3).unwrap();
        Relay::new(topology, 4, Policy::new(Mode::Aggregation, 1, 100))
    }

    #[test]
    fn own_requests_are_executed_and_others_forwarded() {
        let mut relay = relay();
        assert_eq!(relay.arrived(0, 4, 'a', 1).unwrap(), Some('a'));
        assert_eq!(relay.arrived(0, 5, 'b', 1).unwrap(), None);
        assert_eq!(relay.arrived(0, 3, 'c', 1).unwrap(), None);
        assert_eq!(relay.next(0, false), Some(Batch { to: 3, items: vec!['c'] }));
        assert_eq!(relay.next(0, false), Some(Batch { to: 5, items: vec!['b'] }));
        assert_eq!(relay.next(0, false), None);
        assert!(!relay.is_idle() && relay.wake_at().is_none());
        relay.acknowledged(3).unwrap();
        relay.acknowledged(5).unwrap();
        assert!(relay.is_idle());
    }

    #[test]
    fn strangers_are_refused() {
        let mut relay = relay();
        let text = relay.arrived(0, 2, 'a', 1).unwrap_err().to_string();
        assert!(text.contains("host 2") && text.contains("3..6"), "{text}");
        assert!(relay.acknowledged(5).is_err() && relay.acknowledged(0).is_err());
    }

    #[test]
    fn a_target_leaves_answers_to_others_when_several_want_it() {
        let mut here = relay();
        let mut answers = |from, only, at_home, more| here.answers(from, only, at_home, more);
        assert_eq!(answers(3, false, true, false), Answers::Apart);
        assert_eq!(answers(3, true, false, true), Answers::Apart);
        assert_eq!(answers(3, true, true, true), Answers::Together);
        assert_eq!(answers(3, false, false, true), Answers::Together);
        assert_eq!(answers(5, false, false, false), Answers::Together);
        assert_eq!(answers(3, true, true, false), Answers::Apart);
        let policy = Policy { answers: Answers::Apart, ..here.policy };
        let mut paper = Relay::<char>::new(Topology::new(6, 3).unwrap(), 4, policy);
        assert_eq!(paper.answers(3, false, true, true), Answers::Apart);
    }
}
