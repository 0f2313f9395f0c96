//! Descriptors of tasks: what the reference of a task directive has been found to mean.

use super::{Described, NodeSet, Object, Triplet};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_int;
use std::fmt;
use std::rc::Rc;

/// The nodes of a task directive, as it was executed last.
#[derive(Debug, Default)]
pub struct Task(RefCell<Option<Meaning>>);

struct Meaning {
    /// The nodes, or the distribution of the template, that was referred to. They are kept, so that no others have
    /// their address.
    of: Rc<dyn Any>,
    subscripts: Vec<Triplet>,
    nodes: Rc<Object<NodeSet>>,
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meaning").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl Described for Task {
    const KIND: c_int = 2211;
    const NAME: &'static str = "a task";
}

impl Task {
    /// The nodes of a reference, if it is the one of last time.
    pub fn known<T>(&self, of: &Rc<T>, subscripts: &[Triplet]) -> Option<Rc<Object<NodeSet>>> {
        let meaning = self.0.borrow();
        let meaning = meaning.as_ref()?;
        let same = std::ptr::addr_eq(Rc::as_ptr(&meaning.of), Rc::as_ptr(of));
        (same && meaning.subscripts == subscripts).then(|| meaning.nodes.clone())
    }

    /// Keeps what a reference means.
    pub fn keep(&self, of: Rc<dyn Any>, subscripts: &[Triplet], nodes: Rc<Object<NodeSet>>) {
        *self.0.borrow_mut() = Some(Meaning { of, subscripts: subscripts.to_vec(), nodes });
    }
}
