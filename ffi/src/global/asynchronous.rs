//! Operations in progress, under ids that the program chooses (`async` and `wait_async`), and plans of operations.

use super::array::ArrayObject;
use super::objects::Object;
use crate::process::{Instance, OfImage};
use std::cell::{LazyCell, RefCell};
use std::rc::Rc;
use xmp_collectives::global::{Async, Plans};
use xmp_core::Result;

/// The operations in progress.
#[derive(Debug, Default)]
pub struct Pending {
    /// The operations.
    pub operations: Async<'static>,
    /// Arrays that they write, which live as long even if the program gives them up.
    kept: RefCell<Vec<(i64, Rc<Object<ArrayObject>>)>>,
}

static PENDING: OfImage<LazyCell<Pending>> = OfImage::lazy();
static PLANS: OfImage<LazyCell<Plans>> = OfImage::lazy();

/// The operations that have begun and not been waited for.
pub fn pending(instance: &Instance) -> &'static Pending {
    PENDING.of(instance)
}

/// The plans of communication that operations have made, to be used again.
pub fn plans(instance: &Instance) -> &'static Plans {
    PLANS.of(instance)
}

impl Pending {
    /// Keeps an array until the operations with an id are complete.
    pub fn keep(&self, id: i64, array: &Rc<Object<ArrayObject>>) {
        self.kept.borrow_mut().push((id, array.clone()));
    }

    /// The operations with an id are complete.
    fn forget(&self, id: i64) {
        // An array that is given up looks for nothing here.
        self.kept.borrow_mut().retain(|(of, _)| *of != id);
    }

    /// Waits for the operations with an id.
    ///
    /// # Errors
    /// The first one of theirs.
    pub fn wait(&self, id: i64) -> Result<()> {
        let outcome = self.operations.wait(id);
        // All have ended, however they did.
        self.forget(id);
        outcome
    }

    /// Whether the operations with an id are complete.
    ///
    /// # Errors
    /// The first one of theirs.
    pub fn test(&self, id: i64) -> Result<bool> {
        let outcome = self.operations.test(id);
        if !matches!(outcome, Ok(false)) {
            self.forget(id);
        }
        outcome
    }
}
