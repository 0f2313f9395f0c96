//! Random programs against a model, with messages that are delayed and little room for them.

use super::*;
use crate::nest::{Loop, Nest};
use crate::server::Limits;
use crate::sync::{AtomicU64, Ordering};
use crate::transport::{
    AtomicOp, AtomicRequest, FlushScope, Layout, Post, Run, Update, Wake, Width,
};
use proptest::prelude::*;

/// Bytes that each image has to itself in each segment.
const AREA: usize = 1024;

#[derive(Clone, Debug)]
enum Step {
    Put {
        at: usize,
        len: usize,
    },
    Get {
        at: usize,
        len: usize,
    },
    PutSection(Shape),
    GetSection(Shape),
    /// Where each run begins, and how long it is.
    PutRuns(Vec<(usize, usize)>),
    GetRuns(Vec<(usize, usize)>),
    Notify {
        at: usize,
        len: usize,
    },
    Tell,
    Add(u64),
    Post(u64),
    Flush,
    FlushFor(u32),
    Ring,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    at: usize,
    unit: usize,
    extents: [usize; 2],
    distances: [i64; 2],
}

impl Shape {
    /// The first and one past the last byte; `None` if that is not within the area.
    fn fits(&self) -> bool {
        let reach = |i: usize| (self.extents[i] as i64 - 1) * self.distances[i];
        let low = self.at as i64 + reach(0).min(0) + reach(1).min(0);
        let high = (self.at + self.unit) as i64 + reach(0).max(0) + reach(1).max(0);
        low >= 0 && high <= AREA as i64
    }

    fn dims(&self) -> [Loop; 2] {
        let inner = (self.unit * self.extents[0]) as i64;
        [(0, self.unit as i64), (1, inner)].map(|(i, local)| Loop {
            extent: self.extents[i],
            remote: self.distances[i],
            local,
        })
    }

    fn len(&self) -> usize {
        self.unit * self.extents[0] * self.extents[1]
    }
}

fn steps() -> impl Strategy<Value = Vec<(u32, Step)>> {
    let range = (0..AREA, 0usize..400).prop_map(|(at, len)| (at, len.min(AREA - at)));
    let shape = (0..AREA, 1usize..20, [1usize..5, 1..5], [-150i64..150, -150..150])
        .prop_map(|(at, unit, extents, distances)| Shape { at, unit, extents, distances })
        .prop_filter("within the area", Shape::fits);
    let run = (0..AREA, 1usize..40).prop_map(|(at, len)| (at, len.min(AREA - at)));
    let long = (0..AREA - 400, 300usize..400);
    let runs = prop::collection::vec(prop_oneof![8 => run, 1 => long], 0..40);
    let step = prop_oneof![
        4 => range.clone().prop_map(|(at, len)| Step::Put { at, len }),
        3 => range.clone().prop_map(|(at, len)| Step::Get { at, len }),
        3 => shape.clone().prop_map(Step::PutSection),
        2 => shape.prop_map(Step::GetSection),
        2 => runs.clone().prop_map(Step::PutRuns),
        2 => runs.prop_map(Step::GetRuns),
        1 => range.prop_map(|(at, len)| Step::Notify { at, len }),
        1 => Just(Step::Tell),
        2 => (1u64..100).prop_map(Step::Add),
        2 => (1u64..100).prop_map(Step::Post),
        1 => Just(Step::Flush),
        1 => (0u32..4).prop_map(Step::FlushFor),
        1 => Just(Step::Ring),
    ];
    prop::collection::vec((0u32..4, step), 10..100)
}

/// Bytes that no other image puts.
fn stamp(count: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (count * 31 + i * 7) as u8).collect()
}

/// These runs of an area, one after the other in local memory, and their total length.
fn runs_of(list: &[(usize, usize)], area: u64) -> (Vec<Run>, usize) {
    let mut local = 0;
    let run = |&(at, len): &(usize, usize)| {
        let run = Run { offset: area + at as u64, local: local as isize, len };
        local += len;
        run
    };
    (list.iter().map(run).collect(), local)
}

