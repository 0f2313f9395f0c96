//! The part of an operation that was waiting, and the image that it waited for.
//!
//! An operation waits until the last of those that it needs ([`edges`](mod@crate::edges)) has begun. What is left of the
//! operation is its own time.

use crate::edges::Edge;
use crate::event::Event;
use crate::operation::Kind;

/// The waiting part of an operation, which begins with the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it ended, in ns as [`Event::begin`].
    pub until: i64,
    /// The image that it was for; 0: not known.
    pub culprit: u32,
    /// The event of that image which ended it, as a position in the list of all.
    pub cause: Option<usize>,
}

/// The waits of events between which there are these edges, at the positions of the events.
pub fn waits(events: &[Event], edges: &[Edge]) -> Vec<Option<Wait>> {
    let mut waits: Vec<Option<Wait>> = vec![None; events.len()];
    for &Edge { from, to } in edges {
        let (event, other) = (&events[to], &events[from]);
        let is_waiting = other.begin > event.begin && other.image != event.image;
        let is_last = |wait: Wait| wait.cause.is_none_or(|cause| events[cause].begin < other.begin);
        if is_waiting && waits[to].is_none_or(is_last) {
            let until = other.begin.min(event.end);
            waits[to] = Some(Wait { until, culprit: other.image, cause: Some(from) });
        }
    }
    for (wait, event) in waits.iter_mut().zip(events) {
        let kind = event.operation.kind();
        if kind == Kind::Complete {
            *wait = Some(Wait { until: event.end, culprit: 0, cause: None });
        } else if !event.has_returned && kind.may_wait() {
            // The job has ended it. What it has waited for last is known, or nothing.
            let culprit = wait.map_or(0, |wait| wait.culprit);
            *wait = Some(Wait { until: event.end, culprit, cause: None });
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::edges;
    use crate::event::tests::{event, with};
    use crate::operation::Operation::{
        CoBroadcast, CoSum, EventPost, EventWait, Lock, SyncAll, SyncImages, Unlock,
    };

    /// Until when, and for which image, each event waits.
    fn waits_of(events: &[Event]) -> Vec<Option<(i64, u32)>> {
        waits(events, &edges(events))
            .into_iter()
            .map(|wait| wait.map(|it| (it.until, it.culprit)))
            .collect()
    }

    #[test]
    fn an_operation_that_the_end_of_the_job_has_ended_has_waited() {
        let ended =
            |image, operation| Event { has_returned: false, ..event(image, operation, 10, 75) };
        let all = [ended(1, SyncAll), ended(2, EventWait), ended(3, EventPost)];
        assert_eq!(waits_of(&all), [Some((75, 0)), Some((75, 0)), None]);
    }

    #[test]
    fn a_barrier_waits_for_the_image_that_comes_last() {
        let [a, b, c] =
            [(1, 10), (2, 70), (3, 30)].map(|(image, begin)| event(image, SyncAll, begin, 75));
        assert_eq!(waits_of(&[a, b, c]), [Some((70, 2)), None, Some((70, 2))]);
    }

    #[test]
    fn a_root_is_waited_for_or_waits() {
        for (operation, expected) in
            [(CoBroadcast, [Some((30, 2)), None, None]), (CoSum, [None, Some((50, 3)), None])]
        {
            let all = [(1, 10), (2, 30), (3, 50)]
                .map(|(image, begin)| with(event(image, operation, begin, 60), 2, &[]));
            assert_eq!(waits_of(&all), expected, "{operation:?}");
        }
    }

    #[test]
    fn sync_images_meet_in_their_order() {
        let all = [
            with(event(1, SyncImages, 10, 40), 0, &[2]),
            with(event(1, SyncImages, 50, 60), 0, &[3]),
            with(event(1, SyncImages, 70, 95), 0, &[2]),
            with(event(2, SyncImages, 35, 40), 0, &[1]),
            with(event(2, SyncImages, 90, 95), 0, &[1, 3]),
        ];
        assert_eq!(waits_of(&all), [Some((35, 2)), None, Some((90, 2)), None, None]);
    }

    #[test]
    fn an_event_wait_ends_with_the_last_post_before_its_end() {
        let all = [
            event(1, EventWait, 10, 50),
            with(event(2, EventPost, 20, 21), 1, &[]),
            with(event(3, EventPost, 48, 49), 1, &[]),
            with(event(2, EventPost, 55, 56), 1, &[]),
            with(event(3, EventPost, 49, 50), 2, &[]),
        ];
        assert_eq!(waits_of(&all)[0], Some((48, 3)));
    }

    #[test]
    fn a_lock_waits_for_the_image_that_had_it() {
        let all = [
            with(event(1, Unlock, 40, 42), 1, &[]),
            with(event(2, Lock, 10, 45), 1, &[]),
            with(event(3, Lock, 10, 11), 2, &[]),
        ];
        assert_eq!(waits_of(&all), [None, Some((40, 1)), None]);
    }
}
