//! Copies of the components of objects that were got from other images.
//!
//! An object is copied byte by byte, and so are the addresses of its components, which belong to the image that it was
//! got from. Intrinsic assignment copies what is allocated (Fortran 2018, 10.2.1.3), so every component gets a copy of
//! its own here, with its components in turn: memory of `malloc`, as the compiler would have allocated it.
//!
//! Each word of the object may be the address of a component ([`found`]), and so may each word of that component in turn. A component
//! that several words lead to (a pointer has it as its target) is copied once; so rings end, too.
//!
//! The components that the compiler registers ([`super::register`]) cannot replace this search, with gfortran 12 to 16:
//! - An object that is assigned the result of a function (`c = f()`), and a component that MOVE_ALLOC has defined, have memory of
//!   `malloc` that is not registered: a copy without it would be wrong.
//! - ALLOCATE of a pointer component is registered as ALLOCATE of an allocatable one, and an object registers both kinds at its
//!   beginning: nothing tells which of them an assignment would copy.
//! - Components of components that are not allocatable themselves are not registered at the beginning of the object. The
//!   token of a scalar is not beside it: the words that are addresses are not known by their places, either.
//!
//! Copies of pointers cost memory and do no other harm: after such an assignment they are undefined (Fortran 2018,
//! 19.5.2.5).

use super::lookup::{self, ComponentPlace};
use crate::gfortran_abi::{DType, Descriptor, allocate, basic};
use std::collections::BTreeMap;
use std::{mem, slice};
use xmp_core::race_hooks::Piece;
use xmp_core::{Image, Rank, Result};

const WORD: usize = size_of::<usize>();

/// Copies of components. They are given back when it is dropped, unless they are left to the program.
#[derive(Debug, Default)]
pub struct Copies {
    /// By the address of the component in the process of the image that it was got from.
    made: BTreeMap<usize, Copy>,
}

#[derive(Clone, Copy, Debug)]
struct Copy {
    memory: *mut u8,
    size: usize,
    /// Where the component is.
    of: ComponentPlace,
}

impl Copy {
    fn piece(&self) -> Piece {
        Piece { start: self.memory.addr(), len: self.size }
    }
}

/// Whether elements of this type may have allocatable or pointer components.
#[inline(always)]
pub fn may_have_components(dtype: &DType) -> bool {
    !matches!(
        dtype.basic,
        basic::INTEGER | basic::LOGICAL | basic::REAL | basic::COMPLEX | basic::CHARACTER
    )
}

