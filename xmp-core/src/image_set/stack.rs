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

/// Image index to rank in the executing set, without following a pointer: for the fast paths.
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    start: u32,
    stride: i32,
    /// Number of images if the set is a formula, else 0 and the set must be asked.
    len: u32,
}

impl Translation {
    fn of(set: &ImageSet) -> Translation {
        match *set.members() {
            Members::Range { start, stride, len } => Translation { start, stride, len },
            Members::List { .. } => Translation { start: 0, stride: 1, len: 0 },
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
        if position < t.len {
            return Some(Rank::new(t.start.wrapping_add(position.wrapping_mul(t.stride as u32))));
        }
        self.rank_in_list(position, t.len)
    }

    #[cold]
    fn rank_in_list(&self, position: u32, formula_len: u32) -> Option<Rank> {
        if formula_len != 0 {
            return None;
        }
        self.executing().rank_at(position as usize)
    }
}
