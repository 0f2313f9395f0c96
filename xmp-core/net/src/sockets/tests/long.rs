//! Tests of long messages, which are neither copied to be sent nor on arrival.

use super::*;

const KINDS: [Tag; 3] = [Tag::REQUEST_DATA, Tag::REPLY_DATA, Tag::rendezvous(77)];

/// Bytes of a message with this number.
fn text(number: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 1000 + number) as u8).collect()
}

/// Starts a receive from `from`.
fn start(fabric: &mut dyn Fabric, from: Rank, tag: Tag, room: &mut [u8]) -> Op {
    // SAFETY: callers keep the memory until the operation is over.
    unsafe { fabric.receive(from, tag, room).unwrap() }
}

#[test]
fn long_messages_of_both_directions_arrive_where_they_belong() {
    let mut fabrics = fabrics();
    for (number, len) in
        [1, 5, 1000, 65_529, 65_530, 70_000, 131_072, 3_000_000].into_iter().enumerate()
    {
        for tag in KINDS {
            let sent = [text(number, len), text(number + 1, len)];
            let mut rooms = [vec![0; len], vec![0; len]];
            let receives = [
                start(&mut fabrics.0, B, tag, &mut rooms[0]),
                start(&mut fabrics.1, A, tag, &mut rooms[1]),
            ];
            let sends =
                [send(&mut fabrics.0, B, tag, &sent[0]), send(&mut fabrics.1, A, tag, &sent[1])];
            let mut left = [vec![sends[0], receives[0]], vec![sends[1], receives[1]]];
            // A side whose send is over tests its receive, by which the other side's send gets done.
            until(|| {
                left[0].retain(|&op| fabrics.0.test(op).unwrap().is_none());
                left[1].retain(|&op| fabrics.1.test(op).unwrap().is_none());
                left.iter().all(Vec::is_empty)
            });
            assert!(rooms[0] == sent[1] && rooms[1] == sent[0], "{tag:?} {len}");
        }
    }
}

/// The server receives the bytes of a request when it can begin it; what its image waits for must not come before.
#[test]
fn bytes_of_a_request_wait_for_their_receive_and_others_do_not() {
    let mut fabrics = fabrics();
    let [data, rendezvous] = [text(1, 3_000_000), text(2, 100_000)];
    let sends = [(Tag::rendezvous(3), &rendezvous), (Tag::REQUEST_DATA, &data)]
        .map(|(tag, bytes)| send(&mut fabrics.0, B, tag, bytes));
    let reply = send(&mut fabrics.0, B, Tag::REPLY, b"behind");
    let mut room = vec![0; 10];
    let behind = start(&mut fabrics.1, A, Tag::REPLY, &mut room);
    let mut sent = [false; 2];
    for _ in 0..1000 {
        for (sent, send) in sent.iter_mut().zip(sends) {
            *sent = *sent || fabrics.0.test(send).unwrap().is_some();
        }
        assert!(fabrics.1.test(behind).unwrap().is_none());
    }
    let mut arrived = [vec![0; data.len()], vec![0; rendezvous.len()]];
    let receives = [
        start(&mut fabrics.1, A, Tag::REQUEST_DATA, &mut arrived[0]),
        start(&mut fabrics.1, A, Tag::rendezvous(3), &mut arrived[1]),
    ];
    let pairs = [(sends[1], receives[0]), (sends[0], receives[1]), (reply, behind)];
    for ((send, receive), sent) in pairs.into_iter().zip([sent[1], sent[0], false]) {
        let mut done = [sent, false];
        while done != [true; 2] {
            done[0] = done[0] || fabrics.0.test(send).unwrap().is_some();
            done[1] = done[1] || fabrics.1.test(receive).unwrap().is_some();
        }
    }
    assert!(arrived[0] == data && arrived[1] == rendezvous);
    assert_eq!(&room[..6], b"behind");
}

#[test]
fn the_memory_of_a_cancelled_operation_is_not_used_any_more() {
    let mut fabrics = fabrics();
    let tag = Tag::rendezvous(5);
    let mut first = text(1, 3_000_000);
    let mut room = vec![0; first.len()];
    let receive = start(&mut fabrics.1, A, tag, &mut room);
    let sending = send(&mut fabrics.0, B, tag, &first);
    while !room.iter().any(|&byte| byte != 0) {
        assert!(fabrics.1.test(receive).unwrap().is_none());
    }
    // A part of the message is on the way. Its sender cancels, and reuses the memory: the message still arrives.
    assert!(fabrics.0.cancel(sending).unwrap());
    first.fill(0xee);
    // Its receiver cancels, too: it is lost, and the next one goes where it belongs.
    assert!(fabrics.1.cancel(receive).unwrap());
    room.fill(0xdd);
    let second = text(2, 200_000);
    let mut place = vec![0; second.len()];
    let next = start(&mut fabrics.1, A, tag, &mut place);
    let sending = send(&mut fabrics.0, B, tag, &second);
    let mut done = [false; 2];
    while done != [true; 2] {
        done[0] = done[0] || fabrics.0.test(sending).unwrap().is_some();
        done[1] = done[1] || fabrics.1.test(next).unwrap().is_some();
    }
    assert!(place == second);
    assert!(room.iter().all(|&byte| byte == 0xdd));
}

