//! Tests of several streams of a process.

use super::*;

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

/// What arrives until there are so many messages: sender and bytes.
fn arriving(streams: &mut Streams, count: usize) -> Vec<(Rank, Vec<u8>)> {
    let mut all = Vec::new();
    while all.len() < count {
        streams.receive(|peer, _, message| all.push((peer, message.to_vec()))).unwrap();
    }
    all.sort();
    all
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
        while streams.gone().next().is_none() {
            streams.receive(|peer, _, _| panic!("{peer} has sent nothing")).unwrap();
        }
        assert_eq!(streams.gone().map(Stream::peer).collect::<Vec<_>>(), [A]);
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
        let text = streams.send(Rank::new(peer), Tag::REQUEST, b"?").unwrap_err().to_string();
        assert!(text.contains(&format!("no connection to image {}", peer + 1)), "{text}");
    }
}
