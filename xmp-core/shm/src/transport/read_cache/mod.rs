//! The read cache between hosts: single elements are served from lines that were fetched whole.
//!
//! A get of an element of another host is a round trip, and loops get one element after the other. What may be served, and how long,
//! is the subject of [`crate::line_cache`]. Each operation of the transport by which this image may synchronise with another one
//! begins a generation.

mod blocks_ahead;
mod foresight;

use super::{
    AheadTransport, AtomicRequest, FlushScope, Layout, Meeting, MeetingPoint, Post, Rendezvous,
    Run, Transport, Update, Wake, Width,
};
use crate::error::Result;
use crate::job::{Handler, Job};
use crate::line_cache::{Content, LineCache};
use crate::rank::Rank;
use crate::wait::{Background, SharedCores};
use blocks_ahead::BlocksAhead;
use foresight::{Asked, Foreseen, Foresight, Piece};
use std::cell::RefCell;
use std::convert::Infallible;
use std::ops::Range;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;

/// Bytes that the first get within a line fetches: a round trip with them takes no longer than with a few.
const FIRST_BYTES: u64 = 256;

/// A transport that serves short gets of images of other hosts from lines that it has fetched.
#[derive(Debug)]
pub struct ReadCache<T> {
    inner: T,
    job: Arc<Job>,
    cache: LineCache,
    blocks: RefCell<BlocksAhead>,
    foresight: RefCell<Foresight>,
}

impl<T: Transport + AheadTransport> ReadCache<T> {
    /// Adds a cache to `inner`, whose images are those of `job`.
    pub fn new(inner: T, job: Arc<Job>) -> ReadCache<T> {
        let cache = LineCache::new(FIRST_BYTES, job.geometry().stride);
        let (blocks, foresight) = (RefCell::default(), RefCell::default());
        ReadCache { inner, job, cache, blocks, foresight }
    }

    /// Whether a get may be served.
    fn serves(&self, target: Rank, len: usize) -> bool {
        LineCache::serves(&self.job, len) && self.inner.host_ptr(target, 0).is_none()
    }

    /// Gets bytes from lines.
    ///
    /// # Safety
    /// `dst` can be written for `len` bytes; what [`Transport::get`] requires of the source.
    unsafe fn get_by_lines(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
        content: Content,
    ) -> Result<()> {
        let fetch = |from, into, len| {
            let mut block = None;
            let generation = self.cache.generation();
            let at = from..from + len as u64;
            if content == Content::Values {
                // SAFETY: the cache has room for the bytes.
                if unsafe { self.take_block(target, at, into, generation) } {
                    return Ok(());
                }
            } else {
                block = self.blocks.borrow_mut().before_fetch(target, offset, generation);
                let piece = Piece { image: target, descriptor: offset, at };
                let asked = self.foresight.borrow_mut().fetches(piece, generation);
                if let Some(asked) = asked {
                    // SAFETY: the cache has room for the bytes.
                    let have_come = unsafe { self.take_ahead(&asked, (from, into, len))? };
                    if have_come {
                        return Ok(());
                    }
                }
            }
            // SAFETY: the cache has room for the bytes. A line is in the segment as a whole, which has whole pages, and so are those
            // that are fetched in advance. The bytes beside those that are wanted may be accessed by other images: no program gets
            // them unless it may read them in this segment of its execution.
            unsafe {
                match block {
                    None => self.inner.get(target, from, into, Layout::Contiguous(len)),
                    Some(block) => self.get_with_block(target, (from, into, len), block),
                }
            }
        };
        // SAFETY: the contract of this method.
        unsafe { self.cache.get(target, offset, (dst, len), content, fetch) }
    }

    /// Requests what is likely to be fetched after the barrier at which this image has arrived, and after the next one.
    fn request_ahead(&self, arrivals: u32) -> Result<()> {
        let Foreseen { present, next } = self.foresight.borrow_mut().arrive(arrivals);
        if !LineCache::serves_any(&self.job) {
            return Ok(());
        }
        for piece in present {
            if let Some(asked) = self.request_piece(piece, Meeting::Present(arrivals))? {
                self.foresight.borrow_mut().asked(asked);
            }
        }
        for piece in next {
            let at = Meeting::Next(arrivals.wrapping_add(1));
            if let Some(asked) = self.request_piece(piece, at)? {
                self.foresight.borrow_mut().asked_for_next(asked);
            }
        }
        Ok(())
    }

    /// Requests a piece, and the block that is known to follow it; `None` if that is not possible now.
    fn request_piece(&self, piece: Piece, at: Meeting) -> Result<Option<Asked>> {
        let run =
            |at: &Range<u64>| Run { offset: at.start, local: 0, len: (at.end - at.start) as usize };
        let block = self.blocks.borrow().known(piece.image, piece.descriptor);
        let mut runs = vec![run(&piece.at)];
        runs.extend(block.as_ref().map(run));
        let is_requested = self.inner.request_ahead(piece.image, at, &runs)?;
        Ok(is_requested.then_some(Asked { piece, block }))
    }

    /// This image defines bytes of `target`, or may do so.
    fn defines(&self, target: Rank, bytes: &Range<u64>) {
        self.foresight.borrow_mut().forget(target, bytes);
    }

