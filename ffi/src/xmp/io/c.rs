//! The functions of C for parallel I/O. They return what the specification says; `errno` has the cause of an error.

use super::range::range;
use crate::global::io::{self, Connection, Start, Whence};
use crate::global::{ArrayObject, Descriptor};
use crate::process::{Instance, OfImage, instance};
use crate::xmp::entry::{Memory, for_c};
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::{LazyCell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, OsStr, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;
use xmp_collectives::file::{self, Failure, How};
use xmp_collectives::global::{Storage, StoredSection};
use xmp_core::global::Section;
use xmp_core::{Error, Image};

/// The files that are open, by their handles.
static OPEN: OfImage<LazyCell<RefCell<Files>>> = OfImage::lazy();

#[derive(Debug, Default)]
struct Files {
    open: HashMap<usize, Rc<Connection>>,
    last: usize,
}

/// The file with a handle.
fn connection(handle: usize) -> Option<Rc<Connection>> {
    OPEN.of(instance()).borrow().open.get(&handle).cloned()
}

/// Executes an operation on the file with a handle. Returns what it returns; `wrong` for an error, the cause of which
/// is in `errno` then.
fn on<T>(
    handle: usize,
    wrong: T,
    body: impl FnOnce(&Instance, &Connection) -> file::Outcome<T>,
) -> Outcome<T> {
    let done = match connection(handle) {
        Some(connection) => body(instance(), &connection),
        None => Err(Failure::System(libc::EBADF)),
    };
    told(done, wrong)
}

/// A result as the program gets it.
fn told<T>(done: file::Outcome<T>, wrong: T) -> Outcome<T> {
    match done {
        Ok(value) => Ok(value),
        Err(Failure::Runtime(Error::Invalid(_))) => {
            set_errno(libc::EINVAL);
            Ok(wrong)
        }
        Err(Failure::Runtime(error)) => Err(error.into()),
        Err(Failure::System(number)) => {
            set_errno(number);
            Ok(wrong)
        }
    }
}

fn set_errno(number: c_int) {
    // SAFETY: the C library has an error number for each thread.
    unsafe { *libc::__errno_location() = number };
}

/// How a file is opened by a mode of `fopen`.
fn how(mode: &[u8]) -> Option<(How, Start)> {
    // POSIX: `b` has no effect; it may stand before or after the `+`.
    let letters: Vec<u8> = mode.iter().copied().filter(|letter| *letter != b'b').collect();
    let bs = mode.len() - letters.len();
    let nothing = How::default();
    let write = How { write: true, ..nothing };
    let both = How { read: true, ..write };
    let found = match &letters[..] {
        b"r" => (How { read: true, ..nothing }, Start::Beginning),
        b"r+" => (both, Start::Beginning),
        b"w" => (How { create: true, truncate: true, ..write }, Start::Beginning),
        b"w+" => (How { create: true, truncate: true, ..both }, Start::Beginning),
        b"a" => (How { create: true, ..write }, Start::End),
        b"a+" => (How { create: true, ..both }, Start::EndForWrites),
        _ => return None,
    };
    (bs == 0 || (bs == 1 && mode[0] != b'b')).then_some(found)
}

/// The characters of a string of C.
fn characters<'a>(string: Memory) -> Option<&'a [u8]> {
    // SAFETY: the contract of entries: what is not null is a string, which the program does not change meanwhile.
    string.is_there().then(|| unsafe { CStr::from_ptr(string.start().cast()) }.to_bytes())
}

fn whence(whence: c_int) -> file::Outcome<Whence> {
    match whence {
        libc::SEEK_SET => Ok(Whence::Beginning),
        libc::SEEK_CUR => Ok(Whence::Pointer),
        libc::SEEK_END => Ok(Whence::End),
        _ => Err(Failure::System(libc::EINVAL)),
    }
}

/// Memory of `count` elements of `size` bytes, and the number of all bytes.
fn bytes(memory: Memory, size: usize, count: usize) -> file::Outcome<(io::Memory, i64)> {
    let len = size.checked_mul(count).and_then(|len| isize::try_from(len).ok());
    match len {
        Some(len) if len == 0 || memory.is_there() => {
            Ok((io::Memory::at(memory.start()), len as i64))
        }
        Some(_) => Err(Failure::System(libc::EFAULT)),
        None => Err(Failure::System(libc::EINVAL)),
    }
}

/// Reads or writes the bytes of a program at one of the pointers of a file. The result is the number of bytes; -1 for an error.
fn transfer(
    handle: usize,
    memory: Memory,
    size: usize,
    count: usize,
    how: fn(&Connection, &Image, io::Memory, i64) -> file::Outcome<i64>,
) -> Outcome<i64> {
    on(handle, -1, |instance, file| {
        let (memory, len) = bytes(memory, size, count)?;
        how(file, &instance.image, memory, len)
    })
}

/// Executes `body` with the section of an array that a program describes.
fn with_section<T>(
    array: Descriptor,
    range_at: usize,
    body: impl FnOnce(file::Outcome<StoredSection<'_>>) -> T,
) -> T {
    let found = || -> Outcome<(Storage, Section)> {
        let array = array.object::<ArrayObject>()?;
        // SAFETY: the contract of entries.
        let range =
            unsafe { range(range_at) }.ok_or_else(|| DirectiveError::because("a null range"))?;
        Ok((array.storage(&instance().image)?, range.section(array)?))
    };
    match found() {
        Ok((storage, section)) => body(Ok(storage.section(&section))),
        Err(_) => body(Err(Failure::System(libc::EINVAL))),
    }
}

for_c! {
    /// Opens a file for all executing nodes. Returns null for an error, on all of them.
    "xmp_fopen_all" fn xmp_fopen_all(name: Memory, mode: Memory) -> usize {
        let Instance { image, .. } = instance();
        let how = characters(mode).and_then(how);
        let path = characters(name).filter(|_| how.is_some());
        let path = path.map(|name| Path::new(OsStr::from_bytes(name)));
        let (how, start) = how.unwrap_or((How::default(), Start::Beginning));
        let connection = Connection::open(image, path.ok_or(Failure::System(libc::EINVAL)), how, start);
        let handle = connection.map(|connection| {
            let mut files = OPEN.of(instance()).borrow_mut();
            // Not 0; and no address, so that a program that looks into it ends at once.
            files.last += 1;
            let handle = files.last;
            files.open.insert(handle, Rc::new(connection));
            handle
        });
        told(handle, 0)
    }

    /// Closes a file. Returns 1 for what is no open file, and 2 for an error.
    "xmp_fclose_all" fn xmp_fclose_all(handle: usize) -> c_int {
        let Instance { image, .. } = instance();
        let connection = OPEN.of(instance()).borrow_mut().open.remove(&handle);
        match connection.map(Rc::into_inner) {
            Some(Some(connection)) => told(connection.close(image).map(|()| 0), 2),
            _ => told(Err(Failure::System(libc::EBADF)), 1),
        }
    }

    /// Sets the individual pointer.
    "xmp_fseek" fn xmp_fseek(handle: usize, offset: i64, from: c_int) -> c_int {
        on(handle, 1, |_, file| file.seek(offset, whence(from)?).map(|()| 0))
    }

    /// Sets the shared pointer; one node does it.
    "xmp_fseek_shared" fn xmp_fseek_shared(handle: usize, offset: i64, from: c_int) -> c_int {
        on(handle, 1, |instance, file| {
            file.seek_shared(&instance.image, offset, whence(from)?).map(|()| 0)
        })
    }

    /// Sets the shared pointer; all nodes of the file call it.
    "xmp_fseek_shared_all" fn xmp_fseek_shared_all(handle: usize, offset: i64, from: c_int) -> c_int {
        on(handle, 1, |Instance { image, .. }, file| {
            file::agree(image, file.set(), Ok(()))?;
            let set = whence(from).and_then(|from| {
                if file.is_first() { file.seek_shared(image, offset, from) } else { Ok(()) }
            });
            file::agree(image, file.set(), set)?;
            Ok(0)
        })
    }

    /// The place in the file of the individual pointer; negative for an error.
    "xmp_ftell" fn xmp_ftell(handle: usize) -> i64 {
        on(handle, -1, |_, file| file.tell())
    }

    /// The place in the file of the shared pointer; negative for an error.
    "xmp_ftell_shared" fn xmp_ftell_shared(handle: usize) -> i64 {
        on(handle, -1, |instance, file| file.tell_shared(&instance.image))
    }

    /// Completes what all nodes have written.
    "xmp_file_sync_all" fn xmp_file_sync_all(handle: usize) -> c_int {
        on(handle, 1, |instance, file| file.sync(&instance.image).map(|()| 0))
    }

    /// Each node sees its elements of a section of an array.
    "xmp_file_set_view_all" fn xmp_file_set_view_all(
        handle: usize, displacement: i64, array: Descriptor, range_at: usize,
    ) -> c_int {
        on(handle, 1, |instance, file| {
            let set = |stored: file::Outcome<StoredSection<'_>>| {
                file.set_view(&instance.image, displacement, stored)
            };
            with_section(array, range_at, set).map(|()| 0)
        })
    }

    /// All nodes see all of the file.
    "xmp_file_clear_view_all" fn xmp_file_clear_view_all(handle: usize, displacement: i64) -> c_int {
        on(handle, 1, |instance, file| file.clear_view(&instance.image, displacement).map(|()| 0))
    }

    /// All nodes read, each through its view. Returns the number of bytes; negative for an error.
    "xmp_fread_all" fn xmp_fread_all(handle: usize, memory: Memory, size: usize, count: usize) -> i64 {
        on(handle, -1, |instance, file| file.read_all(&instance.image, bytes(memory, size, count)))
    }

    /// All nodes write, each through its view. Returns the number of bytes; negative for an error.
    "xmp_fwrite_all" fn xmp_fwrite_all(handle: usize, memory: Memory, size: usize, count: usize) -> i64 {
        on(handle, -1, |instance, file| file.write_all(&instance.image, bytes(memory, size, count)))
    }

    /// All nodes read a section of an array. Returns the number of bytes of this node; negative for an error.
    "xmp_fread_darray_all" fn xmp_fread_darray_all(handle: usize, array: Descriptor, range_at: usize) -> i64 {
        on(handle, -1, |instance, file| {
            let read = |stored: file::Outcome<StoredSection<'_>>| file.read_section(&instance.image, stored);
            with_section(array, range_at, read).map(|read| read.len)
        })
    }

    /// All nodes write a section of an array. Returns the number of bytes of this node; negative for an error.
    "xmp_fwrite_darray_all" fn xmp_fwrite_darray_all(handle: usize, array: Descriptor, range_at: usize) -> i64 {
        on(handle, -1, |instance, file| {
            with_section(array, range_at, |stored| file.write_section(&instance.image, stored))
        })
    }

    /// Reads at the shared pointer. Returns the number of bytes; negative for an error.
    "xmp_fread_shared" fn xmp_fread_shared(handle: usize, memory: Memory, size: usize, count: usize) -> i64 {
        transfer(handle, memory, size, count, Connection::read_shared)
    }

    /// Writes at the shared pointer. Returns the number of bytes; negative for an error.
    "xmp_fwrite_shared" fn xmp_fwrite_shared(handle: usize, memory: Memory, size: usize, count: usize) -> i64 {
        transfer(handle, memory, size, count, Connection::write_shared)
    }

    /// Reads at the individual pointer. Returns the number of bytes; negative for an error.
    "xmp_fread" fn xmp_fread(handle: usize, memory: Memory, size: usize, count: usize) -> i64 {
        transfer(handle, memory, size, count, Connection::read)
    }

    /// Writes at the individual pointer. Returns the number of bytes; negative for an error.
    "xmp_fwrite" fn xmp_fwrite(handle: usize, memory: Memory, size: usize, count: usize) -> i64 {
        transfer(handle, memory, size, count, Connection::write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_fopen() {
        for mode in ["r", "rb", "r+", "r+b", "rb+", "w", "w+", "wb", "a", "a+", "a+b"] {
            assert!(how(mode.as_bytes()).is_some(), "{mode}");
        }
        for mode in ["", "b", "x", "rw", "+r", "br", "r++", "rbb", "rt"] {
            assert!(how(mode.as_bytes()).is_none(), "{mode}");
        }
        let (append, start) = how(b"a+").unwrap();
        assert!(append.read && append.write && append.create && !append.truncate);
        assert_eq!(start, Start::EndForWrites);
    }
}
