//! Tests of the wire format: written messages are read again; damaged ones are refused.

use super::*;
use crate::nest::Loop;
use crate::transport::{AtomicOp, AtomicRequest, Mark, Update, Wake, Width};
use proptest::prelude::*;

/// Two bytes at 256, one at 7.
const TWO_RUNS: &[u8] = &[
    0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, //
    7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
];

/// One of image 2, the other of image 4.
const TWO_MEMBERS: &[u8] = &[
    1, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, //
    3, 0, 0, 0, 7, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
];

/// Five messages of image 2, 256 of image 4.
const TWO_DEPENDENCIES: &[u8] = &[
    1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, //
    3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
];

fn some_requests(data: &[u8]) -> Vec<Request<'_>> {
    let dim = |extent, remote| Loop { extent, remote, local: 0 };
    let grid =
        Grid { offset: 64, unit: 8, loops: [dim(3, -16), dim(2, 1 << 40)].into_iter().collect() };
    let (offset, width, half) = (128, Width::W4, data.len() / 2);
    let parts = [&data[..half], &data[half..]];
    vec![
        Request::put(offset, Payload::Inline(data)),
        Request::put(offset, Payload::Follows(3 << 30)),
        Request::get(offset, 7),
        Request::Put { to: RemoteLayout::Nest(grid.clone()), data: Payload::Inline(data) },
        Request::Put { to: RemoteLayout::Nest(grid.clone()), data: Payload::Follows(48) },
        Request::Get { from: RemoteLayout::Nest(grid) },
        Request::Put {
            to: RemoteLayout::Runs(Runs::read(&[]).unwrap()),
            data: Payload::Inline(&[]),
        },
        Request::Put {
            to: RemoteLayout::Runs(Runs::read(TWO_RUNS).unwrap()),
            data: Payload::Inline(b"abc"),
        },
        Request::Get { from: RemoteLayout::Runs(Runs::read(TWO_RUNS).unwrap()) },
        Request::GetAhead {
            arrivals: u32::MAX,
            is_awaited: false,
            from: Runs::read(TWO_RUNS).unwrap(),
        },
        Request::GetAhead { arrivals: 7, is_awaited: true, from: Runs::read(&[]).unwrap() },
        Request::Notify { counter: 8, value: 9 },
        Request::Packet { end: 256, parts, mark: Mark::Trailing(5) },
        Request::Packet { end: 256, parts, mark: Mark::Counter { offset: 8, value: 5 } },
        Request::Atomic {
            offset,
            width: Width::W8,
            action: Action::Execute(AtomicRequest::Fetch(AtomicOp::Xor, u64::MAX)),
        },
        Request::Atomic {
            offset,
            width,
            action: Action::Merged {
                op: AtomicOp::Add,
                members: Members::read(TWO_MEMBERS).unwrap(),
            },
        },
        Request::Atomic {
            offset,
            width,
            action: Action::Execute(AtomicRequest::CompareSwap { expected: 1, desired: 2 }),
        },
        Request::Atomic {
            offset,
            width,
            action: Action::Signal { update: Update::Add(3), wake: Wake::Target },
        },
        Request::Atomic {
            offset,
            width,
            action: Action::Signal { update: Update::Clear(7), wake: Wake::Sleepers(132) },
        },
        Request::Ring,
        Request::Flush,
        Request::Call { handler: 3, data: Payload::Inline(data) },
        Request::Call { handler: u16::MAX, data: Payload::Follows(1 << 20) },
        Request::States(Changes::read(&[]).unwrap()),
        Request::Note(data),
        Request::After(Dependencies::read(TWO_DEPENDENCIES).unwrap()),
    ]
}

fn some_answers(data: &[u8]) -> Vec<Answer<'_>> {
    vec![
        Answer::Credit,
        Answer::Value(u64::MAX),
        Answer::Data(data),
        Answer::Follows(1 << 30),
        Answer::Refused("put: out of the segment"),
        Answer::Stopped(Rank::new(3)),
        Answer::Failed(Rank::new(1 << 20)),
    ]
}

const HEAD: Head = Head { origin: Rank::new(7), target: Rank::new(1 << 20), id: u32::MAX };

#[test]
fn written_messages_are_read_again() {
    for data in [&b""[..], b"x", b"some bytes"] {
        for request in some_requests(data) {
            let mut message = Vec::new();
            write_request(&mut message, HEAD, &request);
            let short = match &request {
                Request::Put {
                    to: RemoteLayout::Contiguous { offset, .. },
                    data: Payload::Inline(bytes),
                } => Some((HEAD, *offset, *bytes)),
                _ => None,
            };
            assert_eq!(read_short_put(&message), short);
            // Other lengths than that of the bytes.
            for at in [24, 32] {
                let mut damaged = message.clone();
                damaged[at] ^= 1;
                assert_eq!(read_short_put(&damaged), None);
            }
            assert_eq!(read_request(&message).unwrap(), (HEAD, request));
        }
        for answer in some_answers(data) {
            let mut message = Vec::new();
            let reply = Reply { id: 5, host: 6, number: 7, executed: 1 << 40, answer };
            write_reply(&mut message, reply);
            assert_eq!(read_reply(&message).unwrap(), reply);
        }
    }
}

