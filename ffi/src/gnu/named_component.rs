//! The search for the component of a coarray, allocatable or a pointer, that has a byte of memory of its own: for messages about
//! races. The coarray has the address of this memory, and beside it, for an array, the bounds. All of that is memory of the image
//! of the coarray, which another thread may change meanwhile: then the component is not named, or by other subscripts.

use super::component::lookup;
use super::designator::{Place, nested};
use super::token::Token;
use crate::gfortran_abi::basic;
use std::ffi::c_int;
use std::ptr;
use xmp_core::{Image, Rank};
use xmp_source::Bounds;

const WORD: u64 = size_of::<u64>() as u64;

/// Most words of coarrays that are looked at.
const MAX_WORDS: u64 = 1 << 20;

/// Components of components that are looked into: pointers may lead in circles.
const DEEPEST: u32 = 4;

/// Most dimensions of an array.
const MAX_DIMS: usize = 15;

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
    let mut search = Search { image, of, offset, left: MAX_WORDS };
    coarrays.filter(|token| token.dtype.basic == basic::DERIVED).find_map(|token| {
        let places = search.places(token.block.offset, token.block.size, DEEPEST)?;
        nested(token, index, &places)
    })
}

/// A search for the component that has a byte of the memory of an image.
struct Search<'a> {
    image: &'a Image,
    of: Rank,
    offset: u64,
    /// Words that may still be looked at.
    left: u64,
}

/// A component whose address is in an object.
struct AddressedComponent {
    /// Where its address is.
    at: u64,
    start: u64,
    size: u64,
}

impl Search<'_> {
    /// The component that has the byte and those around it, outermost first, of the objects in these bytes.
    fn places(&mut self, from: u64, size: u64, deepest: u32) -> Option<Vec<Place>> {
        let words = (size / WORD).min(self.left);
        self.left -= words;
        let all: Vec<AddressedComponent> =
            (0..words).filter_map(|it| self.component(from + it * WORD)).collect();
        let (image, of) = (self.image, self.of);
        let place = |found: &AddressedComponent, byte: u64| {
            let array = array(image, of, found.at, found.size);
            Place { at: found.at - from, array, byte }
        };
        let its_byte = |found: &AddressedComponent| self.offset.checked_sub(found.start);
        let has_it =
            |found: &&AddressedComponent| its_byte(found).is_some_and(|byte| byte < found.size);
        if let Some(found) = all.iter().find(has_it) {
            return Some(vec![place(found, its_byte(found)?)]);
        }
        let deepest = deepest.checked_sub(1)?;
        for found in all {
            if let Some(inner) = self.places(found.start, found.size, deepest) {
                let outer = place(&found, inner.first()?.at);
                return Some(std::iter::once(outer).chain(inner).collect());
            }
        }
        None
    }

    /// The component whose address is at an offset of the memory of the image.
    fn component(&self, at: u64) -> Option<AddressedComponent> {
        let address = word(self.image, self.of, at)? as usize;
        let start = self.image.locate_of(self.of, ptr::without_provenance(address))?;
        let size = lookup::component(self.image, self.of, address).ok()??.size as u64;
        Some(AddressedComponent { at, start, size })
    }
}

/// The bounds and the bytes of an element of the array that a descriptor at this offset describes, if it has this many bytes.
fn array(image: &Image, of: Rank, at: u64, size: u64) -> Option<(Vec<Bounds>, i64)> {
    let field = |number: u64| Some(word(image, of, at + number * WORD)? as i64);
    // Address, offset, bytes of an element, type and rank, span; then the dimensions.
    let (element, rank) = (field(2)?, (field(3)? >> 32) as u8);
    if !(1..=MAX_DIMS).contains(&usize::from(rank)) || element <= 0 {
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
