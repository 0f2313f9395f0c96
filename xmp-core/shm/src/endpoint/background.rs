//! Background work: operations that progress while an image waits for something else.

use std::cell::{Cell, OnceCell};

/// The work of an image, of one type that implements the trait `W`.
#[derive(Debug)]
pub struct Slot<W: ?Sized> {
    work: OnceCell<Box<W>>,
    busy: Cell<bool>,
}

impl<W: ?Sized> Default for Slot<W> {
    fn default() -> Self {
        Slot { work: OnceCell::new(), busy: Cell::new(false) }
    }
}

impl<W: ?Sized> Slot<W> {
    /// The work; `make` makes it at the first call.
    pub fn get_or_make(&self, make: impl FnOnce() -> Box<W>) -> &W {
        self.work.get_or_init(make)
    }

    /// The work, if it has been made.
    pub fn get(&self) -> Option<&W> {
        self.work.get().map(Box::as_ref)
    }

    /// Whether there is anything to do for the work.
    #[inline(always)]
    pub fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// Sets whether there is anything to do for the work.
    pub fn set_busy(&self, busy: bool) {
        self.busy.set(busy);
    }
}
