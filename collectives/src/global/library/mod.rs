//! The transformational procedures of XcalableMP on whole arrays of any mapping (1.4, 7.7): scatter, gather, pack,
//! unpack, transpose, matmul, sort.
//!
//! All images of the set call them, and all nodes that have elements of one of the arrays are in the set. What is wrong
//! with the arguments all images find alike, before anything has moved.

mod elements;
mod matmul;
mod pack;
mod scatter;
mod sort;
mod temporary;
mod transpose;

pub use matmul::matmul;
pub use pack::{pack, unpack};
pub use scatter::{gather, scatter};
pub use sort::{Direction, sort};
pub use transpose::transpose;

use super::Plans;
use super::gmove::{Kind, assign};
use super::operator::Element;
use super::{Storage, exchange};
use xmp_core::global::Section;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Who calls a procedure: this image, among these, with the plans that it has made.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// This image.
    pub image: &'a Image,
    /// The images that call it together.
    pub set: &'a ImageSet,
    /// The plans of this image.
    pub plans: &'a Plans,
}

/// An array of elements of a type.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a> {
    /// The array.
    pub storage: &'a Storage,
    /// The type of its elements.
    pub element: Element,
}

impl Typed<'_> {
    fn check(self, procedure: &str) -> Result<()> {
        let (bytes, element) = (self.storage.element, self.element);
        if bytes == element.size() {
            Ok(())
        } else {
            Err(invalid(procedure, &format!("elements of {bytes} bytes are no {element}")))
        }
    }
}

impl Caller<'_> {
    /// Assigns all of one array to all of another, in the name of `procedure`.
    ///
    /// # Errors
    /// As [`super::gmove()`].
    ///
    /// # Safety
    /// As [`super::gmove()`].
    unsafe fn copy(self, procedure: &'static str, to: &Storage, from: &Storage) -> Result<()> {
        let (left, right) = (Section::all(&to.array), Section::all(&from.array));
        // SAFETY: both storages are valid (contract above).
        unsafe { self.copy_section(procedure, (to, &left), (from, &right)) }
    }

    /// As [`Caller::copy`], of sections.
    ///
    /// # Errors
    /// As [`super::gmove()`].
    ///
    /// # Safety
    /// As [`super::gmove()`].
    unsafe fn copy_section(
        self,
        name: &'static str,
        to: (&Storage, &Section),
        from: (&Storage, &Section),
    ) -> Result<()> {
        let kind = Kind { name, transposed: false };
        // SAFETY: both storages are valid (contract above).
        unsafe { assign(self.image, self.set, self.plans, (to, from), kind) }
    }

    /// Checks that all images that have elements of these arrays call the procedure.
    fn check_nodes(self, procedure: &str, arrays: &[&Storage]) -> Result<()> {
        arrays.iter().try_for_each(|storage| {
            let members = storage.array.nodes().members();
            exchange::check_nodes(procedure, self.set, members, |rank| storage.is_on(rank))
        })
    }
}

/// Extents of an array.
fn shape(storage: &Storage) -> Vec<i64> {
    storage.array.dims().iter().map(xmp_core::global::Align::extent).collect()
}

/// The error of a procedure.
fn invalid(procedure: &str, text: &str) -> Error {
    Error::Invalid(format!("{procedure}: {text}"))
}

/// A shape as a program writes it.
fn shown(shape: &[i64]) -> String {
    let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("({})", extents.join(","))
}
