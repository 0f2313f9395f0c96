//! Tests of every operation of a transport, between hosts without common memory.

use super::*;
use crate::cooperation::{Mode, PolicySettings};
use crate::error::Error;
use crate::nest::{Loop, Nest};
use crate::notify::{Gone, Incoming, Label, Outgoing, PACKET, drive};
use crate::server::{Handler, Limits};
use crate::sync::{AtomicU64, Ordering};
use crate::transport::{
    AtomicOp, AtomicRequest, FlushScope, Layout, Mark, Post, Update, Wake, Width,
};

fn settings() -> Settings {
    Settings { segment_size: Some(1 << 28), ..Settings::default() }
}

/// Little room for everything, messages delayed, and no eager ones.
fn tight(seed: u64) -> (Settings, Shim) {
    let server = Limits { inline: 16, credits: 2, chunk: 64, pipeline: 2, ..Limits::default() };
    (Settings { server, ..settings() }, Shim { seed, delay: 4, eager: 48 })
}

fn on_both(images: u32, hosts: u32, body: impl Fn(&Image) + Sync) {
    run_on_hosts(settings(), images, hosts, Shim::default(), &body).unwrap();
    for seed in 0..3 {
        let (settings, shim) = tight(seed);
        run_on_hosts(settings, images, hosts, shim, &body).unwrap();
    }
    for mode in [Mode::Forwarding, Mode::Aggregation] {
        let (mut settings, shim) = tight(7);
        settings.server.cooperation =
            PolicySettings { mode: Some(mode), group: Some(2), window: None };
        run_on_hosts(settings.clone(), images, hosts, shim, &body).unwrap();
        run_on_hosts(with_sockets(settings), images, hosts, shim, &body).unwrap();
    }
    run_on_hosts(with_sockets(settings()), images, hosts, Shim::default(), &body).unwrap();
}

fn with_sockets(settings: Settings) -> Settings {
    Settings { sockets: Preference::Always, ..settings }
}

const LAST: fn(&Image) -> Rank = |image| Rank::new(image.job().images() as u32 - 1);

#[test]
fn bytes_go_and_come_back() {
    on_both(3, 2, |image| {
        let heap = image.layout().heap.start;
        let (to, mine) = (LAST(image), heap + u64::from(image.rank().get()) * 8192);
        for len in [0, 1, 8, 16, 17, 63, 64, 65, 128, 1000, 5000] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 7 + image.rank().index()) as u8).collect();
            let mut back = vec![0; len];
            // SAFETY: a place that only this image uses.
            unsafe {
                image.transport().put(to, mine, bytes.as_ptr(), Layout::Contiguous(len)).unwrap();
                image
                    .transport()
                    .get(to, mine, back.as_mut_ptr(), Layout::Contiguous(len))
                    .unwrap();
            }
            assert_eq!(back, bytes, "{len}");
        }
        image.transport().flush(FlushScope::All).unwrap();
    });
}

#[test]
fn sections_go_and_come_back() {
    on_both(2, 2, |image| {
        let at = image.layout().heap.start + u64::from(image.rank().get()) * (1 << 20) + 4096;
        let to = Rank::new(1 - image.rank().get());
        for (run, extents) in [(8, [5, 3, 2]), (4, [1, 1, 1]), (16, [40, 1, 7]), (100, [3, 2, 1])] {
            let [a, b, c] = extents;
            let dims = [
                Loop { extent: a, remote: 2 * run as i64, local: run as i64 },
                Loop { extent: b, remote: -200, local: (run * a) as i64 },
                Loop { extent: c, remote: 9000, local: (run * a * b) as i64 },
            ];
            let nest = Nest { unit: run, loops: &dims };
            let len = run * a * b * c;
            let bytes: Vec<u8> = (0..len).map(|i| (i * 13 + run) as u8).collect();
            let mut back = vec![0; len];
            // SAFETY: a place that only this image uses.
            unsafe {
                image.transport().put(to, at, bytes.as_ptr(), Layout::Nest(nest)).unwrap();
                image.transport().get(to, at, back.as_mut_ptr(), Layout::Nest(nest)).unwrap();
            }
            // Points may be on one another: the last put decides.
            let mut model = vec![0; 1 << 16];
            let base = 1 << 12;
            nest.for_each(|r, l| {
                let r = (base + r) as usize;
                model[r..r + run].copy_from_slice(&bytes[l as usize..l as usize + run]);
            });
            nest.for_each(|r, l| {
                let r = (base + r) as usize;
                assert_eq!(back[l as usize..l as usize + run], model[r..r + run]);
            });
        }
    });
}

