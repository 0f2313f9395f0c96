//! Functions of C that read files into memory.

use crate::after::{Call, with_few};
use crate::c_library::{ANY, bytes_of};
use crate::copies::enter;
use crate::filter::is_of_interest;

/// A line was read, unless the result is null.
fn line(call: &Call, result: usize, to: usize) {
    if result != 0 && is_of_interest(to) {
        enter(to, bytes_of(to, ANY), true, call.place);
    }
}

/// So many bytes were read, or an error came.
fn bytes(call: &Call, result: usize, to: usize) {
    if let Ok(bytes) = usize::try_from(result as isize) {
        enter(to, bytes, true, call.place);
    }
}

/// So many objects of a size were read.
fn objects(call: &Call, result: usize, to: usize, size: usize) {
    enter(to, result.saturating_mul(size), true, call.place);
}

with_few! {
    __wrap_fgets: fgets(to, size, file), line(to);
    __wrap_fgets_unlocked: fgets_unlocked(to, size, file), line(to);
    __wrap___fgets_chk: __fgets_chk(to, room, size, file), line(to);
    __wrap___fgets_unlocked_chk: __fgets_unlocked_chk(to, room, size, file), line(to);
    __wrap_read: read(file, to, size), bytes(to);
    __wrap___read_chk: __read_chk(file, to, size, room), bytes(to);
    __wrap_pread: pread(file, to, size, offset), bytes(to);
    __wrap_pread64: pread64(file, to, size, offset), bytes(to);
    __wrap___pread_chk: __pread_chk(file, to, size, offset, room), bytes(to);
    __wrap___pread64_chk: __pread64_chk(file, to, size, offset, room), bytes(to);
    __wrap_fread: fread(to, size, count, file), objects(to, size);
    __wrap_fread_unlocked: fread_unlocked(to, size, count, file), objects(to, size);
    __wrap___fread_chk: __fread_chk(to, room, size, count, file), objects(to, size);
    __wrap___fread_unlocked_chk: __fread_unlocked_chk(to, room, size, count, file), objects(to, size);
}
