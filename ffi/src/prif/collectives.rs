//! CO_BROADCAST, CO_SUM, CO_MIN, CO_MAX, CO_REDUCE.
//!
//! The contract of entries here: all images of the current team call the same procedure, and an operation wrapper
//! combines elements of the argument's type.
//!
//! A `source_image` or `result_image` that is no image index is an error on all images, which give the same value
//! (Fortran 2018, 16.9.46 to 16.9.50). What else an image finds wrong with its own arguments ends the job, also with
//! `stat` ([`Call::sound`]).
//!
//! What flang passes has descriptions of derived types, by which CO_BROADCAST makes copies of allocatable components.

use super::allocatable_components::{Packing, Unpacking};
use super::derived_type::DerivedType;
use super::dummies::{Address, Anything, Characters, OperationWrapper, Procedure};
use super::outcome::Outcome;
use super::table::procedures;
use crate::entry::cfi::Descriptor;
use crate::entry::collective::{Call, named, position};
use crate::entry::elements::{Elements, Packed};
use crate::process::{instance, while_library_calls_program};
use smallvec::SmallVec;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::transfer::buffer;
use xmp_collectives::{Op, Reduction, fast_path};
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{BoxedResult, Error, Image, Result};

procedures! {
    /// CO_BROADCAST.
    entered fn co_broadcast(a: &Anything, source_image: &c_int) [outcome: statement] {
        let call = Collective::new(outcome);
        match DerivedType::of(&a.0).filter(|of| of.has_allocatable()) {
            None => call.broadcast(call.packed(&a.0), *source_image, a.0.element()),
            Some(of) => call.broadcast_objects(&a.0, of, *source_image),
        }
    }

    /// CO_BROADCAST of `size_in_bytes` bytes.
    entered fn co_broadcast_cptr(a_ptr: &Address, size_in_bytes: &usize, source_image: &c_int) [outcome: statement] {
        let call = Collective::new(outcome);
        call.broadcast_bytes(a_ptr.0, *size_in_bytes, *source_image)
    }

    /// CO_SUM.
    entered fn co_sum(a: &Anything, result_image: Option<&c_int>) [outcome: statement] {
        Collective::new(outcome).combine(Op::Sum, &a.0, result_image)
    }

    /// CO_MIN of numbers.
    entered fn co_min(a: &Anything, result_image: Option<&c_int>) [outcome: statement] {
        Collective::new(outcome).combine(Op::Min, &a.0, result_image)
    }

    /// CO_MIN of characters.
    entered fn co_min_character(a: &Characters, result_image: Option<&c_int>) [outcome: statement] {
        Collective::new(outcome).combine(Op::Min, &a.0, result_image)
    }

    /// CO_MAX of numbers.
    entered fn co_max(a: &Anything, result_image: Option<&c_int>) [outcome: statement] {
        Collective::new(outcome).combine(Op::Max, &a.0, result_image)
    }

    /// CO_MAX of characters.
    entered fn co_max_character(a: &Characters, result_image: Option<&c_int>) [outcome: statement] {
        Collective::new(outcome).combine(Op::Max, &a.0, result_image)
    }

    /// CO_REDUCE: `operation_wrapper` combines elements, and gets `cdata`.
    entered fn co_reduce(
        a: &Anything,
        operation_wrapper: &Procedure<OperationWrapper>,
        cdata: Address,
        result_image: Option<&c_int>,
    ) [outcome: statement] {
        let call = Collective::new(outcome);
        let operation = call.operation(operation_wrapper, cdata, a.0.elem_len.get());
        call.reduce_by(call.packed(&a.0), &operation, result_image)
    }

    /// CO_REDUCE of `element_count` elements of `element_size` bytes.
    entered fn co_reduce_cptr(
        a_ptr: &Address,
        element_size: &usize,
        element_count: &usize,
        operation_wrapper: &Procedure<OperationWrapper>,
        cdata: Address,
        result_image: Option<&c_int>,
    ) [outcome: statement] {
        let call = Collective::new(outcome);
        let operation = call.operation(operation_wrapper, cdata, *element_size);
        call.reduce_by(call.bytes(*a_ptr, *element_count, *element_size), &operation, result_image)
    }
}

