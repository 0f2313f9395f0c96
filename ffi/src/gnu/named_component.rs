//! Which component of a coarray has a byte of memory of its own, an allocatable or pointer one: for messages about races. The coarray
//! has the address of this memory, and beside it, for an array, the bounds. All of that is memory of the image that the coarray
//! is on, which another thread may change meanwhile: then the component is not named, or by other subscripts.

use super::component::lookup;
use super::designator::{element_at, position_in};
use super::token::Token;
use crate::gfortran_abi::basic;
use std::ffi::c_int;
use std::ptr;
use xmp_core::{Image, Rank};
use xmp_source::Bounds;

const WORD: u64 = size_of::<u64>() as u64;

/// Most words of coarrays that are looked at.
const MOST_WORDS: u64 = 1 << 20;

/// Most dimensions of an array.
const MOST_DIMS: usize = 15;

/// The element of a component of one of these coarrays that has this byte of the memory of an image, which has this image index in the
/// name (0: none).
#[cold]
pub fn name_of<'a>(
    image: &Image,
    coarrays: impl Iterator<Item = &'a Token>,
    of: Rank,
    offset: u64,
    index: c_int,
) -> Option<String> {
    let mut left = MOST_WORDS;
    coarrays.filter(|token| token.dtype.basic == basic::DERIVED).find_map(|token| {
        let words = (token.block.size / WORD).min(left);
        left -= words;
        let places = (0..words).map(|number| token.block.offset + number * WORD);
        let found = |at| Some((at, within(image, of, at, offset)?));
        let (at, Within { byte, size }) = places.into_iter().find_map(found)?;
        let name = element_at(token, index, at)?.to_string();
        // Without debugging information the component has no name.
        name.contains('%').then_some(())?;
        let subscripts =
            array(image, of, at, size).and_then(|(dims, element)| position_in(dims, element, byte));
        Some(name + &subscripts.unwrap_or_default())
    })
}

/// A byte of a component, and the size of the component.
struct Within {
    byte: u64,
    size: u64,
}

/// Where the byte at an offset of the memory of an image is in the component whose address is at another offset.
fn within(image: &Image, of: Rank, at: u64, offset: u64) -> Option<Within> {
    let address = word(image, of, at)? as usize;
    let start = image.locate_of(of, ptr::without_provenance(address))?;
    let byte = offset.checked_sub(start)?;
    let size = lookup::component(image, of, address).ok()??.size as u64;
    (byte < size).then_some(Within { byte, size })
}

/// The bounds and the bytes of an element of the array that a descriptor at this offset describes, if it has so many bytes.
fn array(image: &Image, of: Rank, at: u64, size: u64) -> Option<(Vec<Bounds>, i64)> {
    let field = |number: u64| Some(word(image, of, at + number * WORD)? as i64);
    // Address, offset, bytes of an element, type and rank, span; then the dimensions.
    let (element, rank) = (field(2)?, (field(3)? >> 32) as u8);
    if !(1..=MOST_DIMS).contains(&usize::from(rank)) || element <= 0 {
        return None;
    }
    let mut dims = Vec::new();
    let mut elements = 1_i64;
    for dim in 0..u64::from(rank) {
        let [stride, lower, upper] =
            [field(5 + 3 * dim)?, field(6 + 3 * dim)?, field(7 + 3 * dim)?];
        let extent = upper.checked_sub(lower)?.checked_add(1).filter(|&extent| extent > 0)?;
        // What is allocated is contiguous.
        (stride == elements).then_some(())?;
        elements = elements.checked_mul(extent)?;
        dims.push(Bounds { lower, upper });
    }
    let bytes = elements.checked_mul(element)?;
    (bytes as u64 <= size).then_some((dims, element))
}

/// A word of the memory of an image of this host.
fn word(image: &Image, of: Rank, offset: u64) -> Option<u64> {
    let end = offset.checked_add(WORD)?;
    let is_inside = offset.is_multiple_of(WORD) && end <= image.job().geometry().stride;
    let place = image.local_address(of, offset).filter(|_| is_inside)?;
    // SAFETY: an aligned word of the segment, which is mapped as long as the job. Volatile: it is memory of the program, which is
    // any value.
    Some(unsafe { place.cast::<u64>().read_volatile() })
}