/// Executes the program of one image. All images execute the same one, with targets that are shifted by the rank.
fn execute(image: &Image, program: &[(u32, Step)]) {
    let (me, images) = (image.rank().get(), image.job().images() as u32);
    let transport = image.transport();
    let heap = image.layout().heap.start;
    let area = heap + 4096 + u64::from(me) * AREA as u64;
    let counter = heap + 8;
    let notified = heap + 1024 + 64 * u64::from(me);
    let mut model = vec![vec![0u8; AREA]; images as usize];
    let mut notifications = vec![0; images as usize];
    let mut added = 0;
    for (count, (shift, step)) in program.iter().enumerate() {
        let to = Rank::new((me + shift) % images);
        let model = &mut model[to.index()];
        // SAFETY: within the area of this image, or words that are accessed atomically.
        unsafe {
            match step {
                &Step::Put { at, len } => {
                    let bytes = stamp(count, len);
                    transport
                        .put(to, area + at as u64, bytes.as_ptr(), Layout::Contiguous(len))
                        .unwrap();
                    model[at..at + len].copy_from_slice(&bytes);
                }
                &Step::Get { at, len } => {
                    let mut bytes = vec![0xaa; len];
                    transport
                        .get(to, area + at as u64, bytes.as_mut_ptr(), Layout::Contiguous(len))
                        .unwrap();
                    assert_eq!(bytes, model[at..at + len], "step {count}");
                }
                Step::PutSection(shape) => {
                    let (bytes, dims) = (stamp(count, shape.len()), shape.dims());
                    let nest = Nest { unit: shape.unit, loops: &dims };
                    let at = area + shape.at as u64;
                    transport.put(to, at, bytes.as_ptr(), Layout::Nest(nest)).unwrap();
                    nest.for_each(|remote, local| {
                        let (r, l) = ((shape.at as i64 + remote) as usize, local as usize);
                        model[r..r + shape.unit].copy_from_slice(&bytes[l..l + shape.unit]);
                    });
                }
                Step::GetSection(shape) => {
                    let (mut bytes, dims) = (vec![0xaa; shape.len()], shape.dims());
                    let nest = Nest { unit: shape.unit, loops: &dims };
                    let at = area + shape.at as u64;
                    transport.get(to, at, bytes.as_mut_ptr(), Layout::Nest(nest)).unwrap();
                    nest.for_each(|remote, local| {
                        let (r, l) = ((shape.at as i64 + remote) as usize, local as usize);
                        let (there, here) = (&model[r..r + shape.unit], &bytes[l..l + shape.unit]);
                        assert_eq!(here, there, "step {count}");
                    });
                }
                Step::PutRuns(list) => {
                    let (runs, len) = runs_of(list, area);
                    let bytes = stamp(count, len);
                    transport.put(to, 0, bytes.as_ptr(), Layout::Runs(&runs)).unwrap();
                    for (&(at, len), run) in list.iter().zip(&runs) {
                        let local = run.local as usize;
                        model[at..at + len].copy_from_slice(&bytes[local..local + len]);
                    }
                }
                Step::GetRuns(list) => {
                    let (runs, len) = runs_of(list, area);
                    let mut bytes = vec![0xaa; len];
                    transport.get(to, 0, bytes.as_mut_ptr(), Layout::Runs(&runs)).unwrap();
                    for (&(at, len), run) in list.iter().zip(&runs) {
                        let local = run.local as usize;
                        assert_eq!(bytes[local..local + len], model[at..at + len], "step {count}");
                    }
                }
                &Step::Notify { at, len } => {
                    let bytes = stamp(count, len);
                    notifications[to.index()] += 1;
                    let value = notifications[to.index()];
                    let at_there = area + at as u64;
                    transport.put(to, at_there, bytes.as_ptr(), Layout::Contiguous(len)).unwrap();
                    transport.post(to, Post::Notify { counter: notified, value }).unwrap();
                    model[at..at + len].copy_from_slice(&bytes);
                }
                &Step::Add(value) => {
                    transport
                        .atomic(to, counter, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, value))
                        .unwrap();
                    added += value;
                }
                Step::Tell => {
                    notifications[to.index()] += 1;
                    transport
                        .post(
                            to,
                            Post::NotifyLate {
                                counter: notified,
                                value: notifications[to.index()],
                            },
                        )
                        .unwrap();
                }
                &Step::Post(value) => {
                    let add = Update::Add(value);
                    transport.signal(to, counter, Width::W8, add, Wake::Target).unwrap();
                    added += value;
                }
                // An image that is notified then, by an atomic operation, sees all that this image has put.
                &Step::FlushFor(shift) => {
                    let next = Rank::new((me + shift) % images);
                    transport.flush(FlushScope::Before(next)).unwrap();
                    transport.atomic(next, counter, Width::W8, AtomicRequest::LOAD).unwrap();
                }
                Step::Flush => transport.flush(FlushScope::Target(to)).unwrap(),
                Step::Ring => transport.ring(to),
            }
        }
    }
    // All puts have arrived when all images have counted themselves, after a flush, at the first image.
    transport.flush(FlushScope::All).unwrap();
    let first = Rank::new(0);
    // SAFETY: words that are accessed atomically.
    unsafe {
        transport
            .atomic(first, heap + 16, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, added))
            .unwrap();
        for rank in image.job().ranks() {
            transport
                .atomic(rank, heap, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                .unwrap();
        }
    }
    let word = |offset: u64| {
        // SAFETY: an aligned word of this image's segment, only accessed atomically.
        unsafe { &*image.own_segment().add(offset as usize).cast::<AtomicU64>() }
    };
    let come = || word(heap).load(Ordering::Acquire) == u64::from(images);
    image.waits().until(|| Ok(()), come).unwrap();
    for (rank, (model, notifications)) in model.iter().zip(notifications).enumerate() {
        let rank = Rank::new(rank as u32);
        let mut bytes = vec![0xaa; AREA];
        // SAFETY: words that are accessed atomically.
        let told = unsafe {
            transport.get(rank, area, bytes.as_mut_ptr(), Layout::Contiguous(AREA)).unwrap();
            transport.atomic(rank, notified, Width::W8, AtomicRequest::LOAD).unwrap()
        };
        assert_eq!((&bytes, told), (model, notifications));
    }
    if image.rank() == first {
        let sum: u64 = image
            .job()
            .ranks()
            // SAFETY: words that are accessed atomically.
            .map(|rank| unsafe {
                transport.atomic(rank, counter, Width::W8, AtomicRequest::LOAD).unwrap()
            })
            .sum();
        assert_eq!(sum, word(heap + 16).load(Ordering::Acquire));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn programs_do_what_the_model_does(
        program in steps(),
        (images, hosts) in prop_oneof![Just((2, 2)), Just((3, 2)), Just((4, 3)), Just((4, 2))],
        inline in prop_oneof![Just(1u32), 8u32..200, Just(16 << 10)],
        chunk in prop_oneof![16u32..300, Just(Limits::default().chunk)],
        (credits, pipeline) in (1u32..5, 1u32..4),
        (seed, delay) in (any::<u64>(), prop_oneof![0u32..6, 6u32..40]),
        eager in prop_oneof![Just(0usize), 40usize..200, Just(1 << 16)],
    ) {
        let server = Limits { inline, chunk, credits, pipeline, ..Limits::default() };
        let settings = Settings::default();
        let settings = Settings { segment_size: Some(1 << 26), server, ..settings };
        let shim = Shim { seed, delay, eager };
        run_on_hosts(settings, images, hosts, shim, |image| execute(image, &program)).unwrap();
    }
}
