//! What the front end remembers of one image from call to call.

use super::c::{Said, Sections};
use super::coarray;
use super::directives::Locations;
use super::executing::Executing;
use super::fortran;
use super::objects::{NodeSet, Object, Triplet};
use super::placed::Placed;
use super::references::References;
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use xmp_coarray::post::Posts;
use xmp_collectives::global::{Async, Plans};
use xmp_core::global::Subscript;

/// State of the front end.
#[derive(Default)]
pub struct State {
    /// Plans of communication.
    pub plans: Plans,
    /// What is in flight, by async id.
    pub pending: Async<'static>,
    /// The id that operations begin with at present, between `init_async` and `start_async`.
    pub asynchronous: Cell<Option<i64>>,
    /// The executing nodes.
    pub executing: Executing,
    /// What references of tasks in C mean.
    pub tasks: References<Object<NodeSet>, Triplet>,
    /// What references of Fortran mean.
    pub references: References<Object<NodeSet>, Subscript>,
    /// Coarrays of Fortran.
    pub coarray: coarray::State,
    /// What `xmp_reduce_loc_init` and `xmp_reduce_loc_set` have said.
    pub locations: RefCell<Option<Locations>>,
    /// Arrays by where they are.
    pub placed: Placed,
    /// What XMP/Fortran says in several calls.
    pub fortran: fortran::State,
    /// What was said of the next coarray of C.
    pub said: RefCell<Said>,
    /// What was said of the next transfer of C.
    pub sections: RefCell<Sections>,
    /// Posts to and from this image, once the program has started.
    pub posts: OnceCell<Posts>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("pending", &self.pending).finish_non_exhaustive()
    }
}
