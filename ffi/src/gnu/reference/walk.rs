//! Follows a chain of references on an image: from a coarray through components, pointers and descriptors to the
//! elements that are meant.
//!
//! What a pointer or a descriptor of another image says is an address of that image. All images of a host see one
//! another's segments at the same addresses, and segments have the same addresses on every host; so an address in the
//! segment of the image is a place that this image can address. Any other address is one of the image's own memory,
//! which the system copies. Errors are subscripts out of bounds, memory that this image cannot reach, and chains that Fortran
//! does not have.

use super::elements::{choose, positions};
use super::types::{Array, Component, Reference, Step};
use crate::gfortran_abi::{Descriptor, Dim};
use crate::gnu::component::block;
use crate::gnu::token::{Shape, Token};
use crate::gnu::transfer::{Limits, Section};
use crate::process::Instance;
use smallvec::SmallVec;
use std::mem::offset_of;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::{MemoryRef, RemoteMemory};
use xmp_core::races::Kind;
use xmp_core::{Error, Rank, Result};

/// Where a chain leads.
pub struct ReferenceTarget {
    /// The base of the section.
    pub place: MemoryRef,
    /// Which elements.
    pub section: Section,
    /// Bytes of an element; 0 if only the other side knows.
    pub item_size: usize,
    /// The coarray that it is in, unless a pointer was followed.
    pub limits: Option<Limits>,
}

/// Follows the chain from the coarray of `token` on the image `rank`. `None` when something on the way, or at its
/// end, is not allocated or associated.
pub fn follow(
    instance: &Instance,
    token: &Token,
    rank: Rank,
    refs: Option<&Reference<'_>>,
) -> Result<Option<ReferenceTarget>> {
    let mut walk = Walk::new(instance, token, rank);
    let mut next = refs;
    while let Some(reference) = next {
        if !walk.step(reference)? {
            return Ok(None);
        }
        next = reference.next;
    }
    Ok(Some(ReferenceTarget {
        place: walk.at,
        section: walk.found,
        item_size: walk.item_size,
        limits: walk.limits,
    }))
}

/// The way so far.
pub struct Walk<'a> {
    instance: &'a Instance,
    rank: Rank,
    /// The object that the way has led to, or the first element of the array.
    pub at: MemoryRef,
    /// The descriptor of that array.
    array: Option<Header<'a>>,
    /// The elements that were chosen.
    pub found: Section,
    limits: Option<Limits>,
    item_size: usize,
}

/// A descriptor.
enum Header<'a> {
    /// That of the coarray: it has the same bounds on all images.
    Own(&'a Token),
    /// In memory of the image: as it is there.
    There(SmallVec<[u8; HEADER]>),
}

/// Room for a descriptor of three dimensions: most have no more.
const HEADER: usize = 128;

