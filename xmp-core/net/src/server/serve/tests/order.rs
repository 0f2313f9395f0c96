//! The order in which requests of one image take effect.

use super::*;
use crate::server::clients::STAGED;

#[test]
fn requests_behind_a_long_put_wait_for_its_bytes() {
    let mut pair = pair();
    let there = |pair: &Pair| pair.bytes_of(LEADER, 300);
    pair.request(LEADER, &Request::put(0, Payload::Follows(100)));
    // Overlaps the first, then does not, then would be out of order by itself.
    pair.request(LEADER, &Request::put(90, Payload::Inline(&[2; 20])));
    pair.request(LEADER, &Request::put(100, Payload::Follows(70)));
    pair.request(LEADER, &Request::get(0, 1));
    assert_eq!(there(&pair), [0; 300]);
    assert!(!pair.server.is_quiet());
    pair.send(Tag::REQUEST_DATA, &[1; 64]);
    pair.poll();
    assert!(there(&pair)[90..].iter().all(|&byte| byte == 0));
    pair.send(Tag::REQUEST_DATA, &[1; 36]);
    pair.poll();
    assert_eq!(there(&pair)[..110], [[1; 90].as_slice(), &[2; 20]].concat());
    pair.send(Tag::REQUEST_DATA, &[3; 64]);
    pair.send(Tag::REQUEST_DATA, &[3; 6]);
    pair.poll();
    assert_eq!(there(&pair)[100..171], [[3; 70].as_slice(), &[0]].concat());
    let reply = pair.received(Tag::REPLY).expect("the get is answered at last");
    let reply = read_reply(&reply).unwrap();
    assert_eq!((reply.answer, reply.executed), (Answer::Data(&[1]), 4));
    assert!(pair.server.is_quiet());
}

/// A message of image 3 with coalesced requests.
fn together(requests: &[Request<'_>]) -> Vec<u8> {
    coalesced(ME, requests)
}

#[test]
fn requests_of_one_message_wait_together_and_count_as_one() {
    let mut pair = pair();
    pair.request(LEADER, &Request::put(0, Payload::Follows(30)));
    // The first overlaps bytes in transit, so the others wait, too.
    let put = |offset, bytes| Request::put(offset, Payload::Inline(bytes));
    let get = Request::get(20, 1);
    let message = together(&[put(20, &[2; 20]), put(100, &[3]), get]);
    pair.send(Tag::REQUEST, &message);
    pair.poll();
    let there = |pair: &Pair| pair.bytes_of(LEADER, 101);
    assert_eq!(there(&pair), [0; 101]);
    assert_eq!(pair.server.clients.of(ME).held.len(), 1);
    pair.send(Tag::REQUEST_DATA, &[1; 30]);
    pair.poll();
    assert_eq!(there(&pair)[..40], [[1; 20], [2; 20]].concat());
    assert_eq!(there(&pair)[100], 3);
    pair.answer(|answer| assert_eq!(answer, Answer::Data(&[2])));
    assert_eq!(pair.server.clients.of(ME).executed, 2);
    // Requests that need not wait are executed at once, and count as one, too.
    pair.send(Tag::REQUEST, &together(&[put(20, &[4]), put(21, &[5]), put(22, &[6])]));
    pair.poll();
    assert_eq!(there(&pair)[20..23], [4, 5, 6]);
    assert_eq!(pair.server.clients.of(ME).executed, 3);
    assert!(pair.server.is_quiet());
}

#[test]
fn damaged_bytes_behind_waiting_requests_are_refused() {
    let put = Request::put(0, Payload::Inline(&[2]));
    let mut bytes = Vec::new();
    (ME, Change::Stopped).write(&mut bytes);
    let states = Request::States(Changes::read(&bytes).unwrap());
    let cut = |by| {
        let mut message = together(&[put.clone(), put.clone()]);
        message.truncate(message.len() - by);
        message
    };
    for message in [cut(1), cut(30), together(&[put.clone(), states])] {
        let mut pair = pair();
        pair.request(LEADER, &Request::put(0, Payload::Follows(30)));
        pair.send(Tag::REQUEST, &message);
        pair.poll();
        assert!(pair.refusal().is_some());
        assert!(pair.server.clients.of(ME).held.is_empty());
        // The next ones are served.
        pair.send(Tag::REQUEST_DATA, &[1; 30]);
        pair.request(LEADER, &Request::Flush);
        pair.answer(|answer| assert_eq!(answer, Answer::Value(0)));
    }
}

#[test]
fn long_puts_that_do_not_meet_are_received_at_once_and_others_in_order() {
    let mut pair = pair();
    for (offset, len) in [(0, 30), (100, 30), (20, 30)] {
        pair.request(LEADER, &Request::put(offset, Payload::Follows(len)));
    }
    // Two are being received, the third overlaps the first.
    assert_eq!(pair.server.clients.of(ME).incoming.len(), 2);
    assert_eq!(pair.server.clients.of(ME).held.len(), 1);
    for stamp in 1..4 {
        pair.send(Tag::REQUEST_DATA, &[stamp; 30]);
    }
    pair.poll();
    let there = pair.bytes_of(LEADER, 130);
    assert_eq!([there[19], there[20], there[49], there[100]], [1, 3, 3, 2]);
}

#[test]
fn sections_take_memory_in_turns() {
    let mut pair = pair();
    let dim = Loop { extent: 2, remote: 100, local: 0 };
    let grid = |offset| Grid { offset, unit: 20, loops: [dim].into_iter().collect() };
    let count = STAGED as u64 + 3;
    for number in 0..count {
        let request =
            Request::Put { to: RemoteLayout::Nest(grid(number * 200)), data: Payload::Follows(40) };
        pair.request(LEADER, &request);
    }
    assert_eq!(pair.server.clients.of(ME).incoming.len(), STAGED);
    assert_eq!(pair.server.clients.of(ME).held.len(), 3);
    for number in 0..count {
        pair.send(Tag::REQUEST_DATA, &[number as u8 + 1; 40]);
        pair.poll();
    }
    let there = pair.bytes_of(LEADER, count as usize * 200);
    for number in 0..count as usize {
        let [first, second] = [0, 119].map(|at| there[number * 200 + at]);
        assert_eq!([first, second], [number as u8 + 1; 2]);
    }
    assert!(pair.server.is_quiet());
}
