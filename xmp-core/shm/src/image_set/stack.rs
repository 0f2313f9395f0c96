//! The stack of executing sets: TASK, CHANGE TEAM and the program start push, END pops.

use super::set::ImageSet;
use crate::memory::Scope;
use crate::rank::Rank;
use std::any::Any;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

/// The sets that this image executes in, innermost last. The first is always the initial set.
#[derive(Debug)]
pub struct Stack {
    frames: RefCell<Frames>,
    translation: Cell<Translation>,
    /// Serial number of the innermost entry.
    entry: Cell<u64>,
    segments: Segments,
    /// Serial number of the last frame that was made.
    serial: Cell<u64>,
}

/// A set that an image has entered and not left yet.
#[derive(Clone, Debug)]
pub struct Frame {
    set: Rc<ImageSet>,
    serial: u64,
    scope: Scope,
    owner: Option<Rc<dyn Any>>,
    /// That of the stack while the set executes.
    translation: Translation,
}

impl Frame {
    /// The set.
    pub fn set(&self) -> &Rc<ImageSet> {
        &self.set
    }

    /// Serial number of this entry, unique on this image; 0 for the start of the program.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// The team, as passed to the call that entered it; `None` for a task region and the start of the program.
    pub fn owner(&self) -> Option<&Rc<dyn Any>> {
        self.owner.as_ref()
    }

    /// The state of the heaps when the set was entered.
    pub fn scope(&self) -> Scope {
        self.scope
    }
}

/// The frames of the stack, and behind them those of the task regions that were left last: a loop around a task enters
/// the same set again and again, and only what differs is written then.
#[derive(Debug)]
struct Frames {
    all: Vec<Frame>,
    /// Number of frames that are on the stack.
    depth: usize,
}

impl Frames {
    #[inline(always)]
    fn entered(&self) -> &[Frame] {
        &self.all[..self.depth]
    }

    #[inline(always)]
    fn top(&self) -> &Frame {
        &self.all[self.depth - 1]
    }
}

/// The location of all images' segments, if all are addressable from this process.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// Start of the segment of rank 0; null if some image is on another host.
    pub first: *mut u8,
    /// Bytes from one segment to the next.
    pub stride: isize,
}

/// Translates an image index to rank and segment in the executing set, without access to the set: for the fast paths.
#[derive(Clone, Copy, Debug)]
struct Translation {
    len: u32,
    start: u32,
    stride: i32,
    /// The 1-based index of this image; 0 if it is not in the set.
    index: u32,
    /// The table of a set that is no formula, else null.
    table: *const u32,
    /// Number of images whose segments a formula gives: `len` or 0.
    direct: u32,
    /// Segment of the first image, and bytes from one image's to the next's.
    segment: *mut u8,
    step: isize,
}

impl Translation {
    fn of(set: &ImageSet, segments: Segments) -> Translation {
        let members = set.members();
        let len = members.len() as u32;
        let index = set.position().map_or(0, |position| position as u32 + 1);
        if let Some(table) = members.table() {
            return Translation {
                len,
                start: 0,
                stride: 0,
                index,
                table: table.as_ptr(),
                direct: 0,
                segment: std::ptr::null_mut(),
                step: 0,
            };
        }
        let start = members.rank(0).expect("a set has an image").get();
        let stride = members.stride().expect("without a table there is a formula");
        Translation {
            len,
            start,
            stride,
            index,
            table: std::ptr::null(),
            direct: if segments.first.is_null() { 0 } else { len },
            segment: segments.first.wrapping_offset(start as isize * segments.stride),
            step: stride as isize * segments.stride,
        }
    }
}

impl Stack {
    /// The stack at program start.
    pub fn new(initial: Rc<ImageSet>, segments: Segments, scope: Scope) -> Stack {
        let translation = Translation::of(&initial, segments);
        let frame = Frame { set: initial, serial: 0, scope, owner: None, translation };
        Stack {
            frames: RefCell::new(Frames { all: vec![frame], depth: 1 }),
            translation: Cell::new(translation),
            entry: Cell::new(0),
            segments,
            serial: Cell::new(0),
        }
    }

    /// The executing set.
    #[inline]
    pub fn executing(&self) -> Rc<ImageSet> {
        self.top().set.clone()
    }

    /// The initial set.
    pub fn initial(&self) -> Rc<ImageSet> {
        self.frames.borrow().all[0].set.clone()
    }

    /// Whether a set has the images of the initial set, in their order.
    #[inline]
    pub fn is_initial(&self, set: &Rc<ImageSet>) -> bool {
        let initial = &self.frames.borrow().all[0].set;
        Rc::ptr_eq(set, initial) || set.len() == initial.len() && set.members() == initial.members()
    }

    /// Serial number of the innermost entry ([`Frame::serial`]).
    #[inline(always)]
    pub fn entry(&self) -> u64 {
        self.entry.get()
    }

    /// Number of sets on the stack: 1 = only the initial one.
    #[inline]
    pub fn depth(&self) -> usize {
        self.frames.borrow().depth
    }

