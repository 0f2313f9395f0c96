//! Tests of a server with messages that no origin sends.

use super::*;
use crate::error::Error;
use crate::job::page::Geometry;
use crate::nest::Loop;
use crate::server::bundle;
use crate::server::in_process::{InProcess, Network, Shim};
use crate::server::wire::{
    self, Action, Answer, Change, Changes, Grid, Head, Member, Members, Payload, RemoteLayout,
    Request, Runs, read_reply, write_member, write_request, write_run,
};
use crate::server::{Handler, Port, Served};
use crate::settings::Settings;
use crate::thread_images;
use crate::transport::{AtomicOp, AtomicRequest, Mark, Transport, Width};

/// A server of the images 1 and 2 of 3, and the fabric of image 3, which is on another host.
struct Pair {
    server: Server,
    fabric: InProcess,
    origin: InProcess,
    job: Arc<Job>,
}

const ME: Rank = Rank::new(2);
const LEADER: Rank = Rank::new(0);

fn pair() -> Pair {
    pair_with(Shim::default())
}

fn pair_with(shim: Shim) -> Pair {
    let settings = Settings::from_lookup(|_| Ok(None)).unwrap();
    let part = crate::job::Part { images: 2, first_host: 0, hosts: 1 };
    let geometry = Geometry::plan_part(3, 2, part, Some(1 << 26)).unwrap();
    let geometry = Geometry { base: 0, ..geometry };
    let job = Arc::new(thread_images::job(&settings, geometry).unwrap());
    let peers = Arc::new(Peers::new(LEADER, &[0, 0, 2].map(Rank::new)));
    let network = Network::new(3, shim);
    let limits = Limits { inline: 64, chunk: 64, ..Limits::default() };
    Pair {
        server: Server::new(job.clone(), peers, limits),
        fabric: network.fabric(LEADER),
        origin: network.fabric(ME),
        job,
    }
}

impl Pair {
    fn send(&mut self, tag: Tag, bytes: &[u8]) {
        // SAFETY: short, so it is copied at once.
        let op = unsafe { self.origin.send(LEADER, tag, bytes).unwrap() };
        self.origin.test(op).unwrap().expect("eager");
    }

    fn poll(&mut self) {
        for _ in 0..20 {
            self.server.poll(&mut self.fabric, || false).unwrap();
        }
    }

    fn request(&mut self, target: Rank, request: &Request<'_>) {
        let mut message = Vec::new();
        write_request(&mut message, Head { origin: ME, target, id: 5 }, request);
        self.send(Tag::REQUEST, &message);
        self.poll();
    }

