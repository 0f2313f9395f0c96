//! Coarrays that flang 23 and 24 keep in storage of their own.
//!
//! For a coarray that is not allocatable these compilers pass the address of the variable itself where PRIF has a place
//! for the address of memory, and go on using the variable. An address there would destroy its value. Such a place is
//! recognised: it is in the program's static data and is no descriptor, which allocatable coarrays have.

use super::dummies::dummies;
use crate::entry::cfi::Descriptor;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::sync::Once;

/// The place that gets the address of allocated memory.
#[repr(transparent)]
#[derive(Debug)]
pub struct Memory(Cell<*mut u8>);

impl Memory {
    /// Gives the program the address.
    pub fn set(&self, address: *mut u8) {
        self.0.set(address);
    }

    /// Whether this is the storage of a coarray instead.
    fn is_storage(&self) -> bool {
        let start = (&raw const self.0).addr();
        match rest_of_static_data(start) {
            None => false,
            Some(rest) if rest < size_of::<Descriptor>() => true,
            // SAFETY: this many bytes of the program's data begin here, and any bytes are a header.
            Some(_) => unsafe { !(*(&raw const self.0).cast::<Descriptor>()).is_of_flang() },
        }
    }
}

dummies! {
    Option<&Memory>: "type(c_ptr), intent(out)" => unless_storage;
}

fn unless_storage(place: Option<&Memory>) -> Option<&Memory> {
    let place = place?;
    if !place.is_storage() {
        return Some(place);
    }
    static WARNED: Once = Once::new();
    WARNED.call_once(warn);
    None
}

#[cold]
fn warn() {
    let first = crate::process::any_thread().image.rank().get() == 0;
    if first {
        xmp_core::launch::report(format_args!(
            "warning: flang keeps coarrays that are not allocatable in memory of their own, which other images cannot \
             access (LLVM pull requests 205847 and 212777): make them allocatable"
        ));
    }
}

/// The number of bytes from an address to the end of the writable static data of the program or a library that it is
/// in; `None` if it is in none.
fn rest_of_static_data(address: usize) -> Option<usize> {
    struct Search {
        address: usize,
        rest: Option<usize>,
    }

    /// Looks at the segments of one object.
    unsafe extern "C" fn look(
        object: *mut libc::dl_phdr_info,
        _size: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes a valid object, and the search that it was given.
        let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
        // SAFETY: an object has this many headers, which stay as long as the call lasts.
        let headers =
            unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
        let found = headers.iter().try_for_each(|header| {
            let writable = header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0;
            let start = (object.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            match search.address.checked_sub(start) {
                Some(within) if writable && within < header.p_memsz as usize => {
                    ControlFlow::Break(header.p_memsz as usize - within)
                }
                _ => ControlFlow::Continue(()),
            }
        });
        search.rest = found.break_value();
        search.rest.is_some().into()
    }

    let mut search = Search { address, rest: None };
    // SAFETY: the function is called with the search, during this call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_data_is_told_from_the_stack_and_the_heap() {
        static DATA: [std::sync::atomic::AtomicU64; 100] =
            [const { std::sync::atomic::AtomicU64::new(0) }; 100];
        let rest = rest_of_static_data((&raw const DATA).addr()).expect("static data");
        assert!(rest >= size_of_val(&DATA));
        let on_the_stack = 0u8;
        assert_eq!(rest_of_static_data((&raw const on_the_stack).addr()), None);
        assert_eq!(rest_of_static_data((&raw const *Box::new(0u8)).addr()), None);
    }
}
