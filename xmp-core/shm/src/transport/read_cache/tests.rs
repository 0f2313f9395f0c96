//! Random gets, puts and statements over a memory that another image changes.

use super::*;
use crate::line_cache::LINE_BYTES;
use crate::sync::Ordering;
use crate::thread_images as threads;
use crate::transport::AtomicOp;
use crate::transport::test_job::two_images;
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// The segments of other images, as plain memory; it counts gets.
#[derive(Debug, Default)]
struct Memory {
    bytes: RefCell<Vec<u8>>,
    gets: Cell<usize>,
    /// Bytes that gets have brought.
    fetched: Cell<usize>,
    /// What was requested ahead, and how often.
    ahead: RefCell<Option<Vec<u8>>>,
    requests: Cell<usize>,
    gets_ahead: Cell<bool>,
}

// SAFETY: returns no pointers.
unsafe impl Transport for Memory {
    fn host_ptr(&self, _: Rank, _: u64) -> Option<NonNull<u8>> {
        None
    }
    unsafe fn put(&self, _: Rank, offset: u64, src: *const u8, layout: Layout<'_>) -> Result<()> {
        let Layout::Contiguous(len) = layout else { unreachable!("not part of this test") };
        let mut bytes = self.bytes.borrow_mut();
        // SAFETY: the caller's bytes can be read, and no slice of the memory's is alive.
        unsafe { bytes[offset as usize..][..len].as_mut_ptr().copy_from(src, len) };
        Ok(())
    }
    unsafe fn get(&self, _: Rank, offset: u64, dst: *mut u8, layout: Layout<'_>) -> Result<()> {
        let one = |len| [Run { offset: 0, local: 0, len }];
        let runs: &[Run] = match layout {
            Layout::Contiguous(len) => &one(len),
            Layout::Runs(runs) => runs,
            Layout::Nest(_) => unreachable!("not part of this test"),
        };
        self.gets.set(self.gets.get() + 1);
        self.fetched.set(self.fetched.get() + runs.iter().map(|run| run.len).sum::<usize>());
        let bytes = self.bytes.borrow();
        for run in runs {
            let from = bytes[(offset + run.offset) as usize..][..run.len].as_ptr();
            // SAFETY: the caller's bytes can be written.
            unsafe { dst.offset(run.local).copy_from(from, run.len) };
        }
        Ok(())
    }
    unsafe fn post(&self, _: Rank, _: Post<'_>) -> Result<()> {
        Ok(())
    }
    unsafe fn atomic(&self, _: Rank, _: u64, _: Width, _: AtomicRequest) -> Result<u64> {
        Ok(0)
    }
    unsafe fn signal(&self, _: Rank, _: u64, _: Width, _: Update, _: Wake) -> Result<()> {
        Ok(())
    }
    fn ring(&self, _: Rank) {}
    fn call(&self, _: Rank, _: Handler, _: &[u8], _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
    fn flush(&self, _: FlushScope) -> Result<()> {
        Ok(())
    }
}

impl AheadTransport for Memory {
    fn gets_ahead(&self) -> bool {
        self.gets_ahead.get()
    }
    fn request_ahead(&self, _: Rank, _: u32, runs: &[Run]) -> Result<bool> {
        let bytes = self.bytes.borrow();
        let of_run = |run: &Run| bytes[run.offset as usize..][..run.len].to_vec();
        self.ahead.replace(Some(runs.iter().flat_map(of_run).collect()));
        self.requests.set(self.requests.get() + 1);
        Ok(true)
    }
    fn take_ahead(&self, _: Rank) -> Result<Option<Vec<u8>>> {
        Ok(self.ahead.take())
    }
}

/// Bytes of the memory: several lines.
const AREA: usize = 5 * LINE_BYTES as usize;
const OTHER: Rank = Rank::new(1);

fn cache(job: Arc<Job>) -> ReadCache<Memory> {
    let bytes = (0..AREA).map(|at| (at * 7) as u8).collect();
    let gets_ahead = Cell::new(true);
    let inner = Memory { bytes: RefCell::new(bytes), gets_ahead, ..Memory::default() };
    let cache = LineCache::new(FIRST_BYTES, AREA as u64);
    let (blocks, foresight) = (RefCell::default(), RefCell::default());
    ReadCache { inner, job, cache, blocks, foresight }
}

impl ReadCache<Memory> {
    fn read(&self, at: usize, len: usize) -> Vec<u8> {
        let mut into = vec![0; len];
        // SAFETY: within the memory; the buffer has room.
        unsafe { self.get(OTHER, at as u64, into.as_mut_ptr(), Layout::Contiguous(len)).unwrap() };
        into
    }