    /// The innermost entry. No set can be entered or left while the reference lives.
    #[inline]
    pub fn top(&self) -> Ref<'_, Frame> {
        Ref::map(self.frames.borrow(), Frames::top)
    }

    /// All entries, innermost last. No set can be entered or left while the reference lives.
    pub fn frames(&self) -> Ref<'_, [Frame]> {
        Ref::map(self.frames.borrow(), Frames::entered)
    }

    /// The 1-based index of this image in the executing set, and the number of its images. Any thread may call this as
    /// long as no set is entered or left meanwhile.
    #[inline(always)]
    pub fn index_and_size(&self) -> (u32, u32) {
        let t = self.translation.get();
        (t.index, t.len)
    }

    /// Closes the stack in a process that the image has forked: no image index is valid there, so that each access
    /// takes the slow path and is refused.
    pub fn close_after_fork(&self) {
        let closed = Translation { len: 0, direct: 0, ..self.translation.get() };
        self.translation.set(closed);
    }

    /// Makes `set` the executing set. Returns the serial number of this entry.
    pub fn push(&self, set: &Rc<ImageSet>, scope: Scope, owner: Option<Rc<dyn Any>>) -> u64 {
        let translation = Translation::of(set, self.segments);
        let serial = self.next_serial();
        let Frames { all, depth } = &mut *self.frames.borrow_mut();
        all.truncate(*depth);
        all.push(Frame { set: set.clone(), serial, scope, owner, translation });
        *depth += 1;
        self.translation.set(translation);
        serial
    }

    /// Makes `set` the executing set again, if it is that of the task region that was left last from the present one and
    /// `scope_is_right` says so of the state of the heaps when it was entered. Returns the serial number of this entry;
    /// `None`, without effect, otherwise.
    #[inline(always)]
    pub fn push_again(
        &self,
        set: &Rc<ImageSet>,
        scope_is_right: impl FnOnce(&Scope) -> bool,
    ) -> Option<u64> {
        let Frames { all, depth } = &mut *self.frames.borrow_mut();
        let frame = all.get_mut(*depth)?;
        if !Rc::ptr_eq(&frame.set, set) || !scope_is_right(&frame.scope) {
            return None;
        }
        frame.serial = self.next_serial();
        *depth += 1;
        self.translation.set(frame.translation);
        Some(frame.serial)
    }

    /// A new serial number, of the entry that is the innermost from now on.
    #[inline(always)]
    fn next_serial(&self) -> u64 {
        let serial = self.serial.get() + 1;
        self.serial.set(serial);
        self.entry.set(serial);
        serial
    }

    /// Returns to the set before. Returns the state of the heaps when the set that was left was entered; `None`, without
    /// effect, when only the initial set remains.
    pub fn pop(&self) -> Option<Scope> {
        let Frames { all, depth } = &mut *self.frames.borrow_mut();
        let [.., now, left] = &all[..*depth] else { return None };
        let (scope, is_team) = (left.scope, left.owner.is_some());
        self.translation.set(now.translation);
        self.entry.set(now.serial);
        *depth -= 1;
        if is_team {
            // Nothing of a team that was left is kept alive.
            all.truncate(*depth);
        }
        Some(scope)
    }

    /// Returns to the set before, if the executing one is that of a task region and `scopes_are_right` says so of the
    /// states of the heaps when it and when the one before was entered. Whether it did; otherwise nothing has happened.
    #[inline(always)]
    pub fn pop_task(&self, scopes_are_right: impl FnOnce(&Scope, &Scope) -> bool) -> bool {
        let Frames { all, depth } = &mut *self.frames.borrow_mut();
        let [.., now, left] = &all[..*depth] else { return false };
        if left.owner.is_some() || !scopes_are_right(&left.scope, &now.scope) {
            return false;
        }
        self.translation.set(now.translation);
        self.entry.set(now.serial);
        *depth -= 1;
        true
    }

    /// The segment of the image with the 1-based `index` in the executing set, if a formula gives it; `None` when the
    /// index is out of range or the answer takes longer ([`Stack::rank_of_index`]).
    #[inline(always)]
    pub fn segment_of_index(&self, index: i32) -> Option<*mut u8> {
        let t = self.translation.get();
        let position = index.wrapping_sub(1) as u32;
        if position >= t.direct {
            return None;
        }
        Some(t.segment.wrapping_offset(position as isize * t.step))
    }

    /// The rank of the 1-based `index` in the executing set; `None` when out of range.
    #[inline(always)]
    pub fn rank_of_index(&self, index: i32) -> Option<Rank> {
        let t = self.translation.get();
        let position = index.wrapping_sub(1) as u32;
        if position >= t.len {
            return None;
        }
        if t.table.is_null() {
            return Some(Rank::new(t.start.wrapping_add(position.wrapping_mul(t.stride as u32))));
        }
        // SAFETY: the table has `len` entries and lives as long as its set, which is on the stack as long as this
        // translation is the current one.
        Some(Rank::new(unsafe { *t.table.add(position as usize) }))
    }
}
