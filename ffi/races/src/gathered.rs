//! Accesses of a function of the program that the library calls for a statement. They are gathered for the library, which enters
//! them as the statement's: the function may run for an image of another host.

use std::cell::RefCell;
use std::ffi::c_void;
use xmp_core::races::hooks::Gathered;

thread_local! {
    /// The accesses of this thread since [`begin`]; `None` while it gathers none.
    static GATHERED: RefCell<Option<Vec<Gathered>>> = const { RefCell::new(None) };
}

/// From now on the accesses of this thread are gathered. Whether they were not before.
pub fn begin() -> bool {
    GATHERED.with_borrow_mut(|gathered| {
        let begins = gathered.is_none();
        gathered.get_or_insert_default();
        begins
    })
}

/// The accesses of this thread are not gathered any more. Calls `visit` with each one.
pub extern "C" fn end(visit: extern "C" fn(*mut c_void, Gathered), context: *mut c_void) {
    let gathered = GATHERED.take().unwrap_or_default();
    gathered.into_iter().for_each(|access| visit(context, access));
}

/// Gathers an access, if this thread gathers them.
#[inline]
pub fn gathers(address: usize, len: usize, writes: bool) -> bool {
    // A thread that ends has none any more.
    let gathers = GATHERED.try_with(|gathered| match &mut *gathered.borrow_mut() {
        None => false,
        Some(all) => {
            match all.last_mut() {
                Some(last) if last.writes == writes && last.address + last.len == address => {
                    last.len += len;
                }
                _ => all.push(Gathered { address, len, writes }),
            }
            true
        }
    });
    gathers.unwrap_or(false)
}
