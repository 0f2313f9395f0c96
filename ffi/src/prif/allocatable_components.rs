//! Objects with allocatable components as a sequence of bytes, for CO_BROADCAST: each object, then what its components
//! have allocated, and so on in these.
//!
//! Receivers keep the descriptors of their own components, because addresses in them differ from image to image.
//! Pointer components stay as they are: they would point to memory of another image.

use super::arrays::allocated;
use super::derived_type::{Component, DerivedType, Genre};
use crate::entry::cfi::{Descriptor, Dim};
use xmp_core::{Error, Result};

/// The bytes that objects are packed into.
#[derive(Debug, Default)]
pub struct Packing(Vec<u8>);

impl Packing {
    /// The bytes.
    pub fn bytes(self) -> Vec<u8> {
        self.0
    }

    /// Adds a number.
    ///
    /// # Errors
    /// No memory.
    pub fn number(&mut self, number: u64) -> Result<()> {
        self.add(&number.to_ne_bytes())
    }

    /// Adds an object and what its components have allocated.
    ///
    /// # Errors
    /// A component whose type is not known; no memory.
    ///
    /// # Safety
    /// `object` is one of this type.
    pub unsafe fn object(&mut self, of: &DerivedType, object: *const u8) -> Result<()> {
        // SAFETY: an object has this many bytes.
        self.add(unsafe { std::slice::from_raw_parts(object, of.size()) })?;
        let mut outcome = Ok(());
        of.descriptors(0, &mut |component, at| {
            if outcome.is_ok() && component.genre() != Genre::Pointer {
                // SAFETY: the descriptor of a component of the object.
                outcome = unsafe { self.component(component, &*object.add(at).cast()) };
            }
        });
        outcome
    }

    /// Adds what a component has allocated.
    ///
    /// # Safety
    /// The descriptor is that of the component in an object.
    unsafe fn component(&mut self, component: &Component, descriptor: &Descriptor) -> Result<()> {
        if component.genre() == Genre::Other {
            return Err(refused(component, "has a length that the type does not say"));
        }
        let base = descriptor.base.get();
        self.number(u64::from(!base.is_null()))?;
        if base.is_null() {
            return Ok(());
        }
        let address = |of: Option<&DerivedType>| of.map(|of| std::ptr::from_ref(of).addr());
        if address(DerivedType::of(descriptor)) != address(component.derived_type()) {
            return Err(refused(component, "is polymorphic"));
        }
        let size = descriptor.elem_len.get();
        self.number(size as u64)?;
        for dim in descriptor.dims() {
            let dim = dim.get();
            self.number(dim.lower as u64)?;
            self.number(dim.extent() as u64)?;
        }
        let elements = descriptor.elements()?;
        let Some(of) = component.derived_type().filter(|of| of.has_allocatable()) else {
            // SAFETY: what is allocated is contiguous, and has this many elements of that size.
            return self.add(unsafe { std::slice::from_raw_parts(base, elements * size) });
        };
        for at in 0..elements {
            // SAFETY: the same, of this type.
            unsafe { self.object(of, base.add(at * size))? };
        }
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let no_memory = |_| Error::OutOfMemory {
            heap: "process's memory for components",
            requested: bytes.len() as u64,
            available: 0,
            remedy: String::new(),
        };
        self.0.try_reserve(bytes.len()).map_err(no_memory)?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// The error of a component that cannot be broadcast.
#[cold]
fn refused(component: &Component, why: &str) -> Error {
    let name = component.name();
    Error::Invalid(format!(
        "component {name} of the argument {why}: broadcast it by itself, or make it none"
    ))
}

/// Packed objects that are unpacked.
#[derive(Debug)]
pub struct Unpacking<'a>(pub &'a [u8]);

impl Unpacking<'_> {
    /// Takes a number.
    ///
    /// # Errors
    /// When there are no bytes left.
    pub fn number(&mut self) -> Result<u64> {
        let bytes = self.take(size_of::<u64>())?;
        Ok(u64::from_ne_bytes(bytes.try_into().expect("as many as were asked for")))
    }

