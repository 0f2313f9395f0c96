//! Coarrays of C: put and get (XcalableMP 1.4, 5.1). Calls that give the remote section, the local one and
//! the image come before.
//!
//! A put returns when the source may be changed; it has arrived when the image has synchronised, or orders its memory.

use crate::objects::{Bytes, CoarrayObject, CoarrayTriplet as Triplet, Descriptor, Object};
use std::cell::RefCell;
use std::ffi::{c_int, c_long};
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_ffi::global::transfer::{self, Local, Remote, Section, copy, strides};
use xmp_ffi::process::{Instance, OfImage, enter, instance};
use xmp_ffi::xmp::entry::{Memory, for_c};
use xmp_ffi::xmp::error::Outcome;

/// The sections and the image of the next transfer.
#[derive(Debug, Default)]
struct Sections {
    remote: Vec<Triplet>,
    local: Vec<Triplet>,
    /// Bytes between the elements of the local array, by dimension.
    apart: Vec<i64>,
    image: Vec<i64>,
}

static SECTIONS: OfImage<RefCell<Sections>> = OfImage::new(RefCell::new(Sections {
    remote: Vec::new(),
    local: Vec::new(),
    apart: Vec::new(),
    image: Vec::new(),
}));

/// Declares calls that give the remote section.
macro_rules! remote {
    ($($name:ident($($start:ident $len:ident $stride:ident,)*))*) => { $(
        /// The section of the coarray: for each dimension start, length and stride.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($start: c_long, $len: c_long, $stride: c_long,)*) {
            let _entered = enter();
            SECTIONS.of(instance()).borrow_mut().remote =
                vec![$(Triplet { start: $start, len: $len, stride: $stride }),*];
        }
    )* };
}

remote! {
    _XMP_coarray_rdma_coarray_set_1(a0 a1 a2,)
    _XMP_coarray_rdma_coarray_set_2(a0 a1 a2, b0 b1 b2,)
    _XMP_coarray_rdma_coarray_set_3(a0 a1 a2, b0 b1 b2, c0 c1 c2,)
    _XMP_coarray_rdma_coarray_set_4(a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2,)
    _XMP_coarray_rdma_coarray_set_5(a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2, e0 e1 e2,)
    _XMP_coarray_rdma_coarray_set_6(a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2, e0 e1 e2, f0 f1 f2,)
    _XMP_coarray_rdma_coarray_set_7(
        a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2, e0 e1 e2, f0 f1 f2, g0 g1 g2,
    )
}

/// Declares calls that give the local section.
macro_rules! local {
    ($($name:ident($($start:ident $len:ident $stride:ident $extent:ident,)*))*) => { $(
        /// The section of the local array: for each dimension start, length, stride and extent; bytes of an element.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            $($start: c_long, $len: c_long, $stride: c_long, $extent: c_long,)*
            element: usize,
        ) {
            let _entered = enter();
            let mut sections = SECTIONS.of(instance()).borrow_mut();
            sections.local = vec![$(Triplet { start: $start, len: $len, stride: $stride }),*];
            sections.apart = strides(&[$($extent),*], element);
        }
    )* };
}

local! {
    _XMP_coarray_rdma_array_set_1(a0 a1 a2 a3,)
    _XMP_coarray_rdma_array_set_2(a0 a1 a2 a3, b0 b1 b2 b3,)
    _XMP_coarray_rdma_array_set_3(a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3,)
    _XMP_coarray_rdma_array_set_4(a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3,)
    _XMP_coarray_rdma_array_set_5(
        a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3, e0 e1 e2 e3,
    )
    _XMP_coarray_rdma_array_set_6(
        a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3, e0 e1 e2 e3, f0 f1 f2 f3,
    )
    _XMP_coarray_rdma_array_set_7(
        a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3, e0 e1 e2 e3, f0 f1 f2 f3, g0 g1 g2 g3,
    )
}

/// Declares calls that give the image.
macro_rules! images {
    ($($name:ident($($subscript:ident)*))*) => { $(
        /// The cosubscripts of the image, from 0.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($subscript: c_int),*) {
            let _entered = enter();
            SECTIONS.of(instance()).borrow_mut().image = vec![$(i64::from($subscript)),*];
        }
    )* };
}

