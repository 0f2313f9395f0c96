//! flang's descriptions of derived types, which descriptors of their objects point to: where the components are, and
//! which of them have descriptors of their own. (flang-rt, `type-info.h`; flang, `__fortran_type_info.f90`)

use crate::entry::cfi::Descriptor;
use std::ptr;

/// A description of a derived type, as far as it is read.
#[repr(C)]
#[derive(Debug)]
pub struct DerivedType {
    bindings: [u64; 8],
    name: [u64; 3],
    size: u64,
    parameters: [u64; 17],
    /// The one dimension follows.
    components: Descriptor,
}

/// A description of a component.
#[repr(C)]
#[derive(Debug)]
pub struct Component {
    name: Descriptor,
    genre: u8,
    category: u8,
    kind: u8,
    rank: u8,
    memory_space: [u8; 4],
    offset: u64,
    character_len: [u64; 2],
    derived_type: Descriptor,
    addendum: [u64; 2],
    len_values: [u64; 8],
    /// Two dimensions follow.
    bounds: Descriptor,
}

const _: () = {
    assert!(std::mem::offset_of!(DerivedType, components) == 232);
    assert!(std::mem::offset_of!(Component, offset) == 32);
    assert!(std::mem::offset_of!(Component, bounds) == 160);
};

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Genre {
    /// A value within the object.
    Data,
    /// A descriptor of a pointer.
    Pointer,
    /// A descriptor of an allocatable.
    Allocatable,
    /// Anything else.
    Other,
}

/// A number of a description: how it is given, and it.
#[repr(C)]
struct Value {
    genre: u64,
    value: i64,
}

impl DerivedType {
    /// The type of the elements that a descriptor describes, if it says one.
    pub fn of(descriptor: &Descriptor) -> Option<&DerivedType> {
        // SAFETY: null or a description, which is never freed.
        unsafe { descriptor.addendum()?.get().cast::<DerivedType>().as_ref() }
    }

    /// Makes a descriptor say this type, where it has a place for one.
    pub fn set(of: Option<&DerivedType>, descriptor: &Descriptor) {
        if let Some(place) = descriptor.addendum() {
            place.set(of.map_or(ptr::null_mut(), |of| ptr::from_ref(of).cast_mut().cast()));
        }
    }

    /// Bytes of an object.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// The components; that of the parent type is one of them.
    pub fn components(&self) -> impl Iterator<Item = &Component> {
        let list = &self.components;
        let dim = list.dims().first().map(|dim| dim.get());
        let extent = dim.map_or(0, |dim| dim.extent());
        let stride = dim.map_or(0, |dim| dim.stride) as usize;
        // SAFETY: the descriptor of a list of components, which are never freed.
        (0..extent).map(move |at| unsafe { &*list.base.get().wrapping_add(at * stride).cast() })
    }

    /// Whether an object has allocatable components, also in components of derived type.
    pub fn has_allocatable(&self) -> bool {
        self.components().any(|component| match component.genre() {
            Genre::Data => component.derived_type().is_some_and(DerivedType::has_allocatable),
            Genre::Pointer => false,
            Genre::Allocatable | Genre::Other => true,
        })
    }

    /// Calls `look` with each component of an object that has a descriptor, and its distance from the start of the
    /// object: also of those within components of derived type.
    pub fn descriptors<'a>(&'a self, start: usize, look: &mut dyn FnMut(&'a Component, usize)) {
        for component in self.components() {
            let at = start + component.offset as usize;
            match (component.genre(), component.derived_type()) {
                (Genre::Data, Some(inner)) => {
                    for element in 0..component.elements() {
                        inner.descriptors(at + element * inner.size(), look);
                    }
                }
                (Genre::Data, None) => {}
                _ => look(component, at),
            }
        }
    }
}

impl Component {
    /// Its name.
    pub fn name(&self) -> String {
        let (start, len) = (self.name.base.get(), self.name.elem_len.get());
        if start.is_null() {
            return String::new();
        }
        // SAFETY: the descriptor of the characters of the name.
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start, len) }).into_owned()
    }

    /// What it is.
    pub fn genre(&self) -> Genre {
        match self.genre {
            1 => Genre::Data,
            2 => Genre::Pointer,
            3 => Genre::Allocatable,
            _ => Genre::Other,
        }
    }

    /// Its type, if that is a derived one.
    pub fn derived_type(&self) -> Option<&DerivedType> {
        // SAFETY: null, or a description, which is never freed.
        unsafe { self.derived_type.base.get().cast::<DerivedType>().as_ref() }
    }

    /// Bytes of the descriptor of an allocatable or a pointer.
    pub fn descriptor_len(&self) -> usize {
        const DIM: usize = 24;
        const ADDENDUM: usize = 16;
        let addendum = if self.derived_type().is_some() { ADDENDUM } else { 0 };
        size_of::<Descriptor>() + usize::from(self.rank) * DIM + addendum
    }

    /// The number of elements of a value within the object.
    fn elements(&self) -> usize {
        let bounds = self.bounds.base.get().cast::<[Value; 2]>();
        if bounds.is_null() {
            return 1;
        }
        let extent = |dim: usize| {
            // SAFETY: lower and upper bounds of each dimension.
            let [lower, upper] = unsafe { &*bounds.add(dim) };
            debug_assert!(lower.genre as u8 == upper.genre as u8, "constants both");
            usize::try_from(upper.value - lower.value + 1).unwrap_or(0)
        };
        (0..usize::from(self.rank)).map(extent).product()
    }
}
