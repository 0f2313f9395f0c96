//! The stack of executing sets: TASK, CHANGE TEAM and the program start push, END pops.

use super::{ImageSet, Members};
use crate::rank::Rank;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The sets that this image executes in, innermost last. There is always the initial set.
#[derive(Debug)]
pub struct Stack {
    sets: RefCell<Vec<Rc<ImageSet>>>,
    translation: Cell<Translation>,
}

/// Image index to rank in the executing set, without asking the set: for the fast paths.
#[derive(Clone, Copy, Debug)]
struct Translation {
    len: u32,
    start: u32,
    stride: i32,
    /// The table of a set that is no formula, else null.
    table: *const Rank,
}

impl Translation {
    fn of(set: &ImageSet) -> Translation {
        match set.members() {
            &Members::Range { start, stride, len } => {
                Translation { len, start, stride, table: std::ptr::null() }
            }
            Members::List { ranks, .. } => {
                Translation { len: ranks.len() as u32, start: 0, stride: 0, table: ranks.as_ptr() }
            }
        }
    }
}

impl Stack {
    /// The stack at program start.
    pub(crate) fn new(initial: Rc<ImageSet>) -> Stack {
        let translation = Cell::new(Translation::of(&initial));
        Stack { sets: RefCell::new(vec![initial]), translation }
    }

    /// The executing set.
    pub fn executing(&self) -> Rc<ImageSet> {
        self.sets.borrow().last().expect("the initial set stays").clone()
    }

    /// The initial set.
    pub fn initial(&self) -> Rc<ImageSet> {
        self.sets.borrow()[0].clone()
    }

    /// Number of sets on the stack: 1 = only the initial one.
    pub fn depth(&self) -> usize {
        self.sets.borrow().len()
    }

    /// Makes `set` the executing set.
    pub fn push(&self, set: Rc<ImageSet>) {
        self.translation.set(Translation::of(&set));
        self.sets.borrow_mut().push(set);
    }

    /// Returns to the set before; the one that was left. `None`, and nothing happens, when only the
    /// initial set is left.
    pub fn pop(&self) -> Option<Rc<ImageSet>> {
        let mut sets = self.sets.borrow_mut();
        if sets.len() == 1 {
            return None;
        }
        let left = sets.pop();
        self.translation.set(Translation::of(sets.last().expect("the initial set stays")));
        left
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
        // SAFETY: the table has `len` entries and lives as long as its set, which is on the stack as long
        // as this translation is the current one.
        Some(unsafe { *t.table.add(position as usize) })
    }
}
