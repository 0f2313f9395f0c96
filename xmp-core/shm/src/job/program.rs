//! The program that the images of a job execute: whether it is one, and the numbers of its procedures, which are alike on all
//! images then.

use rustix::fs::stat;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// A program file, or what is known of those of a job.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFile(u64);

impl ProgramFile {
    /// The images may execute different programs.
    pub const UNKNOWN: ProgramFile = ProgramFile(0);
    /// The images have compared their programs, which are one.
    pub const COMPARED: ProgramFile = ProgramFile(1);

    /// The file at this path, by its number in its file system.
    pub fn at(path: &Path) -> ProgramFile {
        let number = |it: rustix::fs::Stat| {
            it.st_ino.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ it.st_dev.rotate_left(32)
        };
        // The lowest bits are those of a file.
        stat(path).map_or(ProgramFile::UNKNOWN, |it| ProgramFile(number(it) << 2 | 2))
    }

    /// Whether this process executes it.
    fn is_executed(self) -> bool {
        self == ProgramFile::COMPARED
            || self != ProgramFile::UNKNOWN && self == ProgramFile::at(Path::new("/proc/self/exe"))
    }

    /// A number of the procedure at this address, alike on all images of the job; 0 without one. There is none where the images
    /// may execute different programs, for procedures of shared libraries, and in programs that are linked at a fixed address:
    /// those have addresses of their own for procedures of libraries.
    pub fn procedure(self, address: usize) -> u32 {
        static CODE: OnceLock<Range<usize>> = OnceLock::new();
        let code = CODE.get_or_init(|| if self.is_executed() { executable() } else { 0..0 });
        if code.contains(&address) { (address - code.start) as u32 | 1 << 31 } else { 0 }
    }
}

/// The addresses of the executable file of this process. Its headers are at its beginning.
fn executable() -> Range<usize> {
    // SAFETY: reads the auxiliary vector.
    let value = |kind| unsafe { libc::getauxval(kind) } as usize;
    let (headers, count) = (value(libc::AT_PHDR), value(libc::AT_PHNUM));
    if headers == 0 {
        return 0..0;
    }
    // SAFETY: the system has mapped this many headers there, which nothing writes.
    let headers = unsafe { std::slice::from_raw_parts(headers as *const libc::Elf64_Phdr, count) };
    let Some(own) = headers.iter().find(|header| header.p_type == libc::PT_PHDR) else {
        return 0..0;
    };
    let base = (headers.as_ptr() as usize).wrapping_sub(own.p_vaddr as usize);
    if base == 0 {
        return 0..0;
    }
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let end = loaded.map(|header| (header.p_vaddr + header.p_memsz) as usize).max().unwrap_or(0);
    base..base.wrapping_add(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn procedure() {}

    fn another() -> u32 {
        7
    }

    #[test]
    fn a_program_is_the_one_that_is_executed() {
        let own = ProgramFile::at(&std::env::current_exe().unwrap());
        assert!(own.is_executed() && ProgramFile::COMPARED.is_executed());
        assert!(!ProgramFile::at(Path::new("/bin/sh")).is_executed());
        assert_eq!(ProgramFile::at(Path::new("/no such file")), ProgramFile::UNKNOWN);
    }

    #[test]
    #[cfg_attr(miri, ignore = "has no auxiliary vector")]
    fn procedures_of_the_program_have_numbers_and_others_have_none() {
        let number = |address| ProgramFile::COMPARED.procedure(address);
        let (one, two) =
            (number(procedure as *const () as usize), number(another as *const () as usize));
        assert!(one != 0 && two != 0 && one != two);
        let local = 0;
        assert_eq!(number(&raw const local as usize), 0);
        assert_eq!(number(libc::getauxval as *const () as usize), 0);
    }
}
