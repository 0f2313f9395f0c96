//! The accessors of the program.
//!
//! Constructors register them by numbers that are equal on all images: before there is an image, and when a library is
//! loaded. A place of the program that needs one asks for its index once. The index is a position in the image's own
//! table, so that a transfer finds the function without a search.

use super::function::Accessor;
use crate::process::{Instance, OfImage, has_hooks};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Mutex, Once, PoisonError};
use xmp_core::launch::report;
use xmp_core::{Error, Result};

/// The accessors that this image has asked for, by index.
#[derive(Debug)]
struct Table {
    accessors: RefCell<Vec<Accessor>>,
    /// Their numbers.
    numbers: RefCell<Vec<c_int>>,
    /// Start and length of `accessors`, which every transfer asks for: changed whenever these are.
    found: Cell<(*const Accessor, usize)>,
}

static TABLE: OfImage<Table> = OfImage::new(Table::new());

impl Table {
    /// No accessors.
    const fn new() -> Table {
        Table {
            accessors: RefCell::new(Vec::new()),
            numbers: RefCell::new(Vec::new()),
            found: Cell::new((ptr::null(), 0)),
        }
    }

    /// The index of this one, which it gets now if it has none.
    fn index(&self, accessor: Accessor, number: c_int) -> usize {
        let (mut accessors, mut numbers) = (self.accessors.borrow_mut(), self.numbers.borrow_mut());
        let mut entries = accessors.iter().zip(numbers.iter());
        let known = entries
            .position(|(known, &its)| known.address() == accessor.address() && its == number);
        known.unwrap_or_else(|| {
            accessors.push(accessor);
            numbers.push(number);
            self.found.set((accessors.as_ptr(), accessors.len()));
            accessors.len() - 1
        })
    }

    /// The one with this index.
    #[inline(always)]
    fn get(&self, index: c_int) -> Option<Accessor> {
        let (start, len) = self.found.get();
        // A negative index becomes a large one.
        let index = index as usize;
        // SAFETY: within the vector, which has not changed since its start and length were noted.
        (index < len).then(|| unsafe { *start.add(index) })
    }

    /// The number of the one with this index.
    fn number(&self, index: c_int) -> Option<c_int> {
        self.numbers.borrow().get(usize::try_from(index).ok()?).copied()
    }
}

/// The registered accessors by their numbers. Two of one number that are both there cannot be told apart.
static REGISTERED: Mutex<BTreeMap<c_int, Vec<Accessor>>> = Mutex::new(BTreeMap::new());

/// Registers an accessor. One of a library that is not loaded any more gives way to a new one.
pub fn register(hash: c_int, accessor: Accessor) {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = registered.entry(hash).or_default();
    known.retain(|known| is_loaded(*known) && known.address() != accessor.address());
    known.push(accessor);
}

/// The accessor with this number, in this process.
///
/// # Errors
/// When there is none, or more than one.
pub fn registered(hash: c_int) -> Result<Accessor> {
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    match registered.get(&hash).map(Vec::as_slice) {
        Some(&[accessor]) => Ok(accessor),
        Some(_) => Err(Error::Invalid(format!(
            "the compiler has given the number {hash} to several accessor functions: rename a coarray or a module"
        ))),
        None => Err(Error::Invalid(format!("no accessor function has the number {hash}"))),
    }
}

/// The index of the accessor with this number.
///
/// # Errors
/// When no accessor has the number, or more than one.
pub fn index_of(instance: &Instance, hash: c_int) -> Result<c_int> {
    if instance.image.settings().check.races && !has_hooks() {
        report_unseen(instance);
    }
    Ok(TABLE.of(instance).index(registered(hash)?, hash) as c_int)
}

/// Reports once that the library does not see which memory accessors without hooks read and write.
#[cold]
fn report_unseen(instance: &Instance) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let image = instance.image.rank().image();
        report(format_args!(
            "image {image}: warning: XMP_CHECK=races does not see coindexed accesses of programs that gfortran 15 or later \
             has compiled: compile with `xmpfc --check=races`"
        ));
    });
}

/// Whether the function is part of something that is loaded.
fn is_loaded(accessor: Accessor) -> bool {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: asks what is at the address, and writes to `info` only.
    unsafe { libc::dladdr(accessor.address(), info.as_mut_ptr()) != 0 }
}

/// The accessor with this index.
pub fn accessor(instance: &Instance, index: c_int) -> Result<Accessor> {
    find(instance, index).ok_or_else(|| no_such(index))
}

fn no_such(index: c_int) -> Error {
    Error::Invalid(format!("there is no accessor function {index}"))
}

/// The accessor with this index, if there is one.
#[inline(always)]
pub fn find(instance: &Instance, index: c_int) -> Option<Accessor> {
    TABLE.of(instance).get(index)
}

/// The number of the accessor with this index.
pub fn number(instance: &Instance, index: c_int) -> Result<c_int> {
    TABLE.of(instance).number(index).ok_or_else(|| no_such(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn one() {}

    #[test]
    fn an_index_leads_to_its_accessor() {
        let (table, one) = (Table::new(), Accessor::new(one));
        assert!(table.get(0).is_none());
        // More than fit where the first ones were.
        let indices: Vec<usize> = (0..100).map(|number| table.index(one, number)).collect();
        assert_eq!(indices, (0..100).collect::<Vec<_>>());
        assert_eq!(table.index(one, 7), 7);
        assert_eq!((table.number(0), table.number(99)), (Some(0), Some(99)));
        assert!(table.get(0).is_some() && table.get(99).is_some());
        for index in [100, -1, c_int::MIN] {
            assert!(table.get(index).is_none() && table.number(index).is_none());
        }
    }
}
