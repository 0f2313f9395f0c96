//! Comparison of the calls of all images before a collective does anything (`XMP_CHECK=1`).
//!
//! Images that call different operations, or one operation with different sizes, types or roots, would wait for one
//! another for ever or misinterpret bytes. With the check each of them gets the same error, which names two images and
//! their values. Nothing has been written then, and the next operation can be a correct one. The check is an allreduce of
//! fixed size, the same for all operations.
//!
//! The check does not find images that call operations on different sets. Non-blocking operations are not checked,
//! because the check waits.
//!
//! Without the setting an operation calls [`agree`], which is one branch. The fast path ([`crate::fast_path`]) does not
//! call it: with the setting no set has a fast path.

use crate::elements::Elements;
use crate::host::reduce::Operand;
use crate::reduce::reduce_with;
use crate::reduction::Reduction;
use crate::select::Choices;
use std::fmt::{self, Display};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result};

/// The call of an image: the operation, and those of its arguments that all images must give alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    operation: Name,
    /// The name of the reduction.
    reduction: Name,
    count: u64,
    /// Bytes of an element.
    element: u64,
    /// The position of the root, from 1; 0 if the operation has none.
    root: u64,
    /// A hash of the mappings and sections of arrays; 0 if the operation has none.
    mapping: u64,
    /// 1 if the image refuses the operation because of its arguments, otherwise 0.
    refuses: u64,
}

impl Call {
    /// A call of the operation with this name.
    pub fn of(operation: &str) -> Call {
        Call {
            operation: Name::new(operation),
            reduction: Name::new(""),
            count: 0,
            element: 0,
            root: 0,
            mapping: 0,
            refuses: 0,
        }
    }

    /// A call of the operation with this name that the image refuses because of its arguments.
    pub fn refused(operation: &str) -> Call {
        Call { refuses: 1, ..Call::of(operation) }
    }

    /// The call with `count` elements of `element` bytes from each image.
    pub fn elements(self, count: usize, element: usize) -> Call {
        Call { count: count as u64, element: element as u64, ..self }
    }

    /// The call with `count` elements from each image, and this reduction.
    pub fn combined(self, count: usize, reduction: &Reduction<'_>) -> Call {
        let name = Name::new(&reduction.to_string());
        Call { reduction: name, ..self.elements(count, reduction.element()) }
    }

    /// The call with the image at this 0-based position as root.
    pub fn root(self, position: usize) -> Call {
        Call { root: (position as u64).saturating_add(1), ..self }
    }

    /// The call with arrays and sections that have this hash.
    pub fn mapped(self, mapping: u64) -> Call {
        Call { mapping, ..self }
    }

    /// The first difference to another call.
    fn difference(&self, me: Rank, other: Rank, call: &Call) -> String {
        if self.operation != call.operation {
            return format!("{me} executes {}, {other} {}", self.operation, call.operation);
        }
        if self.refuses != call.refuses {
            let who = if self.refuses != 0 { me } else { other };
            return format!("{who} refuses the arguments that it gives to {}", self.operation);
        }
        if self.reduction != call.reduction {
            let (mine, others) = (self.reduction, call.reduction);
            return format!("{me} wants the {mine}, {other} the {others}");
        }
        if self.element != call.element {
            let (mine, others) = (self.element, call.element);
            return format!("{me} gives elements of {mine} bytes, {other} of {others}");
        }
        if self.count != call.count {
            let (mine, others) = (self.count, call.count);
            return format!("{me} gives {mine} elements, {other} gives {others}");
        }
        if self.mapping != call.mapping {
            return format!(
                "{me} and {other} give arrays that are mapped differently, or different parts of them"
            );
        }
        let root = |call: &Call| match call.root {
            u64::MAX => "no image".to_string(),
            root => format!("image {root}"),
        };
        format!("the root is {} on {me}, {} on {other}", root(self), root(call))
    }
}

/// A short text that can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name([u8; 32]);

