//! Resource sets: the coarrays that one instance of a procedure has allocated, freed at its end at the latest.

use super::Chunk;
use std::cell::RefCell;
use std::rc::Rc;

/// The coarrays that a procedure has allocated and not deallocated.
#[derive(Debug, Default)]
pub struct ResourceSet {
    name: String,
    chunks: RefCell<Vec<Rc<Chunk>>>,
}

impl ResourceSet {
    /// The set of a procedure that starts now.
    pub fn new(name: impl Into<String>) -> Rc<ResourceSet> {
        Rc::new(ResourceSet { name: name.into(), chunks: RefCell::default() })
    }

    /// The procedure.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn add(self: &Rc<Self>, chunk: &Rc<Chunk>) {
        chunk.set_owner(self);
        self.chunks.borrow_mut().push(chunk.clone());
    }

    pub(super) fn remove(&self, chunk: &Chunk) {
        self.chunks.borrow_mut().retain(|known| !std::ptr::eq(&**known, chunk));
    }

    /// The coarrays that are still allocated, oldest first.
    pub(super) fn left(&self) -> Vec<Rc<Chunk>> {
        self.chunks.borrow().clone()
    }
}