#[test]
fn counters_are_exact() {
    on_both(5, 3, |image| {
        let at = image.layout().heap.start;
        let owner = Rank::new(1);
        for round in 0..50u64 {
            // SAFETY: aligned words that are only accessed atomically.
            unsafe {
                let transport = image.transport();
                transport
                    .atomic(owner, at, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                    .unwrap();
                transport
                    .atomic(owner, at + 8, Width::W4, AtomicRequest::Fetch(AtomicOp::Add, 3))
                    .unwrap();
                let old = loop {
                    let old =
                        transport.atomic(owner, at + 16, Width::W8, AtomicRequest::LOAD).unwrap();
                    if transport
                        .atomic(
                            owner,
                            at + 16,
                            Width::W8,
                            AtomicRequest::CompareSwap { expected: old, desired: old + 2 },
                        )
                        .unwrap()
                        == old
                    {
                        break old;
                    }
                };
                assert!(old >= 2 * round);
            }
        }
        let all = image.executing();
        let counter = |offset, width| {
            // SAFETY: aligned words that are only accessed atomically.
            unsafe { image.transport().atomic(owner, offset, width, AtomicRequest::LOAD).unwrap() }
        };
        let done = || counter(at, Width::W8) == 250 && counter(at + 8, Width::W4) == 750;
        image
            .waits()
            .until(
                || crate::failure::check(image.job(), all.ranks()),
                || done() && counter(at + 16, Width::W8) == 500,
            )
            .or_else(|error| if done() { Ok(()) } else { Err(error) })
            .unwrap();
    });
}

#[test]
fn bytes_outside_the_segment_are_refused_without_harm() {
    on_both(2, 2, |image| {
        let (to, end) = (Rank::new(1 - image.rank().get()), image.job().geometry().stride);
        let mut bytes = [7u8; 100];
        let dims = [Loop { extent: 3, remote: -8, local: 8 }];
        let nest = Nest { unit: 8, loops: &dims };
        let transport = image.transport();
        let at = bytes.as_mut_ptr();
        // SAFETY: all of these calls are refused.
        let refused = unsafe {
            [
                transport.put(to, end - 99, at, Layout::Contiguous(100)),
                transport.put(to, u64::MAX - 10, at, Layout::Contiguous(100)),
                transport.get(to, end, at, Layout::Contiguous(1)),
                transport.put(to, 8, at, Layout::Nest(nest)),
                transport.get(to, 8, at, Layout::Nest(nest)),
                transport.post(to, Post::Notify { counter: end, value: 1 }),
                transport.post(to, Post::Notify { counter: 4, value: 1 }),
                transport.post(
                    to,
                    Post::Packet { end: 8, parts: [&[0; 16], &[]], mark: Mark::Trailing(1) },
                ),
                transport
                    .atomic(to, end - 4, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                    .map(|_| ()),
                transport
                    .atomic(
                        to,
                        2,
                        Width::W4,
                        AtomicRequest::CompareSwap { expected: 0, desired: 1 },
                    )
                    .map(|_| ()),
            ]
        };
        for (number, refused) in refused.into_iter().enumerate() {
            let text = refused.unwrap_err().to_string();
            let named = text.contains(&format!("{to}"));
            assert!(named && text.contains("segment"), "{number}: {text}");
        }
        transport.flush(FlushScope::All).unwrap();
    });
}

fn echo(served: crate::server::HandlerCall<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()> {
    if payload.is_empty() {
        return Err(Error::Invalid(format!("{} asks nothing of {}", served.origin, served.target)));
    }
    reply.extend(payload.iter().rev());
    Ok(())
}

#[test]
fn handlers_run_at_the_other_host() {
    const ECHO: Handler = Handler { number: 9, run: echo };
    on_both(3, 2, |image| {
        image.job().handlers().register(ECHO).unwrap();
        let ready = image.layout().heap.start;
        let transport = image.transport();
        for rank in image.job().ranks() {
            // SAFETY: an aligned word that is only accessed atomically.
            unsafe {
                transport
                    .atomic(rank, ready, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                    .unwrap()
            };
        }
        // SAFETY: an aligned word that is only accessed atomically.
        let count = unsafe {
            &*image.own_segment().add(ready as usize).cast::<std::sync::atomic::AtomicU64>()
        };
        image
            .waits()
            .until(|| Ok(()), || count.load(std::sync::atomic::Ordering::Acquire) == 3)
            .unwrap();
        for target in image.job().ranks() {
            for len in [1, 15, 16, 17, 64, 1000] {
                let payload: Vec<u8> = (0..len).map(|i| i as u8).collect();
                let mut reply = vec![42];
                transport.call(target, ECHO, &payload, &mut reply).unwrap();
                assert_eq!(reply[0], 42);
                assert!(reply[1..].iter().eq(payload.iter().rev()));
            }
            let text = transport.call(target, ECHO, &[], &mut Vec::new()).unwrap_err().to_string();
            assert!(text.contains("asks nothing"), "{text}");
        }
    });
}

#[test]
fn nothing_can_be_put_to_the_end_of_a_segment() {
    on_both(4, 2, |image| {
        let end = image.job().geometry().stride;
        for to in image.job().ranks() {
            // SAFETY: no bytes.
            unsafe {
                image.transport().put(to, end, std::ptr::null(), Layout::Contiguous(0)).unwrap();
                image
                    .transport()
                    .get(to, end, std::ptr::null_mut(), Layout::Contiguous(0))
                    .unwrap();
            }
        }
        image.transport().flush(FlushScope::All).unwrap();
    });
}

#[test]
fn addresses_of_other_hosts_are_known() {
    run_on_hosts(settings(), 7, 3, Shim::default(), |image| {
        let job = image.job();
        let stride = job.geometry().stride;
        for rank in job.ranks().filter(|&rank| job.segment(rank).is_none()) {
            let host = image.host_of(rank);
            let local_peers: Vec<Rank> =
                job.ranks().filter(|&other| image.host_of(other) == host).collect();
            let slot =
                local_peers.iter().position(|&local_peer| local_peer == rank).unwrap() as u32;
            let start = job.geometry().remote_segment(local_peers.len() as u32, slot).unwrap();
            for (offset, expected) in [(0, Some(0)), (stride - 1, Some(stride - 1)), (stride, None)]
            {
                let address = (start + offset) as *const u8;
                assert_eq!(image.locate_of(rank, address), expected);
            }
            assert_eq!(image.locate_of(rank, (start - 1) as *const u8), None);
        }
        let own = image.own_segment().wrapping_add(5);
        assert_eq!(image.locate_of(image.rank(), own), Some(5));
    })
    .unwrap();
}

/// By way of other hosts, where there are many.
#[test]
fn ends_are_known_on_all_hosts() {
    run_on_hosts(settings(), 20, 20, Shim::default(), |image| {
        let job = image.job();
        let me = image.rank();
        if me.get() % 3 == 1 {
            crate::failure::publish_failed(job, me);
            return;
        }
        let has_failed = |rank: Rank| job.state(rank) == crate::job::page::ImageState::Failed;
        let all_have = || job.ranks().filter(|rank| rank.get() % 3 == 1).all(has_failed);
        image.waits().until(|| Ok(()), all_have).unwrap();
        assert!(job.ranks().all(|rank| rank.get() % 3 == 1 || !has_failed(rank)));
    })
    .unwrap();
}

/// Messages in packets and rendezvous messages, both ways at once, one after the other.
#[test]
fn long_messages_go_rendezvous_and_stay_in_order() {
    on_both(3, 2, |image| {
        let (me, other) = (image.rank().get(), Rank::new(2 - image.rank().get()));
        if me == 1 {
            return;
        }
        let lens = [0, 8, 2 * PACKET, 2 * PACKET + 1, 8, 5 * PACKET, 5 * PACKET, 1, 100_000];
        for (count, len) in lens.into_iter().enumerate() {
            let bytes = |from: u32| -> Vec<u8> {
                (0..len).map(|i| (i * 7 + from as usize + count) as u8).collect()
            };
            let (out, mut into, set) = (bytes(me), vec![0; len], image.executing());
            let label = Label::of(image, &set);
            let mut outgoing = Some(Outgoing::new(image, other, label, &out));
            let mut incoming = Some(Incoming::new(image, other, label, &mut into));
            assert_eq!(drive(image, &set, None, None, &mut outgoing, &mut incoming), Ok(None));
            drop(incoming);
            assert!(into == bytes(other.get()), "message {count} of {len} bytes");
        }
    });
}

/// A sender whose receiver never comes, and a receiver whose sender never does, get the error, and have their memory
/// again.
#[test]
fn a_long_message_ends_with_its_partner() {
    let (settings, shim) = tight(1);
    let outcomes = run_on_hosts(settings, 3, 3, shim, |image| {
        let (mut room, set) = (vec![0; 100_000], image.executing());
        let (from, label) = (Rank::new(1), Label::of(image, &set));
        match image.rank().get() {
            0 => {
                let mut into = Some(Incoming::new(image, from, label, &mut room));
                drive(image, &set, None, None, &mut None, &mut into)
            }
            1 => Ok(None),
            _ => {
                let mut out = Some(Outgoing::new(image, from, label, &room));
                drive(image, &set, None, None, &mut out, &mut None)
            }
        }
    });
    let partner = Rank::new(1);
    let gone = Ok(Some(Gone { partner, error: Error::StoppedImage(partner) }));
    assert_eq!(outcomes.unwrap(), [gone.clone(), Ok(None), gone]);
}

/// A word that does not hold the value to be cleared keeps its value, and the next reply reports it.
#[test]
fn a_cleared_word_must_hold_the_given_value() {
    on_both(2, 2, |image| {
        let (at, other) = (image.layout().heap.start, Rank::new(1 - image.rank().get()));
        let transport = image.transport();
        let gate = Wake::Sleepers(at + 4);
        let load = || {
            // SAFETY: a word that only this image and atomic operations access.
            unsafe { transport.atomic(other, at, Width::W4, AtomicRequest::LOAD) }
        };
        // SAFETY: a word that only this image and atomic operations access.
        unsafe {
            transport.signal(other, at, Width::W4, Update::Add(3), Wake::Target).unwrap();
            transport.signal(other, at, Width::W4, Update::Clear(2), gate).unwrap();
            let text = load().unwrap_err().to_string();
            assert!(text.contains("is 3, not 2"), "{text}");
            assert_eq!(load(), Ok(3));
            transport.signal(other, at, Width::W4, Update::Clear(3), gate).unwrap();
            assert_eq!(load(), Ok(0));
            assert!(transport.signal(other, at + 1, Width::W4, Update::Clear(0), gate).is_err());
        }
    });
}

/// Short puts wait for the next request to their host, whatever it is, and for the end.
#[test]
fn coalesced_puts_arrive_with_the_next_request() {
    let outcomes = run_on_hosts(settings(), 2, 2, Shim::default(), |image| {
        let at = image.layout().heap.start;
        let word = |offset: u64| {
            // SAFETY: an aligned word of this image's segment, only accessed atomically.
            unsafe { &*image.own_segment().add((at + offset) as usize).cast::<AtomicU64>() }
        };
        let (transport, other) = (image.transport(), Rank::new(1));
        if image.rank() == other {
            let all = || word(1024).load(Ordering::Acquire) == 1;
            image.waits().until(|| Ok(()), all).unwrap();
            return (0..100).all(|i| word(8 * i).load(Ordering::Relaxed) == i + 1);
        }
        // SAFETY: words that the other image reads after it was notified.
        unsafe {
            for i in 0..100_u64 {
                transport
                    .put(other, at + 8 * i, (&raw const i).cast::<u8>(), Layout::Contiguous(8))
                    .unwrap();
            }
            for i in 0..100_u64 {
                let next = i + 1;
                transport
                    .put(other, at + 8 * i, (&raw const next).cast::<u8>(), Layout::Contiguous(8))
                    .unwrap();
            }
            transport.flush(FlushScope::Before(other)).unwrap();
            transport.post(other, Post::Notify { counter: at + 1024, value: 1 }).unwrap();
        }
        true
    });
    assert_eq!(outcomes.unwrap(), [true, true]);
}
