//! The runs of all threads of the program.

use crate::filter::{entry, has_ended, is_shared};
use crate::gathered::gathers;
use crate::runs::Table;
use std::sync::{Mutex, PoisonError};

/// The tables of all threads. Those of threads that have ended are used again.
static TABLES: Mutex<Tables> = Mutex::new(Tables { all: Vec::new(), unused: Vec::new() });

struct Tables {
    all: Vec<&'static Table>,
    unused: Vec<&'static Table>,
}

/// The table of a thread, until it ends.
struct OwnTable(&'static Table);

impl OwnTable {
    fn new() -> OwnTable {
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let table = tables.unused.pop().unwrap_or_else(|| {
            let table: &_ = Box::leak(Box::default());
            tables.all.push(table);
            table
        });
        OwnTable(table)
    }
}

impl Drop for OwnTable {
    fn drop(&mut self) {
        if has_ended() {
            return;
        }
        self.0.flush();
        TABLES.lock().unwrap_or_else(PoisonError::into_inner).unused.push(self.0);
    }
}

thread_local! {
    static OWN: OwnTable = OwnTable::new();
}

/// This thread accesses these bytes, which begin in memory that is of interest, at the place with this return address.
pub extern "C" fn access(address: usize, len: usize, writes: bool, place: usize) {
    if gathers(address, len, writes) || !is_shared(address) {
        return;
    }
    // A thread that ends may access memory in destructors of its variables, after its own table is gone: those are not seen.
    let _ = OWN.try_with(|own| own.0.access(address, len, writes, place));
}

/// This thread accesses these bytes, which begin in memory that is of interest, atomically at the place with this return address.
#[cold]
pub fn atomic(address: usize, len: usize, writes: bool, place: usize) {
    if gathers(address, len, writes) || !is_shared(address) {
        return;
    }
    if let Some(entry) = entry() {
        (entry.enter_atomic)(address, len, writes, (entry.site)(place));
    }
}

/// This thread accesses `count` elements of `len` bytes at this distance of one another, at the place with this return address.
pub extern "C" fn strided(
    address: usize,
    len: usize,
    writes: bool,
    place: usize,
    distance: usize,
    count: usize,
) {
    let Some(entry) = entry() else { return };
    let (len, count) = if distance == len { (count * len, 1) } else { (len, count) };
    let mut site = None;
    for number in 0..count {
        // A negative distance is a great number.
        let at = address.wrapping_add(number.wrapping_mul(distance));
        if !gathers(at, len, writes) && is_shared(at) {
            let site = *site.get_or_insert_with(|| (entry.site)(place));
            (entry.enter)(at, len, writes, site);
        }
    }
}

/// An address that no other thread of the present has: of a variable of this one.
pub fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

/// Enters the runs in the tables of all threads.
pub fn flush() {
    let tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner).all.clone();
    tables.into_iter().for_each(Table::flush);
}
