//! Reads of the components of objects that a statement gets as a whole, as in `own = c[2]`, where races are looked for: intrinsic
//! assignment copies what allocatable components have. Debugging information tells allocatable arrays from pointers, whose targets
//! are not read. Of scalars it does not tell; they are left out.

use super::copies::{may_have_components, offsets};
use super::lookup;
use crate::gfortran_abi::Descriptor;
use crate::gnu::designator::shape_of;
use crate::gnu::token::Token;
use crate::process::Instance;
use std::collections::BTreeMap;
use std::ops::Range;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};
use xmp_core::races::{Kind, Races};
use xmp_core::{Image, Rank};
use xmp_source::{Component, Shape};

const WORD: usize = size_of::<usize>();

/// Components of components that are looked into.
const DEEPEST: u32 = 8;

/// A variable: where its token and its descriptor are, and the statement that has allocated it.
type Key = (usize, usize, usize);

/// The types of coarrays. To find one takes long.
static SHAPES: Mutex<BTreeMap<Key, Option<Arc<Shape>>>> = Mutex::new(BTreeMap::new());

/// The statement has got these objects, byte by byte, of a coarray of an image.
#[inline]
pub fn enter(instance: &Instance, token: Option<&Token>, rank: Rank, got: &Descriptor) {
    if let (Some(races), Some(token)) = (instance.image.races(), token)
        && may_have_components(&got.dtype)
    {
        enter_reads(&instance.image, races, token, rank, got);
    }
}

#[cold]
fn enter_reads(image: &Image, races: Races<'_>, token: &Token, rank: Rank, got: &Descriptor) {
    // Parts of an element have other components.
    let is_whole = |shape: &Arc<Shape>| shape.element == got.dtype.elem_len as u64;
    let Some(shape) = known(token).filter(is_whole) else { return };
    let mut reads = Reads { image, rank, ranges: Vec::new() };
    for at in offsets(got) {
        let start = got.base.cast::<u8>().wrapping_offset(at);
        // SAFETY: the invariant of descriptors: the elements are there. The statement defines them, so they are this image's.
        let object = unsafe { slice::from_raw_parts(start, got.dtype.elem_len) };
        reads.of_object(&shape.components, object, DEEPEST);
    }
    races.access_all(races.this_site(), rank, &reads.ranges, Kind::Read);
}

/// The type of a coarray, if it is known.
fn known(token: &Token) -> Option<Arc<Shape>> {
    let home = &token.home;
    let key = (home.token.addr(), home.descriptor.addr(), token.allocated_by);
    let mut shapes = SHAPES.lock().unwrap_or_else(PoisonError::into_inner);
    shapes.entry(key).or_insert_with(|| shape_of(token).map(Arc::new)).clone()
}

/// The memory of allocatable components of objects of an image, in its segment.
struct Reads<'a> {
    image: &'a Image,
    rank: Rank,
    ranges: Vec<Range<u64>>,
}

impl Reads<'_> {
    /// Those of an object, and those of its components.
    fn of_object(&mut self, components: &[Component], object: &[u8], deepest: u32) {
        let Some(deepest) = deepest.checked_sub(1) else { return };
        for Component { offset, shape, is_allocatable, .. } in components {
            let Some(rest) = object.get(*offset as usize..) else { continue };
            if *is_allocatable {
                self.of_array(shape, rest, deepest);
            } else if !shape.components.is_empty() {
                let extents = shape.dims.iter().flatten().map(|dim| dim.upper - dim.lower + 1);
                let count = extents.product::<i64>().max(0) as usize;
                let objects = rest.chunks_exact(shape.element.max(1) as usize).take(count);
                objects.for_each(|object| self.of_object(&shape.components, object, deepest));
            }
        }
    }

    /// That of an allocatable array whose descriptor is here.
    fn of_array(&mut self, shape: &Shape, descriptor: &[u8], deepest: u32) {
        let Some(word) = descriptor.first_chunk::<WORD>() else { return };
        let address = usize::from_ne_bytes(*word);
        // The copy reports memory that cannot be reached.
        let Ok(Some(place)) = lookup::component(self.image, self.rank, address) else { return };
        // In the memory of a process nothing is entered.
        let Some(start) = place.offset() else { return };
        self.ranges.push(start..start + place.size as u64);
        if shape.components.is_empty() {
            return;
        }
        let mut objects = vec![0_u8; place.size];
        // SAFETY: there is so much room, and what a statement gets does not change meanwhile.
        if matches!(unsafe { place.read(self.image, self.rank, objects.as_mut_ptr()) }, Ok(true)) {
            let objects = objects.chunks_exact(shape.element.max(1) as usize);
            objects.for_each(|object| self.of_object(&shape.components, object, deepest));
        }
    }
}
