//! The memory of a component: a block of the non-symmetric heap.
//!
//! In front of the component the block says how long it is: the compiler does not tell other images the length of
//! characters of deferred length.

use std::ptr;
use xmp_core::{Image, Result, heap};

/// What is in front of a component: a mark, and the length in bytes.
pub type Header = [u64; 2];

/// Bytes from the start of a block to the component, which starts on a cache line of its own.
pub const AHEAD: u64 = heap::GRAIN;

/// With the offset of the component in its segment this is its mark: other memory hardly has it.
const MARK: u64 = 0xc0a1_1ca7_ab1e_c0de;
/// The same for memory that the program has allocated for itself ([`super::ordinary`]).
const ORDINARY_MARK: u64 = 0x0d1a_a27c_0de5_ca1e;

const _: () = assert!(size_of::<Header>() as u64 <= AHEAD);

/// Memory for a component of `size` bytes, as an offset in the segment of this image.
pub fn allocate(image: &Image, size: u64) -> Result<u64> {
    let block = image.memory().allocate_local(size.saturating_add(AHEAD), heap::GRAIN)?;
    let offset = block + AHEAD;
    write(image, offset, [MARK ^ offset, size]);
    // The compiler takes one byte for characters of length 0, too, and defines nothing then: a blank is read.
    if size == 1 {
        // SAFETY: in the block, which is not in use yet.
        unsafe { image.own_segment().wrapping_add(offset as usize).write(b' ') };
    }
    Ok(offset)
}

/// Gives the memory of a component back.
///
/// # Errors
/// When there is no such component.
pub fn free(image: &Image, offset: u64) -> Result<()> {
    write(image, offset, [0, 0]);
    // SAFETY: programs do not use a component after it was deallocated.
    unsafe { image.memory().free_local(offset - AHEAD) }
}

/// The length of the component at this offset in its segment, if that is what `header`, the bytes [`AHEAD`] of it,
/// belongs to.
pub fn length(header: Header, offset: u64) -> Option<usize> {
    let is_mark = [MARK, ORDINARY_MARK].contains(&(header[0] ^ offset));
    is_mark.then_some(header[1] as usize)
}

/// Marks `size` bytes, and the [`AHEAD`] bytes before them, as memory that the program has allocated for itself.
pub fn mark_ordinary(image: &Image, offset: u64, size: u64) {
    write(image, offset, [ORDINARY_MARK ^ offset, size]);
}

/// Takes the mark away.
pub fn unmark(image: &Image, offset: u64) {
    write(image, offset, [0, 0]);
}

/// Tells whether marked memory starts at this offset of this image's segment, a multiple of [`AHEAD`] and not 0.
pub fn is_ordinary(image: &Image, offset: u64) -> bool {
    read(image, offset)[0] == ORDINARY_MARK ^ offset
}

/// The number of bytes of marked memory.
pub fn ordinary_size(image: &Image, offset: u64) -> u64 {
    read(image, offset)[1]
}

/// Marked memory has this many bytes now.
pub fn resize_ordinary(image: &Image, offset: u64, size: u64) {
    mark_ordinary(image, offset, size);
}

fn read(image: &Image, offset: u64) -> Header {
    let place = image.own_segment().wrapping_add((offset - AHEAD) as usize);
    // SAFETY: in the segment, in front of an offset in it, and aligned; any bytes are words. Volatile: it may be memory of the
    // program, which is any value then.
    unsafe { ptr::read_volatile(place.cast()) }
}

fn write(image: &Image, offset: u64, header: Header) {
    let place = image.own_segment().wrapping_add((offset - AHEAD) as usize);
    // SAFETY: the start of a block of this image that is longer, and aligned to more.
    unsafe { ptr::write(place.cast(), header) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::transport::threads;

    #[test]
    fn a_component_says_its_length_as_long_as_it_is_there() {
        threads::run(1, 1, |image| {
            let header = |offset: u64| {
                let place = image.own_segment().wrapping_add((offset - AHEAD) as usize);
                // SAFETY: in the segment, which is mapped; no other image changes it.
                length(unsafe { place.cast::<Header>().read() }, offset)
            };
            let [empty, long] = [1, 1000].map(|size| allocate(image, size).unwrap());
            assert_eq!([empty, long].map(header), [Some(1), Some(1000)]);
            // SAFETY: its only byte.
            assert_eq!(unsafe { image.own_segment().wrapping_add(empty as usize).read() }, b' ');
            assert_eq!(header(long + AHEAD), None, "what is in it is none");
            free(image, long).unwrap();
            assert_eq!(header(long), None);
            free(image, empty).unwrap();
            assert_eq!(image.memory().usage()[1].0, 0);
            assert!(allocate(image, u64::MAX).is_err());
        })
        .unwrap();
    }
}
