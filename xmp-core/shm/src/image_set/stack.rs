//! The stack of executing sets: TASK, CHANGE TEAM and the program start push, END pops.

use super::set::ImageSet;
use super::translation::{Segments, Translation};
use crate::memory::Scope;
use crate::rank::Rank;
use std::any::Any;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

/// The sets that this image executes in, innermost last. The first is always the initial set.
#[derive(Debug)]
pub struct Stack {
    /// The frames of the stack, and after them those of the task regions that were left last: a loop around a task
    /// enters the same set again and again, and only what differs is written then.
    frames: RefCell<Vec<Frame>>,
    /// Number of frames that are on the stack.
    depth: Cell<usize>,
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
    serial: Cell<u64>,
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
        self.serial.get()
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

impl Stack {
    /// The stack at program start.
    pub fn new(initial: Rc<ImageSet>, segments: Segments, scope: Scope) -> Stack {
        let translation = Translation::of(&initial, segments);
        let serial = Cell::new(0);
        let frame = Frame { set: initial, serial, scope, owner: None, translation };
        Stack {
            frames: RefCell::new(vec![frame]),
            depth: Cell::new(1),
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
        self.frames.borrow()[0].set.clone()
    }

    /// Whether a set has the images of the initial set, in their order.
    #[inline]
    pub fn is_initial(&self, set: &Rc<ImageSet>) -> bool {
        let initial = &self.frames.borrow()[0].set;
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
        self.depth.get()
    }

    /// The innermost entry. No set can be entered or left while the reference lives.
    #[inline]
    pub fn top(&self) -> Ref<'_, Frame> {
        Ref::map(self.frames.borrow(), |frames| &frames[self.depth.get() - 1])
    }

    /// All entries, innermost last. No set can be entered or left while the reference lives.
    pub fn frames(&self) -> Ref<'_, [Frame]> {
        Ref::map(self.frames.borrow(), |frames| &frames[..self.depth.get()])
    }

    /// The 1-based index of this image in the executing set, and the number of its images. Any thread may call this as
    /// long as no set is entered or left meanwhile.
    #[inline(always)]
    pub fn index_and_size(&self) -> (u32, u32) {
        self.translation.get().index_and_size()
    }

    /// Closes the stack in a process that the image has forked: no image index is valid there, so that each access
    /// takes the slow path and is refused.
    pub fn close_after_fork(&self) {
        self.translation.set(self.translation.get().closed());
    }

    /// Makes `set` the executing set. Returns the serial number of this entry.
    pub fn push(&self, set: &Rc<ImageSet>, scope: Scope, owner: Option<Rc<dyn Any>>) -> u64 {
        let translation = Translation::of(set, self.segments);
        let serial = self.next_serial();
        let frames = &mut *self.frames.borrow_mut();
        let depth = self.depth.get();
        frames.truncate(depth);
        frames.push(Frame {
            set: set.clone(),
            serial: Cell::new(serial),
            scope,
            owner,
            translation,
        });
        self.depth.set(depth + 1);
        self.translation.set(translation);
        serial
    }

    /// The frames, also those of task regions that were left, while `body` executes: in fewer instructions than by a
    /// guard. `None` while their list changes.
    #[inline(always)]
    fn with_frames<T>(&self, body: impl FnOnce(&[Frame]) -> T) -> Option<T> {
        // SAFETY: their list does not change while the reference lives. Only `push` and `pop` change it; `body` is code of
        // this module, and of its callers looks at states of the heaps.
        let frames = unsafe { self.frames.try_borrow_unguarded() };
        Some(body(frames.ok()?))
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
        let depth = self.depth.get();
        // SAFETY: as in `with_frames`; a closure that is called there would be a function of its own.
        let frames = unsafe { self.frames.try_borrow_unguarded() }.ok()?;
        let frame = frames.get(depth)?;
        if !Rc::ptr_eq(&frame.set, set) || !scope_is_right(&frame.scope) {
            return None;
        }
        let serial = self.next_serial();
        frame.serial.set(serial);
        self.depth.set(depth + 1);
        self.translation.set(frame.translation);
        Some(serial)
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
        let frames = &mut *self.frames.borrow_mut();
        let depth = self.depth.get() - 1;
        let [.., now, left] = &frames[..=depth] else { return None };
        let (scope, is_team) = (left.scope, left.owner.is_some());
        self.return_to(now, depth);
        if is_team {
            // Nothing of a team that was left is kept alive.
            frames.truncate(depth);
        }
        Some(scope)
    }

    /// Returns to the set before, if the executing one is that of a task region and `scopes_are_right` says so of the
    /// states of the heaps when it and when the one before was entered. Whether it did; otherwise nothing has happened.
    #[inline(always)]
    pub fn pop_task(&self, scopes_are_right: impl FnOnce(&Scope, &Scope) -> bool) -> bool {
        let depth = self.depth.get() - 1;
        let back = |frames: &[Frame]| {
            let [.., now, left] = &frames[..=depth] else { return false };
            if left.owner.is_some() || !scopes_are_right(&left.scope, &now.scope) {
                return false;
            }
            self.return_to(now, depth);
            true
        };
        self.with_frames(back).unwrap_or(false)
    }

    /// Makes the frame `now` the innermost one of `depth`.
    #[inline(always)]
    fn return_to(&self, now: &Frame, depth: usize) {
        self.translation.set(now.translation);
        self.entry.set(now.serial());
        self.depth.set(depth);
    }

    /// The segment of the image with the 1-based `index` in the executing set, if a formula gives it; `None` when the
    /// index is out of range or the answer takes longer ([`Stack::rank_of_index`]).
    #[inline(always)]
    pub fn segment_of_index(&self, index: i32) -> Option<*mut u8> {
        self.translation.get().segment(index)
    }

    /// The rank of the 1-based `index` in the executing set; `None` when out of range.
    #[inline(always)]
    pub fn rank_of_index(&self, index: i32) -> Option<Rank> {
        // SAFETY: the set of this translation is on the stack as long as it is the current one.
        unsafe { self.translation.get().rank(index) }
    }
}
