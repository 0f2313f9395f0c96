//! Arguments of C programs, which the headers describe: memory, lists and places for results.
//!
//! The contract of [`entry`](crate::entry#contract) holds: memory, lists and places are null, or as large as the
//! arguments beside them say. Memory of an operation that was begun stays so until it is waited for. Where null is no value,
//! it is an error, which calls the argument by its `name`.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// Memory of the program.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Data(*mut c_void);

/// End of the addresses of any program on x86-64: 57 bits, the upper half of which is the system's.
const END_OF_ADDRESSES: usize = 1 << 56;

impl Data {
    /// Memory that starts there.
    pub fn at(start: *mut u8) -> Data {
        Data(start.cast())
    }

    /// Its address.
    #[inline(always)]
    pub fn start(self) -> *mut u8 {
        self.0.cast()
    }

    /// Whether the argument is `XMPRT_IN_PLACE`: the part is in the memory for all images.
    pub fn is_in_place(self) -> bool {
        self.0.addr() == usize::MAX
    }

    /// The memory that begins this number of bytes after it.
    pub fn part(self, offset: usize) -> Data {
        Data::at(self.start().wrapping_add(offset))
    }

    /// Memory that images share, in the argument with this name.
    #[inline(always)]
    pub fn called(self, name: &'static str) -> Shared {
        Shared { at: self, name }
    }

    /// Checks that it is there.
    pub fn not_null(self, name: &str) -> Result<()> {
        if self.0.is_null() { Err(null(name)) } else { Ok(()) }
    }

    /// Checks that it can have `count` elements of `len` bytes. Messages call it `name`.
    ///
    /// # Errors
    /// When it cannot: at a null pointer, or beyond all addresses.
    pub fn check(self, name: &str, count: usize, len: usize) -> Result<()> {
        if count > 0 && len > 0 {
            self.not_null(name)?;
        }
        let end = count.checked_mul(len).and_then(|bytes| bytes.checked_add(self.0.addr()));
        match end {
            Some(end) if end <= END_OF_ADDRESSES => Ok(()),
            _ => {
                let (elements, bytes) = (counted(count, "element"), counted(len, "byte"));
                Err(Error::Invalid(format!("{elements} of {bytes} are more than there is")))
            }
        }
    }

    /// Checks that `bytes` bytes here and `other_bytes` bytes of `other` have none in common. Both are checked.
    ///
    /// # Errors
    /// When they have.
    pub fn apart(
        self,
        bytes: usize,
        other: Data,
        other_bytes: usize,
        names: [&str; 2],
    ) -> Result<()> {
        let [mine, others] = [self, other].map(|data| data.0.addr());
        if bytes == 0 || other_bytes == 0 || mine >= others + other_bytes || others >= mine + bytes
        {
            return Ok(());
        }
        let [name, other] = names;
        Err(Error::Invalid(format!("{name} and {other} overlap")))
    }
}

/// Memory that images share, as an argument names it.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// This image's own address of the place.
    pub at: Data,
    /// The name of the argument, for messages.
    pub name: &'static str,
}

/// A list of values that the program has written.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct List<T>(*const T);

impl<T: Copy> List<T> {
    /// No list.
    pub fn none() -> List<T> {
        List(std::ptr::null())
    }

    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Its address.
    pub fn start(self) -> *const T {
        self.0
    }

    /// The same list, of values of another type.
    pub fn cast<U>(self) -> List<U> {
        List(self.0.cast())
    }

    /// Its values, if it is there.
    #[inline]
    pub fn get<'a>(self, len: usize) -> Option<&'a [T]> {
        // SAFETY: the contract of entries: there are as many values as the other arguments say.
        (!self.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0, len) })
    }

    /// Its values.
    pub fn of<'a>(self, name: &str, len: usize) -> Result<&'a [T]> {
        self.get(len).ok_or_else(|| null(name))
    }
}

/// Memory of the program for a list of results.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct OutputList<T>(*mut T);

impl<T> OutputList<T> {
    /// The places of `len` values; none if the program passes a null pointer.
    pub fn of<'a>(self, len: usize) -> Option<&'a [Cell<T>]> {
        // SAFETY: the contract of entries: there is memory for as many values as the other arguments say.
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0.cast(), len) })
    }
}

/// A place for a result that must be there.
pub fn place<'a, T>(place: Option<&'a Cell<T>>, name: &str) -> Result<&'a Cell<T>> {
    place.ok_or_else(|| null(name))
}

/// The error of a null pointer where there must be none.
pub fn null(name: &str) -> Error {
    Error::Invalid(format!("{name} is a null pointer"))
}

/// Checks that a program has given no flag but these.
///
/// # Errors
/// When it has.
pub fn only_flags(flags: c_int, known: c_int) -> Result<()> {
    match flags & !known {
        0 => Ok(()),
        unknown => {
            Err(Error::Invalid(format!("flags {flags}: {unknown} is no flag of this function")))
        }
    }
}