#[test]
fn changes_are_read_as_they_were_written() {
    let all = [
        Change::Stopped,
        Change::Failed,
        Change::SurvivorSync(3),
        Change::Ending(-1),
        Change::EndingByLauncher(9),
        Change::Acknowledged,
        Change::Complaint(u32::MAX),
        Change::AtEnd(5),
    ];
    let all: Vec<_> = (0..).map(Rank::new).zip(all).collect();
    let mut bytes = Vec::new();
    all.iter().for_each(|&(image, change)| (image, change).write(&mut bytes));
    let mut message = Vec::new();
    write_request(&mut message, HEAD, &Request::States(Changes::read(&bytes).unwrap()));
    let Ok((HEAD, Request::States(changes))) = read_request(&message) else { panic!() };
    assert_eq!(changes.iter().collect::<Vec<_>>(), all);
    assert!(read_request(&message[..message.len() - 1]).is_err());
    message[REQUEST_HEADER + 4] = 9;
    let text = read_request(&message).unwrap_err().to_string();
    assert!(text.contains("code 9"), "{text}");
}

#[test]
fn truncated_and_overlong_messages_are_refused() {
    for request in some_requests(b"0123456789") {
        let mut message = Vec::new();
        write_request(&mut message, HEAD, &request);
        // The length of the data of a packet is that of the message.
        let open = matches!(request, Request::Packet { .. });
        for len in (0..message.len()).filter(|&len| !open || len < REQUEST_HEADER) {
            let text = read_request(&message[..len]).unwrap_err().to_string();
            assert!(text.contains("damaged"), "{text}");
        }
        message.push(0);
        assert!(open || read_request(&message).is_err());
    }
}

#[test]
fn merged_operations_are_read_as_they_were_written() {
    let member = |origin, id, operand| Member { origin: Rank::new(origin), id, operand };
    let both = [member(1, 9, 5), member(3, 7, 256)];
    let mut bytes = Vec::new();
    both.into_iter().for_each(|member| member.write(&mut bytes));
    assert_eq!(bytes, TWO_MEMBERS);
    assert_eq!(Members::read(&bytes).unwrap().iter().collect::<Vec<_>>(), both);
    assert!(Members::read(&[]).is_err() && Members::read(&bytes[..Member::BYTES + 1]).is_err());
}

#[test]
fn runs_are_read_as_they_were_written() {
    let mut bytes = Vec::new();
    for (offset, len) in [(256, 2), (7, 1)] {
        Run { offset, len }.write(&mut bytes);
    }
    assert_eq!(bytes, TWO_RUNS);
    let runs = Runs::read(&bytes).unwrap();
    assert_eq!(
        runs.iter().collect::<Vec<_>>(),
        [Run { offset: 256, len: 2 }, Run { offset: 7, len: 1 }]
    );
    assert_eq!((runs.count(), runs.total()), (2, 3));
    // Other bytes than the runs have.
    let mut message = Vec::new();
    write_request(
        &mut message,
        HEAD,
        &Request::Put { to: RemoteLayout::Runs(runs), data: Payload::Inline(b"ab") },
    );
    let text = read_request(&message).unwrap_err().to_string();
    assert!(text.contains("a put of 3 bytes with 2"), "{text}");
}

#[test]
fn kinds_that_do_not_exist_are_refused() {
    let mut message = Vec::new();
    write_request(&mut message, HEAD, &Request::Ring);
    for (at, byte, word) in [(0, 0, "begins"), (1, 0, "kind 0"), (1, 99, "kind 99")] {
        let mut message = message.clone();
        message[at] = byte;
        let text = read_request(&message).unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn sections_far_out_of_any_segment_are_measured() {
    let dim = Loop { extent: usize::MAX, remote: i64::MIN, local: 0 };
    let grid =
        Grid { offset: u64::MAX, unit: usize::MAX, loops: [dim; MAX_LOOPS].into_iter().collect() };
    assert_eq!(grid.packed(), None);
    assert!(grid.touched().start < 0);
}

proptest! {
    /// Any bytes: read or refused, never a panic; a message that is read is written in the same way.
    #[test]
    fn any_bytes(mut message in prop::collection::vec(any::<u8>(), 0..120), kind in 0u8..12) {
        if message.len() > 2 {
            message[0] = MARK;
            message[1] = kind;
        }
        match read_request(&message) {
            Ok((head, request)) => {
                let mut again = Vec::new();
                write_request(&mut again, head, &request);
                prop_assert_eq!(again.len(), message.len());
            }
            Err(_) => prop_assert!(read_short_put(&message).is_none()),
        }
        let _ = read_reply(&message);
    }
}