#[test]
fn the_copy_of_a_cancelled_send_arrives() {
    let mut fabrics = fabrics();
    let tag = Tag::rendezvous(6);
    let mut bytes = text(3, 8_000_000);
    let expected = bytes.clone();
    let mut room = vec![0; bytes.len()];
    let receive = start(&mut fabrics.1, A, tag, &mut room);
    let sending = send(&mut fabrics.0, B, tag, &bytes);
    assert!(fabrics.0.test(sending).unwrap().is_none());
    assert!(fabrics.0.cancel(sending).unwrap());
    bytes.fill(0);
    // Another operation makes progress.
    let mut reply = vec![0; 1];
    let waiting = start(&mut fabrics.0, B, Tag::REPLY, &mut reply);
    let mut done = false;
    while !done {
        assert!(fabrics.0.test(waiting).unwrap().is_none());
        done = fabrics.1.test(receive).unwrap().is_some();
    }
    assert!(room == expected);
    assert!(fabrics.0.cancel(waiting).unwrap());
}

#[test]
fn a_long_message_that_is_too_long_is_an_error_of_its_receive_alone() {
    let mut fabrics = fabrics();
    let (long, short) = (text(1, 300_000), text(2, 200_000));
    let mut rooms = [vec![0; short.len()], vec![0; short.len()]];
    let receives = rooms.each_mut().map(|room| start(&mut fabrics.1, A, Tag::REPLY_DATA, room));
    let sends = [&long, &short].map(|bytes| send(&mut fabrics.0, B, Tag::REPLY_DATA, bytes));
    let mut errors = 0;
    for (send, receive) in sends.into_iter().zip(receives) {
        let mut done = [false; 2];
        while done != [true; 2] {
            done[0] = done[0] || fabrics.0.test(send).unwrap().is_some();
            done[1] = done[1]
                || match fabrics.1.test(receive) {
                    Ok(outcome) => outcome.is_some(),
                    Err(error) => {
                        assert!(error.to_string().contains("300000 bytes"), "{error}");
                        errors += 1;
                        true
                    }
                };
        }
    }
    assert_eq!(errors, 1);
    assert!(rooms[1] == short && rooms[0].iter().all(|&byte| byte == 0));
}

/// A server's thread that sleeps between the parts of a message makes each of them wait.
#[test]
fn a_part_of_a_long_message_is_seen() {
    let (mut raw, other) = pair();
    let (_, end) = streams();
    let (_, mut fabric) = fabrics_with(end, Stream::new(other, A).unwrap());
    let expected = text(1, 50_000);
    let mut room = vec![0; expected.len()];
    let receive = start(&mut fabric, A, Tag::REQUEST_DATA, &mut room);
    let mut header = (expected.len() as u64).to_le_bytes()[..6].to_vec();
    header.extend(Tag::REQUEST_DATA.get().to_le_bytes());
    let (first, last) = expected.split_at(20_000);
    for part in [&header[..3], &header[3..], first] {
        let before = fabric.moves();
        raw.write_all(part).unwrap();
        until(|| {
            assert_eq!(fabric.test(receive), Ok(None));
            fabric.moves() != before
        });
    }
    // There may be a second piece of it.
    until(|| room.starts_with(first) || fabric.test(receive).unwrap().is_some());
    let before = fabric.moves();
    for _ in 0..100 {
        assert_eq!(fabric.test(receive), Ok(None));
    }
    assert_eq!(fabric.moves(), before, "nothing has come");
    raw.write_all(last).unwrap();
    assert_eq!(wait(&mut fabric, receive), Ok((A, expected.len())));
    assert!(room == expected && fabric.moves() != before);
}

#[test]
fn a_part_of_a_long_message_that_goes_is_seen() {
    let (one, _raw) = pair();
    let (end, _) = streams();
    let (mut fabric, _) = fabrics_with(Stream::new(one, B).unwrap(), end);
    let bytes = text(1, 64_000_000);
    let sending = send(&mut fabric, B, Tag::REPLY_DATA, &bytes);
    let before = fabric.moves();
    until(|| {
        assert_eq!(fabric.test(sending), Ok(None));
        fabric.moves() != before
    });
    assert_eq!(fabric.cancel(sending), Ok(true));
}

#[test]
fn a_request_whose_bytes_follow_leaves_with_them_or_when_its_sender_tests() {
    let mut fabrics = fabrics();
    let request = |fabric: &mut SocketFabric| {
        // SAFETY: the message lives longer than the fabric.
        let op = unsafe { fabric.send_followed(B, Tag::REQUEST, b"put").unwrap() };
        assert_eq!(fabric.test(op), Ok(Some((A, 0))));
    };
    let (mut room, mut reply) = ([0; 3], [0; 3]);
    let arrives = start(&mut fabrics.1, A, Tag::REQUEST, &mut room);
    request(&mut fabrics.0);
    assert!((0..1000).all(|_| fabrics.1.test(arrives).unwrap().is_none()));
    let replied = start(&mut fabrics.0, B, Tag::REPLY, &mut reply);
    assert_eq!(fabrics.0.test(replied), Ok(None));
    assert_eq!(wait(&mut fabrics.1, arrives), Ok((A, 3)));

    let (data, mut place) = (text(1, 70_000), vec![0; 70_000]);
    let arrives = start(&mut fabrics.1, A, Tag::REQUEST, &mut room);
    let follows = start(&mut fabrics.1, A, Tag::REQUEST_DATA, &mut place);
    request(&mut fabrics.0);
    send(&mut fabrics.0, B, Tag::REQUEST_DATA, &data);
    assert_eq!(wait(&mut fabrics.1, arrives), Ok((A, 3)));
    assert_eq!(wait(&mut fabrics.1, follows), Ok((A, 70_000)));
    assert!(room == *b"put" && place == data);
    fabrics.0.cancel(replied).unwrap();
}