    fn write(&self, at: usize, from: &[u8]) {
        let layout = Layout::Contiguous(from.len());
        // SAFETY: within the memory.
        unsafe { self.put(OTHER, at as u64, from.as_ptr(), layout).unwrap() };
    }

    /// Another image changes its memory.
    fn change(&self, at: usize, byte: u8) {
        self.inner.bytes.borrow_mut()[at] = byte;
    }

    /// One of the statements by which images synchronise.
    fn synchronise(&self, number: usize) {
        let load = AtomicRequest::Fetch(AtomicOp::Load, 0);
        // SAFETY: the memory ignores them.
        unsafe {
            match number % 6 {
                0 => self.flush(FlushScope::All).unwrap(),
                1 => self.post(OTHER, Post::Notify { counter: 0, value: 1 }).unwrap(),
                2 => drop(self.atomic(OTHER, 0, Width::W8, load).unwrap()),
                3 => self.signal(OTHER, 0, Width::W4, Update::Clear(1), Wake::Target).unwrap(),
                4 => self
                    .call(OTHER, Handler { number: 0, run: |_, _, _| Ok(()) }, &[], &mut Vec::new())
                    .unwrap(),
                _ => self.acquire(),
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Get(usize, usize),
    /// Of a byte whose value does not matter.
    Descriptor(usize),
    Put(usize, usize, u8),
    Change(usize, u8),
    Synchronise(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let near = prop_oneof![0..AREA - 700, 4000..4200_usize];
    prop_oneof![
        6 => (near.clone(), 1..300_usize).prop_map(|(at, len)| Step::Get(at, len)),
        2 => (0..4_usize).prop_map(|which| Step::Descriptor(300 * which)),
        3 => (1..4_usize, 600..603_usize).prop_map(|(which, len)| Step::Get(2000 * which, len)),
        2 => (near.clone(), 1..600_usize, any::<u8>()).prop_map(|(at, len, byte)| Step::Put(at, len, byte)),
        3 => (near, any::<u8>()).prop_map(|(at, byte)| Step::Change(at, byte)),
        1 => any::<usize>().prop_map(Step::Synchronise),
    ]
}

proptest! {
    /// A get returns what is there, but for bytes that another image has changed since the last statement by which this one may have
    /// synchronised with it: of these it may return the former value.
    #[test]
    fn gets_return_what_is_there_after_the_last_synchronisation(
        steps in prop::collection::vec(step(), 1..80)
    ) {
        let outcome = threads::run(1, 1, |image| {
            let cache = cache(two_images(image));
            let mut changed = vec![false; AREA];
            for step in &steps {
                match *step {
                    Step::Get(at, len) => {
                        let found = cache.read(at, len);
                        let memory = cache.inner.bytes.borrow();
                        for (i, byte) in found.iter().enumerate() {
                            assert!(changed[at + i] || *byte == memory[at + i], "{step:?} {i}");
                        }
                    }
                    Step::Descriptor(at) => {
                        cache.read_descriptor(at as u64);
                    }
                    Step::Put(at, len, byte) => {
                        cache.write(at, &vec![byte; len]);
                        changed[at..at + len].fill(false);
                    }
                    Step::Change(at, byte) => {
                        cache.change(at, byte);
                        changed[at] = true;
                    }
                    Step::Synchronise(number) => {
                        cache.synchronise(number);
                        changed.fill(false);
                    }
                }
            }
        });
        prop_assert!(outcome.is_ok());
    }
}

fn with_cache(test: impl Fn(&ReadCache<Memory>) + Sync) {
    threads::run(1, 1, |image| test(&cache(two_images(image)))).unwrap();
}

#[test]
fn a_loop_over_elements_fetches_lines() {
    with_cache(|cache| {
        for at in (0..AREA).step_by(4) {
            cache.read(at, 4);
        }
        // 256 bytes, a line, two lines, the others.
        assert_eq!(cache.inner.gets.get(), 4);
    });
}

#[test]
fn a_loop_that_waits_for_a_flag_ends_and_sees_what_was_written_before_the_flag() {
    with_cache(|cache| {
        cache.change(16, 0);
        // The line comes with data and flag.
        assert_eq!(cache.read(0, 1), [0]);
        let mut looks = 0;
        while cache.read(16, 1) == [0] {
            looks += 1;
            if looks == 3 {
                cache.change(64, 99);
                cache.change(16, 1);
            }
            assert!(looks < 10);
        }
        assert_eq!(cache.read(64, 1), [99]);
    });
}

#[test]
fn another_thread_is_not_served_what_the_first_one_has_fetched() {
    struct Shared<'a>(&'a ReadCache<Memory>);
    // SAFETY: the threads use it one after the other.
    unsafe impl Send for Shared<'_> {}
    with_cache(|cache| {
        cache.read(0, 8);
        cache.change(8, 99);
        let shared = Shared(cache);
        let found = std::thread::scope(|scope| {
            scope
                .spawn(move || {
                    let Shared(cache) = { shared };
                    cache.read(8, 1)
                })
                .join()
                .unwrap()
        });
        assert_eq!(found, [99]);
    });
}

#[test]
fn nothing_is_served_after_an_image_has_ended() {
    with_cache(|cache| {
        cache.read(0, 8);
        cache.job.page().status.epoch.store(1, Ordering::Relaxed);
        cache.change(8, 99);
        assert_eq!(cache.read(8, 1), [99]);
    });
}

impl ReadCache<Memory> {
    /// A descriptor of one byte.
    fn read_descriptor(&self, at: u64) -> u8 {
        let mut byte = [0];
        // SAFETY: within the memory.
        unsafe { self.get_descriptor(OTHER, at, byte.as_mut_ptr(), 1).unwrap() };
        byte[0]
    }
}

#[test]
fn a_loop_over_elements_that_gets_their_descriptor_each_time_fetches_it_once() {
    with_cache(|cache| {
        cache.cache.set_trust(Duration::MAX);
        for at in (64..AREA).step_by(4) {
            assert_eq!(cache.read_descriptor(0), 0);
            cache.read(at, 4);
        }
        assert_eq!(cache.inner.gets.get(), 4);
    });
}

#[test]
fn a_descriptor_that_is_fetched_anew_and_is_the_same_leaves_the_lines() {
    with_cache(|cache| {
        cache.cache.set_trust(Duration::ZERO);
        let elements = 5000;
        for at in (64..).step_by(4).take(elements) {
            assert_eq!(cache.read_descriptor(0), 0);
            cache.read(at, 4);
        }
        assert_eq!(cache.inner.gets.get(), 4 + (elements - 1) / 256);
    });
}

#[test]
fn a_loop_that_waits_for_a_descriptor_ends_and_sees_what_was_written_before_it() {
    with_cache(|cache| {
        cache.read(64, 8);
        assert_eq!(cache.read_descriptor(0), 0);
        cache.change(72, 99);
        cache.change(0, 1);
        while cache.read_descriptor(0) == 0 {}
        assert_eq!(cache.read(72, 1), [99]);
        assert_eq!(cache.read_descriptor(0), 1);
    });
}

#[test]
fn a_block_comes_with_the_descriptor_after_which_it_was_got_before() {
    with_cache(|cache| {
        let gets = || cache.inner.gets.replace(0);
        let step = |at: usize| {
            let next = cache.inner.bytes.borrow()[at + 3].wrapping_add(1);
            cache.change(at + 3, next);
            cache.acquire();
            cache.read_descriptor(0);
            assert_eq!(cache.read(at, 8000), cache.inner.bytes.borrow()[at..at + 8000]);
            gets()
        };
        assert_eq!([4096; 4].map(step), [2, 2, 1, 1]);
        // Another place.
        assert_eq!([5000; 3].map(step), [2, 2, 1]);
        // A block is served once.
        let block = cache.read(5000, 8000);
        cache.change(5001, block[1].wrapping_add(1));
        assert_ne!(cache.read(5000, 8000), block);
        assert_eq!(gets(), 2);
        // What this image has put, and what it gets after a synchronisation, is fetched.
        cache.acquire();
        cache.read_descriptor(0);
        cache.write(6000, &[77]);
        assert_eq!(cache.read(5000, 8000)[1000], 77);
        cache.acquire();
        cache.read_descriptor(0);
        cache.change(6000, 78);
        cache.acquire();
        assert_eq!(cache.read(5000, 8000)[1000], 78);
    });
}

#[test]
fn a_block_that_is_not_got_does_not_come_again() {
    with_cache(|cache| {
        let bytes = || {
            cache.acquire();
            cache.read_descriptor(0);
            cache.inner.fetched.replace(0)
        };
        for _ in 0..2 {
            bytes();
            cache.read(4096, 8000);
        }
        cache.inner.fetched.set(0);
        assert_eq!([bytes(), bytes(), bytes()], [8256, 256, 256]);
    });
}

/// Executes barriers, after each of which the other image has changed its memory before it arrives; `then` follows each one.
fn barriers(cache: &ReadCache<Memory>, count: usize, then: impl Fn(usize)) {
    for number in 0..count {
        cache.change(0, number as u8);
        cache.change(5000, number as u8);
        cache.meets(MeetingPoint::Arrived { arrivals: number as u32 }).unwrap();
        cache.acquire();
        cache.meets(MeetingPoint::Met).unwrap();
        then(number);
    }
}

#[test]
fn a_descriptor_that_is_fetched_after_each_fourth_barrier_comes_with_that() {
    with_cache(|cache| {
        let gets = RefCell::new(Vec::new());
        barriers(cache, 100, |number| {
            if number % 4 == 1 {
                assert_eq!(cache.read_descriptor(0), number as u8);
                gets.borrow_mut().push(cache.inner.gets.replace(0));
            }
        });
        let gets = gets.into_inner();
        // The history is full after 8 barriers; then it takes two rounds more.
        assert!(
            gets[..3].iter().all(|&gets| gets == 1) && gets[6..].iter().all(|&gets| gets == 0),
            "{gets:?}"
        );
        let foreseen = gets.iter().filter(|&&gets| gets == 0).count();
        assert_eq!(cache.inner.requests.get(), foreseen, "and nothing else is requested");
    });
}

#[test]
fn a_block_that_follows_a_descriptor_comes_with_the_barrier_between_two_images() {
    with_cache(|cache| {
        barriers(cache, 40, |number| {
            assert_eq!(cache.read_descriptor(0), number as u8);
            assert_eq!(cache.read(4096, 8000)[5000 - 4096], number as u8);
        });
        // One round trip for each of the first ones, then the block comes with the descriptor, then both with the barrier.
        assert!(cache.inner.gets.get() < 30, "{}", cache.inner.gets.get());
        cache.inner.gets.set(0);
        barriers(cache, 10, |_| {
            cache.read_descriptor(0);
            cache.read(4096, 8000);
        });
        assert_eq!(cache.inner.gets.get(), 0);
    });
}

/// The elements of a component, one by one or as a short array.
#[test]
fn elements_that_follow_a_descriptor_come_with_the_barrier_between_two_images() {
    let elements = |cache: &ReadCache<Memory>, number| {
        for at in (4096..8192).step_by(40) {
            assert_eq!(cache.read_descriptor(0), number as u8);
            let expected = cache.inner.bytes.borrow()[at..at + 4].to_vec();
            assert_eq!(cache.read(at, 4), expected);
        }
    };
    let array = |cache: &ReadCache<Memory>, number| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        assert_eq!(cache.read(4800, 400)[5000 - 4800], number as u8);
    };
    // It begins in one line and ends in the next.
    let array_in_two_lines = |cache: &ReadCache<Memory>, number| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        let expected = cache.inner.bytes.borrow()[8000..8400].to_vec();
        assert_eq!(cache.read(8000, 400), expected);
    };
    let blocks = |cache: &ReadCache<Memory>, number| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        let first = cache.read(4800, 600);
        assert_eq!(first[5000 - 4800], number as u8);
        let expected = cache.inner.bytes.borrow()[5400..6400].to_vec();
        assert_eq!(cache.read(5400, 1000), expected);
    };
    let two_places_in_turn = |cache: &ReadCache<Memory>, number: usize| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        let at = if number.is_multiple_of(2) { 8192 } else { 16384 };
        let expected = cache.inner.bytes.borrow()[at..at + 400].to_vec();
        assert_eq!(cache.read(at, 400), expected);
    };
    type Form<'a> = &'a (dyn Fn(&ReadCache<Memory>, usize) + Sync);
    let forms: [Form<'_>; 5] =
        [&elements, &array, &array_in_two_lines, &two_places_in_turn, &blocks];
    for (number, form) in forms.into_iter().enumerate() {
        with_cache(|cache| {
            cache.cache.set_trust(Duration::MAX);
            barriers(cache, 40, |number| form(cache, number));
            cache.inner.gets.set(0);
            barriers(cache, 10, |number| form(cache, number));
            assert_eq!(cache.inner.gets.get(), 0, "form {number}");
        });
    }
}

#[test]
fn where_nothing_can_be_got_ahead_barriers_foresee_nothing() {
    with_cache(|cache| {
        cache.inner.gets_ahead.set(false);
        barriers(cache, 40, |number| assert_eq!(cache.read_descriptor(0), number as u8));
        assert_eq!((cache.inner.requests.get(), cache.inner.gets.get()), (0, 40));
        assert!(cache.foresight.borrow().is_new());
    });
}

#[test]
fn what_was_got_ahead_is_not_served_after_another_synchronisation_or_a_put() {
    with_cache(|cache| {
        let step = |number: usize| {
            let has_come = cache.inner.ahead.borrow().is_some();
            let found = match number {
                20 => {
                    assert!(has_come);
                    cache.write(0, &[77]);
                    (cache.read_descriptor(0), 77)
                }
                30 => {
                    assert!(has_come);
                    cache.synchronise(number);
                    cache.change(0, 99);
                    (cache.read_descriptor(0), 99)
                }
                _ => (cache.read_descriptor(0), number as u8),
            };
            assert_eq!(found.0, found.1, "{number}");
        };
        barriers(cache, 40, step);
    });
}
