//! Inquiry functions (XcalableMP 1.4, 4.8.2 and 7.2 to 7.5), as Omni has them: dimensions count from 1, and those
//! of templates and nodes from the one that runs fastest.
//!
//! Most return 0 after they have written the answer to a place, or -1 where there is no answer; then nothing is
//! written.

use crate::global::{ArrayObject, Descriptor, Dim};
use crate::process::instance;
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Array, Coords};

/// Declares inquiries that return 0 after their body, and -1 after an error of it: the name in C and, if there is
/// one, the name in Fortran.
macro_rules! answered {
    (@c [$(#[$doc:meta])*] $name:ident ($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            $($argument: <$type as $crate::xmp::entry::Argument>::Value),*
        ) -> c_int {
            $crate::xmp::inquiry::code(|| -> Outcome {
                $(let $argument = <$type as $crate::xmp::entry::Argument>::of_c($argument)?;)*
                $body
            })
        }
    };
    (@fortran $name:ident ($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        /// The same for Fortran.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            $($argument: <$type as $crate::xmp::entry::Argument>::Reference<'_>),*
        ) -> c_int {
            $crate::xmp::inquiry::code(|| -> Outcome {
                $(let $argument = <$type as $crate::xmp::entry::Argument>::of_fortran($argument)?;)*
                $body
            })
        }
    };
    () => {};
    ($(#[$doc:meta])* $c:ident, $fortran:ident $parameters:tt $body:block $($more:tt)*) => {
        answered!(@c [$(#[$doc])*] $c $parameters $body);
        answered!(@fortran $fortran $parameters $body);
        answered!($($more)*);
    };
    ($(#[$doc:meta])* $c:ident $parameters:tt $body:block $($more:tt)*) => {
        answered!(@c [$(#[$doc])*] $c $parameters $body);
        answered!($($more)*);
    };
}

/// Declares inquiries whose last parameter is the place of a number.
macro_rules! numbers {
    ($($(#[$doc:meta])* $c:ident $(, $fortran:ident)? ($($parameter:tt)*) = $answer:expr;)*) => { $(
        answered! {
            $(#[$doc])*
            $c $(, $fortran)? ($($parameter)*, place: &Cell<c_int>) {
                let answer: i64 = $answer;
                place.set(answer as c_int);
                Ok(())
            }
        }
    )* };
}

mod align;
mod array;
mod nodes;
mod template;

pub use array::owners_of;

/// What an inquiry returns: 0 after its answer was written, else -1.
fn code(answer: impl FnOnce() -> Outcome) -> c_int {
    let _entered = crate::process::enter();
    answer().map_or(-1, |()| 0)
}

/// A dimension counted from 1, which is at most `dims`.
fn dimension(dim: c_int, dims: usize) -> Outcome<usize> {
    match usize::try_from(i64::from(dim) - 1) {
        Ok(index) if index < dims => Ok(index),
        _ => {
            Err(DirectiveError::because(format!("there is no dimension {dim}, but {dims} of them")))
        }
    }
}

/// A dimension of an array, counted from 1.
fn dim_of(array: &ArrayObject, dim: c_int) -> Outcome<Dim> {
    array.dim(dimension(dim, array.ndims())?)
}

/// The mapping of an array, and the coordinates of this image if it is one of the nodes.
fn own_part(array: &ArrayObject) -> Outcome<(Rc<Array>, Option<Coords>)> {
    let mapping = array.mapping()?;
    let coords = mapping.coords(instance().image.rank());
    Ok((mapping, coords))
}

answered! {
    /// What a descriptor describes.
    xmp_desc_kind, xmp_desc_kind_(descriptor: Descriptor, place: &Cell<c_int>) {
        place.set(descriptor.kind().ok_or_else(|| DirectiveError::because("a null descriptor"))?);
        Ok(())
    }
}
