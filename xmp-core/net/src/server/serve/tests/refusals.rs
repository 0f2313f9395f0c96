//! Requests that the server refuses, and what follows them.

use super::*;

#[test]
fn an_invalid_message_is_answered_with_the_reason() {
    let mut pair = pair();
    for bytes in [&b""[..], b"short", &[0; 40], &[0xff; 100]] {
        pair.send(Tag::REQUEST, bytes);
        pair.poll();
        let text = pair.refusal().unwrap();
        assert!(text.contains("damaged"), "{text}");
    }
    let mut message = Vec::new();
    let head = Head { origin: Rank::new(3), target: LEADER, id: 1 };
    write_request(&mut message, head, &Request::Flush);
    pair.send(Tag::REQUEST, &message);
    pair.poll();
    let text = pair.refusal().unwrap();
    assert!(text.contains("image 4, which does not exist"), "{text}");
}

#[test]
fn requests_about_bytes_elsewhere_are_refused() {
    let stride = 1 << 26;
    let grid = |offset, remote, extent| Grid {
        offset,
        unit: 8,
        loops: [Loop { extent, remote, local: 0 }].into_iter().collect(),
    };
    let data = Payload::Inline(&[1; 16]);
    let word = Width::W8;
    let places = |list: &[(u64, u32)]| {
        let mut bytes = Vec::new();
        list.iter().for_each(|&(offset, len)| Run { offset, len }.write(&mut bytes));
        bytes
    };
    // The first of them is in the segment.
    let (beyond, far) = (places(&[(8, 8), (stride - 7, 8)]), places(&[(8, 8), (u64::MAX, 8)]));
    let many = places(&[(0, 33), (0, 32)]);
    let runs = |bytes| Runs::read(bytes).unwrap();
    // Without replies: a flush reports it.
    let silent = [
        Request::put(stride - 15, data),
        Request::put(u64::MAX, data),
        Request::Put { to: RemoteLayout::Nest(grid(0, -8, 2)), data },
        Request::Put { to: RemoteLayout::Nest(grid(0, 8, 3)), data },
        Request::Put { to: RemoteLayout::Nest(grid(stride - 8, i64::MAX, 2)), data },
        Request::Put { to: RemoteLayout::Runs(runs(&beyond)), data: Payload::Inline(&[1; 16]) },
        Request::Put { to: RemoteLayout::Runs(runs(&far)), data: Payload::Inline(&[1; 16]) },
        Request::Notify { counter: stride, value: 1 },
        Request::Notify { counter: 4, value: 1 },
        Request::Packet { end: 8, parts: [&[0; 16], &[]], mark: Mark::Trailing(1) },
        Request::Packet { end: stride, parts: [&[0; 16], &[]], mark: Mark::Trailing(1) },
    ];
    let answered = [
        Request::get(stride - 1, 2),
        Request::get(0, 65),
        Request::Get { from: RemoteLayout::Nest(grid(0, -8, 2)) },
        Request::Get { from: RemoteLayout::Nest(grid(0, 1 << 40, 4)) },
        Request::Get { from: RemoteLayout::Nest(grid(0, 0, usize::MAX)) },
        Request::Get { from: RemoteLayout::Runs(runs(&beyond)) },
        Request::Get { from: RemoteLayout::Runs(runs(&far)) },
        Request::Get { from: RemoteLayout::Runs(runs(&many)) },
        Request::Atomic {
            offset: 4,
            width: word,
            action: Action::Execute(AtomicRequest::Fetch(AtomicOp::Add, 1)),
        },
        Request::Atomic {
            offset: stride,
            width: word,
            action: Action::Execute(AtomicRequest::Fetch(AtomicOp::Add, 1)),
        },
        Request::Atomic {
            offset: 2,
            width: Width::W4,
            action: Action::Execute(AtomicRequest::CompareSwap { expected: 0, desired: 1 }),
        },
        Request::Call { handler: 77, data },
    ];
    for target in [Rank::new(1), ME, Rank::new(9)] {
        for request in &silent {
            let mut pair = pair();
            pair.request(target, request);
            let text = pair.refused_before();
            assert!(text.contains(&format!("{target}")), "{request:?}: {text}");
            // No byte was touched.
            let first = pair.bytes_of(Rank::new(1), 4096);
            assert!(first.iter().all(|&byte| byte == 0), "{request:?}");
        }
        for request in &answered {
            let mut pair = pair();
            pair.request(target, request);
            let text = pair.refusal().unwrap();
            let known = text.contains(&format!("{target}")) || text.contains("handler 77");
            assert!(known, "{request:?}: {text}");
        }
    }
}

#[test]
fn bytes_behind_a_refused_request_are_received() {
    let mut pair = pair();
    let grid = Grid {
        offset: 0,
        unit: 50,
        loops: [Loop { extent: 2, remote: -50, local: 0 }].into_iter().collect(),
    };
    for request in [
        Request::put(u64::MAX - 10, Payload::Follows(100)),
        Request::Put { to: RemoteLayout::Nest(grid), data: Payload::Follows(100) },
    ] {
        pair.request(LEADER, &request);
        pair.send(Tag::REQUEST_DATA, &[7; 64]);
        pair.send(Tag::REQUEST_DATA, &[7; 36]);
        pair.poll();
        let text = pair.refused_before();
        assert!(text.contains("image 1"), "{text}");
    }
    // The next bytes are those of the next request.
    pair.request(LEADER, &Request::put(8, Payload::Follows(2)));
    pair.send(Tag::REQUEST_DATA, b"ok");
    pair.poll();
    assert_eq!(pair.bytes_of(LEADER, 10)[8..], *b"ok");
    assert!(pair.server.is_quiet());
}

#[test]
fn requests_and_replies_of_handlers_are_bounded() {
    let mut pair = pair();
    pair.server.host.limits.payload = 150;
    let run = |served: HandlerCall<'_>, bytes: &[u8], reply: &mut Vec<u8>| {
        if bytes.is_empty() {
            return Err(Error::FailedImage(served.target));
        }
        reply.resize(usize::from(bytes[0]), 1);
        Ok(())
    };
    pair.job.handlers().register(Handler { number: 3, run }).unwrap();
    let call = |data| Request::Call { handler: 3, data };
    // Two of 100 bytes are more than are allowed at once; the second one waits.
    for _ in 0..2 {
        pair.request(LEADER, &call(Payload::Follows(100)));
    }
    assert_eq!(pair.server.clients.of(ME).incoming.len(), 1);
    assert_eq!(pair.server.clients.of(ME).held.len(), 1);
    for _ in 0..2 {
        pair.send(Tag::REQUEST_DATA, &[1; 64]);
        pair.send(Tag::REQUEST_DATA, &[1; 36]);
        pair.poll();
        assert_eq!(pair.answer(|answer| format!("{answer:?}")), "Data([1])");
    }
    assert!(pair.server.is_quiet());
    // Too long: its bytes are received nevertheless.
    pair.request(LEADER, &call(Payload::Follows(160)));
    [64, 64, 32].into_iter().for_each(|len| pair.send(Tag::REQUEST_DATA, &vec![1; len]));
    pair.poll();
    let text = pair.refusal().unwrap();
    assert!(text.contains("a request to a handler of 160 bytes"), "{text}");
    pair.request(LEADER, &call(Payload::Inline(&[151])));
    let text = pair.refusal().unwrap();
    assert!(text.contains("a reply of 151 bytes"), "{text}");
    pair.request(LEADER, &call(Payload::Inline(&[])));
    assert_eq!(pair.answer(|answer| format!("{answer:?}")), "Failed(Rank(0))");
    assert!(pair.server.is_quiet());
}
