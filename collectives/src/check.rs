//! Comparison of the calls of all images before a collective does anything (`XMP_CHECK=1`).
//!
//! Images that call different operations, or one operation with different sizes, types or roots, would wait for one
//! another for ever or misinterpret bytes. With the check each of them gets the same error, which names two images that
//! differ, their values, and their statements where these are known and differ. Nothing has been written then, and the
//! next operation can be a correct one. The check is an allreduce of fixed size, the same for all operations.
//!
//! The check does not find images that call operations on different sets. Non-blocking operations are not checked,
//! because the check waits.
//!
//! Without the setting an operation calls [`agree`], which is one branch. The fast path ([`crate::fast_path`]) does not
//! call it: with the setting no set has a fast path.

pub use crate::call::Call;
use crate::call::text;
use crate::elements::Elements;
use crate::host::reduce::Operand;
use crate::reduce::reduce_with;
use crate::reduction::Reduction;
use crate::select::Choices;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result};

/// Bytes of a statement's place that an image tells the others.
const PLACE: usize = 128;

/// The places of the statements of two images. Those of others, and what is not known, are zeros.
type Places = [[u8; PLACE]; 2];

/// This image's place, if it is one of the two, in its part of the result.
fn own_place(image: &Image, images: [Rank; 2]) -> Places {
    images.map(|rank| {
        let mut bytes = [0; PLACE];
        if rank == image.rank()
            && let Some(place) = (image.source().statement)()
        {
            // The end of a long path tells more than its beginning.
            let first = place.len().saturating_sub(PLACE);
            let start = (first..).find(|&at| place.is_char_boundary(at)).unwrap_or(first);
            bytes[..place.len() - start].copy_from_slice(&place.as_bytes()[start..]);
        }
        bytes
    })
}

/// The calls of several images: the call of the first one, and the next call that differs from it, if any.
#[derive(Clone, Copy, Debug)]
struct ComparedCalls {
    first: (Rank, Call),
    other: Option<(Rank, Call)>,
}

impl ComparedCalls {
    /// The calls of these images and of images after them.
    fn and(self, right: ComparedCalls) -> ComparedCalls {
        let differs = |&(_, call): &(Rank, Call)| call != self.first.1;
        ComparedCalls {
            first: self.first,
            other: self.other.or(Some(right.first).filter(differs)).or(right.other),
        }
    }
}

/// Compares the calls of all images of the set, if the settings ask for that.
///
/// # Errors
/// [`Error::Invalid`] on all images when their calls differ; when an image of the set has stopped or failed.
#[inline(always)]
pub fn agree(image: &Image, set: &ImageSet, call: impl FnOnce() -> Call) -> Result<()> {
    if image.settings().check.calls { compare(image, set, call()) } else { Ok(()) }
}

#[inline(never)]
fn compare(image: &Image, set: &ImageSet, call: Call) -> Result<()> {
    let call = call.in_words_of((image.source().language)());
    let heard = ComparedCalls { first: (image.rank(), call), other: None };
    // If an image fails meanwhile, only some images may get an error here. The others get it in the operation itself.
    let ComparedCalls { first: (me, mine), other } =
        together(image, set, heard, ComparedCalls::and)?;
    let Some((it, its)) = other else { return Ok(()) };
    // All images have heard of both, so all come here.
    let images = [me, it];
    let either = |left: Places, right: Places| {
        [0, 1].map(|number| std::array::from_fn(|at| left[number][at] | right[number][at]))
    };
    let places = together(image, set, own_place(image, images), either)?;
    let places = if places[0] == places[1] { [[0; PLACE]; 2] } else { places };
    let [here, there] = places.each_ref().map(|place| text(place));
    Err(Error::Invalid(mine.difference(&its, images, [&here, &there])))
}

/// The combination of one value of each image of the set.
pub(crate) fn together<T: Copy>(
    image: &Image,
    set: &ImageSet,
    mut value: T,
    combine: impl Fn(T, T) -> T,
) -> Result<T> {
    // SAFETY: a reduction calls this with two elements, each of which an image with the same library made of a `T`.
    let combine = |acc: *mut u8, x: *const u8| unsafe {
        let acc = acc.cast::<T>();
        acc.write_unaligned(combine(acc.read_unaligned(), x.cast::<T>().read_unaligned()));
    };
    let reduction = Reduction::user(size_of::<T>(), &combine);
    let buffer = (&raw mut value).cast();
    // SAFETY: `value` is one element, which only the reduction accesses.
    let elements = unsafe { Elements::new(buffer, 1, &reduction) };
    reduce_with(image, set, &Operand { elements, to: None }, &Choices::default())?;
    Ok(value)
}
