//! What descriptors are: objects whose pointers programs keep.

mod array;
mod coarray;
mod codes;
mod dim;
mod nodes;
mod notes;
mod side;
mod sizes;
mod template;

pub use array::ArrayObject;
pub use coarray::{Bytes, CoarrayObject, Triplet as CoarrayTriplet};
pub use codes::{Element, element_of, extreme_of, fortran_element_of, operator_of};
pub use dim::{Alignment, Dim};
pub use nodes::{Equivalence, NodeSet};
pub use notes::Notes;
pub use side::{Of, Side, picked};
pub use sizes::sized;
pub use template::{Subscripts, TemplateObject, Triplet, Triplets, subscripts};

use super::error::{Outcome, Wrong};
use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::rc::Rc;

/// A descriptor as programs hold it.
pub type Descriptor = *mut c_void;

/// What can have a descriptor.
pub trait Described {
    /// What the first word of the object says (`xmp_desc_kind`).
    const KIND: c_int;
    /// What it is called in messages.
    const NAME: &'static str;
}

/// An object and its kind, which is its first word.
#[repr(C)]
#[derive(Debug)]
pub struct Object<T> {
    kind: c_int,
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
        Rc::new(Object { kind: T::KIND, inner })
    }

    /// A descriptor of an object, which lives until [`Object::release`].
    pub fn describe(self: Rc<Object<T>>) -> Descriptor {
        Rc::into_raw(self).cast_mut().cast()
    }

    /// The address of an object that something else keeps.
    pub fn address(self: &Rc<Object<T>>) -> Descriptor {
        Rc::as_ptr(self).cast_mut().cast()
    }

    /// The object with a descriptor.
    ///
    /// # Errors
    /// When it is null, or is an object of another kind.
    ///
    /// # Safety
    /// The descriptor is null or is that of an object which is not released yet.
    pub unsafe fn of<'a>(descriptor: Descriptor) -> Outcome<&'a Object<T>> {
        if descriptor.is_null() {
            return Err(Wrong::because(format!("a null descriptor instead of {}", T::NAME)));
        }
        // SAFETY: the caller's guarantee: whatever it is, its first word is its kind.
        let kind = unsafe { descriptor.cast::<c_int>().read() };
        if kind != T::KIND {
            let name = T::NAME;
            return Err(Wrong::because(format!("{descriptor:p} does not describe {name}")));
        }
        // SAFETY: an object of this kind.
        Ok(unsafe { &*descriptor.cast::<Object<T>>() })
    }

    /// As [`Object::of`], to keep it.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn shared(descriptor: Descriptor) -> Outcome<Rc<Object<T>>> {
        // SAFETY: the caller's guarantee; descriptors are made of shared objects.
        unsafe {
            let object: *const Object<T> = Object::<T>::of(descriptor)?;
            Rc::increment_strong_count(object);
            Ok(Rc::from_raw(object))
        }
    }

    /// The program needs the descriptor no more.
    ///
    /// # Errors
    /// As [`Object::of`].
    ///
    /// # Safety
    /// As there, and the descriptor was made by [`Object::describe`].
    pub unsafe fn release(descriptor: Descriptor) -> Outcome {
        // SAFETY: the caller's guarantee.
        unsafe {
            let object: *const Object<T> = Object::<T>::of(descriptor)?;
            drop(Rc::from_raw(object));
        }
        Ok(())
    }
}

/// Writes a descriptor for the program.
///
/// # Errors
/// When the place is null.
///
/// # Safety
/// The place is null or valid.
pub unsafe fn hand_out<T: Described>(place: *mut Descriptor, object: Rc<Object<T>>) -> Outcome {
    // SAFETY: the caller's guarantee.
    let place = unsafe { place.as_mut() };
    *place.ok_or_else(|| Wrong::because("no place for a descriptor"))? = object.describe();
    Ok(())
}
