//! Tests of an origin whose fabric gives it other messages than a server would.

use super::*;
use crate::cooperation::{Mode, PolicySettings};
use crate::job::Part;
use crate::job::page::Geometry;
use crate::nest::{Loop, Nest};
use crate::server::bundle::{self, Bundle};
use crate::server::in_process::{InProcess, Network, Shim};
use crate::server::limits::request_len;
use crate::server::wire::{Answer, Reply, read_request, read_short_put, write_reply};
use crate::settings::Settings;
use crate::sync::Ordering;
use crate::thread_images;
use crate::transport::{AtomicRequest, FlushScope, Layout, Post, Run, Transport, Width};

const LEADER: Rank = Rank::new(0);
const ME: Rank = Rank::new(1);

/// An image with these limits, and the fabric of what it takes for the server of the other host.
fn origin(limits: Limits) -> (Origin, InProcess) {
    last_of(2, limits)
}

/// The image of the last of this many hosts with an image each, and the fabric of what it takes for the server of the first one.
fn last_of(hosts: u32, limits: Limits) -> (Origin, InProcess) {
    let settings = Settings::default();
    let me = Rank::new(hosts - 1);
    let part = Part { images: 1, first_host: hosts - 1, hosts: 1 };
    let geometry = Geometry::plan_part(hosts, hosts, part, Some(1 << 26)).unwrap();
    let job = Arc::new(thread_images::job(&settings, Geometry { base: 0, ..geometry }).unwrap());
    let leaders: Vec<Rank> = (0..hosts).map(Rank::new).collect();
    let peers = Arc::new(Peers::new(me, &leaders));
    let network = Network::new(hosts, Shim::default());
    let port = Port::new(Box::new(network.fabric(me)), None, limits.nap);
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

/// A message of requests.
struct Message {
    from: Rank,
    len: usize,
    requests: Vec<Vec<u8>>,
}

/// The messages of requests that have arrived.
fn messages(server: &mut InProcess, room: usize) -> Vec<Message> {
    let mut buffer = vec![0; room];
    let mut messages = Vec::new();
    loop {
        // SAFETY: the buffer is kept until the operation is over or cancelled.
        let op = unsafe { server.receive_any(Tag::REQUEST, &mut buffer[..]).unwrap() };
        let Some((from, len)) = server.test(op).unwrap() else {
            server.cancel(op).unwrap();
            return messages;
        };
        let mut requests = Vec::new();
        if buffer[0] == bundle::REQUESTS {
            let mut bundle = Bundle::new(buffer[..len].into(), len);
            while let Some(entry) = bundle.next().unwrap() {
                assert_eq!(entry.origin, from);
                requests.push(entry.bytes.to_vec());
            }
        } else {
            requests.push(buffer[..len].to_vec());
        }
        requests.iter().for_each(|request| drop(read_request(request).unwrap()));
        messages.push(Message { from, len, requests });
    }
}

/// The lengths of the messages of requests that have arrived, and how many requests are in them.
fn requests(server: &mut InProcess, room: usize) -> Vec<(usize, usize)> {
    let one = |message: Message| {
        let count = message.requests.len();
        assert!(count == 1 || message.from == ME);
        (message.len, count)
    };
    messages(server, room).into_iter().map(one).collect()
}

#[test]
fn puts_of_any_layout_travel_together_and_leave_room_for_the_request_behind_them() {
    let limits = Limits { inline: 16 << 10, credits: 1000, ..Limits::default() };
    let room = request_len(&limits);
    let src = vec![7; 64 << 10];
    let column = [Loop { extent: 512, remote: 64, local: 64 }];
    let section = Layout::Nest(Nest { unit: 8, loops: &column });
    let runs: Vec<Run> =
        (0..100).map(|i| Run { offset: 300 * i, local: 100 * i as isize, len: 40 }).collect();
    let short = [Layout::Contiguous(8), Layout::Contiguous(5 << 10), section, Layout::Runs(&runs)];
    let put = |origin: &Origin, layout| {
        // SAFETY: the origin sends the bytes, which `src` has.
        unsafe { origin.put(LEADER, 0, src.as_ptr(), layout).unwrap() };
    };
    for layout in short {
        let (origin, mut server) = origin(limits);
        (0..100).for_each(|_| put(&origin, layout));
        let sent = requests(&mut server, room);
        let rest = 100 - sent.iter().map(|&(_, count)| count).sum::<usize>();
        assert!(sent.iter().all(|&(_, count)| count >= 3), "{sent:?}");
        // A short request takes all along that wait.
        let post = Post::Notify { counter: 0, value: 1 };
        // SAFETY: the origin sends the notification.
        unsafe { origin.post(LEADER, post).unwrap() };
        assert_eq!(requests(&mut server, room)[0].1, rest + 1);
    }
    for first in short {
        for count in 0..30 {
            let (origin, mut server) = origin(limits);
            (0..count).for_each(|_| put(&origin, first));
            put(&origin, Layout::Contiguous(limits.inline as usize));
            // All requests have been sent, in messages that the server has room for.
            let sent = requests(&mut server, room);
            assert_eq!(sent.iter().map(|&(_, count)| count).sum::<usize>(), count + 1);
        }
    }
}

#[test]
fn puts_of_bytes_that_follow_one_another_are_one_request() {
    let limits = Limits { inline: 16 << 10, credits: 1000, ..Limits::default() };
    let (origin, mut server) = origin(limits);
    let src: Vec<u8> = (0..64 << 10).map(|at: usize| (at * 7 / 5) as u8).collect();
    let put = |at: usize, len: usize| {
        let layout = Layout::Contiguous(len);
        // SAFETY: the origin sends the bytes, which `src` has.
        unsafe { origin.put(LEADER, at as u64, src[at..].as_ptr(), layout).unwrap() };
    };
    let mut sent = || {
        let post = Post::Notify { counter: 0, value: 1 };
        // SAFETY: the origin sends the notification.
        unsafe { origin.post(LEADER, post).unwrap() };
        let mut places = Vec::new();
        for request in
            messages(&mut server, request_len(&limits)).iter().flat_map(|it| &it.requests)
        {
            let Some((_, at, bytes)) = read_short_put(request) else { continue };
            assert_eq!(bytes, &src[at as usize..][..bytes.len()]);
            places.push((at as usize, bytes.len()));
        }
        places
    };
    (0..1000).for_each(|number| put(64 + 4 * number, 4));
    put(8000, 8);
    put(8008, 16);
    put(8016, 8);
    put(0, 64);
    put(64, 1);
    assert_eq!(sent(), [(64, 4000), (8000, 24), (8016, 8), (0, 65)]);
    // Not after another request, and none that is longer than a put that contains its bytes.
    put(65, 1);
    assert_eq!(sent(), [(65, 1)]);
    (0..8 << 10).for_each(|number| put(8 * number, 8));
    let places = sent();
    assert!(places.len() <= 6 && places.iter().all(|&(_, len)| len <= 16 << 10), "{places:?}");
    let ends = places.iter().map(|&(at, len)| at + len);
    let starts = places.iter().skip(1).map(|&(at, _)| at).chain([64 << 10]);
    assert!(places[0].0 == 0 && ends.eq(starts), "{places:?}");
}

/// The face of a block that is put to a halo, for instance.
#[test]
fn sections_that_are_contiguous_at_their_target_are_puts_of_bytes_that_follow_one_another() {
    let (origin, mut server) = origin(Limits::default());
    let src: Vec<u8> = (0..10_000usize).map(|at| (at * 7 / 5) as u8).collect();
    let loops =
        [(20, 4, 40), (10, 80, 900)].map(|(extent, remote, local)| Loop { extent, remote, local });
    let nest = Nest { unit: 4, loops: &loops };
    for offset in [64, 64 + 800] {
        // SAFETY: the origin sends the bytes, which `src` has.
        unsafe { origin.put(LEADER, offset, src.as_ptr(), Layout::Nest(nest)).unwrap() };
    }
    let post = Post::Notify { counter: 0, value: 1 };
    // SAFETY: the origin sends the notification.
    unsafe { origin.post(LEADER, post).unwrap() };
    let [message] = &messages(&mut server, request_len(&Limits::default()))[..] else { panic!() };
    let [put, _notification] = &message.requests[..] else { panic!("{}", message.requests.len()) };
    let mut packed = Vec::new();
    nest.for_each(|_, local| packed.extend_from_slice(&src[local as usize..][..4]));
    let (_, at, bytes) = read_short_put(put).unwrap();
    assert_eq!((at, bytes), (64, &packed.repeat(2)[..]));
}

#[test]
fn two_puts_of_half_a_message_share_one_and_a_longer_one_leaves_with_the_next_request() {
    let limits = Limits { inline: 32 << 10, credits: 1000, ..Limits::default() };
    let (room, src) = (request_len(&limits), vec![7; 32 << 10]);
    for (len, together) in [(7 << 10, 2), (14 << 10, 1)] {
        let (origin, mut server) = origin(limits);
        // SAFETY: the origin sends the bytes, which `src` has.
        let put = || unsafe {
            origin.put(LEADER, 0, src.as_ptr(), Layout::Contiguous(len)).unwrap();
        };
        let counts = |server: &mut InProcess| {
            requests(server, room).into_iter().map(|(_, count)| count).collect::<Vec<usize>>()
        };
        (0..together).for_each(|_| put());
        assert_eq!(counts(&mut server), [0; 0]);
        put();
        assert_eq!(counts(&mut server), [together]);
        let post = Post::Notify { counter: 0, value: 1 };
        // SAFETY: the origin sends the notification.
        unsafe { origin.post(LEADER, post).unwrap() };
        assert_eq!(counts(&mut server), [2]);
    }
}

#[test]
fn a_put_that_waited_for_a_confirmation_is_confirmed_itself() {
    let cooperation = PolicySettings {
        mode: Some(Mode::Forwarding),
        group: Some(4),
        ..PolicySettings::default()
    };
    let (origin, mut server) = last_of(8, Limits { credits: 6, cooperation, ..Limits::default() });
    // Three of the other group are reached by the server of the fourth.
    assert!((0..3).all(|host| origin.links[host].entry == 3));
    let me = Rank::new(7);
    let reply = |server: &mut InProcess, id, host, number, executed| {
        let mut message = Vec::new();
        write_reply(&mut message, Reply { id, host, number, executed, answer: Answer::Value(0) });
        // SAFETY: short, so it is copied at once.
        unsafe { server.send(me, Tag::REPLY, &raw const message[..]).unwrap() };
    };
    let put = |host| {
        // SAFETY: the origin sends the bytes.
        unsafe { origin.put(Rank::new(host), 0, [1].as_ptr(), Layout::Contiguous(1)).unwrap() };
    };
    (0..6).for_each(|number| put(number % 3));
    // No credit is left, and no server is about to report: the image asks the last host.
    reply(&mut server, 7, 2, 0, 3);
    put(2);
    assert!(origin.links[2].has_puts.get());
    // Confirmed in turn.
    for (host, id) in [(0, 9), (1, 10), (2, 11)] {
        reply(&mut server, id, host, u32::from(host == 2), if host == 2 { 5 } else { 3 });
    }
    origin.flush(FlushScope::Everything).unwrap();
    assert!((0..3).all(|host| !origin.links[host].has_puts.get()));
}

/// Two images of one host put to the other host, and notify one another.
#[test]
fn an_image_that_notifies_its_own_host_publishes_and_waits_for_no_reply() {
    let settings = Settings::default();
    let part = Part { images: 2, first_host: 1, hosts: 1 };
    let geometry = Geometry::plan_part(4, 2, part, Some(1 << 26)).unwrap();
    let job = Arc::new(thread_images::job(&settings, Geometry { base: 0, ..geometry }).unwrap());
    let leaders = [0, 0, 2, 2].map(Rank::new);
    let network = Network::new(4, Shim::default());
    let limits = Limits::default();
    let [first, second] = [2, 3].map(|rank| {
        let me = Rank::new(rank);
        let port = Port::new(Box::new(network.fabric(me)), None, limits.nap);
        Origin::new(port, job.clone(), Arc::new(Peers::new(me, &leaders)), limits)
    });
    let mine = Rank::new(2);
    let mut server = network.fabric(LEADER);
    let number = |rank| job.entry(Rank::new(rank)).messages.load(Ordering::Relaxed);
    let publications = || job.entry(mine).publications.load(Ordering::Relaxed);
    let put = |origin: &Origin| {
        let word = 7_u64;
        let layout = Layout::Contiguous(8);
        // SAFETY: the word can be read.
        unsafe { origin.put(LEADER, 0, (&raw const word).cast(), layout).unwrap() }
    };
    // It sends the put, no flush, and waits for nothing; the second time there is nothing to publish.
    put(&first);
    for _ in 0..2 {
        first.flush(FlushScope::Before(mine)).unwrap();
        assert_eq!((number(2), publications()), (1, 1));
    }
    assert_eq!(kinds(&mut server), [vec!["Put"]]);
    // The other image sends the dependency once, before its requests.
    put(&second);
    put(&second);
    second.flush(FlushScope::Before(mine)).unwrap();
    assert_eq!(kinds(&mut server), [vec!["After", "Put", "Put"]]);
    assert_eq!((number(3), publications()), (1, 2));
    put(&second);
    second.flush(FlushScope::Before(LEADER)).unwrap();
    assert_eq!(kinds(&mut server), Vec::<Vec<&str>>::new(), "the notification takes it along");
    // A flush of all sends what was coalesced, and a flush.
    let done = |number, request, executed| {
        let mut message = Vec::new();
        let answer = Answer::Value(0);
        write_reply(&mut message, Reply { id: request, host: 0, number, executed, answer });
        message
    };
    // SAFETY: short, so it is copied at once.
    unsafe { server.send(Rank::new(3), Tag::REPLY, &done(0, 5, 2)[..]).unwrap() };
    second.flush(FlushScope::All).unwrap();
    assert_eq!(kinds(&mut server), [vec!["Put", "Flush"]]);
    // An atomic operation on a word of this host confirms puts, once; on one of the other host it comes after them.
    put(&second);
    second.flush(FlushScope::Ordered(LEADER)).unwrap();
    assert_eq!(kinds(&mut server), Vec::<Vec<&str>>::new());
    // SAFETY: short, so it is copied at once.
    unsafe { server.send(Rank::new(3), Tag::REPLY, &done(1, 7, 3)[..]).unwrap() };
    for _ in 0..2 {
        second.flush(FlushScope::Ordered(mine)).unwrap();
    }
    assert_eq!(kinds(&mut server), [vec!["Put", "Flush"]]);
}

/// The kinds of the requests in each message that has arrived.
fn kinds(server: &mut InProcess) -> Vec<Vec<&'static str>> {
    let kind = |request: &Vec<u8>| match read_request(request).unwrap().1 {
        Request::Put { .. } => "Put",
        Request::After(_) => "After",
        Request::Flush => "Flush",
        other => panic!("{other:?}"),
    };
    let room = request_len(&Limits::default());
    let kinds = |message: Message| message.requests.iter().map(kind).collect();
    messages(server, room).into_iter().map(kinds).collect()
}
