//! The operations of other images without which an operation cannot complete: the edges of the happens-before graph between
//! images, as far as the records show them.
//!
//! | operation | needs |
//! |---|---|
//! | a collective operation | of those that it waits for by its kind, the call that came last |
//! | SYNC IMAGES | the statement of each partner that it meets |
//! | EVENT WAIT, NOTIFY WAIT | the posts that it consumes |
//! | LOCK, CRITICAL | the release before it |

use crate::event::Event;
use crate::operation::{Kind, Needs};
use crate::teams::{Call, Variable};
use std::collections::{HashMap, HashSet};

/// The operation `to` cannot complete before `from` has begun. Both are positions in the list of all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// What completes it.
    pub from: usize,
    /// What is completed.
    pub to: usize,
}

/// The edges between these events.
pub fn edges(events: &[Event]) -> Vec<Edge> {
    let mut edges = collectives(events);
    edges.extend(sync_images(events));
    edges.extend(posts(events));
    edges.extend(releases(events));
    edges
}

fn collectives(events: &[Event]) -> Vec<Edge> {
    let mut calls: HashMap<Call, Vec<usize>> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        if let Some(call) = event.context.call {
            calls.entry(call).or_default().push(number);
        }
    }
    let mut edges = Vec::new();
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
                Needs::Partners => {
                    let end = events[member].end;
                    let begun = members.iter().copied().filter(|&other| events[other].begin <= end);
                    begun.max_by_key(begin)
                }
            };
            let other = cause.filter(|&cause| cause != member);
            edges.extend(other.map(|from| Edge { from, to: member }));
        }
    }
    edges
}

/// The n-th SYNC IMAGES of an image that names another one meets the n-th of that one that names it.
fn sync_images(events: &[Event]) -> Vec<Edge> {
    let mut statements: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        if event.operation.kind() == Kind::SyncImages {
            for &partner in event.context.list.iter().filter(|&&partner| partner != event.image) {
                statements.entry((event.image, partner)).or_default().push(number);
            }
        }
    }
    let mut edges = Vec::new();
    for (&(image, partner), here) in &statements {
        let there = statements.get(&(partner, image)).into_iter().flatten();
        edges.extend(here.iter().zip(there).map(|(&to, &from)| Edge { from, to }));
    }
    edges
}

/// An event waits for posts to one variable of its image, which it consumes in the order of their beginning. Where it is
/// not known which variable an operation means, the wait is ended by the last post of another image to its own.
fn posts(events: &[Event]) -> Vec<Edge> {
    let of_kind = |kinds: &'static [Kind]| {
        let fits = move |event: &Event| kinds.contains(&event.operation.kind());
        events.iter().enumerate().filter(move |(_, event)| fits(event))
    };
    let posts = || of_kind(&[Kind::Post, Kind::PutPost]).filter(|(_, it)| it.context.partner > 0);
    let unknown_posts = posts().filter(|(_, post)| post.context.variable.is_none());
    let unknown_waits = of_kind(&[Kind::Await]).filter(|(_, it)| it.context.variable.is_none());
    let unknown: HashSet<u32> = unknown_posts
        .map(|(_, post)| post.context.partner)
        .chain(unknown_waits.map(|(_, wait)| wait.image))
        .collect();
    let mut by_variable: HashMap<(u32, Option<Variable>), Vec<usize>> = HashMap::new();
    for (number, post) in posts() {
        let image = post.context.partner;
        let variable = post.context.variable.filter(|_| !unknown.contains(&image));
        by_variable.entry((image, variable)).or_default().push(number);
    }
    for posts in by_variable.values_mut() {
        posts.sort_by_key(|&post| events[post].begin);
    }
    let mut consumed: HashMap<(u32, Option<Variable>), usize> = HashMap::new();
    let mut edges = Vec::new();
    for (to, wait) in of_kind(&[Kind::Await]) {
        let variable = wait.context.variable.filter(|_| !unknown.contains(&wait.image));
        let Some(posts) = by_variable.get(&(wait.image, variable)) else { continue };
        if variable.is_none() {
            // WAIT may name the image that posts.
            let fits = |post: &Event| [0, post.image].contains(&wait.context.partner);
            let last = last_before(events, posts, wait, fits);
            edges.extend(last.map(|from| Edge { from, to }));
        } else if wait.has_returned {
            let consumed = consumed.entry((wait.image, variable)).or_default();
            let until = wait.context.until.max(1) as usize;
            let taken = posts.iter().skip(*consumed).take(until);
            *consumed += until;
            // What begins later is another post: some are missing, because a buffer was full.
            let taken = taken.filter(|&&from| events[from].begin <= wait.end);
            edges.extend(taken.map(|&from| Edge { from, to }));
        }
    }
    edges
}

