//! Tests with real connections, by the loopback device or this host's own addresses.

mod connections;
mod long;
mod lost;
mod streams;

use super::fabric::SocketFabric;
use super::input::{Body, Next, Place};
use super::stream::Stream;
use super::streams::Streams;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::in_process::{Network, Shim};
use crate::server::{Fabric, Op, Peers, Tag};
use proptest::prelude::*;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything in these tests takes: one that waits for what never comes fails instead of hanging.
const HANG: Duration = Duration::from_secs(600);

const A: Rank = Rank::new(0);
const B: Rank = Rank::new(1);

/// Asks again and again until the answer is yes.
fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + HANG;
    while !is_so() {
        assert!(Instant::now() < deadline, "what this test waits for does not come");
    }
}

/// Both ends of a connection.
fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

fn streams() -> (Stream, Stream) {
    let (one, other) = pair();
    (Stream::new(one, B).unwrap(), Stream::new(other, A).unwrap())
}

/// The next message.
fn next(stream: &mut Stream) -> (u16, Vec<u8>) {
    loop {
        match stream.next() {
            Next::Message(kind, message) => return (kind, message.to_vec()),
            Next::Complete(Body { kind, place: Place::Kept(message), .. }) => {
                return (kind, message);
            }
            // SAFETY: memory of the stream.
            Next::Long { len, .. } => unsafe { stream.begin(Place::Kept(vec![0; len])) },
            Next::Complete(body) => panic!("{body:?}"),
            Next::None => {}
        }
        assert!(stream.gone().is_none());
        stream.receive();
    }
}

/// The fabrics of two hosts with an image each, and the connection between them.
fn fabrics() -> (SocketFabric, SocketFabric) {
    let (one, other) = streams();
    fabrics_with(one, other)
}

fn fabrics_with(one: Stream, other: Stream) -> (SocketFabric, SocketFabric) {
    let network = Network::new(2, Shim::default());
    let make = |me: Rank, stream| {
        let peers = Peers::new(me, &[A, B]);
        let streams = Streams::new(vec![stream], 2).unwrap();
        SocketFabric::new(Box::new(network.fabric(me)), &peers, streams, true).unwrap()
    };
    (make(A, one), make(B, other))
}

fn wait(fabric: &mut dyn Fabric, op: Op) -> Result<(Rank, usize)> {
    let mut outcome = Ok(None);
    until(|| {
        outcome = fabric.test(op);
        thread::yield_now();
        !matches!(outcome, Ok(None))
    });
    Ok(outcome?.expect("it is over"))
}

fn send(fabric: &mut dyn Fabric, to: Rank, tag: Tag, bytes: &[u8]) -> Op {
    // SAFETY: the sends of these tests are copied.
    unsafe { fabric.send(to, tag, bytes).unwrap() }
}

