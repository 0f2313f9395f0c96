//! A read cache over a memory that another image changes.

mod ahead;
mod descriptors;
mod lines;
mod random;

use super::*;
use crate::line_cache::LINE_BYTES;
use crate::thread_images as threads;
use crate::transport::AtomicOp;
use crate::transport::test_job::two_images;
use std::cell::{Cell, RefCell};

/// The segments of other images, as plain memory; it counts gets.
#[derive(Debug, Default)]
struct Memory {
    bytes: RefCell<Vec<u8>>,
    gets: Cell<usize>,
    /// Bytes that gets have brought.
    fetched: Cell<usize>,
    /// What was requested ahead: the bytes, or the runs until the next barrier.
    ahead: RefCell<Option<Vec<u8>>>,
    awaiting: RefCell<Option<Vec<Run>>>,
    /// Whether the reply to that has not been read.
    is_unread: Cell<bool>,
    /// How often, and how often for the next barrier.
    requests: Cell<usize>,
    requests_for_next: Cell<usize>,
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
        self.is_unread.set(false);
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

impl Memory {
    fn bytes_of(&self, runs: &[Run]) -> Vec<u8> {
        let bytes = self.bytes.borrow();
        runs.iter().flat_map(|run| bytes[run.offset as usize..][..run.len].to_vec()).collect()
    }
}

impl AheadTransport for Memory {
    fn gets_ahead(&self) -> bool {
        self.gets_ahead.get()
    }
    fn arrives(&self) -> Result<()> {
        if let Some(runs) = self.awaiting.take() {
            self.ahead.replace(Some(self.bytes_of(&runs)));
        }
        Ok(())
    }
    fn request_ahead(&self, _: Rank, at: Meeting, runs: &[Run]) -> Result<bool> {
        if self.is_unread.replace(true) {
            return Ok(false);
        }
        self.ahead.take();
        self.requests.set(self.requests.get() + 1);
        match at {
            Meeting::Present(_) => drop(self.ahead.replace(Some(self.bytes_of(runs)))),
            Meeting::Next(_) => {
                self.requests_for_next.set(self.requests_for_next.get() + 1);
                self.awaiting.replace(Some(runs.to_vec()));
            }
        }
        Ok(true)
    }
    fn take_ahead(&self, _: Rank) -> Result<Option<Vec<u8>>> {
        assert!(self.awaiting.borrow().is_none(), "the reply comes with the next barrier only");
        self.is_unread.set(false);
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

impl ReadCache<Memory> {
    /// A descriptor of one byte.
    fn read_descriptor(&self, at: u64) -> u8 {
        let mut byte = [0];
        // SAFETY: within the memory.
        unsafe { self.get_descriptor(OTHER, at, byte.as_mut_ptr(), 1).unwrap() };
        byte[0]
    }
}

fn with_cache(test: impl Fn(&ReadCache<Memory>) + Sync) {
    threads::run(1, 1, |image| test(&cache(two_images(image)))).unwrap();
}
