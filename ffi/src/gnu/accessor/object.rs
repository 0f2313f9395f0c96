//! The coarray on the image that is meant, as accessors see it.
//!
//! On the same host an accessor is called with its address: all images of a host see one another's segments at the same
//! addresses, so that it can follow components, too. Of a coarray of intrinsic type of another host it gets a copy, and
//! what it has changed there is put back, unless the coarray is much longer than what is got or put. But addresses in
//! such a copy would lead nowhere: for a coarray of derived type, and for a long one, the accessor is called on the
//! other host ([`super::remote`]). Arrays of derived type are got from a copy all the same, in which the components are
//! copies, too: the accessor allocates those of its result in the process that it runs in.

use super::buffer::{Copied, Memory, is_packed};
use super::local::LocalCoarray;
use super::remote::request::Target;
use super::selector::Selector;
use crate::gfortran_abi::{DType, Descriptor, FullDescriptor, StackDescriptor, basic};
use crate::gnu::component::copies::{self, Copies, may_have_components};
use crate::gnu::token::Token;
use crate::gnu::version::{Convention, convention};
use crate::process::Instance;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::{ptr, slice};
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::transfer::RemoteMemory;
use xmp_core::race_hooks::Piece;
use xmp_core::transport::Layout;
use xmp_core::{Rank, Result};

/// What an object is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// To read from it.
    Get,
    /// To write to it.
    Put,
}

/// How many bytes an accessor gets from an object, or puts to it, as far as that is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferSize {
    /// This number of bytes.
    Bytes(usize),
    /// An array of any shape.
    Array,
    /// Characters of any length: only an accessor that runs in this process can bring them.
    Characters,
}

impl TransferSize {
    /// Whether an object of this many bytes is better left where it is.
    fn is_little_of(self, object: u64) -> bool {
        /// A copy of at most this number of bytes is one message.
        const MESSAGE: u64 = 4096;
        match self {
            TransferSize::Bytes(bytes) => object > MESSAGE && bytes as u64 <= object / 2,
            // It may be all of it, which is got faster as it is; and an answer has at most a GiB.
            TransferSize::Array => (16 * MESSAGE..=1 << 30).contains(&object),
            TransferSize::Characters => false,
        }
    }
}

/// The coarray on an image.
pub struct Object<'a> {
    /// This process.
    pub instance: &'a Instance,
    token: &'a Token,
    /// The image.
    pub rank: Rank,
    /// Its first byte, or that of the copy; null if it is elsewhere.
    start: *mut u8,
    copy: Option<Copy>,
    purpose: Use,
}

/// The coarray of an image of another host.
struct Copy {
    at: Location,
    /// What the accessor works on.
    memory: Memory,
    /// What is there, if it is going to be changed.
    before: Memory,
    /// The components of the copy.
    components: RefCell<Copies>,
}