impl Name {
    /// The beginning of a text, with zero bytes behind it.
    fn new(text: &str) -> Name {
        let mut bytes = [0; 32];
        let len = text.len().min(bytes.len());
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Name(bytes)
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        f.write_str(&String::from_utf8_lossy(&self.0[..len]))
    }
}

/// The calls of several images: that of the first, and that of the next image whose call differs, if any.
#[derive(Clone, Copy, Debug)]
struct Heard {
    first: (Rank, Call),
    other: Option<(Rank, Call)>,
}

impl Heard {
    /// The calls of these images and of images behind them.
    fn and(self, right: Heard) -> Heard {
        let differs = |&(_, call): &(Rank, Call)| call != self.first.1;
        Heard {
            first: self.first,
            other: self.other.or(Some(right.first).filter(differs)).or(right.other),
        }
    }
}

/// Compares the calls of all images of the set, if the settings ask for that.
///
/// # Errors
/// [`Error::Invalid`] on all images when their calls differ; when an image of the set has stopped or failed.
///
/// # Panics
/// When this image is not in the set.
#[inline(always)]
pub fn agree(image: &Image, set: &ImageSet, call: impl FnOnce() -> Call) -> Result<()> {
    if image.settings().check { compare(image, set, call()) } else { Ok(()) }
}

#[inline(never)]
fn compare(image: &Image, set: &ImageSet, call: Call) -> Result<()> {
    let mut heard = Heard { first: (image.rank(), call), other: None };
    // SAFETY: a reduction calls this with two elements, each of which an image with the same library made of a `Heard`.
    let combine = |acc: *mut u8, x: *const u8| unsafe {
        let acc = acc.cast::<Heard>();
        acc.write_unaligned(acc.read_unaligned().and(x.cast::<Heard>().read_unaligned()));
    };
    let reduction = Reduction::user(size_of::<Heard>(), &combine);
    let buffer = (&raw mut heard).cast();
    // SAFETY: `heard` is one element, which only the reduction accesses.
    let elements = unsafe { Elements::new(buffer, 1, &reduction) };
    // If an image fails meanwhile, only some images may get an error here. The others get it in the operation itself.
    reduce_with(image, set, &Operand { elements, to: None }, &Choices::default())?;
    let Heard { first: (me, mine), other } = heard;
    match other {
        Some((other, others)) => Err(Error::Invalid(mine.difference(me, other, &others))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    #[test]
    fn texts_name_images_and_values() {
        let text = |a: Call, b: Call| a.difference(Rank::new(0), Rank::new(2), &b);
        let sum = |count| Call::of("allreduce").combined(count, &Reduction::number::<f64>(Op::Sum));
        assert_eq!(text(sum(10), sum(12)), "image 1 gives 10 elements, image 3 gives 12");
        assert_eq!(
            text(sum(1), Call::of("allreduce").combined(1, &Reduction::number::<i32>(Op::Min))),
            "image 1 wants the sum of f64, image 3 the minimum of i32"
        );
        assert_eq!(
            text(sum(1), Call::of("barrier")),
            "image 1 executes allreduce, image 3 barrier"
        );
        assert_eq!(
            text(Call::of("gmove").mapped(7), Call::refused("gmove")),
            "image 3 refuses the arguments that it gives to gmove"
        );
        let broadcast = |len, root| Call::of("broadcast").elements(1, len).root(root);
        assert_eq!(
            text(broadcast(4, 0), broadcast(8, 0)),
            "image 1 gives elements of 4 bytes, image 3 of 8"
        );
        assert_eq!(
            text(broadcast(4, 0), broadcast(4, 1)),
            "the root is image 1 on image 1, image 2 on image 3"
        );
    }

    #[test]
    fn long_names_are_cut() {
        let name = Name::new(&"\u{e4}".repeat(40));
        assert_eq!(name.to_string(), "\u{e4}".repeat(16));
    }
}
