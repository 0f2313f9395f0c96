//! The object file that the code at an address was loaded from.

use std::ffi::{CStr, c_int, c_void};
use std::path::PathBuf;

/// A program or shared library in memory.
#[derive(Debug)]
struct Loaded {
    /// Its file.
    pub path: PathBuf,
    /// How far it is from the addresses that its file names.
    pub bias: usize,
}

/// What `look` finds in the file that the code at this address was loaded from, given the bytes of the file and the
/// address as the file names it.
pub fn in_file<T>(address: usize, look: impl FnOnce(&[u8], u64) -> Option<T>) -> Option<T> {
    let loaded = loaded_at(address)?;
    let bytes = std::fs::read(&loaded.path).ok()?;
    look(&bytes, address.wrapping_sub(loaded.bias) as u64)
}

struct Search {
    address: usize,
    found: Option<Loaded>,
}

/// What the code at this address was loaded from.
fn loaded_at(address: usize) -> Option<Loaded> {
    let mut search = Search { address, found: None };
    // SAFETY: the callback gets `search`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// # Safety
/// As `dl_iterate_phdr` calls it, with a `Search`.
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: `dl_iterate_phdr` passes a valid `info`, and the `Search` that it was given.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    let bias = info.dlpi_addr as usize;
    // SAFETY: as many headers as it says.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let inside = headers.iter().any(|header| {
        let start = bias.wrapping_add(header.p_vaddr as usize);
        header.p_type == libc::PT_LOAD
            && search.address.wrapping_sub(start) < header.p_memsz as usize
    });
    if !inside {
        return 0;
    }
    // SAFETY: the loader's name of the object, which ends with a zero.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy();
    // The program itself has no name here.
    let path = if name.is_empty() { "/proc/self/exe".into() } else { name.into_owned().into() };
    search.found = Some(Loaded { path, bias });
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_in_its_file() {
        let own = loaded_at(code_is_found_in_its_file as *const () as usize).unwrap();
        assert_eq!(own.path, PathBuf::from("/proc/self/exe"));
        let libc = loaded_at(libc::dl_iterate_phdr as *const () as usize).unwrap();
        assert!(libc.path.to_string_lossy().contains("libc"), "{libc:?}");
        assert!(loaded_at(8).is_none());
    }
}
