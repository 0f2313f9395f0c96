//! Accessors for objects of derived types on other hosts. The addresses in such an object lead to components only
//! there. So the image asks for the accessor to be run there ([`serve`]), and sends or gets the values of the other
//! side ([`request`]) and those of subscripts ([`copied_values`]). Where races are looked for, the reply has what the accessor has
//! accessed ([`accesses`]).

mod accesses;
mod copied_values;
mod encoding;
pub mod request;
mod serve;

use super::buffer::{self, Copied, Memory};
use super::object::Object;
use super::table;
use super::values::Values;
use crate::gfortran_abi::{Descriptor, Dim, FullDescriptor};
use crate::gnu::component::copies;
use encoding::Reader;
use request::{Action, Characters, Request, Target};
use std::ffi::{c_int, c_void};
use std::slice;
use xmp_core::job::Job;
use xmp_core::{Error, Result};

/// Makes known what the server of a host does for images of others.
///
/// # Errors
/// When another handler has its number.
pub fn register(job: &Job) -> Result<()> {
    job.handlers().register(serve::HANDLER)
}

/// A call of an accessor for an object of another host. It fails when that host cannot be reached, and with the error
/// that the host reports.
pub struct Call<'a> {
    /// The object.
    pub object: &'a Object<'a>,
    /// The index of the accessor.
    pub accessor: c_int,
    /// The image index.
    pub image: c_int,
    /// How many characters the sides have.
    pub characters: Characters,
    /// What the accessor gets besides.
    pub values: Values,
}

/// The length of characters that the compiler passes the address of, if it does.
pub fn length(of: *const usize) -> Option<usize> {
    // SAFETY: the contract of entries: null or valid.
    unsafe { of.as_ref().copied() }
}

