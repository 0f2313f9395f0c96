//! The transformational procedures of XcalableMP on whole arrays of any mapping (1.4, 7.7): scatter, gather, pack,
//! unpack, transpose, matmul, sort.
//!
//! All images of the set call a procedure, and all nodes that have elements of one of the arrays are in the set. All images
//! find the same error in the arguments, before any element has moved.

mod elements;
mod matmul;
mod pack;
mod scatter;
mod sort;
mod temporary;

pub use matmul::matmul;
pub use pack::{pack, unpack};
pub use scatter::{gather, scatter};
pub use sort::{Direction, sort};

use super::Plans;
use super::gmove::{Kind, prepare};
use super::operator::Element;
use super::{Storage, StoredSection, exchange};
use xmp_core::counted::counted;
use xmp_core::global::Section;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// The caller of a procedure: this image, the images that call it together, and the plans of this image.
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
            Err(invalid(
                procedure,
                &format!("elements of {} are no {element}", counted(bytes, "byte")),
            ))
        }
    }
}

impl Caller<'_> {
    /// Assigns all of `from` to all of `to`, in the name of a procedure.
    fn copy(self, procedure: &'static str, to: &Storage, from: &Storage) -> Result<()> {
        let (left, right) = (Section::all(&to.array), Section::all(&from.array));
        let left = to.section(&left);
        let right = from.section(&right);
        self.assign(Kind { name: procedure, transposed: false }, left, right)
    }

    /// Assigns the section `right` to the section `left`.
    fn assign(self, kind: Kind, left: StoredSection<'_>, right: StoredSection<'_>) -> Result<()> {
        let operation = prepare(self.image, self.set, self.plans, left, right, kind)?;
        exchange::run(self.image, self.set, &operation)
    }

    /// Checks that all images that have elements of these arrays call the procedure.
    fn check_nodes(self, procedure: &str, arrays: &[&Storage]) -> Result<()> {
        arrays.iter().try_for_each(|storage| {
            let members = storage.array.nodes().members();
            exchange::check_nodes(procedure, self.set, members, |rank| storage.is_on(rank))
        })
    }
}

/// Assigns the transpose of `a` to `x`, whatever their mappings: `xmp_transpose`. Each element goes straight to its
/// place. In arrays with more than two dimensions the order of all of them is reversed.
///
/// # Errors
/// Those of [`super::prepare_gmove()`]; when the shape of `x` is not that of `a` reversed.
pub fn transpose(caller: Caller<'_>, x: &Storage, a: &Storage) -> Result<()> {
    let (to, from) = (Section::all(&x.array), Section::all(&a.array));
    let left = x.section(&to);
    let right = a.section(&from);
    caller.assign(Kind { name: "transpose", transposed: true }, left, right)
}

/// Extents of an array.
fn shape(storage: &Storage) -> Vec<i64> {
    storage.array.dims().iter().map(xmp_core::global::Align::extent).collect()
}

/// The error of a procedure.
fn invalid(procedure: &str, text: &str) -> Error {
    Error::Invalid(format!("{procedure}: {text}"))
}

/// A shape in the notation of a program.
fn shown(shape: &[i64]) -> String {
    let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("({})", extents.join(","))
}
