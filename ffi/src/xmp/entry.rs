//! Entry functions of procedures: one declaration each, for C, for Fortran or for both.
//!
//! C passes arguments by value, Fortran passes them by reference. [`Argument`] says how each type of a parameter is
//! passed in either language, and decodes it. So the body of an entry function is safe code with decoded arguments.
//! It returns an [`Outcome`]; an error ends the job with a message that names the operation.
//!
//! ```text
//! for_both! {
//!     /// `reflect async(id)`.
//!     "reflect" fn _XMP_reflect_async__, xmpf_reflect_async__(array: &Object<ArrayObject>, id: c_int) {
//!         fill(array, Some(id.into()))
//!     }
//! }
//! ```
//!
//! `for_c!` and `for_fortran!` declare functions of one language, with one name.
//!
//! # Contract
//!
//! The caller is translated code, or a program that was written by the specification of XcalableMP. Descriptors are
//! null or were made by this library and are still in use. Addresses are valid for the type of the parameter during
//! the call. A parameter whose doc says so stays valid longer: [`Memory`] of an asynchronous operation, for
//! instance. `SAFETY` comments of this front end name this as *the contract of entries*.

use super::arguments::Arguments;
use super::error::{DirectiveError, Outcome};
use crate::entry::decode;
use crate::gfortran_abi;
use crate::global::{Described, Descriptor, Object};
use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::rc::Rc;

/// The type of a parameter, with the way in which it is passed. An argument of another type is an error.
pub trait Argument: Sized {
    /// In C.
    type Value;
    /// In Fortran.
    type Reference<'r>;

    /// Decodes the argument of a C program.
    fn of_c(value: Self::Value) -> Outcome<Self>;

