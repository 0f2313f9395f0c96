//! Which part of an operation was waiting, and for which image.
//!
//! An operation waits until the last of those that it needs has begun: in a collective operation the image that came
//! last, in SYNC IMAGES the last partner, in EVENT WAIT the image that posted last before it returned, in LOCK the
//! image that released the lock. What is left of the operation is its own time.

use crate::event::Event;
use crate::operation::{Kind, Needs};
use crate::teams::Call;
use std::collections::HashMap;

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

/// The waits of events, at the positions of these.
pub fn waits(events: &[Event]) -> Vec<Option<Wait>> {
    let mut waits = vec![None; events.len()];
    collectives(events, &mut waits);
    pairs(events, &mut waits);
    signals(
        events,
        &mut waits,
        Kind::Await,
        Kind::Post,
        |event| event.context.partner,
        |event| event.image,
    );
    let home = |event: &Event| event.context.partner;
    signals(events, &mut waits, Kind::Acquire, Kind::Release, home, home);
    for (wait, event) in waits.iter_mut().zip(events) {
        if event.operation.kind() == Kind::Complete {
            *wait = Some(Wait { until: event.end, culprit: 0, cause: None });
        }
    }
    waits
}

/// Has an event wait for another one, if that began later.
fn wait_for(events: &[Event], waits: &mut [Option<Wait>], waiting: usize, cause: usize) {
    let (event, other) = (&events[waiting], &events[cause]);
    if other.begin > event.begin && other.image != event.image {
        let until = other.begin.min(event.end);
        waits[waiting] = Some(Wait { until, culprit: other.image, cause: Some(cause) });
    }
}

fn collectives(events: &[Event], waits: &mut [Option<Wait>]) {
    let mut calls: HashMap<Call, Vec<usize>> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        if let Some(call) = event.context.call {
            calls.entry(call).or_default().push(number);
        }
    }
    for (call, members) in calls {
        let Kind::Collective(needs) = call.operation.kind() else { continue };
        let begin = |&number: &usize| events[number].begin;
        let Some(last) = members.iter().copied().max_by_key(begin) else { continue };
        // All images have given the same root.
        let root = events[last].context.partner;
        let of_root = members.iter().copied().find(|&number| events[number].image == root);
        for &member in &members {
            let image = events[member].image;
            let cause = match needs {
                Needs::All => Some(last),
                Needs::AtRoot => (root == 0 || image == root).then_some(last),
                Needs::Root => of_root,
                Needs::Before => {
                    let before =
                        members.iter().copied().filter(|&other| events[other].image < image);
                    before.max_by_key(begin)
                }
            };
            if let Some(cause) = cause {
                wait_for(events, waits, member, cause);
            }
        }
    }
}

/// SYNC IMAGES: the n-th statement of an image that names another one meets the n-th of that one that names it.
fn pairs(events: &[Event], waits: &mut [Option<Wait>]) {
    let mut statements: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    let others = |event: &Event| {
        let image = event.image;
        event.context.list.clone().into_iter().filter(move |&partner| partner != image)
    };
    let is_sync = |event: &Event| event.operation.kind() == Kind::SyncImages;
    for (number, event) in events.iter().enumerate().filter(|(_, event)| is_sync(event)) {
        for partner in others(event) {
            statements.entry((event.image, partner)).or_default().push(number);
        }
    }
    let mut met: HashMap<(u32, u32), usize> = HashMap::new();
    for (number, event) in events.iter().enumerate().filter(|(_, event)| is_sync(event)) {
        let mut last: Option<usize> = None;
        for partner in others(event) {
            let count = met.entry((event.image, partner)).or_default();
            let meets = statements.get(&(partner, event.image)).and_then(|all| all.get(*count));
            *count += 1;
            last = last.into_iter().chain(meets.copied()).max_by_key(|&other| events[other].begin);
        }
        if let Some(last) = last {
            wait_for(events, waits, number, last);
        }
    }
}

/// Waits that another image ends by a signal to the same image: the last one that began before the wait was over.
fn signals(
    events: &[Event],
    waits: &mut [Option<Wait>],
    waiting: Kind,
    signalling: Kind,
    target: impl Fn(&Event) -> u32,
    place: impl Fn(&Event) -> u32,
) {
    let mut signals: HashMap<u32, Vec<usize>> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        if event.operation.kind() == signalling {
            signals.entry(target(event)).or_default().push(number);
        }
    }
    for all in signals.values_mut() {
        all.sort_by_key(|&number| events[number].begin);
    }
    for (number, event) in events.iter().enumerate() {
        if event.operation.kind() == waiting
            && let Some(all) = signals.get(&place(event))
        {
            let before = all.partition_point(|&signal| events[signal].begin <= event.end);
            let other =
                all[..before].iter().rev().find(|&&signal| events[signal].image != event.image);
            if let Some(&signal) = other {
                wait_for(events, waits, number, signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation::{
        self, CoBroadcast, CoSum, EventPost, EventWait, Lock, SyncAll, SyncImages, Unlock,
    };
    use crate::teams::{Context, Team};

    fn event(image: u32, operation: Operation, begin: i64, end: i64) -> Event {
        let call =
            operation.is_collective().then_some(Call { team: Team::INITIAL, before: 0, operation });
        Event {
            image,
            thread: 0,
            operation,
            begin,
            end,
            has_returned: true,
            bytes: 0,
            objects: vec![0],
            place: 0,
            context: Context { call, ..Context::default() },
        }
    }

    fn with(event: Event, partner: u32, list: &[u32]) -> Event {
        let context = Context { partner, list: list.to_vec(), ..event.context };
        Event { context, ..event }
    }

    /// Until when, and for which image, each event waits.
    fn waits_of(events: &[Event]) -> Vec<Option<(i64, u32)>> {
        waits(events).into_iter().map(|wait| wait.map(|it| (it.until, it.culprit))).collect()
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
