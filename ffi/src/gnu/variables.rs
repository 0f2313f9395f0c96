//! The variable of the program that a coarray is, by a number that is the same on all images that execute one program.

use super::variable_location::VariableLocation;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;
use xmp_core::hash;

/// The static variables of the main program.
struct Program {
    /// Where it is loaded, which differs from image to image.
    base: usize,
    /// The addresses of its static variables.
    variables: Range<usize>,
    /// A hash of its layout, not 0.
    layout: u16,
}

/// The number of the variable with this home: a hash of its place in the program, and one of the program. 0 if the variable is
/// none of the static ones of the main program, whose places are the same on all images.
pub fn number(home: VariableLocation) -> u32 {
    let Some(program) = program().filter(|program| program.has(home.token.cast())) else {
        return 0;
    };
    let place = (home.token.addr() - program.base) as u64;
    u32::from(program.layout) << 16 | u32::from(mixed(0, place))
}

/// Whether this is the address of a static variable of the main program.
pub fn is_static(address: *const c_void) -> bool {
    program().is_some_and(|program| program.has(address))
}

/// A number of the main program that images which execute it have in common; 0 if it is not known.
pub fn program_number() -> u16 {
    program().map_or(0, |program| program.layout)
}

/// The address where the main program is loaded, and the words of its static variables; `None` if they have more bytes than `most`.
pub fn words(most: usize) -> Option<(usize, impl Iterator<Item = *const usize>)> {
    let Program { base, variables, .. } = program()?;
    let start = variables.start.next_multiple_of(size_of::<usize>());
    let words = variables.end.saturating_sub(start) / size_of::<usize>();
    // Memory of the program is exposed.
    let first = std::ptr::with_exposed_provenance::<usize>(start);
    (variables.len() <= most).then(|| (*base, (0..words).map(move |at| first.wrapping_add(at))))
}

impl Program {
    fn has(&self, address: *const c_void) -> bool {
        self.variables.contains(&address.addr())
    }
}

/// The main program, if the system tells where it is.
fn program() -> Option<&'static Program> {
    static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
    PROGRAM.get_or_init(find).as_ref()
}

fn find() -> Option<Program> {
    let mut program = None;
    // SAFETY: the function gets the address of `program`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut program).cast()) };
    program
}

/// Writes the first object of the list, which is the main program, to the `Option<Program>` at `found`, and ends the iteration.
///
/// # Safety
/// `info` is what `dl_iterate_phdr` gives to its function.
unsafe extern "C" fn first(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut c_void,
) -> c_int {
    // SAFETY: the contract above: the headers are mapped as long as the object.
    let (base, headers) = unsafe {
        let info = &*info;
        let count = usize::from(info.dlpi_phnum);
        (info.dlpi_addr as usize, std::slice::from_raw_parts(info.dlpi_phdr, count))
    };
    let mut layout = 0;
    let mut variables = 0..0;
    for header in headers {
        let words = [header.p_vaddr, header.p_memsz, header.p_filesz];
        layout = words.into_iter().fold(layout, mixed);
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
            let start = base.wrapping_add(header.p_vaddr as usize);
            variables = start..start.wrapping_add(header.p_memsz as usize);
        }
    }
    // SAFETY: the address that `find` passes.
    unsafe {
        found.cast::<Option<Program>>().write(Some(Program { base, variables, layout: layout | 1 }))
    };
    1
}

/// A hash of what came before and a word.
fn mixed(before: u16, word: u64) -> u16 {
    hash::mixed_with(word, before.into()) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::ptr;

    /// A static variable.
    static PLACES: [std::sync::atomic::AtomicUsize; 2] =
        [const { std::sync::atomic::AtomicUsize::new(1) }; 2];

    #[test]
    fn static_variables_have_numbers_and_others_have_none() {
        let home = |token: *const c_void| VariableLocation {
            token: token.cast_mut().cast(),
            descriptor: ptr::null_mut(),
        };
        let [one, two] = PLACES.each_ref().map(|place| number(home(ptr::from_ref(place).cast())));
        assert!(one != 0 && two != 0 && one != two);
        assert_eq!(one >> 16, two >> 16);
        let local = Cell::new(0);
        assert_eq!(number(home(ptr::from_ref(&local).cast())), 0);
    }
}
