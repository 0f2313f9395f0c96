//! The arrows of the timeline, and what they point at that is no operation of an image itself: the accesses of other
//! images to its memory.

use crate::edges::Edge;
use crate::event::{Event, Events};
use crate::operation::Kind;
use crate::waits::Wait;

/// Most accesses: what is beyond it makes the file too large to be opened.
const MAX_ACCESSES: usize = 250_000;

/// What an image executes at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Whether it is on the row of the image's memory, and not on that of the thread.
    pub is_memory: bool,
    /// The event on whose span it is.
    pub event: usize,
    /// When, in ns as [`Event::begin`].
    pub time: i64,
}

/// From what causes something to where it has its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Where it begins.
    pub from: Point,
    /// Where it ends, not before it begins.
    pub to: Point,
}

/// A put or get of another image, as the image sees it whose memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The operation.
    pub event: usize,
    /// The image whose memory it is.
    pub image: u32,
    /// Its span, which overlaps with no other one of the image: of several at a time the later ones are cut.
    pub span: [i64; 2],
}

/// The accesses to the memory of all images, and how many operations have none because there are too many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// By image and time.
    pub list: Vec<Access>,
    /// Operations without an access.
    pub left_out: usize,
}

/// The accesses that these events are.
pub fn accesses(events: &Events) -> Accesses {
    let is_known = |image: u32| events.images.binary_search_by_key(&image, |it| it.image).is_ok();
    let is_access = |event: &Event| {
        let partner = event.context.partner;
        matches!(event.operation.kind(), Kind::Put | Kind::PutPost | Kind::Get)
            && event.has_returned
            && partner != event.image
            && is_known(partner)
    };
    let all = events.events.iter().enumerate().filter(|(_, event)| is_access(event));
    let mut list: Vec<Access> = all
        .map(|(number, event)| Access {
            event: number,
            image: event.context.partner,
            span: [event.begin, event.end],
        })
        .collect();
    let left_out = list.len().saturating_sub(MAX_ACCESSES);
    if left_out > 0 {
        list.sort_by_key(|access| access.span);
        list.truncate(MAX_ACCESSES);
    }
    list.sort_by_key(|access| (access.image, access.span[1], access.span[0]));
    for next in 1..list.len() {
        let before = list[next - 1];
        let access = &mut list[next];
        if before.image == access.image {
            access.span[0] = access.span[0].max(before.span[1]);
        }
    }
    Accesses { list, left_out }
}

/// The arrow of an access: a put goes to the memory, a get comes from it.
pub fn of_access(events: &[Event], access: Access) -> Arrow {
    let event = &events[access.event];
    let [begin, end] = access.span;
    let memory = |time| Point { is_memory: true, event: access.event, time };
    let thread = |time| Point { is_memory: false, event: access.event, time };
    match event.operation.kind() {
        Kind::Get => Arrow { from: memory(begin), to: thread(end) },
        // Within its span: the next one may begin at its end.
        _ => Arrow { from: thread(event.begin), to: memory((end - 1).max(begin)) },
    }
}

/// The arrows of edges: from each post to the wait that consumes it, between two statements of SYNC IMAGES from the later
/// to the earlier, and otherwise to operations that have waited.
pub fn of_edges(events: &[Event], waits: &[Option<Wait>], edges: &[Edge]) -> Vec<Arrow> {
    let is_shown = |edge: &Edge| {
        let [from, to] = [edge.from, edge.to].map(|number| &events[number]);
        match from.operation.kind() {
            Kind::SyncImages => (from.begin, from.image) > (to.begin, to.image),
            Kind::Post | Kind::PutPost => true,
            _ => from.begin > to.begin && from.image != to.image,
        }
    };
    let arrow = |edge: &Edge| {
        let from = Point { is_memory: false, event: edge.from, time: events[edge.from].begin };
        let wait = waits[edge.to].filter(|wait| wait.cause == Some(edge.from));
        let time = wait.map_or(events[edge.to].end, |wait| wait.until).max(from.time);
        Arrow { from, to: Point { is_memory: false, event: edge.to, time } }
    };
    edges.iter().filter(|edge| is_shown(edge)).map(arrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Image;
    use crate::event::tests::{event, with};
    use crate::operation::Operation::{Get, Put};

    fn events(list: Vec<Event>) -> Events {
        let image =
            |image| Image { image, host: 0, span: [0, 100], memory: 0, dropped: 0, unsummed: 0 };
        Events { images: (1..=3).map(image).collect(), events: list, ..Events::default() }
    }

    #[test]
    fn accesses_of_an_image_do_not_overlap() {
        let all = events(vec![
            with(event(1, Put, 10, 40), 3, &[]),
            with(event(1, Put, 50, 60), 1, &[]),
            with(event(1, Put, 60, 70), 9, &[]),
            with(event(2, Get, 20, 30), 3, &[]),
            with(event(3, Get, 35, 38), 2, &[]),
        ]);
        let found = accesses(&all);
        let spans: Vec<_> = found.list.iter().map(|it| (it.image, it.event, it.span)).collect();
        assert_eq!(spans, [(2, 4, [35, 38]), (3, 3, [20, 30]), (3, 0, [30, 40])]);
        assert_eq!(found.left_out, 0);
    }

    #[test]
    fn a_put_goes_to_memory_and_a_get_comes_from_it() {
        let all =
            events(vec![with(event(1, Put, 10, 40), 2, &[]), with(event(2, Get, 20, 30), 3, &[])]);
        let arrows: Vec<Arrow> =
            accesses(&all).list.iter().map(|access| of_access(&all.events, *access)).collect();
        let ends = |arrow: &Arrow| [arrow.from, arrow.to].map(|it| (it.is_memory, it.time));
        assert_eq!(ends(&arrows[0]), [(false, 10), (true, 39)]);
        assert_eq!(ends(&arrows[1]), [(true, 20), (false, 30)]);
    }
}