// All pointers are those that the compiler passes, by the contract of entries.
impl Call<'_> {
    fn ask(&self, target: Target, action: Action<'_>) -> Result<Vec<u8>> {
        let Object { instance, rank, .. } = *self.object;
        let Call { image, characters, .. } = *self;
        let accessor = table::number(instance, self.accessor)?;
        let request = Request { accessor, image, target, characters, action };
        // SAFETY: the contract of entries: the values of the statement.
        let request = unsafe { request.with_values(self.values) };
        let mut reply = Vec::new();
        instance.image.transport().call(rank, serve::HANDLER, &request, &mut reply)?;
        if let Some(races) = instance.image.races() {
            accesses::enter(races, &mut reply)?;
        }
        Ok(reply)
    }

    /// Gets a scalar of `size` bytes, or of fewer, which `is_exact` denies, or characters of `size` bytes each, and the number of
    /// characters.
    pub fn scalar(
        &self,
        descriptor: *const Descriptor,
        size: usize,
        is_exact: bool,
    ) -> Result<(Memory, Option<usize>)> {
        let action = Action::GetScalar(size, is_exact);
        let reply = self.ask(self.object.target(descriptor), action)?;
        let mut reply = Reader(&reply);
        let len = reply.length()?;
        Ok((Memory::of(reply.bytes()?)?, len))
    }

    /// Gets a scalar to the variable that `place` has the address of, with components of its own.
    ///
    /// # Errors
    /// When the accessor's host cannot be reached, and those that the accessor's host reports; for characters of
    /// deferred length; without memory.
    pub fn get_scalar(
        &self,
        descriptor: *const Descriptor,
        place: *mut *mut c_void,
        size: usize,
        len: *mut usize,
    ) -> Result<()> {
        // SAFETY: the contract of entries: the place of the address of the compiler's variable.
        let own = unsafe { *place };
        if own.is_null() {
            return Err(Error::Invalid(
                "characters of deferred length of an image of another host".into(),
            ));
        }
        let room = size.saturating_mul(length(len).unwrap_or(1));
        let (scalar, new_len) = self.scalar(descriptor, size, true)?;
        let bytes = room.min(scalar.bytes().len());
        // SAFETY: the variable has `room` bytes.
        let object = unsafe { slice::from_raw_parts_mut(own.cast::<u8>(), bytes) };
        object.copy_from_slice(&scalar.bytes()[..bytes]);
        // SAFETY: the contract of entries: null or the place of the number of characters.
        match (unsafe { len.as_mut() }, new_len) {
            (None, _) => {
                let Object { instance, rank, .. } = *self.object;
                copies::of_object(&instance.image, rank, object)?.leave();
            }
            (Some(len), Some(new_len)) => *len = new_len,
            (Some(_), None) => {}
        }
        Ok(())
    }

    /// An array in one piece, with the descriptor that the accessor has made of `like`. `has_memory`: of so much as
    /// that needs.
    pub fn array(
        &self,
        descriptor: *const Descriptor,
        like: FullDescriptor,
        has_memory: bool,
    ) -> Result<(FullDescriptor, Memory)> {
        let action = Action::GetArray(like, has_memory);
        let reply = self.ask(self.object.target(descriptor), action)?;
        let mut reply = Reader(&reply);
        reply.length()?;
        let mut array = reply.descriptor()?;
        let mut elements = Memory::of(reply.bytes()?)?;
        array.header.base = elements.start();
        Ok((array, elements))
    }

    /// Gets an array to `dst`, which has its shape or, if it `may_reallocate`, takes it.
    ///
    /// # Errors
    /// When the accessor's host cannot be reached, and those that the accessor's host reports; for shapes that do not
    /// conform; without memory.
    pub fn get_array(
        &self,
        descriptor: *const Descriptor,
        dst: &mut Descriptor,
        may_reallocate: bool,
    ) -> Result<()> {
        if may_reallocate {
            let has_memory = !dst.base.is_null();
            let like = FullDescriptor::of(dst);
            let (mut array, _elements) = self.array(descriptor, like, has_memory)?;
            return reallocate(dst, &mut array);
        }
        let (like, _) = buffer::in_one_piece(dst);
        let (mut array, _elements) = self.array(descriptor, like, true)?;
        buffer::copy(self.object.instance, dst, array.descriptor())
    }

    /// Puts a scalar of `size` bytes, or characters of `size` bytes each.
    pub fn put_scalar(
        &self,
        descriptor: *const Descriptor,
        scalar: *const c_void,
        size: usize,
    ) -> Result<()> {
        let size = size.saturating_mul(self.characters.other.unwrap_or(1));
        // SAFETY: the contract of entries: the local scalar.
        let bytes = unsafe { slice::from_raw_parts(scalar.cast(), size) };
        self.ask(self.object.target(descriptor), Action::PutScalar(bytes)).map(drop)
    }

    /// Puts an array.
    ///
    /// # Errors
    /// When the accessor's host cannot be reached, and those that the accessor's host reports; without memory.
    pub fn put_array(&self, descriptor: *const Descriptor, array: &Descriptor) -> Result<()> {
        let mut copied = Copied::of(self.object.instance, array)?;
        let like = FullDescriptor::of(copied.descriptor());
        let action = Action::PutArray(like, copied.bytes());
        self.ask(self.object.target(descriptor), action).map(drop)
    }

    /// Whether the object is allocated.
    pub fn inquire(&self) -> Result<i32> {
        let reply = self.ask(self.object.target_of_inquiry(), Action::Inquire)?;
        Ok(Reader(&reply).word()? as i32)
    }
}

/// Gives an allocatable array, with memory of `malloc` or none, the elements of another one in one piece and, unless it
/// has them, the bounds.
fn reallocate(dst: &mut Descriptor, array: &mut FullDescriptor) -> Result<()> {
    let size = array.size();
    let is_same = |(own, new): (&Dim, &Dim)| own.extent() == new.extent();
    let is_as_before = !dst.base.is_null()
        && dst.dtype.elem_len == array.header.dtype.elem_len
        && dst.dims().iter().zip(array.dims()).all(is_same);
    if !is_as_before {
        // SAFETY: the contract of entries: memory of `malloc`, or null.
        let memory = unsafe { libc::realloc(dst.base, size.max(1)) };
        if memory.is_null() {
            let heap = "process's memory for a result";
            return Err(Error::OutOfMemory {
                heap,
                requested: size as u64,
                available: 0,
                remedy: String::new(),
            });
        }
        dst.base = memory;
        dst.offset = array.header.offset;
        dst.dtype = array.header.dtype;
        dst.span = array.header.span;
        dst.set_dims(array.dims().iter().copied());
    }
    // SAFETY: both are in one piece and have `size` bytes.
    unsafe { dst.base.cast::<u8>().copy_from_nonoverlapping(array.header.base.cast(), size) };
    Ok(())
}
