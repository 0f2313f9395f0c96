//! The heaps of an image's segment, and the check that the machine can back what they allocate.
//!
//! There are two symmetric heaps: that of the initial team, and the teams heap for all other sets. The executing set
//! decides which one allocates; [`Scope`] records the state in which it was entered.

mod deferred;
mod lack;
mod large_blocks;
mod ordinary;
mod ordinary_usage;
mod parts;
mod recently_freed;
mod shared_table;
mod teams_heap;
#[cfg(all(test, not(loom)))]
mod tests;

pub use deferred::DeferredFrees;
pub use shared_table::TableReference;

use crate::error::{Error, Result, team_name};
use crate::heap::{Arena, End, GRAIN, Heap, Mark};
use crate::job::Job;
use crate::job::SegmentLayout;
use crate::rank::Rank;
use crate::region::LEAST_LARGE;
use crate::sync::Ordering;
use large_blocks::LargeBlocks;
use ordinary_usage::OrdinaryUsage;
use recently_freed::RecentlyFreed;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;
use teams_heap::TeamsHeap;

/// Freed blocks of at least this many bytes are returned to the system at once. For smaller ones, taking the pages
/// again (0.5 us each and more) costs more than keeping them.
const GIVE_BACK: u64 = 32 << 20;

/// The heaps of one image. Offsets are relative to the segment.
#[derive(Debug)]
pub struct Memory {
    job: Arc<Job>,
    rank: Rank,
    heaps: RefCell<Heaps>,
    large_blocks: RefCell<LargeBlocks>,
    ordinary: OrdinaryUsage,
    recently_freed: RecentlyFreed,
    /// How often a symmetric heap may have changed.
    changes: Cell<u64>,
    scope: Cell<Scope>,
    /// Offsets of the tables that this image has published and not freed.
    shared: RefCell<Vec<u64>>,
}

#[derive(Debug)]
struct Heaps {
    /// The symmetric heap of the initial team and the non-symmetric heap.
    arena: Arena,
    teams: TeamsHeap,
}

/// The state of the symmetric heaps when a set was entered.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Whether it is the set of all images in their order, which has a heap of its own.
    initial: bool,
    /// The number of the team; `None` for the set of a task region.
    team: Option<i64>,
    marks: [Mark; 2],
    floors: usize,
    /// [`Memory::changes`] then.
    changes: u64,
}

impl Memory {
    /// The heaps of the image `rank`, empty, in a segment of this layout.
    pub fn new(job: Arc<Job>, rank: Rank, layout: &SegmentLayout) -> Memory {
        let arena = Arena::new("memory for coarrays", "memory for components", layout.heap.clone());
        let heaps = Heaps { arena, teams: TeamsHeap::new(layout.teams.clone()) };
        let scope = heaps.scope(true, Some(-1), 0);
        let segment = job.segment(rank).expect("this image's own") as u64;
        let segment = segment - job.region().start() as u64;
        Memory {
            large_blocks: RefCell::new(LargeBlocks::new(&job, segment)),
            job,
            rank,
            heaps: RefCell::new(heaps),
            ordinary: OrdinaryUsage::new(layout.heap.clone()),
            recently_freed: RecentlyFreed::new(),
            changes: Cell::new(0),
            scope: Cell::new(scope),
            shared: RefCell::default(),
        }
    }

    /// Allocates `size` bytes of the symmetric heap of the executing set: that of the initial team, or the teams heap.
    /// Every image of the set makes the same calls in the same order and gets the same offset. The check against the
    /// machine's memory depends on nothing that differs between them, so it gives all the same answer. Images outside
    /// the set neither take part nor lose memory. The bytes are not cleared.
    ///
    /// A block lives until it is freed, at the latest until the set is left ([`crate::Image::leave`]).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], the same on every image of the set as long as non-symmetric blocks leave room.
    pub fn allocate_symmetric(&self, size: u64, align: u64) -> Result<u64> {
        self.count_change();
        let Heaps { arena, teams } = &mut *self.heaps.borrow_mut();
        let initial = self.scope.get().initial;
        let room = self.job.page().symmetric_limit;
        let held = arena.heap(End::Low).in_use().saturating_add(teams.committed());
        let available = room.saturating_sub(held);
        if size > available {
            let heap_has =
                if initial { arena.available(End::Low) } else { teams.top().available() };
            return Err(self.no_memory(size, available.min(heap_has)));
        }
        if initial {
            let in_use = arena.heap(End::Low).in_use() + arena.heap(End::High).in_use();
            let mut allocated = arena.allocate(End::Low, size, align);
            if allocated.is_err() && self.release_recently_freed(arena) {
                allocated = arena.allocate(End::Low, size, align);
            }
            let offset =
                allocated.map_err(|error| self.with_remedy(error, in_use, |it| it.heap.clone()))?;
            self.use_huge_pages(offset, size);
            return Ok(offset);
        }
        let before = teams.in_use();
        let allocated = teams.allocate(size, align);
        let offset =
            allocated.map_err(|error| self.with_remedy(error, before, |it| it.teams.clone()))?;
        self.count_unsymmetric(teams.in_use() as i64 - before as i64);
        self.use_huge_pages(offset, size);
        Ok(offset)
    }