    /// Decodes the argument of a Fortran program.
    fn of_fortran(reference: Self::Reference<'_>) -> Outcome<Self>;
}

/// Numbers and descriptors: by value in C, by reference in Fortran.
macro_rules! by_value {
    ($($type:ty)*) => { $(
        impl Argument for $type {
            type Value = $type;
            type Reference<'r> = &'r $type;

            #[inline(always)]
            fn of_c(value: $type) -> Outcome<$type> {
                Ok(value)
            }

            #[inline(always)]
            fn of_fortran(reference: &$type) -> Outcome<$type> {
                Ok(*reference)
            }
        }
    )* };
}
by_value! { c_int u32 i64 u64 usize Descriptor }

/// Places and memory of the program: an address in both languages.
macro_rules! by_address {
    ($([$($generic:tt)*] $type:ty;)*) => { $(
        impl<$($generic)*> Argument for $type {
            type Value = $type;
            type Reference<'r> = $type;

            #[inline(always)]
            fn of_c(value: $type) -> Outcome<$type> {
                Ok(value)
            }

            #[inline(always)]
            fn of_fortran(reference: $type) -> Outcome<$type> {
                Ok(reference)
            }
        }
    )* };
}
by_address! {
    ['a, T] &'a Cell<T>;
    ['a, T] Option<&'a Cell<T>>;
    ['a] &'a mut Arguments;
    ['a] &'a gfortran_abi::Descriptor;
    ['a] &'a mut gfortran_abi::Descriptor;
    [] Memory;
    [T] List<T>;
}

/// Implements [`Argument`] for types that are decoded from a descriptor.
macro_rules! by_descriptor {
    ($($(#[$doc:meta])* [$($generic:tt)*] $type:ty: $decode:expr;)*) => { $(
        $(#[$doc])*
        impl<$($generic)*> Argument for $type {
            type Value = Descriptor;
            type Reference<'r> = &'r Descriptor;

            #[inline(always)]
            fn of_c(value: Descriptor) -> Outcome<$type> {
                $decode(value)
            }

            fn of_fortran(reference: &Descriptor) -> Outcome<$type> {
                $decode(*reference)
            }
        }
    )* };
}
by_descriptor! {
    /// The object.
    ['a, T: Described] &'a Object<T>: Descriptor::object;
    /// The object, to be kept.
    [T: Described] Rc<Object<T>>: Descriptor::shared;
    /// The object, or none for null.
    [T: Described] Optional<T>: |of: Descriptor| of.optional().map(Optional);
}

/// An object, or none where the descriptor is null.
#[derive(Debug)]
pub struct Optional<T: 'static>(pub Option<&'static Object<T>>);

/// A descriptor that the program gives back: decoding releases its object. Null is none. In Fortran the variable
/// becomes null.
#[derive(Debug)]
pub struct Released<T>(PhantomData<T>);

impl<T: Described> Argument for Released<T> {
    type Value = Descriptor;
    type Reference<'r> = &'r Cell<Descriptor>;

    fn of_c(value: Descriptor) -> Outcome<Released<T>> {
        value.release::<T>().map(|()| Released(PhantomData))
    }

    fn of_fortran(reference: &Cell<Descriptor>) -> Outcome<Released<T>> {
        Released::of_c(reference.replace(Descriptor::NULL))
    }
}

/// A dimension, counted from 0 by the program.
#[derive(Clone, Copy, Debug)]
pub struct Dimension(pub usize);

impl Argument for Dimension {
    type Value = c_int;
    type Reference<'r> = &'r c_int;

    fn of_c(value: c_int) -> Outcome<Dimension> {
        let why =
            || DirectiveError::because(format!("there is no dimension {}", i64::from(value) + 1));
        usize::try_from(value).map(Dimension).map_err(|_| why())
    }

    fn of_fortran(reference: &c_int) -> Outcome<Dimension> {
        Dimension::of_c(*reference)
    }
}

/// Memory of the program: as many elements as the arguments beside it say. That of an asynchronous operation is
/// valid, and not accessed in a conflicting way, until the operation is waited for.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Memory(*mut u8);

impl Memory {
    /// Its address.
    #[inline(always)]
    pub fn start(self) -> *mut u8 {
        self.0
    }

    /// Whether the program passes it: an OPTIONAL argument may be absent.
    pub fn is_there(self) -> bool {
        !self.0.is_null()
    }

    /// The `len` characters of a text, without blanks at its end; the empty text where there is none.
    pub fn text(self, len: c_int) -> String {
        // SAFETY: the contract of entries: there are as many characters as the argument beside it says.
        let bytes = unsafe { decode::list(self.0.cast_const(), len) };
        String::from_utf8_lossy(bytes).trim_end().to_string()
    }
}

/// A list of numbers of the program, whose length follows from the other arguments; null for none. No list where there are
/// numbers is an error.
#[repr(transparent)]
#[derive(Debug)]
pub struct List<T>(*mut T);

impl<T> List<T> {
    /// Numbers of the library instead of the program's, which have to last as long as the call.
    pub fn within(numbers: &mut [T]) -> List<T> {
        List(numbers.as_mut_ptr())
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.0.is_null()
    }

    /// The numbers, where the caller is one of the functions of `ffi/xmp/` and changes them no more.
    #[inline(always)]
    pub fn fixed(&self, len: usize) -> Outcome<&[T]> {
        if self.is_none() && len > 0 {
            return Err(missing(len));
        }
        let start = if len == 0 { std::ptr::NonNull::dangling().as_ptr() } else { self.0 };
        // SAFETY: the contract of entries: there are as many numbers as the other arguments say.
        Ok(unsafe { std::slice::from_raw_parts(start, len) })
    }

    /// The numbers.
    pub fn of(&self, len: usize) -> Outcome<&[Cell<T>]> {
        if len == 0 {
            return Ok(&[]);
        }
        if self.is_none() {
            return Err(missing(len));
        }
        // SAFETY: the contract of entries: there are as many numbers as the other arguments say.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast(), len) })
    }
}

#[cold]
fn missing(len: usize) -> DirectiveError {
    DirectiveError::because(format!("a null pointer instead of {}", counted(len, "number")))
}

/// The type of a result, which is `()` where there is none.
#[macro_export]
macro_rules! result {
    () => {
        ()
    };
    ($type:ty) => {
        $type
    };
}

/// An argument as C programs pass it.
pub type FromC<T> = <T as Argument>::Value;

/// An argument as Fortran programs pass it.
pub type FromFortran<'r, T> = <T as Argument>::Reference<'r>;

/// Declares entry functions of a language: how it passes arguments, and the function that decodes them.
#[macro_export]
macro_rules! for_one {
    ($passed:ident $decode:ident $(
        $(#[$doc:meta])*
        $operation:literal fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $crate::xmp::entry::$passed<$type>),*) $(-> $result)? {
            $crate::xmp::error::done(
                $operation,
                || -> $crate::xmp::error::Outcome<$crate::xmp::entry::result!($($result)?)> {
                    $(let $argument = <$type as $crate::xmp::entry::Argument>::$decode($argument)?;)*
                    $body
                },
            )
        }
    )* };
}

/// Declares entry functions of C.
#[macro_export]
macro_rules! for_c {
    ($($functions:tt)*) => { $crate::xmp::entry::for_one! { FromC of_c $($functions)* } };
}

/// Declares entry functions of Fortran.
#[macro_export]
macro_rules! for_fortran {
    ($($functions:tt)*) => { $crate::xmp::entry::for_one! { FromFortran of_fortran $($functions)* } };
}

/// Declares entry functions of both languages: the name in C, the name in Fortran.
#[macro_export]
macro_rules! for_both {
    ($(
        $(#[$doc:meta])*
        $operation:literal fn $c:ident, $fortran:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => { $(
        const _: () = {
            fn body(
                $($argument: $type),*
            ) -> $crate::xmp::error::Outcome<$crate::xmp::entry::result!($($result)?)> $body

            $crate::xmp::entry::for_c! {
                $(#[$doc])*
                $operation fn $c($($argument: $type),*) $(-> $result)? { body($($argument),*) }
            }
            $crate::xmp::entry::for_fortran! {
                $(#[$doc])*
                $operation fn $fortran($($argument: $type),*) $(-> $result)? { body($($argument),*) }
            }
        };
    )* };
}

pub use crate::{for_both, for_c, for_fortran, for_one, result};
use xmp_core::counted::counted;