impl<'a> Walk<'a> {
    /// At the coarray on the image `rank`.
    pub fn new(instance: &'a Instance, token: &'a Token, rank: Rank) -> Walk<'a> {
        let block = token.block;
        let at = Location { rank, offset: block.offset };
        Walk {
            instance,
            rank,
            at: MemoryRef::of(&instance.image, at),
            array: Some(Header::Own(token)),
            found: Section::whole(),
            limits: Some(Limits { block, offset: 0, rank }),
            item_size: 0,
        }
    }

    /// One step on; whether what it leads to is allocated or associated, or needs not be.
    pub fn step(&mut self, reference: &Reference<'_>) -> Result<bool> {
        let item_size = reference.item_size;
        match reference.step() {
            Step::Component(component) => {
                let dims = match reference.next.map(Reference::step) {
                    Some(Step::Array(subscripts)) => Some(dims(subscripts)),
                    _ => None,
                };
                let there = self.component(component, dims)?;
                self.item_size = item_size;
                // Characters of deferred length.
                if item_size == 0 && there {
                    self.item_size = self.length()?.unwrap_or(0);
                }
                return Ok(there);
            }
            Step::Array(subscripts) => {
                let unit = self.array(subscripts)?;
                self.item_size =
                    if item_size == 0 { usize::try_from(unit).unwrap_or(0) } else { item_size };
            }
            Step::StaticArray(subscripts) => {
                self.static_array(subscripts, item_size)?;
                if item_size != 0 {
                    self.item_size = item_size;
                }
            }
            Step::Other(kind) => {
                return Err(Error::Invalid(format!("unknown kind of reference {kind}")));
            }
        }
        Ok(true)
    }

    /// The length of the component that the way has just led to, if it has memory of its own.
    fn length(&self) -> Result<Option<usize>> {
        let Some(Header::There(_)) = self.array else { return Ok(None) };
        let offset = match self.at {
            MemoryRef::Remote(RemoteMemory::Segment(at)) => Some((at.rank, at.offset)),
            MemoryRef::Remote(_) => None,
            MemoryRef::Local(address) => self.instance.image.locate(address),
        };
        let Some((_, offset)) = offset.filter(|(rank, _)| *rank == self.rank) else {
            return Ok(None);
        };
        let mut header = [0u8; size_of::<block::Header>()];
        self.read(self.at.shifted(-(block::AHEAD as i64)), &mut header)?;
        let (mark, size) = header.split_at(size_of::<u64>());
        let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
        Ok(block::length([word(mark), word(size)], offset))
    }

    /// To a component; whether it is allocated or associated, or needs not be. `dims`: elements of it are chosen next,
    /// so that it has a descriptor of this many dimensions.
    fn component(&mut self, component: Component, dims: Option<usize>) -> Result<bool> {
        self.at = self.at.shifted(component.offset as i64);
        if let Some(limits) = &mut self.limits {
            limits.offset = limits.offset.wrapping_add_signed(component.offset);
        }
        self.array = None;
        if component.token_offset == 0 {
            return Ok(true);
        }
        if !self.found.is_scalar() {
            return Err(Error::Invalid(
                "an allocatable or pointer component of several elements at once is not Fortran"
                    .into(),
            ));
        }
        // The address comes first, whether it is that of a scalar or in the descriptor of an array, which is read at
        // once: it may be far away.
        let len = dims
            .map_or(size_of::<usize>(), |dims| size_of::<Descriptor>() + dims * size_of::<Dim>());
        self.check(len)?;
        let place = self.at.shifted(self.found.start());
        // An image that allocates or associates it changes this.
        races::access(&self.instance.image, AccessedElements::block(place, len), Kind::Read);
        let mut header = SmallVec::from_elem(0, len);
        self.read(place, &mut header)?;
        let address = word(&header, 0);
        if address == 0 {
            return Ok(false);
        }
        self.array = Some(Header::There(header));
        self.at = self.object(address)?;
        self.found = Section::whole();
        self.limits = None;
        Ok(true)
    }

    /// To elements of an array with a descriptor; bytes that a stride of 1 means there.
    fn array(&mut self, subscripts: &Array) -> Result<i64> {
        let shape = match self.array.take() {
            Some(Header::Own(token)) => own_bounds(token)?,
            Some(Header::There(header)) => bounds(&header, dims(subscripts)),
            None => return Err(Error::Invalid("elements of an array without a descriptor".into())),
        };
        choose(subscripts, &shape, &mut self.found)?;
        Ok(shape.unit)
    }

    /// To elements of an array without a descriptor.
    fn static_array(&mut self, subscripts: &Array, item_size: usize) -> Result<()> {
        self.array = None;
        positions(subscripts, item_size, &mut self.found)
    }

    /// The place of what is at an address of the image.
    fn object(&self, address: usize) -> Result<MemoryRef> {
        let address = std::ptr::with_exposed_provenance_mut::<u8>(address);
        let image = &self.instance.image;
        match image.locate_of(self.rank, address) {
            Some(offset) => Ok(MemoryRef::of(image, Location { rank: self.rank, offset })),
            // Its own memory an image reaches anyway.
            _ if self.rank == image.rank() => Ok(MemoryRef::Local(address)),
            // Any target will do for a pointer component.
            _ => Ok(MemoryRef::Remote(RemoteMemory::Private {
                rank: self.rank,
                address: address.addr() as u64,
            })),
        }
    }

    /// Whether the next `len` bytes are in the coarray.
    fn check(&self, len: usize) -> Result<()> {
        match &self.limits {
            None => Ok(()),
            Some(limits) => {
                let start = self.found.start();
                limits.check(start..start.saturating_add(len as i64))
            }
        }
    }

    /// Copies a descriptor, or what describes a block, at a place of the image.
    fn read(&self, place: MemoryRef, into: &mut [u8]) -> Result<()> {
        // SAFETY: the place is in the coarray, which was checked, or an object that the image allocated, and no
        // image changes its own descriptors while others refer to them (Fortran's segment rules).
        unsafe {
            match place {
                MemoryRef::Local(from) => {
                    std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len());
                    Ok(())
                }
                MemoryRef::Remote(from) => {
                    from.get_descriptor(&self.instance.image, into.as_mut_ptr(), into.len())
                }
            }
        }
    }
}

/// Dimensions of the array whose elements are chosen.
fn dims(subscripts: &Array) -> usize {
    subscripts.mode.iter().take_while(|&&mode| mode != 0).count()
}

/// The bounds in a descriptor.
fn bounds(header: &[u8], dims: usize) -> Shape {
    let unit = match word(header, offset_of!(Descriptor, span)) as i64 {
        // The length of an element comes first in its type.
        0 => word(header, offset_of!(Descriptor, dtype)) as i64,
        span => span,
    };
    let dim = |number: usize| {
        let at = |field: usize| {
            word(header, size_of::<Descriptor>() + number * size_of::<Dim>() + field) as isize
        };
        let [stride, lower, upper] =
            [offset_of!(Dim, stride), offset_of!(Dim, lower), offset_of!(Dim, upper)].map(at);
        Dim { stride, lower, upper }
    };
    Shape { dims: (0..dims).map(dim).collect(), unit }
}

/// The word at a place of a descriptor.
fn word(header: &[u8], at: usize) -> usize {
    usize::from_ne_bytes(header[at..at + size_of::<usize>()].try_into().expect("a word"))
}

/// The bounds of the coarray itself.
fn own_bounds(token: &Token) -> Result<Shape> {
    token.shape.get().cloned().ok_or_else(|| {
        Error::Invalid("the bounds of the coarray are not known: it is no allocated array".into())
    })
}