images! {
    _XMP_coarray_rdma_image_set_1(a)
    _XMP_coarray_rdma_image_set_2(a b)
    _XMP_coarray_rdma_image_set_3(a b c)
    _XMP_coarray_rdma_image_set_4(a b c d)
    _XMP_coarray_rdma_image_set_5(a b c d e)
    _XMP_coarray_rdma_image_set_6(a b c d e f)
    _XMP_coarray_rdma_image_set_7(a b c d e f g)
}

/// Takes what was given.
fn given() -> Sections {
    std::mem::take(&mut *SECTIONS.of(instance()).borrow_mut())
}

impl Sections {
    /// The section of a coarray.
    fn remote<'a>(&'a self, coarray: &'a CoarrayObject) -> Outcome<Remote<'a>> {
        let first = instance().image.settings().first_image_in_c;
        Ok(Remote {
            coarray,
            section: &self.remote,
            index: coarray.image_index(&instance().image, &self.image, first)?,
        })
    }

    /// The section of a local array.
    fn local(&self, start: Memory) -> Local<'_> {
        Local { start: start.start(), section: &self.local, apart: &self.apart }
    }
}

/// Elements in a row from a byte of a coarray of an image on.
#[derive(Clone, Copy)]
struct Row<'a> {
    coarray: &'a CoarrayObject,
    /// The image by its index in C; this image without.
    image: Option<c_int>,
    /// In bytes.
    offset: c_long,
    count: c_long,
}

impl Row<'_> {
    fn section(&self, element: usize) -> Outcome<Section> {
        let Instance { image, .. } = instance();
        let first = i64::from(image.settings().first_image_in_c);
        let index = match self.image {
            Some(index) => i64::from(index) - first + 1,
            None => image.stack().index_and_size().0.into(),
        };
        let bytes = self.count.saturating_mul(element as i64);
        let at = self.coarray.place(image, index, self.offset, bytes)?;
        let axes = vec![Axis::Stride { extent: self.count as usize, stride: element as i64 }];
        let bytes = Bytes { start: 0, axes, count: self.count };
        Ok(Section { place: MemoryRef::of(image, at), bytes })
    }
}

/// Copies elements in a row from one coarray to another; nothing where one of the rows is empty.
fn copy_row(to: Row<'_>, from: Row<'_>) -> Outcome {
    if to.count <= 0 || from.count <= 0 {
        return Ok(());
    }
    let element = to.coarray.element;
    let (to, from) = (to.section(element)?, from.section(element)?);
    // SAFETY: both are within the coarrays; the program orders accesses.
    unsafe { copy(&instance().image, element, &to, &from) }
}

for_c! {
    /// `x[..]:[image] = local[..]`
    "put to a coarray" fn _XMP_coarray_put(
        coarray: &Object<CoarrayObject>, local: Memory, _local_coarray: Descriptor,
    ) {
        let sections = given();
        let to = sections.remote(coarray)?;
        // SAFETY: the contract of entries: the local section is there.
        unsafe { transfer::put(&instance().image, to, sections.local(local)) }
    }

    /// `local[..] = x[..]:[image]`
    "get from a coarray" fn _XMP_coarray_get(
        coarray: &Object<CoarrayObject>, local: Memory, _local_coarray: Descriptor,
    ) {
        let sections = given();
        let from = sections.remote(coarray)?;
        // SAFETY: the contract of entries: the local section is there.
        unsafe { transfer::get(&instance().image, sections.local(local), from) }
    }

    /// Elements of a coarray of this image to a coarray of another one; offsets in bytes.
    "put to a coarray" fn _XMP_coarray_contiguous_put(
        index: c_int, to: &Object<CoarrayObject>, from: &Object<CoarrayObject>, to_offset: c_long,
        from_offset: c_long, to_count: c_long, from_count: c_long,
    ) {
        copy_row(
            Row { coarray: to, image: Some(index), offset: to_offset, count: to_count },
            Row { coarray: from, image: None, offset: from_offset, count: from_count },
        )
    }

    /// Elements of a coarray of another image to a coarray of this one.
    "get from a coarray" fn _XMP_coarray_contiguous_get(
        index: c_int, to: &Object<CoarrayObject>, from: &Object<CoarrayObject>, to_offset: c_long,
        from_offset: c_long, to_count: c_long, from_count: c_long,
    ) {
        copy_row(
            Row { coarray: to, image: None, offset: to_offset, count: to_count },
            Row { coarray: from, image: Some(index), offset: from_offset, count: from_count },
        )
    }
}