    /// Frees a block of the symmetric heap of the executing set.
    ///
    /// # Errors
    /// When no block starts at `offset`, or when it was allocated before the executing set was entered: images that do
    /// not take part still have it then.
    ///
    /// # Safety
    /// No image uses the block any more.
    pub unsafe fn free_symmetric(&self, offset: u64) -> Result<()> {
        self.check_free_symmetric(offset)?;
        // SAFETY: the contract of this function.
        unsafe { self.free_checked(offset) }
    }

    /// As [`Memory::free_symmetric`], of a block for which [`Memory::check_free_symmetric`] has found no error since the
    /// executing set was entered.
    ///
    /// # Errors
    /// When no block starts at `offset`.
    ///
    /// # Safety
    /// No image uses the block any more.
    pub unsafe fn free_checked(&self, offset: u64) -> Result<()> {
        self.count_change();
        let Heaps { arena, teams } = &mut *self.heaps.borrow_mut();
        let len = if teams.covers(offset) {
            let len = teams.top_mut().free(offset)?;
            self.count_unsymmetric(-(len as i64));
            len
        } else {
            arena.free(End::Low, offset)?
        };
        self.give_back(offset, len);
        Ok(())
    }

    /// Checks that the executing set may free the block at `offset`, without freeing it: for callers that wait for
    /// other images before they free.
    ///
    /// # Errors
    /// When the block was allocated before the executing set was entered.
    pub fn check_free_symmetric(&self, offset: u64) -> Result<()> {
        let Heaps { arena, teams } = &*self.heaps.borrow();
        let scope = self.scope.get();
        let younger = match teams.covers(offset) {
            // Blocks below the floor are all older.
            true if offset < teams.top().start() => Some(false),
            true => teams.top().is_younger(offset, scope.marks[1]),
            false => arena.heap(End::Low).is_younger(offset, scope.marks[0]),
        };
        match younger {
            Some(false) => Err(scope.not_allocated_in_scope()),
            _ => Ok(()),
        }
    }

    /// Whether `offset` is in a block of the teams heap that was allocated after the set of this entry was entered,
    /// so that only images of that set, or of sets entered later, have it.
    pub fn is_of_team_since(&self, offset: u64, entry: Scope) -> bool {
        let scope = entry;
        self.heaps.borrow().teams.is_younger(offset, scope.floors, scope.marks[1])
    }

    /// Whether `offset` is in the teams heap: not all images have the same blocks there.
    pub fn is_of_team(&self, offset: u64) -> bool {
        self.heaps.borrow().teams.covers(offset)
    }

