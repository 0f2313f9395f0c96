//! Operations in progress, under ids that the program chooses (`async` and `wait_async`).

use super::distributed::Distributed;
use crate::c::argument::place;
use crate::c::outcome::functions;
use crate::process::{Instance, OfImage, instance};
use std::cell::{Cell, LazyCell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::global::Async;
use xmp_core::Result;

/// What is on its way.
#[derive(Debug, Default)]
pub struct Pending {
    /// The operations.
    pub operations: Async<'static>,
    /// Arrays that they write, which live as long even if the program gives them up.
    kept: RefCell<HashMap<i64, Vec<Rc<Distributed>>>>,
}

static PENDING: OfImage<LazyCell<Pending>> = OfImage::lazy();

/// The operations that have begun and not been waited for.
pub fn pending(instance: &Instance) -> &'static Pending {
    PENDING.of(instance)
}

impl Pending {
    /// Keeps an array until the operations with an id are complete.
    pub fn keep(&self, id: i64, array: &Rc<Distributed>) {
        self.kept.borrow_mut().entry(id).or_default().push(array.clone());
    }

    fn wait(&self, id: i64) -> Result<()> {
        let outcome = self.operations.wait(id);
        // All have ended, however they did.
        self.kept.borrow_mut().remove(&id);
        outcome
    }

    fn test(&self, id: i64) -> Result<bool> {
        let outcome = self.operations.test(id);
        if !matches!(outcome, Ok(false)) {
            self.kept.borrow_mut().remove(&id);
        }
        outcome
    }
}

functions! {
    /// Waits for all operations with an id; there may be none.
    fn xmprt_wait_async(id: i64) {
        pending(instance()).wait(id)
    }

    /// Whether all operations with an id are complete.
    fn xmprt_test_async(id: i64, complete: Option<&Cell<c_int>>) {
        let complete = place(complete, "complete")?;
        complete.set(pending(instance()).test(id)?.into());
        Ok(())
    }
}
