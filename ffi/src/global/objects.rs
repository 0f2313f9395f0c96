//! Objects that are known by address: nodes, templates and arrays, and whatever else has a descriptor.

use super::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::ptr;
use std::rc::Rc;

/// A descriptor as programs hold it: null, or the address of an [`Object`] that they have not given back yet. Entry
/// functions get descriptors by their [contract](crate::entry#contract). One of an object of another kind is an error.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor(*mut c_void);

impl Descriptor {
    /// Describes nothing.
    pub const NULL: Descriptor = Descriptor(ptr::null_mut());

    /// The descriptor that a program has passed as an address.
    pub fn of_address(address: *mut c_void) -> Descriptor {
        Descriptor(address)
    }

    /// Whether it describes nothing.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address, as the program has it.
    pub fn start(self) -> *mut c_void {
        self.0
    }

    /// The number by which tables know it.
    pub fn addr(self) -> usize {
        self.0.addr()
    }

    /// The kind of its object (`xmp_desc_kind`); none for null.
    pub fn kind(self) -> Option<c_int> {
        // SAFETY: the contract of entries; the first number of every object is its kind.
        (!self.is_null()).then(|| unsafe { self.0.cast::<c_int>().read() })
    }

    /// Its object.
    ///
    /// # Errors
    /// When it is null, or describes an object of another kind.
    #[inline]
    pub fn object<'a, T: Described>(self) -> Outcome<&'a Object<T>> {
        match self.kind() {
            // SAFETY: the contract of entries, and an object of this kind.
            Some(kind) if kind == T::KIND => Ok(unsafe { &*self.0.cast::<Object<T>>() }),
            _ => Err(self.not(T::NAME)),
        }
    }

    #[cold]
    fn not(self, name: &str) -> DirectiveError {
        DirectiveError::because(if self.is_null() {
            format!("a null descriptor instead of {name}")
        } else {
            format!("{:p} does not describe {name}", self.0)
        })
    }

    /// Its object, or none for null.
    pub fn optional<'a, T: Described>(self) -> Outcome<Option<&'a Object<T>>> {
        if self.is_null() { Ok(None) } else { self.object().map(Some) }
    }

    /// Its object, to be kept.
    ///
    /// # Errors
    /// When it is null, or describes an object of another kind.
    pub fn shared<T: Described>(self) -> Outcome<Rc<Object<T>>> {
        let object: *const Object<T> = self.object::<T>()?;
        // SAFETY: descriptors are made of shared objects only.
        unsafe {
            Rc::increment_strong_count(object);
            Ok(Rc::from_raw(object))
        }
    }

    /// Gives up the program's share of its object, so that the descriptor is no more in use; nothing for null.
    pub fn release<T: Described>(self) -> Outcome {
        if let Some(object) = self.optional::<T>()? {
            // SAFETY: the contract of entries: the program got the share by `Object::describe` and gives it back once.
            drop(unsafe { Rc::from_raw(ptr::from_ref(object)) });
        }
        Ok(())
    }
}

/// An object that can have a descriptor.
pub trait Described {
    /// The first word of the object (`xmp_desc_kind`).
    const KIND: c_int;
    /// Its name in messages.
    const NAME: &'static str;

    /// The number of dimensions of a reference to it. It never changes.
    fn dimensions(&self) -> usize {
        0
    }
}

/// An object after its kind and its number of dimensions, which the functions of `ffi/omni/` with variable arguments
/// read.
#[repr(C)]
#[derive(Debug)]
pub struct Object<T> {
    kind: c_int,
    dimensions: c_int,
    inner: T,
}

impl<T> Deref for Object<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: Described> Object<T> {
    /// An object.
    pub fn new(inner: T) -> Rc<Object<T>> {
        let dimensions = inner.dimensions() as c_int;
        Rc::new(Object { kind: T::KIND, dimensions, inner })
    }

    /// A descriptor of an object, which lives until [`Descriptor::release`].
    pub fn describe(self: Rc<Object<T>>) -> Descriptor {
        Descriptor(Rc::into_raw(self).cast_mut().cast())
    }

    /// The descriptor of an object that something else keeps.
    pub fn address(self: &Rc<Object<T>>) -> Descriptor {
        Descriptor(Rc::as_ptr(self).cast_mut().cast())
    }
}

/// Writes a descriptor for the program.
///
/// # Errors
/// When there is no place for it.
pub fn hand_out<T: Described>(place: Option<&Cell<Descriptor>>, object: Rc<Object<T>>) -> Outcome {
    let place = place.ok_or_else(|| DirectiveError::because("no place for a descriptor"))?;
    place.set(object.describe());
    Ok(())
}