    /// The text of the next reply, which must be a refusal; `None` if there is no reply.
    fn refusal(&mut self) -> Option<String> {
        let mut room = [0; 1024];
        // SAFETY: the operation is over when this returns.
        let op = unsafe { self.origin.receive(LEADER, Tag::REPLY, &mut room[..]).unwrap() };
        let Some((_, len)) = self.origin.test(op).unwrap() else {
            self.origin.cancel(op).unwrap();
            return None;
        };
        match read_reply(&room[..len]).unwrap().answer {
            Answer::Refused(why) => Some(why.into()),
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The result of `read` for the next reply.
    fn answer<T>(&mut self, read: impl FnOnce(Answer<'_>) -> T) -> T {
        let mut room = [0; 1024];
        // SAFETY: the operation is over at the end of this block.
        let op = unsafe { self.origin.receive(LEADER, Tag::REPLY, &mut room[..]).unwrap() };
        let (_, len) = self.origin.test(op).unwrap().expect("a reply");
        read(read_reply(&room[..len]).unwrap().answer)
    }

    /// The refusal that a flush reports.
    fn refused_before(&mut self) -> String {
        assert_eq!(self.refusal(), None, "a request without reply has one");
        self.request(LEADER, &Request::Flush);
        self.refusal().expect("a flush is answered")
    }
}

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
        list.iter().for_each(|&(offset, len)| write_run(&mut bytes, offset, len));
        bytes
    };
    // The first of them lies in the segment.
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
            let segment = pair.job.segment(Rank::new(1)).unwrap();
            // SAFETY: mapped; only this test's server writes.
            let first = unsafe { std::slice::from_raw_parts(segment, 4096) };
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
    let segment = pair.job.segment(LEADER).unwrap();
    // SAFETY: mapped; only this test's server writes.
    assert_eq!(unsafe { std::slice::from_raw_parts(segment.add(8), 2) }, b"ok");
    assert!(pair.server.is_quiet());
}

#[test]
fn requests_and_replies_of_handlers_are_bounded() {
    let mut pair = pair();
    pair.server.here.limits.payload = 150;
    let run = |served: Served<'_>, bytes: &[u8], reply: &mut Vec<u8>| {
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

#[test]
fn only_leaders_speak_for_their_images() {
    let mut pair = pair();
    let tell = |pair: &mut Pair, changes: &[(Rank, Change)]| {
        let mut bytes = Vec::new();
        changes.iter().for_each(|&(image, change)| wire::write_change(&mut bytes, image, change));
        pair.request(LEADER, &Request::States(Changes::read(&bytes).unwrap()));
    };
    for (image, name) in [(Rank::new(1), "image 2"), (Rank::new(3), "image 4")] {
        // The server ignores such a message.
        tell(&mut pair, &[(ME, Change::Failed), (image, Change::Failed)]);
        let text = pair.refusal().unwrap();
        assert!(text.contains(&format!("does not propagate the state of {name}")), "{text}");
        assert!(crate::failure::all_running(&pair.job));
    }
    tell(&mut pair, &[(ME, Change::SurvivorSync(2)), (ME, Change::Stopped)]);
    assert_eq!(pair.job.state(ME), crate::job::page::ImageState::Stopped);
}

#[test]
fn changes_of_this_host_are_propagated_once() {
    let mut pair = pair();
    pair.job.entry(Rank::new(1)).arrivals.store(1, std::sync::atomic::Ordering::Relaxed);
    crate::failure::wait_for_all(&pair.job, Rank::new(1));
    crate::failure::publish_failed(&pair.job, Rank::new(1));
    crate::failure::start_ending(&pair.job, LEADER, 3);
    crate::failure::acknowledge(&pair.job);
    pair.poll();
    // All that can be propagated at once, in one message.
    let mut room = [0; 200];
    // SAFETY: the operation is over at the end of this block.
    let op = unsafe { pair.origin.receive(LEADER, Tag::REQUEST, &mut room[..]).unwrap() };
    let (_, len) = pair.origin.test(op).unwrap().unwrap();
    let (_, request) = wire::read_request(&room[..len]).unwrap();
    let Request::States(changes) = request else { panic!("{request:?}") };
    let told: Vec<_> = changes.iter().map(|(image, change)| (image.image(), change)).collect();
    assert_eq!(
        told,
        [
            (1, Change::Acknowledged),
            (2, Change::SurvivorSync(1)),
            (2, Change::Failed),
            (1, Change::Ending(3)),
        ]
    );
}

#[test]
fn requests_behind_a_long_put_wait_for_its_bytes() {
    let mut pair = pair();
    let segment = pair.job.segment(LEADER).unwrap();
    // SAFETY: mapped; only this test's server writes.
    let there = || unsafe { std::slice::from_raw_parts(segment, 300) }.to_vec();
    pair.request(LEADER, &Request::put(0, Payload::Follows(100)));
    // Overlaps the first, then does not, then would be out of order by itself.
    pair.request(LEADER, &Request::put(90, Payload::Inline(&[2; 20])));
    pair.request(LEADER, &Request::put(100, Payload::Follows(70)));
    pair.request(LEADER, &Request::get(0, 1));
    assert_eq!(there(), [0; 300]);
    assert!(!pair.server.is_quiet());
    pair.send(Tag::REQUEST_DATA, &[1; 64]);
    pair.poll();
    assert!(there()[90..].iter().all(|&byte| byte == 0));
    pair.send(Tag::REQUEST_DATA, &[1; 36]);
    pair.poll();
    assert_eq!(there()[..110], [[1; 90].as_slice(), &[2; 20]].concat());
    pair.send(Tag::REQUEST_DATA, &[3; 64]);
    pair.send(Tag::REQUEST_DATA, &[3; 6]);
    pair.poll();
    assert_eq!(there()[100..171], [[3; 70].as_slice(), &[0]].concat());
    let mut room = [0; 100];
    // SAFETY: the operation is over at the end of the test.
    let op = unsafe { pair.origin.receive(LEADER, Tag::REPLY, &mut room[..]).unwrap() };
    let (_, len) = pair.origin.test(op).unwrap().expect("the get is answered at last");
    let reply = read_reply(&room[..len]).unwrap();
    assert_eq!((reply.answer, reply.executed), (Answer::Data(&[1]), 4));
    assert!(pair.server.is_quiet());
}

/// A message of an image with coalesced requests.
fn together(requests: &[Request<'_>]) -> Vec<u8> {
    let mut message = vec![bundle::REQUESTS];
    for request in requests {
        let head = Head { origin: ME, target: LEADER, id: 7 };
        bundle::write_with(&mut message, ME, |message| write_request(message, head, request));
    }
    message
}

#[test]
fn requests_of_one_message_wait_together_and_count_as_one() {
    let mut pair = pair();
    let segment = pair.job.segment(LEADER).unwrap();
    pair.request(LEADER, &Request::put(0, Payload::Follows(30)));
    // The first overlaps bytes in transit, so the others wait, too.
    let put = |offset, bytes| Request::put(offset, Payload::Inline(bytes));
    let get = Request::get(20, 1);
    let message = together(&[put(20, &[2; 20]), put(100, &[3]), get]);
    pair.send(Tag::REQUEST, &message);
    pair.poll();
    // SAFETY: mapped; only this test's server writes.
    let there = || unsafe { std::slice::from_raw_parts(segment, 101) }.to_vec();
    assert_eq!(there(), [0; 101]);
    assert_eq!(pair.server.clients.of(ME).held.len(), 1);
    pair.send(Tag::REQUEST_DATA, &[1; 30]);
    pair.poll();
    assert_eq!(there()[..40], [[1; 20], [2; 20]].concat());
    assert_eq!(there()[100], 3);
    pair.answer(|answer| assert_eq!(answer, Answer::Data(&[2])));
    assert_eq!(pair.server.clients.of(ME).executed, 2);
    // Requests that need not wait are executed at once, and count as one, too.
    pair.send(Tag::REQUEST, &together(&[put(20, &[4]), put(21, &[5]), put(22, &[6])]));
    pair.poll();
    assert_eq!(there()[20..23], [4, 5, 6]);
    assert_eq!(pair.server.clients.of(ME).executed, 3);
    assert!(pair.server.is_quiet());
}

#[test]
fn damaged_bytes_behind_waiting_requests_are_refused() {
    let put = Request::put(0, Payload::Inline(&[2]));
    let mut bytes = Vec::new();
    wire::write_change(&mut bytes, ME, Change::Stopped);
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
    let segment = pair.job.segment(LEADER).unwrap();
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
    // SAFETY: mapped; only this test's server writes.
    let there = unsafe { std::slice::from_raw_parts(segment, 130) };
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
    let segment = pair.job.segment(LEADER).unwrap();
    for number in 0..count as usize {
        // SAFETY: mapped; only this test's server writes.
        let [first, second] = [0, 119].map(|at| unsafe { *segment.add(number * 200 + at) });
        assert_eq!([first, second], [number as u8 + 1; 2]);
    }
    assert!(pair.server.is_quiet());
}

/// No process has received it when the server's memory goes.
#[test]
fn sends_of_a_closed_server_still_arrive() {
    let Pair { mut server, mut fabric, mut origin, job } =
        pair_with(Shim { eager: 0, ..Shim::default() });
    crate::failure::publish_stopped(&job, LEADER);
    server.poll(&mut fabric, || false).unwrap();
    assert!(!server.is_quiet());
    server.close(&mut fabric).unwrap();
    drop(server);
    let mut room = [0; 64];
    // SAFETY: the operation is over when this returns.
    let op = unsafe { origin.receive_any(Tag::REQUEST, &mut room[..]).unwrap() };
    let (from, len) = origin.test(op).unwrap().unwrap();
    let told = wire::read_request(&room[..len]).unwrap();
    let mut bytes = Vec::new();
    wire::write_change(&mut bytes, LEADER, Change::Stopped);
    let head = Head { origin: LEADER, target: ME, id: 0 };
    let expected = (head, Request::States(Changes::read(&bytes).unwrap()));
    assert_eq!((from, told), (LEADER, expected));
}

/// An image might wait for its operation.
#[test]
fn a_panic_of_a_server_ends_the_job() {
    let Pair { server, fabric, mut origin, job } = pair();
    let run = |_: Served<'_>, _: &[u8], _: &mut Vec<u8>| panic!("as a handler must not");
    job.handlers().register(Handler { number: 3, run }).unwrap();
    let port = Port::new(Box::new(fabric), Some(server), Limits::default().nap);
    let mut message = Vec::new();
    let request = Request::Call { handler: 3, data: Payload::Inline(&[]) };
    write_request(&mut message, Head { origin: ME, target: LEADER, id: 1 }, &request);
    // SAFETY: short, so it is copied at once.
    unsafe { origin.send(LEADER, Tag::REQUEST, &message[..]).unwrap() };
    for _ in 0..2 {
        let text = port.serve_if_idle().unwrap().unwrap_err().to_string();
        assert!(text.contains("panicked"), "{text}");
    }
    assert_eq!(crate::failure::ending(&job), Some((Some(LEADER), crate::failure::ERROR_STATUS)));
}

/// Merged operations of these images with these operands.
fn members(all: &[(Rank, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (id, &(origin, operand)) in (20..).zip(all) {
        write_member(&mut bytes, Member { origin, id, operand });
    }
    bytes
}

#[test]
fn merged_operations_return_the_values_of_a_sequence() {
    let mut pair = pair();
    let bytes = members(&[(ME, 5), (ME, u64::from(u32::MAX)), (ME, 7)]);
    let members = Members::read(&bytes).unwrap();
    for (op, width, after) in [
        (AtomicOp::Add, Width::W4, [0, 5, 4, 11]),
        (AtomicOp::Swap, Width::W4, [11, 5, u64::from(u32::MAX), 7]),
        (AtomicOp::Load, Width::W8, [7, 7, 7, 7]),
        (AtomicOp::And, Width::W8, [7, 5, 5, 5]),
    ] {
        pair.request(
            LEADER,
            &Request::Atomic { offset: 64, width, action: Action::Merged { op, members } },
        );
        for value in &after[..3] {
            assert_eq!(pair.answer(|answer| format!("{answer:?}")), format!("Value({value})"));
        }
        pair.request(LEADER, &Request::get(64, 8));
        pair.answer(|answer| assert_eq!(answer, Answer::Data(&after[3].to_le_bytes())));
    }
}

#[test]
fn merged_operations_that_are_refused_are_refused_one_by_one() {
    let mut pair = pair();
    let (op, width) = (AtomicOp::Add, Width::W8);
    let bytes = members(&[(ME, 1), (ME, 2)]);
    let both = Members::read(&bytes).unwrap();
    for (offset, word) in [(1 << 26, "outside"), (4, "aligned")] {
        pair.request(
            LEADER,
            &Request::Atomic { offset, width, action: Action::Merged { op, members: both } },
        );
        for _ in 0..2 {
            let text = pair.refusal().expect("each is answered");
            assert!(text.contains("atomic operation"), "{text} {word}");
        }
        assert_eq!(pair.refusal(), None);
    }
    let bytes = members(&[(ME, 1), (Rank::new(3), 2)]);
    let members = Members::read(&bytes).unwrap();
    pair.request(
        LEADER,
        &Request::Atomic { offset: 64, width, action: Action::Merged { op, members } },
    );
    let text = pair.refusal().expect("its sender is told");
    assert!(text.contains("image 4, which does not exist"), "{text}");
    pair.request(LEADER, &Request::get(64, 8));
    pair.answer(|answer| assert_eq!(answer, Answer::Data(&[0; 8])));
}

#[test]
fn a_merged_operation_waits_for_earlier_puts_of_its_image() {
    let mut pair = pair();
    pair.request(LEADER, &Request::put(0, Payload::Follows(64)));
    let bytes = members(&[(ME, 1), (LEADER, 2)]);
    let (op, offset, width) = (AtomicOp::Add, 64, Width::W8);
    let members = Members::read(&bytes).unwrap();
    pair.request(
        LEADER,
        &Request::Atomic { offset, width, action: Action::Merged { op, members } },
    );
    let word = |pair: &Pair| {
        // SAFETY: an aligned word of the segment.
        unsafe {
            Local::new(pair.job.clone(), LEADER).atomic(LEADER, 64, Width::W8, AtomicRequest::LOAD)
        }
    };
    assert_eq!(word(&pair).unwrap(), 2);
    pair.send(Tag::REQUEST_DATA, &[7; 64]);
    pair.poll();
    pair.answer(|answer| assert_eq!(answer, Answer::Value(2)));
    assert_eq!(word(&pair).unwrap(), 3);
}