fn receive(fabric: &mut dyn Fabric, tag: Tag, room: usize) -> Result<(Rank, Vec<u8>)> {
    let mut bytes = vec![0; room];
    // SAFETY: the operation is over when this returns.
    let op = unsafe { fabric.receive_any(tag, &mut bytes[..])? };
    let (from, len) = wait(fabric, op)?;
    bytes.truncate(len);
    Ok((from, bytes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn messages_arrive_whole_however_the_network_cuts_them(
        lens in prop::collection::vec(prop_oneof![0..40usize, 0..3000usize, 60_000..140_000usize], 1..12),
        cuts in prop::collection::vec(1..5000usize, 1..20),
    ) {
        let (mut raw, other) = pair();
        let mut stream = Stream::new(other, A).unwrap();
        let text = |number: usize, len: usize| -> Vec<u8> {
            (0..len).map(|i| (i * 31 + number) as u8).collect()
        };
        let mut bytes = Vec::new();
        for (number, &len) in lens.iter().enumerate() {
            bytes.extend(&(len as u64).to_le_bytes()[..6]);
            bytes.extend((number as u16).to_le_bytes());
            bytes.extend(text(number, len));
        }
        let writer = thread::spawn(move || {
            let mut rest = &bytes[..];
            for cut in cuts.iter().cycle() {
                let (part, after) = rest.split_at(rest.len().min(*cut));
                raw.write_all(part).unwrap();
                rest = after;
                if rest.is_empty() {
                    return raw;
                }
            }
            unreachable!("there are cuts")
        });
        for (number, &len) in lens.iter().enumerate() {
            prop_assert_eq!(next(&mut stream), (number as u16, text(number, len)));
        }
        drop(writer.join().unwrap());
    }
}

#[test]
fn what_the_system_does_not_take_is_sent_later() {
    let (mut from, mut to) = streams();
    let message = |number: u8| vec![number; 100_000];
    let mut ends = Vec::new();
    while ends.len() < 200 {
        ends.push(from.send(Tag::REQUEST, &message(ends.len() as u8)));
    }
    assert!(from.has_sent(ends[0]) && !from.has_sent(ends[199]) && from.is_sending());
    for number in 0..200 {
        from.flush();
        to.receive();
        let received = loop {
            if let Next::Message(kind, bytes) = to.next() {
                break (kind, bytes.to_vec());
            }
            from.flush();
            to.receive();
        };
        assert_eq!(received, (Tag::REQUEST.get(), message(number)));
    }
    assert!(ends.iter().all(|&end| from.has_sent(end)) && !from.is_sending());
}

#[test]
fn a_closed_connection_takes_everything_and_gives_what_has_arrived() {
    let (mut from, mut to) = streams();
    from.send(Tag::REPLY, b"last");
    drop(from);
    assert_eq!(next(&mut to), (Tag::REPLY.get(), b"last".to_vec()));
    until(|| {
        assert!(!to.receive());
        to.gone().is_some()
    });
    // Without a signal that would end this process.
    for _ in 0..3 {
        let end = to.send(Tag::REQUEST, b"lost");
        assert!(to.has_sent(end) && !to.is_sending());
    }
    assert!(matches!(to.next(), Next::None));
}

#[test]
fn a_length_that_no_process_writes_closes_the_connection() {
    let (mut raw, other) = pair();
    let mut stream = Stream::new(other, A).unwrap();
    raw.write_all(&[0xff; 16]).unwrap();
    until(|| {
        stream.receive();
        assert!(matches!(stream.next(), Next::None));
        stream.gone().is_some()
    });
}

#[test]
fn each_kind_of_message_is_received_in_its_order_whenever_it_comes() {
    let (mut a, mut b) = fabrics();
    for number in 0..50u8 {
        for tag in [Tag::REQUEST, Tag::REPLY, Tag::RELAY, Tag::SILENCE] {
            let op = send(&mut a, B, tag, &[tag.get() as u8, number]);
            wait(&mut a, op).unwrap();
        }
    }
    // The one that is sent last is received first.
    for tag in [Tag::SILENCE, Tag::RELAY, Tag::REPLY, Tag::REQUEST] {
        for number in 0..50 {
            assert_eq!(receive(&mut b, tag, 10), Ok((A, vec![tag.get() as u8, number])));
        }
    }
    // To itself, as a server that distributes replies does.
    let op = send(&mut b, B, Tag::REPLY, b"mine");
    wait(&mut b, op).unwrap();
    assert_eq!(receive(&mut b, Tag::REPLY, 10), Ok((B, b"mine".to_vec())));
}

#[test]
fn both_send_more_than_the_network_takes_before_either_receives() {
    let (mut a, mut b) = fabrics();
    let message = |number: usize| vec![number as u8; 200_000];
    let sends = |fabric: &mut SocketFabric, to| -> Vec<Op> {
        (0..60).map(|number| send(fabric, to, Tag::REQUEST, &message(number))).collect()
    };
    let (mut to_b, mut to_a) = (sends(&mut a, B), sends(&mut b, A));
    let mut rooms = [vec![0; 200_000], vec![0; 200_000]];
    let [for_a, for_b] = &mut rooms;
    // SAFETY: the rooms live until the operations are cancelled.
    let (last_a, last_b) = unsafe {
        (
            a.receive_any(Tag::REPLY, &mut for_a[..]).unwrap(),
            b.receive_any(Tag::REPLY, &mut for_b[..]).unwrap(),
        )
    };
    // To test one operation is enough to receive what the other one sends.
    while !to_b.is_empty() || !to_a.is_empty() {
        assert_eq!((a.test(last_a), b.test(last_b)), (Ok(None), Ok(None)));
        to_b.retain(|&op| a.test(op).unwrap().is_none());
        to_a.retain(|&op| b.test(op).unwrap().is_none());
    }
    assert_eq!((a.cancel(last_a), b.cancel(last_b)), (Ok(true), Ok(true)));
    for number in 0..60 {
        assert_eq!(receive(&mut a, Tag::REQUEST, 200_000), Ok((B, message(number))));
        assert_eq!(receive(&mut b, Tag::REQUEST, 200_000), Ok((A, message(number))));
    }
}

#[test]
fn a_message_that_is_too_long_is_an_error_of_its_receive_alone() {
    let (mut a, mut b) = fabrics();
    send(&mut a, B, Tag::REQUEST, &[1; 100]);
    send(&mut a, B, Tag::REQUEST, &[2; 10]);
    let error = receive(&mut b, Tag::REQUEST, 99).unwrap_err().to_string();
    assert!(error.contains("100 bytes from image 1 in a buffer of 99"), "{error}");
    assert_eq!(receive(&mut b, Tag::REQUEST, 99), Ok((A, vec![2; 10])));
}

#[test]
fn a_receive_that_was_cancelled_leaves_its_message_to_the_next() {
    let (mut a, mut b) = fabrics();
    let mut room = [0; 4];
    // SAFETY: the room lives until the operation is cancelled.
    let op = unsafe { b.receive(A, Tag::REPLY, &mut room).unwrap() };
    assert_eq!((b.test(op), b.cancel(op)), (Ok(None), Ok(true)));
    send(&mut a, B, Tag::REPLY, b"text");
    assert_eq!(receive(&mut b, Tag::REPLY, 4), Ok((A, b"text".to_vec())));
    assert_eq!(room, [0; 4]);
}

#[test]
fn the_end_of_a_leader_becomes_an_error() {
    let (a, mut b) = fabrics();
    drop(a);
    let mut room = [0; 4];
    // SAFETY: the room lives until the operation is cancelled.
    let op = unsafe { b.receive_any(Tag::REQUEST, &mut room).unwrap() };
    // Launchers have some time to end the job.
    assert_eq!(b.test(op), Ok(None));
    b.set_grace(Duration::ZERO);
    let text = wait(&mut b, op).unwrap_err().to_string();
    assert!(text.contains("connection to image 1"), "{text}");
    // What is sent to it is lost.
    let sent = send(&mut b, A, Tag::REQUEST, b"?");
    assert!(wait(&mut b, sent).is_ok());
    assert_eq!(b.cancel(op), Ok(true));
}

#[test]
fn a_measurement_gives_both_times_and_leaves_nothing() {
    let (mut a, mut b) = fabrics();
    let other = thread::spawn(move || {
        super::measure::measure(&mut b, A, false).unwrap();
        b
    });
    let times = super::measure::measure(&mut a, B, true).unwrap();
    let mut b = other.join().unwrap();
    assert!(times.mpi > Duration::ZERO && times.sockets > Duration::ZERO);
    send(&mut a, B, Tag::REQUEST, b"next");
    assert_eq!(receive(&mut b, Tag::REQUEST, 200), Ok((A, b"next".to_vec())));
    a.into_mpi().unwrap();
}