    /// Copies bytes that were requested before the last barrier, and keeps those of the block with them. Returns false if they have
    /// not come.
    ///
    /// # Safety
    /// `into` can be written for `len` bytes.
    unsafe fn take_ahead(
        &self,
        Asked { piece, block }: &Asked,
        (from, into, len): (u64, *mut u8, usize),
    ) -> Result<bool> {
        let Some(mut bytes) = self.inner.take_ahead(piece.image)? else { return Ok(false) };
        let wanted = &bytes[(from - piece.at.start) as usize..][..len];
        // SAFETY: there is room for `len` bytes (contract of this method).
        unsafe { into.copy_from_nonoverlapping(wanted.as_ptr(), len) };
        if let Some(block) = block {
            bytes.drain(..(piece.at.end - piece.at.start) as usize);
            self.blocks.borrow_mut().keep(block.clone(), bytes);
        }
        Ok(true)
    }

    /// Gets bytes, and keeps those of a block that come in the same message.
    ///
    /// # Safety
    /// Those of [`Transport::get`] for the bytes. The block is in the segment.
    unsafe fn get_with_block(
        &self,
        target: Rank,
        (from, into, len): (u64, *mut u8, usize),
        block: Range<u64>,
    ) -> Result<()> {
        let block_len = (block.end - block.start) as usize;
        let mut both = vec![0; block_len + len];
        let runs = [
            Run { offset: block.start, local: 0, len: block_len },
            Run { offset: from, local: block_len as isize, len },
        ];
        // SAFETY: there is room for both; the contract of this method.
        unsafe {
            self.inner.get(target, 0, both.as_mut_ptr(), Layout::Runs(&runs))?;
            into.copy_from_nonoverlapping(both[block_len..].as_ptr(), len);
        }
        both.truncate(block_len);
        self.blocks.borrow_mut().keep(block, both);
        Ok(())
    }

    /// Gets a block, which may have come with the descriptor that leads to it.
    ///
    /// # Safety
    /// That of [`Transport::get`].
    unsafe fn get_block(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        let at = offset..offset + len as u64;
        let generation = self.cache.generation_of_this_thread();
        // SAFETY: the contract of this method; `inner` has the same one (see [`Transport`]).
        unsafe {
            if self.take_block(target, at, dst, generation) {
                return Ok(());
            }
            self.inner.get(target, offset, dst, Layout::Contiguous(len))
        }
    }

    /// Copies a block, or bytes of lines, if they have come with a descriptor in this generation; otherwise they are remembered.
    ///
    /// # Safety
    /// `into` can be written for as many bytes.
    unsafe fn take_block(
        &self,
        target: Rank,
        at: Range<u64>,
        into: *mut u8,
        generation: u64,
    ) -> bool {
        let mut blocks = self.blocks.borrow_mut();
        let found = blocks.take(target, &at, generation);
        if let Some(bytes) = found.filter(|_| LineCache::serves_any(&self.job)) {
            // SAFETY: `into` can be written for as many bytes (contract of this method).
            unsafe { into.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            return true;
        }
        blocks.missed(target, &at, generation);
        false
    }
}

// SAFETY: the pointers are those of `inner`, which lives as long.
unsafe impl<T: Transport + AheadTransport> Transport for ReadCache<T> {
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        self.inner.host_ptr(target, offset)
    }

    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let forgotten: std::result::Result<(), Infallible> =
            layout.for_each_touched(offset, |from, to| {
                self.cache.forget(target, from..to);
                self.blocks.borrow_mut().forget(target, &(from..to));
                self.defines(target, &(from..to));
                Ok(())
            });
        let Ok(()) = forgotten;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put(target, offset, src, layout) }
    }

    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        match layout {
            // SAFETY: the contract of this method.
            Layout::Contiguous(len) if self.serves(target, len) => unsafe {
                self.get_by_lines(target, offset, dst, len, Content::Values)
            },
            // SAFETY: the contract of this method.
            Layout::Contiguous(len) if len > 0 && self.inner.host_ptr(target, 0).is_none() => unsafe {
                self.get_block(target, offset, dst, len)
            },
            // SAFETY: `inner` has the same contract (see [`Transport`]).
            _ => unsafe { self.inner.get(target, offset, dst, layout) },
        }
    }

    unsafe fn get_descriptor(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
    ) -> Result<()> {
        // SAFETY: the contract of this method; `inner` has the same one.
        unsafe {
            if self.serves(target, len) {
                self.get_by_lines(target, offset, dst, len, Content::Descriptors)
            } else {
                self.inner.get_descriptor(target, offset, dst, len)
            }
        }
    }

    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()> {
        self.cache.begin_generation();
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.post(target, post) }
    }

    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64> {
        self.cache.begin_generation();
        self.defines(target, &(offset..offset + width.bytes()));
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.atomic(target, offset, width, request) }
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        self.cache.begin_generation();
        self.defines(target, &(offset..offset + width.bytes()));
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.signal(target, offset, width, update, wake) }
    }

    fn ring(&self, target: Rank) {
        self.inner.ring(target);
    }

    fn flush(&self, scope: FlushScope) -> Result<()> {
        self.cache.begin_generation();
        self.inner.flush(scope)
    }

    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        self.cache.begin_generation();
        self.defines(target, &(0..u64::MAX));
        self.inner.call(target, handler, payload, reply)
    }

    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        self.inner.rendezvous(partner)
    }

    fn background(&self) -> Option<&dyn Background> {
        self.inner.background()
    }

    fn meets(&self, point: MeetingPoint) -> Result<()> {
        match point {
            _ if !self.inner.gets_ahead() => Ok(()),
            MeetingPoint::Arrived { arrivals } => {
                self.inner.arrives()?;
                self.request_ahead(arrivals)
            }
            MeetingPoint::Met => {
                self.foresight.borrow_mut().met(self.cache.generation());
                Ok(())
            }
        }
    }

    fn share_cores(&self, cores: Rc<dyn SharedCores>) {
        self.inner.share_cores(cores);
    }

    fn acquire(&self) {
        self.cache.begin_generation();
        self.inner.acquire();
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