impl<'a> Object<'a> {
    /// The coarray on the image that the selector means.
    ///
    /// # Errors
    /// Those of [`Selector::find`]; for a coarray of another host, no memory for a copy.
    #[inline]
    pub fn find(
        instance: &'a Instance,
        selector: &Selector,
        purpose: Use,
        moved: TransferSize,
    ) -> Result<Object<'a>> {
        let (token, rank) = selector.find(instance)?;
        match instance.image.local_address(rank, token.block.offset) {
            Some(start) => Ok(Object::local(instance, token, rank, start, purpose)),
            None if may_have_components(&token.dtype) || moved.is_little_of(token.block.size) => {
                Ok(Object::local(instance, token, rank, ptr::null_mut(), purpose))
            }
            None => Object::copied(instance, token, rank, purpose),
        }
    }

    /// The coarray on an image of this host, where it starts there.
    #[inline(always)]
    pub fn local(
        instance: &'a Instance,
        token: &'a Token,
        rank: Rank,
        start: *mut u8,
        purpose: Use,
    ) -> Object<'a> {
        Object { instance, token, rank, start, copy: None, purpose }
    }

    /// The coarray on an image of this host, for a get; `image` is the index.
    pub fn got_from(coarray: LocalCoarray<'a>, image: c_int) -> Object<'a> {
        let LocalCoarray { instance, token, .. } = coarray;
        let rank = instance.image.stack().rank_of_index(image).expect("it has a segment");
        Object::local(instance, token, rank, coarray.start(), Use::Get)
    }

    /// An object that is elsewhere, as a copy to get from.
    pub fn fetched(self) -> Result<Object<'a>> {
        Object::copied(self.instance, self.token, self.rank, self.purpose)
    }

    #[cold]
    fn copied(
        instance: &'a Instance,
        token: &'a Token,
        rank: Rank,
        purpose: Use,
    ) -> Result<Object<'a>> {
        let at = Location { rank, offset: token.block.offset };
        let size = token.block.size as usize;
        let mut memory = Memory::zeroed(size)?;
        let start: *mut u8 = memory.start().cast();
        // SAFETY: the coarray is as long as that, and so is the buffer; what is going to be read does not change
        // meanwhile (Fortran's segment rules), and what else is there need not be consistent.
        unsafe {
            instance.image.transport().get(rank, at.offset, start, Layout::Contiguous(size))?
        };
        let mut components = Copies::default();
        if may_have_components(&token.dtype) {
            components = copies::of_object(&instance.image, rank, memory.bytes_mut())?;
        }
        let mut before = Memory::default();
        if purpose == Use::Put {
            before = Memory::of(memory.bytes())?;
        }
        Ok(Object {
            instance,
            token,
            rank,
            start,
            copy: Some(Copy { at, memory, before, components: RefCell::new(components) }),
            purpose,
        })
    }

    /// Bytes of an element.
    pub fn element_size(&self) -> usize {
        self.token.dtype.elem_len
    }

    /// The memory of the copy and of the copies of its components, in the order of addresses, if it is one.
    pub fn copied_pieces(&self) -> Vec<Piece> {
        let Some(copy) = &self.copy else { return Vec::new() };
        let own = Piece { start: copy.memory.address(), len: copy.memory.bytes().len() };
        let components = copy.components.borrow();
        let mut pieces: Vec<_> = [own].into_iter().chain(components.pieces()).collect();
        pieces.sort_unstable_by_key(|piece| piece.start);
        pieces
    }

    /// Where the object has in the segment of its image what is at this address in the copy; `None` if the address is not of the copy.
    pub fn offset_of_copied(&self, address: usize) -> Option<u64> {
        let copy = self.copy.as_ref()?;
        let distance = address.wrapping_sub(copy.memory.address());
        if distance < copy.memory.bytes().len() {
            return Some(copy.at.offset + distance as u64);
        }
        copy.components.borrow().offset_of(address)
    }

    /// Whether it is the coarray itself, and not a copy.
    pub fn is_near(&self) -> bool {
        self.copy.is_none()
    }

    /// Whether it is on another host, where the accessor has to be called.
    #[inline]
    pub fn is_remote(&self) -> bool {
        self.start.is_null()
    }

    /// Where it is in the segment of its image, and what an accessor wants to see as in [`Object::with`].
    pub fn target(&self, descriptor: *const Descriptor) -> Target {
        let start = self.token.block.offset;
        // SAFETY: the contract of entries: null or this image's descriptor of the coarray.
        match unsafe { descriptor.as_ref() } {
            None => Target { offset: start, descriptor: None },
            Some(descriptor) => Target {
                offset: start + self.seen().distance(descriptor.base) as u64,
                descriptor: Some(FullDescriptor::of(descriptor)),
            },
        }
    }

    /// Where it is in the segment of its image, and what [`Object::with_inquiry`] gives to an accessor.
    pub fn target_of_inquiry(&self) -> Target {
        Target { offset: self.token.block.offset, descriptor: self.inquired() }
    }

    /// The coarray as accessors for images of this host see it.
    #[inline]
    fn seen(&self) -> LocalCoarray<'a> {
        let Object { instance, token, start, .. } = *self;
        LocalCoarray { instance, token, segment: start.wrapping_sub(token.block.offset as usize) }
    }

    /// Where an accessor has left its result, if that is memory of the other image's process and of no segment: it has
    /// followed a pointer there. `local` is what it was given of this process's.
    #[inline]
    pub fn private(&self, address: *const c_void, local: &Range<usize>) -> Option<RemoteMemory> {
        let Object { instance: Instance { image, .. }, rank, .. } = *self;
        let is_copied =
            |copy: &Copy| copy.memory.has(address) || copy.components.borrow().has(address.addr());
        if rank == image.rank()
            || self.copy.is_none() && self.seen().has(address)
            || image.locate(address.cast()).is_some()
            || local.contains(&address.addr())
            || self.copy.as_ref().is_some_and(is_copied)
        {
            return None;
        }
        Some(RemoteMemory::Private { rank, address: address.addr() as u64 })
    }

    /// What an accessor has got where it is, at `*place`: a scalar with components is copied to `own`, with copies of
    /// these, and `*place` is that. The compiler takes it for the result of a function: a variable takes the components
    /// over, or they are freed.
    ///
    /// # Errors
    /// No memory for the components.
    ///
    /// # Safety
    /// There are `size` bytes at both, or `own` is null.
    pub unsafe fn separate(
        &self,
        place: &mut *mut c_void,
        own: *mut c_void,
        size: usize,
    ) -> Result<()> {
        let (image, rank) = (&self.instance.image, self.rank);
        if own.is_null() || self.copy.is_some() || !may_have_components(&self.token.dtype) {
            return Ok(());
        }
        // SAFETY: `place` leads to `size` bytes.
        let made = unsafe { slice::from_raw_parts((*place).cast_const().cast::<u8>(), size) };
        if !copies::has_any(image, rank, made)? {
            return Ok(());
        }
        // SAFETY: `own` is not null here and has `size` bytes; the result of the accessor is elsewhere.
        let object = unsafe { slice::from_raw_parts_mut(own.cast::<u8>(), size) };
        object.copy_from_slice(made);
        *place = own;
        copies::of_object(image, rank, object).map(Copies::leave)
    }

    /// Gives an array components of its own. It was copied, byte by byte, from where an accessor has left it.
    ///
    /// # Errors
    /// When there is no memory for the components.
    pub fn separate_array(&self, array: &Descriptor) -> Result<()> {
        match &self.copy {
            Some(copy) => copy.components.take().leave(),
            None => copies::leave_to_array(&self.instance.image, self.rank, array)?,
        }
        Ok(())
    }

    /// Calls `access` with what an accessor wants: see [`LocalCoarray::begin`].
    pub fn with<T>(&self, descriptor: *mut Descriptor, access: impl FnOnce(*mut c_void) -> T) -> T {
        let coarray = self.seen();
        coarray.wait();
        let (follows, mut room) = (coarray.follows(), StackDescriptor::new());
        let result =
            access(coarray.begin(follows, self.purpose == Use::Put, descriptor, &mut room));
        LocalCoarray::end(follows);
        result
    }

    /// Calls `access` with what an accessor wants that says whether something is allocated, for which the compiler does
    /// not pass a descriptor: a descriptor of an allocated array, the address of an array that is not allocatable, and
    /// for a scalar its address up to gfortran 15 and the address of that since 16. (There an array of one element that
    /// is not allocatable cannot be told from a scalar.)
    pub fn with_inquiry<T>(&self, access: impl FnOnce(*mut c_void) -> T) -> T {
        match self.inquired() {
            None => access(self.start.cast()),
            Some(mut own) => {
                own.header.base = self.start.cast();
                access(own.exposed().cast())
            }
        }
    }

    /// The descriptor for an inquiry; `None` for the address itself. The address of an address is a descriptor that is
    /// no longer.
    fn inquired(&self) -> Option<FullDescriptor> {
        let Token { dtype, block, shape, .. } = self.token;
        let mut own = FullDescriptor::empty();
        match shape.get() {
            Some(shape) => {
                own.header.dtype = DType { rank: shape.dims.len() as i8, ..*dtype };
                own.header.span = shape.unit as isize;
                own.set_dims(shape.dims.iter().copied());
            }
            None if block.size > dtype.elem_len as u64 || convention() == Convention::Until15 => {
                return None;
            }
            None => {}
        }
        Some(own)
    }

    /// A copy of the source of a put, if it may overlap the object: a coarray of the same image, or part of one; or if
    /// it is not [as accessors take it](is_packed).
    #[inline]
    pub fn copy_if_wanted(&self, source: &Descriptor) -> Result<Option<Copied>> {
        let owner = self.instance.image.locate(source.base.cast()).map(|(owner, _)| owner);
        let wanted = owner == Some(self.rank) || !is_packed(source);
        wanted.then(|| Copied::of(self.instance, source)).transpose()
    }

    /// Puts what an accessor has changed in a copy.
    pub fn put_back(&self) -> Result<()> {
        match &self.copy {
            None => Ok(()),
            Some(copy) => self.put_changes(copy),
        }
    }

    /// Element by element: what is between those that have changed may be changed by others.
    #[cold]
    fn put_changes(&self, copy: &Copy) -> Result<()> {
        let size = self.token.block.size as usize;
        let (now, before) = (copy.memory.bytes(), copy.before.bytes());
        let unit = unit(&self.token.dtype, size);
        let transport = self.instance.image.transport();
        let mut from = 0;
        while from < size {
            let changed = |at: usize| now[at..at + unit] != before[at..at + unit];
            if !changed(from) {
                from += unit;
                continue;
            }
            let mut to = from + unit;
            while to < size && changed(to) {
                to += unit;
            }
            let (offset, source) = (copy.at.offset + from as u64, &now[from..to]);
            let layout = Layout::Contiguous(source.len());
            // SAFETY: within the coarray, whose elements there no other image accesses (Fortran's segment rules).
            unsafe { transport.put(copy.at.rank, offset, source.as_ptr(), layout)? };
            from = to;
        }
        Ok(())
    }
}

/// Bytes of what is changed as a whole.
fn unit(dtype: &DType, size: usize) -> usize {
    let unit = match dtype.basic {
        basic::INTEGER | basic::LOGICAL | basic::REAL => dtype.elem_len,
        basic::COMPLEX => dtype.elem_len / 2,
        _ => 1,
    };
    if unit != 0 && size.is_multiple_of(unit) { unit } else { 1 }
}