/// Whether an object of an image of this host has components.
pub fn has_any(image: &Image, rank: Rank, object: &[u8]) -> Result<bool> {
    for word in object.chunks_exact(WORD) {
        if lookup::component(image, rank, address(word))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Gives a copied object, which was got from an image, components of its own. The components do not change meanwhile
/// (Fortran's segment rules).
///
/// # Errors
/// When there is no memory, and when the image cannot be reached. The object is zero then, without components.
pub fn of_object(image: &Image, rank: Rank, object: &mut [u8]) -> Result<Copies> {
    let mut copies = Copies::default();
    let given = copies.give(image, rank, object);
    given.map(|()| copies).inspect_err(|_| object.fill(0))
}

/// Gives the elements of a copied array components of their own, which belong to the program.
#[inline]
pub fn leave_to_array(image: &Image, rank: Rank, array: &Descriptor) -> Result<()> {
    if !may_have_components(&array.dtype) {
        return Ok(());
    }
    of_array(image, rank, array).map(Copies::leave)
}

/// The bytes from the first element of an array to each of its elements.
pub fn offsets(array: &Descriptor) -> Vec<isize> {
    let mut offsets = vec![0];
    for dim in array.dims() {
        let step = dim.stride * array.unit() as isize;
        let row = |at: isize| offsets.iter().map(move |offset| offset + at * step);
        offsets = (0..dim.extent() as isize).flat_map(row).collect();
    }
    offsets
}

/// Gives the elements of a copied array, whose type may have components, components of their own.
///
/// # Errors
/// When there is no memory, and when the image cannot be reached. The elements are zero then, without components.
fn of_array(image: &Image, rank: Rank, array: &Descriptor) -> Result<Copies> {
    let mut copies = Copies::default();
    let offsets = offsets(array);
    let element = |&at: &isize| {
        let start = array.base.cast::<u8>().wrapping_offset(at);
        // SAFETY: the invariant of descriptors: the elements are there. The statement defines them, so they are this
        // image's, and they are looked at one after the other.
        unsafe { slice::from_raw_parts_mut(start, array.dtype.elem_len) }
    };
    let given = offsets.iter().try_for_each(|at| copies.give(image, rank, element(at)));
    given.map(|()| copies).inspect_err(|_| offsets.iter().for_each(|at| element(at).fill(0)))
}

impl Copies {
    /// They belong to the objects now, and go with these.
    pub fn leave(mut self) {
        self.made.clear();
    }

    /// Whether an address is in one of them.
    pub fn has(&self, address: usize) -> bool {
        self.pieces().any(|piece| piece.has(address))
    }

    /// Their memory.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.made.values().map(Copy::piece)
    }

    /// The place in the component's segment of the byte at this address of a copy; `None` if the address is in no copy, or the
    /// component in no segment.
    pub fn offset_of(&self, address: usize) -> Option<u64> {
        let copy = self.made.values().find(|copy| copy.piece().has(address))?;
        Some(copy.of.offset()? + (address - copy.memory.addr()) as u64)
    }

    /// Copies the components of an object, and those of the copies.
    fn give(&mut self, image: &Image, rank: Rank, object: &mut [u8]) -> Result<()> {
        let mut to_look_at = Vec::new();
        self.look_at(image, rank, object, &mut to_look_at)?;
        while let Some(Copy { memory, size, .. }) = to_look_at.pop() {
            // SAFETY: a copy of this size, which nothing else refers to yet.
            let copy = unsafe { slice::from_raw_parts_mut(memory, size) };
            self.look_at(image, rank, copy, &mut to_look_at)?;
        }
        Ok(())
    }

    /// Replaces the addresses of components in an object by those of copies; the new copies are added to `made`.
    fn look_at(
        &mut self,
        image: &Image,
        rank: Rank,
        object: &mut [u8],
        made: &mut Vec<Copy>,
    ) -> Result<()> {
        for word in object.chunks_exact_mut(WORD) {
            let address = address(word);
            let Some(found) = lookup::component(image, rank, address)? else { continue };
            let memory = match self.made.get(&address) {
                Some(copy) => copy.memory,
                None => {
                    let Some(copy) = copied(image, rank, found)? else { continue };
                    self.made.insert(address, copy);
                    made.push(copy);
                    copy.memory
                }
            };
            word.copy_from_slice(&memory.expose_provenance().to_ne_bytes());
        }
        Ok(())
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        for copy in mem::take(&mut self.made).into_values() {
            // SAFETY: of `malloc`, and of this value only.
            unsafe { libc::free(copy.memory.cast()) };
        }
    }
}

/// The address that a word of an object may be.
fn address(word: &[u8]) -> usize {
    usize::from_ne_bytes(word.try_into().expect("a word"))
}

/// A copy of a component; `None` if it cannot be read.
fn copied(image: &Image, rank: Rank, found: ComponentPlace) -> Result<Option<Copy>> {
    let size = found.size;
    let memory = allocate(size, "process's memory for a copy")?;
    // SAFETY: the component has `size` bytes, and so has the memory.
    let read = unsafe { found.read(image, rank, memory.cast()) };
    if !matches!(read, Ok(true)) {
        // SAFETY: the memory was allocated above, and nothing refers to it.
        unsafe { libc::free(memory) };
    }
    read.map(|is_read| is_read.then_some(Copy { memory: memory.cast(), size, of: found }))
}

#[cfg(test)]
mod tests {
    use super::super::block;
    use super::*;
    use crate::gfortran_abi::{Dim, FullDescriptor};
    use std::ptr;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use xmp_core::region::page_size;
    use xmp_core::transport::threads;

    /// A component of this image with these words; its address.
    fn component(image: &Image, words: &[usize]) -> usize {
        let offset = block::allocate(image, size_of_val(words) as u64).unwrap();
        let place = image.own_segment().wrapping_add(offset as usize);
        // SAFETY: as long as that.
        unsafe { place.cast::<usize>().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        place.expose_provenance()
    }

    fn word(address: usize, number: usize) -> usize {
        // SAFETY: a copy that is longer.
        unsafe { ptr::with_exposed_provenance::<usize>(address).add(number).read() }
    }

    fn bytes(words: &mut [usize]) -> &mut [u8] {
        // SAFETY: the words, of which any bytes are a value.
        unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
    }

    fn of_words(image: &Image, words: &mut [usize]) -> Copies {
        of_object(image, image.rank(), bytes(words)).unwrap()
    }

    #[test]
    fn components_and_theirs_are_copied_and_nothing_else() {
        threads::run(1, 1, |image| {
            let inner = component(image, &[7, 8]);
            let outer = component(image, &[inner, 9]);
            let coarray = image.own_segment().expose_provenance();
            let mut object = [1, outer, coarray, outer + 8, 0];
            let copies = of_words(image, &mut object);
            let [number, copy, same, inside, nothing] = object;
            assert_eq!((number, same, inside, nothing), (1, coarray, outer + 8, 0));
            assert_ne!(copy, outer);
            assert!(copies.has(copy) && copies.has(word(copy, 0)) && !copies.has(outer));
            assert_ne!(word(copy, 0), inner);
            assert_eq!([word(copy, 1), word(word(copy, 0), 0), word(word(copy, 0), 1)], [9, 7, 8]);
            assert_eq!(word(outer, 0), inner, "the original");
        })
        .unwrap();
    }

    #[test]
    fn rings_end() {
        threads::run(1, 1, |image| {
            let first = component(image, &[0]);
            let second = component(image, &[first]);
            // SAFETY: its only word.
            unsafe { ptr::with_exposed_provenance_mut::<usize>(first).write(second) };
            let mut object = [first, second];
            let copies = of_words(image, &mut object);
            assert_eq!([word(object[0], 0), word(object[1], 0)], [object[1], object[0]]);
            assert!(object.iter().all(|&copy| copies.has(copy)));
        })
        .unwrap();
    }

    #[test]
    fn what_was_freed_is_no_component() {
        threads::run(1, 1, |image| {
            let gone = component(image, &[5]);
            let offset = image.locate(ptr::with_exposed_provenance(gone)).unwrap().1;
            block::free(image, offset).unwrap();
            let mut object = [gone];
            let any = has_any(image, image.rank(), bytes(&mut object)).unwrap();
            assert!(!any && of_words(image, &mut object).made.is_empty() && object == [gone]);
        })
        .unwrap();
    }

    /// A pointer whose target has gone may lead to anything.
    #[test]
    fn what_cannot_be_read_is_no_component() {
        let page = page_size();
        threads::run(1, 1, |image| {
            // Images that are threads have no process of their own.
            let pid = &image.job().entry(image.rank()).pid;
            pid.store(std::process::id() as _, Ordering::Relaxed);
            // SAFETY: pages of this test, of which the one in the middle may not be read.
            unsafe {
                let (access, kind) =
                    (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                let pages = libc::mmap(ptr::null_mut(), 3 * page, access, kind, -1, 0);
                assert_ne!(pages, libc::MAP_FAILED);
                let words = pages.cast::<usize>();
                // As of memory that reaches to the third page.
                words.add(1).write((2 * page) | 1);
                words.add(2 * page / WORD + 1).write(1);
                assert_eq!(libc::mprotect(pages.byte_add(page), page, libc::PROT_NONE), 0);
                let address = words.add(2).expose_provenance();
                let mut object = [address];
                assert!(has_any(image, image.rank(), bytes(&mut object)).unwrap());
                assert!(of_words(image, &mut object).made.is_empty() && object == [address]);
                libc::munmap(pages, 3 * page);
            }
        })
        .unwrap();
    }

    #[test]
    fn elements_got_from_another_image_or_host() {
        for hosts in [1, 2] {
            let (addresses, all) = ([const { AtomicUsize::new(0) }; 2], Barrier::new(2));
            threads::run(2, hosts, |image| {
                let own = image.rank().index();
                let address = component(image, &[40 + own]);
                addresses[own].store(address, Ordering::Relaxed);
                all.wait();
                let theirs = addresses[1 - own].load(Ordering::Relaxed);
                let mut elements = [theirs, theirs, 0, theirs];
                let mut array = FullDescriptor::empty();
                array.header.base = elements.as_mut_ptr().cast();
                array.header.dtype =
                    DType { elem_len: 8, version: 0, rank: 1, basic: 5, attribute: 0 };
                array.header.span = 8;
                array.set_dims([Dim { stride: 2, lower: 1, upper: 2 }].into_iter());
                let other = Rank::new(1 - own as u32);
                let copies = of_array(image, other, array.descriptor()).unwrap();
                assert_eq!(copies.made.len(), 1);
                assert_eq!(word(elements[0], 0), 41 - own);
                assert_eq!(elements[1..], [theirs, 0, theirs], "between the elements");
                all.wait();
            })
            .unwrap();
        }
    }
}