    /// Gives an object of the program the next value. What its components have allocated before is freed.
    ///
    /// # Errors
    /// When there are no bytes left; no memory.
    ///
    /// # Safety
    /// `object` is one of this type.
    pub unsafe fn object(&mut self, of: &DerivedType, object: *mut u8) -> Result<()> {
        let value = self.take(of.size())?;
        let mut own: Vec<(usize, Vec<u8>)> = Vec::new();
        of.descriptors(0, &mut |component, at| {
            // SAFETY: the bytes of the descriptor of a component of the object.
            let bytes =
                unsafe { std::slice::from_raw_parts(object.add(at), component.descriptor_len()) };
            own.push((at, bytes.to_vec()));
        });
        // SAFETY: an object has this many bytes, and the packed one is elsewhere.
        unsafe { object.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        for (at, bytes) in own {
            // SAFETY: where they were.
            unsafe { object.add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        // SAFETY: the components of the object are those of before.
        unsafe { self.components(of, object) }
    }

    /// Makes an object of the next value in memory that was allocated for it.
    ///
    /// # Safety
    /// There is room for one of this type.
    unsafe fn new_object(&mut self, of: &DerivedType, object: *mut u8) -> Result<()> {
        let value = self.take(of.size())?;
        // SAFETY: there is room.
        unsafe { object.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        of.descriptors(0, &mut |component, at| {
            // SAFETY: the descriptor of a component, of which the other image has made all but the addresses.
            let descriptor = unsafe { &*object.add(at).cast::<Descriptor>() };
            descriptor.base.set(std::ptr::null_mut());
            DerivedType::set(component.derived_type(), descriptor);
        });
        // SAFETY: an object whose components have allocated nothing.
        unsafe { self.components(of, object) }
    }

    /// Gives the allocatable components of an object their values.
    ///
    /// # Safety
    /// As [`Unpacking::object`]; the descriptors of the components are valid.
    unsafe fn components(&mut self, of: &DerivedType, object: *mut u8) -> Result<()> {
        let mut outcome = Ok(());
        of.descriptors(0, &mut |component, at| {
            if outcome.is_ok() && component.genre() == Genre::Allocatable {
                // SAFETY: the descriptor of a component of the object.
                outcome = unsafe { self.component(component, &*object.add(at).cast()) };
            }
        });
        outcome
    }

    /// Gives a component its value.
    ///
    /// # Safety
    /// The descriptor is that of the component in an object, and valid.
    unsafe fn component(&mut self, component: &Component, descriptor: &Descriptor) -> Result<()> {
        let inner = component.derived_type().filter(|of| of.has_allocatable());
        // SAFETY: as above.
        unsafe { free(inner, descriptor) };
        if self.number()? == 0 {
            return Ok(());
        }
        let size = self.number()? as usize;
        descriptor.elem_len.set(size);
        let mut stride = size as i64;
        for place in descriptor.dims() {
            let (lower, extent) = (self.number()? as i64, self.number()? as i64);
            place.set(Dim { lower, extent, stride });
            stride = stride.saturating_mul(extent);
        }
        let elements = descriptor.elements()?;
        let memory = allocated(elements.saturating_mul(size))?;
        descriptor.base.set(memory);
        let Some(of) = inner else {
            let value = self.take(elements * size)?;
            // SAFETY: this many bytes were allocated.
            unsafe { memory.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
            return Ok(());
        };
        for at in 0..elements {
            // SAFETY: this many elements of this size were allocated.
            unsafe { self.new_object(of, memory.add(at * size))? };
        }
        Ok(())
    }

    fn take(&mut self, len: usize) -> Result<&[u8]> {
        let Some((taken, rest)) = self.0.split_at_checked(len) else {
            return Err(Error::Invalid(
                "the argument has another type or shape here than on source_image".into(),
            ));
        };
        self.0 = rest;
        Ok(taken)
    }
}

/// Frees what a component has allocated; `inner` is its type if that has allocatable components.
///
/// # Safety
/// The descriptor is that of a component in an object, and valid.
unsafe fn free(inner: Option<&DerivedType>, descriptor: &Descriptor) {
    let base = descriptor.base.replace(std::ptr::null_mut());
    if base.is_null() {
        return;
    }
    if let (Some(of), Ok(elements)) = (inner, descriptor.elements()) {
        for element in 0..elements {
            of.descriptors(element * descriptor.elem_len.get(), &mut |component, at| {
                if component.genre() == Genre::Allocatable {
                    let inner = component.derived_type().filter(|of| of.has_allocatable());
                    // SAFETY: the descriptor of a component of the element.
                    unsafe { free(inner, &*base.add(at).cast()) };
                }
            });
        }
    }
    // SAFETY: flang allocates by `malloc`.
    unsafe { libc::free(base.cast()) };
}
