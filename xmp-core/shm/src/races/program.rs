//! The place of the program in the memory of its process: images of one program have the same statements at other addresses.

use std::ffi::{c_int, c_void};
use std::ops::Range;

/// The program of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramPlace {
    /// The difference between its addresses here and in its file.
    pub bias: usize,
    /// Its addresses in the file.
    addresses: Range<usize>,
}

impl ProgramPlace {
    /// That of this process.
    pub fn of_this_process() -> ProgramPlace {
        let mut place = ProgramPlace::default();
        // SAFETY: the function gets this value during the call, and the list of headers of each object.
        unsafe { libc::dl_iterate_phdr(Some(take_first), (&raw mut place).cast()) };
        place
    }

    /// An address here of what is at this address in the process of an image, whose program has this bias; `None` for addresses of
    /// libraries.
    pub fn here(&self, bias: usize, address: usize) -> Option<usize> {
        let in_file = address.wrapping_sub(bias);
        self.addresses.contains(&in_file).then(|| in_file.wrapping_add(self.bias))
    }
}

/// Takes the first object, which is the program.
///
/// # Safety
/// The last argument is a [`ProgramPlace`]; the first one as `dl_iterate_phdr` passes it.
unsafe extern "C" fn take_first(
    info: *mut libc::dl_phdr_info,
    _: usize,
    place: *mut c_void,
) -> c_int {
    // SAFETY: the contract above: the headers are those of a loaded object.
    let (info, place) = unsafe { (&*info, &mut *place.cast::<ProgramPlace>()) };
    // SAFETY: as above.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let ends = loaded.clone().map(|header| (header.p_vaddr + header.p_memsz) as usize);
    place.bias = info.dlpi_addr as usize;
    place.addresses =
        loaded.map(|header| header.p_vaddr as usize).min().unwrap_or(0)..ends.max().unwrap_or(0);
    1
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_another_process_of_the_program_is_found_here() {
        let place = ProgramPlace::of_this_process();
        let function = an_address_of_another_process_of_the_program_is_found_here as fn() as usize;
        let in_file = function - place.bias;
        assert_eq!(place.here(0x5000_0000, 0x5000_0000 + in_file), Some(function));
        assert_eq!(place.here(place.bias, place.addresses.end + place.bias), None);
    }
}