    /// Allocates `size` bytes of the non-symmetric heap: memory that others can address but that only this image
    /// allocates. The bytes are not cleared.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn allocate_local(&self, size: u64, align: u64) -> Result<u64> {
        self.reclaim();
        let arena = &mut self.heaps.borrow_mut().arena;
        let symmetric =
            arena.heap(End::Low).in_use().saturating_mul(self.job.region_ranks().len() as u64);
        let in_use = &self.job.page().unsymmetric_in_use;
        let room = self.job.page().memory_limit.saturating_sub(symmetric);
        let available = room.saturating_sub(in_use.load(Ordering::Relaxed));
        if size > available {
            return Err(self.no_memory(size, available));
        }
        let before = arena.heap(End::High).in_use();
        let in_use = before + arena.heap(End::Low).in_use();
        let mut allocated = arena.allocate(End::High, size, align);
        if allocated.is_err() && self.release_recently_freed(arena) {
            allocated = arena.allocate(End::High, size, align);
        }
        let offset =
            allocated.map_err(|error| self.with_remedy(error, in_use, |it| it.heap.clone()))?;
        self.count_unsymmetric((arena.heap(End::High).in_use() - before) as i64);
        self.use_huge_pages(offset, size);
        Ok(offset)
    }

    /// Frees a block of the non-symmetric heap.
    ///
    /// # Errors
    /// When no block starts at `offset`.
    ///
    /// # Safety
    /// No image uses the block any more.
    pub unsafe fn free_local(&self, offset: u64) -> Result<()> {
        let len = self.heaps.borrow_mut().arena.free(End::High, offset)?;
        self.count_unsymmetric(-(len as i64));
        self.give_back(offset, len);
        Ok(())
    }

    /// Puts a table into this image's non-symmetric heap for `holders` images of its host, this one included. Returns
    /// its offset, by which the others [`Memory::attach`] it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn publish(&self, words: &[u32], holders: u32) -> Result<(TableReference, u64)> {
        let offset = self.allocate_local(TableReference::bytes(words.len()), GRAIN)?;
        let head = self.segment().wrapping_add(offset as usize);
        // SAFETY: the block was just allocated with this size, aligned to GRAIN, and no other image knows of it.
        let shared = unsafe { TableReference::write(&self.job, head, words, holders) };
        self.shared.borrow_mut().push(offset);
        Ok((shared, offset))
    }

    /// The table that the image `owner` of this host has published at `offset`.
    ///
    /// # Panics
    /// When the owner's segment is not in the memory of this machine.
    ///
    /// # Safety
    /// `owner` got the offset from [`Memory::publish`] and counted this image among the holders. This image has
    /// synchronised with it since and not attached the table before.
    pub unsafe fn attach(&self, owner: Rank, offset: u64) -> TableReference {
        let segment = self.job.segment(owner).expect("an image of this host");
        // SAFETY: `publish` wrote the table there, before the images synchronised.
        unsafe { TableReference::at(&self.job, segment.wrapping_add(offset as usize)) }
    }

    /// Frees the tables of this image that no image holds any more ([`TableReference`]). Called when memory is allocated.
    pub fn reclaim(&self) {
        if self.shared.borrow().is_empty() {
            return;
        }
        let segment = self.segment();
        self.shared.borrow_mut().retain(|&offset| {
            let free = shared_table::is_free(segment, offset);
            if free {
                // SAFETY: no image holds the table.
                unsafe { self.free_local(offset) }.expect("published, and freed here only");
            }
            !free
        });
    }

    /// Whether a block that was allocated since the executing set was entered is still allocated.
    #[inline]
    pub fn has_allocated(&self) -> bool {
        let scope = self.scope.get();
        // In most sets nothing is allocated.
        scope.changes != self.changes.get() && self.heaps.borrow().have_allocated_since(&scope)
    }

    /// The present end of the teams heap of this image, as an offset in its segment. Images whose heaps may differ
    /// agree on the greatest of these when they enter a set together.
    pub fn teams_edge(&self) -> u64 {
        self.heaps.borrow().teams.top().edge()
    }

    /// Bytes in use and most bytes ever spanned, of the symmetric heap of the initial team, of the non-symmetric heap
    /// and of the teams heap.
    pub fn usage(&self) -> [(u64, u64); 3] {
        let Heaps { arena, teams } = &*self.heaps.borrow();
        let of = |heap: &Heap| (heap.in_use(), heap.high_water());
        let teams = (teams.in_use(), teams.high_water());
        [of(arena.heap(End::Low)), of(arena.heap(End::High)), teams]
    }

    /// Enters a set: `initial` if it is that of all images in their order; `team` is the number of a team, `None` for a
    /// task region. With a `floor`, the same on all its images, its blocks in the teams heap are above it.
    pub fn enter(&self, initial: bool, team: Option<i64>, floor: Option<u64>) -> Scope {
        let heaps = &mut *self.heaps.borrow_mut();
        if let Some(floor) = floor {
            self.count_change();
            heaps.teams.raise(floor);
        }
        let scope = heaps.scope(initial, team, self.changes.get());
        self.scope.set(scope);
        scope
    }

    /// Enters a task region again for which [`Memory::enter`] has returned `scope`, if no symmetric heap has changed
    /// since. Whether it did; otherwise nothing has happened.
    #[inline(always)]
    pub fn enter_again(&self, scope: &Scope) -> bool {
        let same = scope.changes == self.changes.get();
        if same {
            self.scope.set(*scope);
        }
        same
    }

    /// Leaves the set with scope `left` for the one with scope `now`, if no symmetric heap has changed since it was
    /// entered. Whether it did; otherwise nothing has happened.
    #[inline(always)]
    pub fn leave_unchanged(&self, left: &Scope, now: &Scope) -> bool {
        let same = left.changes == self.changes.get() && left.floors == now.floors;
        if same {
            self.scope.set(*now);
        }
        same
    }

    /// A symmetric heap is about to change.
    fn count_change(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// The scope of the executing set.
    pub fn scope(&self) -> Scope {
        self.scope.get()
    }

    /// Leaves the set with scope `left` for the one with scope `now`. Frees all blocks that were allocated since it was
    /// entered; returns where they were.
    pub fn leave(&self, left: Scope, now: Scope) -> Vec<Range<u64>> {
        if self.leave_unchanged(&left, &now) {
            return Vec::new();
        }
        self.scope.set(now);
        self.count_change();
        let Heaps { arena, teams } = &mut *self.heaps.borrow_mut();
        let mut released = teams.top_mut().release(left.marks[1]);
        self.count_unsymmetric(-(total(&released) as i64));
        while teams.floors() > now.floors {
            teams.lower();
        }
        released.append(&mut arena.release(End::Low, left.marks[0]));
        if total(&released) >= GIVE_BACK {
            let mut sorted = released.clone();
            sorted.sort_unstable_by_key(|block| block.start);
            // Many small neighbouring blocks form one large range.
            for run in sorted.chunk_by(|a, b| a.end == b.start) {
                let (first, last) = (&run[0], &run[run.len() - 1]);
                self.give_back(first.start, last.end - first.start);
            }
        }
        released
    }

    /// Adds `bytes` to the bytes in use of heaps that differ between images.
    fn count_unsymmetric(&self, bytes: i64) {
        if bytes == 0 {
            // Sets are entered and left often, and the line would travel between images for nothing.
            return;
        }
        // A statistic of all images together, which orders nothing. Wrapping, so `bytes` can be negative.
        self.job.page().unsymmetric_in_use.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn give_back(&self, offset: u64, len: u64) {
        if len >= GIVE_BACK {
            let region = self.job.region();
            let start = self.segment() as u64 - region.start() as u64 + offset;
            // SAFETY: the callers have freed these bytes.
            unsafe { region.discard(start, len) };
            self.large_blocks.borrow_mut().discarded(start..start + len);
        }
    }

    /// Lets the new block at this offset be in huge pages, if it is large.
    #[inline]
    fn use_huge_pages(&self, offset: u64, len: u64) {
        if len >= LEAST_LARGE {
            self.large_blocks.borrow_mut().allocated(&self.job, offset, len);
        }
    }

    fn segment(&self) -> *mut u8 {
        self.job.segment(self.rank).expect("this image's own")
    }
}

impl Heaps {
    /// Whether a block of the symmetric heaps that was allocated since the set of this scope was entered still lives.
    fn have_allocated_since(&self, scope: &Scope) -> bool {
        let [initial, others] = scope.marks;
        self.arena.heap(End::Low).has_younger(initial) || self.teams.top().has_younger(others)
    }

    fn scope(&self, initial: bool, team: Option<i64>, changes: u64) -> Scope {
        let marks = [self.arena.heap(End::Low).mark(), self.teams.top().mark()];
        Scope { initial, team, marks, floors: self.teams.floors(), changes }
    }
}

impl Scope {
    fn not_allocated_in_scope(&self) -> Error {
        let (set, how) = match self.team {
            Some(number) => (team_name(&number), "END TEAM"),
            None => ("a task region".into(), "the end of the region"),
        };
        Error::Invalid(format!(
            "a coarray cannot be freed in {set} if it was allocated before that was entered: free it after {how}"
        ))
    }
}

fn total(blocks: &[Range<u64>]) -> u64 {
    blocks.iter().map(|block| block.end - block.start).sum()
}