/// A lock is acquired after the last release of another image that began before.
fn releases(events: &[Event]) -> Vec<Edge> {
    let mut releases: HashMap<(u32, Option<Variable>), Vec<usize>> = HashMap::new();
    let lock = |event: &Event| (event.context.partner, event.context.variable);
    for (number, event) in events.iter().enumerate() {
        if event.operation.kind() == Kind::Release {
            releases.entry(lock(event)).or_default().push(number);
        }
    }
    for all in releases.values_mut() {
        all.sort_by_key(|&number| events[number].begin);
    }
    let acquired = events.iter().enumerate().filter(|(_, it)| it.operation.kind() == Kind::Acquire);
    let edge = |(to, event): (usize, &Event)| {
        let from = last_before(events, releases.get(&lock(event))?, event, |_| true)?;
        Some(Edge { from, to })
    };
    acquired.filter_map(edge).collect()
}

/// The last of these events, which are in the order of their beginning, that fits, is of another image and began before
/// this one ended.
fn last_before(
    events: &[Event],
    ordered: &[usize],
    event: &Event,
    fits: impl Fn(&Event) -> bool,
) -> Option<usize> {
    let before = ordered.partition_point(|&other| events[other].begin <= event.end);
    let is_it = |other: &Event| other.image != event.image && fits(other);
    ordered[..before].iter().copied().rev().find(|&other| is_it(&events[other]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::tests::{event, with};
    use crate::operation::Operation::{EventPost, EventWait, Post, Reflect, SyncImages, WaitPost};
    use crate::teams::{Context, Origin};

    fn edges_of(events: &[Event]) -> Vec<(usize, usize)> {
        let mut all: Vec<_> = edges(events).iter().map(|edge| (edge.from, edge.to)).collect();
        all.sort_unstable();
        all
    }

    fn on(event: Event, element: u32, until: u32) -> Event {
        let variable = Some(Variable { origin: Origin::Static(1), element });
        Event { context: Context { variable, until, ..event.context }, ..event }
    }

    #[test]
    fn statements_of_sync_images_need_one_another() {
        let all = [
            with(event(1, SyncImages, 10, 40), 0, &[1, 2, 3]),
            with(event(2, SyncImages, 35, 40), 0, &[1]),
            with(event(3, SyncImages, 20, 40), 0, &[1]),
            with(event(3, SyncImages, 50, 60), 0, &[1]),
        ];
        assert_eq!(edges_of(&all), [(0, 1), (0, 2), (1, 0), (2, 0)]);
    }

    #[test]
    fn a_wait_consumes_the_posts_of_its_variable_in_their_order() {
        let post = |image, begin, element| {
            on(with(event(image, EventPost, begin, begin + 1), 1, &[]), element, 0)
        };
        let all = [
            on(event(1, EventWait, 10, 50), 1, 2),
            on(event(1, EventWait, 60, 61), 1, 1),
            on(event(1, EventWait, 70, 71), 2, 1),
            post(2, 20, 1),
            post(3, 45, 1),
            post(2, 30, 2),
            post(2, 48, 1),
            post(3, 90, 1),
        ];
        assert_eq!(edges_of(&all), [(3, 0), (4, 0), (5, 2), (6, 1)]);
    }

    #[test]
    fn a_reflect_needs_none_that_has_begun_after_its_end() {
        let all = [(1, 10, 40), (2, 30, 60), (3, 50, 60)];
        let all = all.map(|(image, begin, end)| event(image, Reflect, begin, end));
        assert_eq!(edges_of(&all), [(1, 0), (2, 1)]);
    }

    #[test]
    fn a_wait_that_names_an_image_ends_with_its_post() {
        let all = [
            with(event(1, WaitPost, 10, 50), 2, &[]),
            with(event(2, Post, 20, 21), 1, &[]),
            with(event(3, Post, 48, 49), 1, &[]),
        ];
        assert_eq!(edges_of(&all), [(1, 0)]);
    }

    #[test]
    fn posts_to_a_variable_that_is_not_known_leave_the_last_one_before_the_end() {
        let all = [
            on(event(1, EventWait, 10, 50), 1, 1),
            with(event(2, EventPost, 20, 21), 1, &[]),
            on(with(event(3, EventPost, 48, 49), 1, &[]), 1, 0),
            on(with(event(1, EventPost, 49, 50), 1, &[]), 1, 0),
        ];
        assert_eq!(edges_of(&all), [(2, 0)]);
    }
}
