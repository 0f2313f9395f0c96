//! Tests of an origin whose fabric gives it other messages than a server would.

use super::*;
use crate::job::Part;
use crate::job::page::Geometry;
use crate::server::in_process::{InProcess, Network, Shim};
use crate::server::wire::{Answer, Reply, write_reply};
use crate::settings::Settings;
use crate::thread_images;
use crate::transport::{AtomicRequest, Transport, Width};

const LEADER: Rank = Rank::new(0);
const ME: Rank = Rank::new(1);

/// An image with these limits, and the fabric of what it takes for the server of the other host.
fn origin(limits: Limits) -> (Origin, InProcess) {
    let settings = Settings::default();
    let part = Part { images: 1, first_host: 1, hosts: 1 };
    let geometry = Geometry::plan_part(2, 2, part, Some(1 << 26)).unwrap();
    let job = Arc::new(thread_images::job(&settings, Geometry { base: 0, ..geometry }).unwrap());
    let peers = Arc::new(Peers::new(ME, &[LEADER, ME]));
    let network = Network::new(2, Shim::default());
    let port = Port::new(Box::new(network.fabric(ME)), None, limits.nap);
    (Origin::new(port, job, peers, limits), network.fabric(LEADER))
}

fn send(server: &mut InProcess, tag: Tag, bytes: &[u8]) {
    // SAFETY: short, so it is copied at once.
    unsafe { server.send(ME, tag, bytes).unwrap() };
}

/// Answers the request with this number, the first from 1.
fn answer(server: &mut InProcess, request: u32, number: u32, answer: Answer<'_>) {
    let mut message = Vec::new();
    let executed = request.into();
    write_reply(&mut message, Reply { id: request, host: 0, number, executed, answer });
    send(server, Tag::REPLY, &message);
}

/// An operation that has failed is over: to cancel it, too, would end another one.
#[test]
fn a_reply_that_is_too_long_is_an_error_once() {
    let (origin, mut server) = origin(Limits { inline: 64, ..Limits::default() });
    send(&mut server, Tag::REPLY, &[0; REPLY_HEADER + REFUSAL + 1]);
    // The reply to the second request: the first that is read.
    answer(&mut server, 2, 0, Answer::Value(7));
    // SAFETY: an origin sends the operation to the server of the word.
    let ask = || unsafe { origin.atomic(LEADER, 0, Width::W8, AtomicRequest::LOAD) };
    let text = ask().unwrap_err().to_string();
    assert!(text.contains("in a buffer of"), "{text}");
    assert_eq!(ask(), Ok(7));
}

#[test]
fn an_answer_without_room_leaves_no_bytes_to_the_next() {
    let limits = Limits { inline: 64, chunk: 100, payload: 200, ..Limits::default() };
    let (origin, mut server) = origin(limits);
    let long = [1; 250];
    answer(&mut server, 1, 0, Answer::Follows(250));
    long.chunks(100).for_each(|part| send(&mut server, Tag::REPLY_DATA, part));
    answer(&mut server, 2, 1, Answer::Follows(150));
    [2; 150].chunks(100).for_each(|part| send(&mut server, Tag::REPLY_DATA, part));
    let mut reply = vec![9];
    let text = origin.call_handler(LEADER, 3, b"first", &mut reply).unwrap_err().to_string();
    assert!(text.contains("a reply of 250 bytes") && text.contains("200"), "{text}");
    assert_eq!(reply, [9]);
    origin.call_handler(LEADER, 3, b"second", &mut reply).unwrap();
    assert_eq!(reply, [&[9][..], &[2; 150]].concat());
    let text = origin.call_handler(LEADER, 3, &[0; 201], &mut reply).unwrap_err().to_string();
    assert!(text.contains("a request to a handler of 201 bytes"), "{text}");
}

#[test]
fn images_that_have_ended_are_errors_of_their_own() {
    let (origin, mut server) = origin(Limits::default());
    let (stopped, failed) = (Rank::new(4), Rank::new(5));
    answer(&mut server, 1, 0, Answer::Stopped(stopped));
    answer(&mut server, 2, 1, Answer::Failed(failed));
    let ask = || origin.call_handler(LEADER, 3, b"", &mut Vec::new());
    assert_eq!(ask(), Err(Error::StoppedImage(stopped)));
    assert_eq!(ask(), Err(Error::FailedImage(failed)));
}
