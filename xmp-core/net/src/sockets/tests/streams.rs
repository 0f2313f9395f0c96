//! Tests of several streams of a process.

use super::*;
use crate::sockets::input::Place;
use crate::sockets::streams::Arrivals;

/// A process with a stream to each of some others, and their ends.
fn star(others: u32) -> (Streams, Vec<Stream>) {
    let me = Rank::new(others);
    let ends = (0..others).map(|other| {
        let (here, there) = pair();
        (Stream::new(here, Rank::new(other)).unwrap(), Stream::new(there, me).unwrap())
    });
    let (here, there) = ends.unzip();
    (Streams::new(here, others as usize + 1).unwrap(), there)
}

/// Sender and bytes of each message. Long ones wait until they may come.
#[derive(Default)]
struct Arrived {
    all: Vec<(Rank, Vec<u8>)>,
    may_long_ones_come: bool,
}

impl Arrivals for Arrived {
    fn arrived(&mut self, from: Rank, _: u16, message: &[u8]) {
        self.all.push((from, message.to_vec()));
    }
    fn place(&mut self, _: Rank, _: u16, len: usize) -> Option<Place> {
        self.may_long_ones_come.then(|| Place::Kept(vec![0; len]))
    }
    fn is_kept(&mut self, from: Rank, _: u16, message: Vec<u8>) {
        self.all.push((from, message));
    }
    fn is_complete(&mut self, _: usize, _: Rank, _: usize) {
        panic!("no message goes to an operation")
    }
}

/// What arrives until there are this many messages: sender and bytes.
fn arriving(streams: &mut Streams, count: usize) -> Vec<(Rank, Vec<u8>)> {
    let mut arrived = Arrived::default();
    until(|| {
        streams.receive(&mut arrived).unwrap();
        arrived.all.len() >= count
    });
    arrived.all.sort();
    arrived.all
}

/// With few of them each is asked, with more the system says which have something.
#[test]
fn messages_of_all_streams_arrive_also_after_one_is_closed() {
    for others in [1, 2, 3, 40] {
        let (mut streams, mut ends) = star(others);
        for (number, end) in ends.iter_mut().enumerate() {
            end.send(Tag::REQUEST, &[number as u8]);
        }
        let expected = |number: u32| (Rank::new(number), vec![number as u8]);
        let all: Vec<_> = (0..others).map(expected).collect();
        assert_eq!(arriving(&mut streams, others as usize), all);

        drop(ends.remove(0));
        until(|| {
            let mut arrived = Arrived::default();
            streams.receive(&mut arrived).unwrap();
            assert!(arrived.all.is_empty(), "nothing was sent");
            streams.gone().next().is_some()
        });
        assert_eq!(streams.gone().map(Stream::peer).collect::<Vec<_>>(), [A]);
        let open = (0..=others).filter(|&number| streams.is_open(Rank::new(number)));
        assert!(open.eq(1..others), "A is gone, and there is no last one");
        for (number, end) in (1..).zip(&mut ends) {
            end.send(Tag::REPLY, &[number]);
        }
        assert_eq!(arriving(&mut streams, others as usize - 1), all[1..]);
        assert_eq!(streams.gone().count(), 1);
    }
}

#[test]
fn there_is_no_stream_to_a_process_without_a_connection() {
    let (mut streams, _ends) = star(2);
    for peer in [2, 3] {
        // SAFETY: the bytes are constant.
        let sent = unsafe { streams.send(Rank::new(peer), Tag::REQUEST, b"?") };
        let text = sent.unwrap_err().to_string();
        assert!(text.contains(&format!("no connection to image {}", peer + 1)), "{text}");
    }
}

/// The system has nothing more of a message that has arrived as a whole, but waits for its place.
#[test]
fn a_long_message_that_waited_for_its_place_is_not_forgotten() {
    for others in [1, 40] {
        let (mut streams, mut ends) = star(others);
        let last = ends.last_mut().unwrap();
        last.send(Tag::REQUEST_DATA, &[1; 9]);
        last.send(Tag::REPLY, &[2]);
        let mut arrived = Arrived::default();
        for _ in 0..1000 {
            streams.receive(&mut arrived).unwrap();
        }
        assert!(arrived.all.is_empty());
        arrived.may_long_ones_come = true;
        until(|| {
            streams.receive(&mut arrived).unwrap();
            arrived.all.len() >= 2
        });
        let from = Rank::new(others - 1);
        assert_eq!(arrived.all, [(from, vec![1; 9]), (from, vec![2])]);
    }
}
