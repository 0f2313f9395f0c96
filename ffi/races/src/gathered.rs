//! Accesses of a function of the program that the library calls for a statement. They are gathered for the library, which enters
//! them as the statement's: the function may run for an image of another host, or on a copy of what another host has.

use crate::filter;
use std::cell::RefCell;
use std::ffi::c_void;
use xmp_core::race_hooks::{Gathered, Piece};

/// The accesses of a call of such a function.
struct Gathering {
    /// Memory of this process that is of interest besides, in the order of addresses.
    pieces: Vec<Piece>,
    accesses: Vec<Gathered>,
}

thread_local! {
    /// The gatherings of this thread, the innermost one at the end.
    static GATHERINGS: RefCell<Vec<Gathering>> = const { RefCell::new(Vec::new()) };
}

/// From now on the accesses of this thread are gathered, of these pieces, too.
pub fn begin(pieces: &[Piece]) {
    if !pieces.is_empty() {
        filter::widen();
    }
    let gathering = Gathering { pieces: pieces.to_vec(), accesses: Vec::new() };
    GATHERINGS.with_borrow_mut(|all| all.push(gathering));
}

/// The innermost gathering of this thread ends. Calls `visit` with each of its accesses.
pub extern "C" fn end(visit: extern "C" fn(*mut c_void, Gathered), context: *mut c_void) {
    let Some(Gathering { pieces, accesses }) = GATHERINGS.with_borrow_mut(Vec::pop) else { return };
    if !pieces.is_empty() {
        filter::narrow();
    }
    accesses.into_iter().for_each(|access| visit(context, access));
}

/// Gathers an access if this thread gathers accesses, and the access is of interest. Tells whether the thread does.
#[inline]
pub fn gathers(address: usize, len: usize, writes: bool) -> bool {
    // A thread that ends has none any more.
    let gathers = GATHERINGS.try_with(|all| match all.borrow_mut().last_mut() {
        None => false,
        Some(gathering) => {
            gathering.add(address, len, writes);
            true
        }
    });
    gathers.unwrap_or(false)
}

impl Gathering {
    fn add(&mut self, address: usize, len: usize, writes: bool) {
        if !filter::is_shared(address) && !self.has(address) {
            return;
        }
        match self.accesses.last_mut() {
            Some(last) if last.writes == writes && last.address + last.len == address => {
                last.len += len;
            }
            _ => self.accesses.push(Gathered { address, len, writes }),
        }
    }

    fn has(&self, address: usize) -> bool {
        let after = self.pieces.partition_point(|piece| piece.start <= address);
        after > 0 && self.pieces[after - 1].has(address)
    }
}