/// The operation of CO_REDUCE.
struct Operation {
    wrapper: OperationWrapper,
    data: *const c_void,
    element: usize,
}

/// A call of a collective subroutine by all images of the current team.
struct Collective {
    procedure: &'static str,
    image: &'static Image,
    set: Rc<ImageSet>,
}

impl Collective {
    fn new(outcome: &Outcome<'_>) -> Collective {
        let image = &instance().image;
        Collective { procedure: outcome.procedure(), image, set: image.executing() }
    }

    fn call(&self) -> Call<'_> {
        Call { operation: self.procedure, image: self.image, set: &self.set }
    }

    /// The elements of an argument.
    fn packed(&self, a: &Descriptor) -> Packed {
        self.of(Elements { base: a.base.get(), size: a.elem_len.get(), axes: a.axes() })
    }

    /// `count` elements of `size` bytes at an address.
    fn bytes(&self, start: Address, count: usize, size: usize) -> Packed {
        let axes = SmallVec::from_iter([Axis::Stride { extent: count, stride: size as i64 }]);
        self.of(Elements { base: start.0, size, axes })
    }

    fn of(&self, elements: Elements) -> Packed {
        let bytes = self.call().sound(elements.count()) * elements.size;
        self.require(!elements.base.is_null() || bytes == 0);
        self.call().sound(Packed::new(elements))
    }

    /// Ends the job unless the argument is there.
    fn require(&self, is_there: bool) {
        if !is_there {
            let missing = Error::Invalid("the argument is not allocated on this image".into());
            self.call().sound(Err(missing))
        }
    }

    fn operation(
        &self,
        wrapper: &Procedure<OperationWrapper>,
        data: Address,
        element: usize,
    ) -> Operation {
        let missing = || Error::Invalid("operation_wrapper is not associated".into());
        let wrapper = self.call().sound(wrapper.0.ok_or_else(missing));
        Operation { wrapper, data: data.0.cast(), element }
    }

    fn broadcast(&self, a: Packed, source_image: c_int, element: ElemType) -> Result<()> {
        let result = self.call().broadcast(a, position(source_image), element);
        result.map_err(|error| named("source_image", source_image, error))
    }

    /// Broadcasts objects that have allocatable components: their number of bytes when they are packed, then these.
    fn broadcast_objects(
        &self,
        a: &Descriptor,
        of: &DerivedType,
        source_image: c_int,
    ) -> Result<()> {
        /// Instead of a number of bytes: the source cannot pack them.
        const REFUSED: u64 = u64::MAX;
        self.require(!a.base.get().is_null() || a.elements() == Ok(0));
        let source = self.set.rank_at(position(source_image));
        let is_source = source == Some(self.image.rank());
        let packed = if is_source { pack(a, of) } else { Ok(Vec::new()) };
        let mut len = packed.as_ref().map_or(REFUSED, |bytes| bytes.len() as u64);
        self.broadcast_bytes((&raw mut len).cast(), size_of_val(&len), source_image)?;
        if let (REFUSED, Some(image)) = (len, source) {
            packed?;
            let why = "a component of the argument cannot be broadcast".into();
            return Err(Error::Refused { image, lacks_memory: false, why });
        }
        if is_source {
            let mut bytes = packed?;
            return self.broadcast_bytes(bytes.as_mut_ptr(), bytes.len(), source_image);
        }
        let mut bytes = self.call().sound(buffer(len as usize));
        self.broadcast_bytes(bytes.as_mut_ptr(), bytes.len(), source_image)?;
        self.call().sound(unpack(a, of, &bytes));
        Ok(())
    }

    fn broadcast_bytes(&self, start: *mut u8, len: usize, source_image: c_int) -> Result<()> {
        self.broadcast(self.bytes(Address(start), len, 1), source_image, ElemType::Bytes(1))
    }

    /// CO_SUM, CO_MIN and CO_MAX.
    fn combine(&self, op: Op, a: &Descriptor, result_image: Option<&c_int>) -> Result<()> {
        if let Some(outcome) = self.fast_reduce(op, a, result_image.copied().map(position)) {
            return Ok(outcome?);
        }
        let reduction = Reduction::of(op, a.element())?;
        self.reduce(self.packed(a), &reduction, result_image)
    }

    /// The reduction of a few numbers of the usual kinds, straight from the descriptor, to all images or to the one at
    /// position `to`; `None`, and nothing has happened, when that is not what it describes.
    fn fast_reduce(&self, op: Op, a: &Descriptor, to: Option<usize>) -> Option<BoxedResult<()>> {
        let base = a.base.get();
        // Shapes are compared, and the fast path does not know them.
        if base.is_null() || !a.is_contiguous() || a.dims().len() > 1 {
            return None;
        }
        let (image, set, count) = (self.image, &*self.set, a.elements().ok()?);
        // SAFETY: the contract of entries: `count` elements of that type.
        unsafe {
            match a.element() {
                ElemType::Real(8) => {
                    fast_path::reduce::<f64>(image, set, to, base.cast(), count, op)
                }
                ElemType::Real(4) => {
                    fast_path::reduce::<f32>(image, set, to, base.cast(), count, op)
                }
                ElemType::Integer(4) => {
                    fast_path::reduce::<i32>(image, set, to, base.cast(), count, op)
                }
                ElemType::Integer(8) => {
                    fast_path::reduce::<i64>(image, set, to, base.cast(), count, op)
                }
                _ => None,
            }
        }
    }

    fn reduce_by(
        &self,
        a: Packed,
        operation: &Operation,
        result_image: Option<&c_int>,
    ) -> Result<()> {
        let &Operation { wrapper, data, element } = operation;
        let combine = move |left: *mut u8, right: *const u8| {
            // The wrapper leaves the result in its second operand, which must not be the right one of others.
            let mut result = SmallVec::<[u128; 16]>::with_capacity(element.div_ceil(16));
            let result = result.as_mut_ptr().cast::<u8>();
            // SAFETY: the operands and the result have room for an element.
            unsafe { result.copy_from_nonoverlapping(right, element) };
            wrapper(left.cast_const().cast(), result.cast(), 1, data);
            // SAFETY: as above.
            unsafe { left.copy_from_nonoverlapping(result, element) };
        };
        let reduction = Reduction::user(element, &combine);
        while_library_calls_program(|| self.reduce(a, &reduction, result_image))
    }

    /// Reduces to all images or to the one with the index `result_image`.
    fn reduce(
        &self,
        a: Packed,
        reduction: &Reduction<'_>,
        result_image: Option<&c_int>,
    ) -> Result<()> {
        let root = result_image.map(|&index| position(index));
        let result = self.call().reduce(a, root, reduction);
        result.map_err(|error| named("result_image", result_image.copied().unwrap_or(0), error))
    }
}

/// The bytes of objects with allocatable components: their number, then each.
fn pack(a: &Descriptor, of: &DerivedType) -> Result<Vec<u8>> {
    let mut packing = Packing::default();
    packing.number(a.elements()? as u64)?;
    for object in a.addresses() {
        // SAFETY: an element of the argument.
        unsafe { packing.object(of, object)? };
    }
    Ok(packing.bytes())
}

/// Gives objects with allocatable components these values.
fn unpack(a: &Descriptor, of: &DerivedType, bytes: &[u8]) -> Result<()> {
    let mut unpacking = Unpacking(bytes);
    let (elements, own) = (unpacking.number()?, a.elements()?);
    if elements != own as u64 {
        return Err(Error::Invalid(format!(
            "the argument has {}, and {elements} on source_image",
            counted(own, "element")
        )));
    }
    for object in a.addresses() {
        // SAFETY: an element of the argument.
        unsafe { unpacking.object(of, object)? };
    }
    Ok(())
}
