//! What this front end remembers of one image from call to call.

use super::accessor::Table;
use super::component::Components;
use super::debug;
use super::in_teams::InTeams;
use super::shape;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ptr;
use std::thread::ThreadId;

/// The memory of the front end.
#[derive(Debug)]
pub struct State {
    /// `stat=` of an ALLOCATE whose synchronisation is still to come, or null.
    pub allocate_stat: Cell<*mut c_int>,
    /// The coarrays that END TEAM deallocates.
    pub in_teams: RefCell<InTeams>,
    /// Coarrays whose bounds are still to be noted.
    pub unshaped: shape::Waiting,
    /// Components of its coarrays.
    pub components: RefCell<Components>,
    /// The accessor functions that its program has asked for.
    pub accessors: Table,
    /// How many sets had been entered when a CHANGE TEAM failed and told so by `stat=`: the compiler has END TEAM
    /// follow in any case.
    pub not_entered: RefCell<Vec<usize>>,
    /// The locks of CRITICAL constructs that threads of this image hold, by their offsets, if it has several.
    pub critical: RefCell<Vec<(u64, ThreadId)>>,
    /// What the program's debugging information says about its types.
    pub types: debug::Answers,
}

impl Default for State {
    fn default() -> State {
        State {
            allocate_stat: Cell::new(ptr::null_mut()),
            in_teams: RefCell::default(),
            unshaped: RefCell::default(),
            components: RefCell::default(),
            accessors: Table::default(),
            not_entered: RefCell::default(),
            critical: RefCell::default(),
            types: debug::Answers::default(),
        }
    }
}
