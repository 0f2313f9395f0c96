//! An accessor runs for an image of another host, in a process of the host where the object is: it sees the object, and
//! what its components lead to, at the same addresses as the image that they belong to.
//!
//! It may be called by a thread of its own while the program computes. That is fine: accessors work with what they are
//! given and with memory from `malloc`.

use super::accesses;
use super::copied_values::CopiedValues;
use super::encoding::{Write, malformed};
use super::request::{Action, Characters, Request};
use crate::gfortran_abi::{Descriptor, Dim, FullDescriptor, allocate};
use crate::gnu::accessor::buffer::{Memory, in_one_piece};
use crate::gnu::accessor::entered::read_of_array;
use crate::gnu::accessor::function::{self, Accessor, Statement};
use crate::gnu::accessor::guard;
use crate::gnu::accessor::table;
use crate::gnu::transfer::Section;
use crate::process::{created, gather_for_others};
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_coarray::front_end::plan::Plan;
use xmp_core::Result;
use xmp_core::process::memory;
use xmp_core::race_hooks::Gathered;
use xmp_core::server::{Handler, HandlerCall};

/// Has an accessor run.
pub const HANDLER: Handler = Handler { number: 0x0101, run: serve };

fn serve(served: HandlerCall<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()> {
    let Some(instance) = created().filter(|instance| instance.image.races().is_some()) else {
        return execute(served, payload, reply, &mut Vec::new());
    };
    let mut left = Vec::new();
    let (outcome, mut accesses) = gather_for_others(|| execute(served, payload, reply, &mut left));
    outcome?;
    accesses.append(&mut left);
    accesses::append(instance, &accesses, reply);
    Ok(())
}

/// Has an accessor run. What is read of what it has left in an object is added to `left`.
fn execute(
    served: HandlerCall<'_>,
    payload: &[u8],
    reply: &mut Vec<u8>,
    left: &mut Vec<Gathered>,
) -> Result<()> {
    let (request, values) = Request::read(payload)?;
    let Request { accessor, image, target, characters, action } = request;
    let function = table::registered(accessor)?;
    let segment =
        served.job.segment(served.target).filter(|_| target.offset < served.job.geometry().stride);
    let segment = segment.ok_or_else(malformed)?;
    let base: *mut c_void = segment.wrapping_add(target.offset as usize).cast();
    guard::prepare(served.job);
    let mut descriptor = target.descriptor;
    let object = match &mut descriptor {
        None => base,
        Some(descriptor) => {
            descriptor.header.base = base;
            descriptor.exposed().cast()
        }
    };
    let mut call = Call { function, served, segment, image, object, characters, values, left };
    match action {
        Action::GetScalar(size, is_exact) => call.get_scalar(size, is_exact, reply),
        Action::GetArray(like, has_memory) => call.get_array(like, has_memory, reply),
        Action::PutScalar(bytes) => {
            call.put(Memory::of(bytes)?.start());
            Ok(())
        }
        Action::PutArray(mut like, bytes) => {
            if like.size() != bytes.len() {
                return Err(malformed());
            }
            let mut elements = Memory::of(bytes)?;
            like.header.base = elements.start();
            call.put(like.exposed().cast());
            Ok(())
        }
        Action::Inquire => {
            let statement = Statement::without_token(call.values.address(), &call.image);
            reply.word(function.inquire(statement, object) as u64);
            Ok(())
        }
    }
}

/// A call of an accessor. The image that asks has passed the number of an accessor of the form that the action needs,
/// for such an object, which it may access now (Fortran's segment rules).
struct Call<'a> {
    function: Accessor,
    served: HandlerCall<'a>,
    /// That of the image that is asked about.
    segment: *mut u8,
    image: c_int,
    object: *mut c_void,
    characters: Characters,
    values: CopiedValues,
    /// What is read of what the accessor has left where it was.
    left: &'a mut Vec<Gathered>,
}

/// The places of the lengths.
fn addresses(Characters { object, other }: &mut Characters) -> function::Characters {
    let object = object.as_ref().map_or(ptr::null(), ptr::from_ref);
    let other = other.as_mut().map_or(ptr::null_mut(), ptr::from_mut);
    function::Characters { object, other }
}

impl Call<'_> {
    /// Calls an accessor that gets to such a buffer; whether it has allocated the result.
    fn get(&mut self, buffer: *mut c_void) -> bool {
        let statement = Statement::without_token(self.values.address(), &self.image);
        let characters = addresses(&mut self.characters);
        let get = || self.function.get(statement, self.object, buffer, characters);
        guard::follow(self.segment, false, get)
    }

    fn get_scalar(&mut self, size: usize, is_exact: bool, reply: &mut Vec<u8>) -> Result<()> {
        let len = |other: Option<usize>| size.saturating_mul(other.unwrap_or(1));
        let mut room = Memory::zeroed(len(self.characters.other))?;
        let own = room.start();
        let mut made = own;
        // SAFETY: the accessor has left its result there, as long as the lengths say.
        unsafe {
            let to_free = self.get((&raw mut made).cast());
            let is_near = to_free || made == own;
            let mut scalar = vec![0; len(self.characters.other)];
            if !is_near {
                // Of one that may be shorter, the first byte is.
                let (address, len) = (made.addr(), if is_exact { scalar.len() } else { 1 });
                self.left.push(Gathered { address, len, writes: false });
            }
            let copied = if is_near || self.is_here(made) {
                scalar.as_mut_ptr().copy_from_nonoverlapping(made.cast(), scalar.len());
                Ok(())
            } else {
                self.read(made, &mut scalar)
            };
            if to_free {
                libc::free(made);
            }
            copied?;
            reply.length(self.characters.other);
            reply.bytes(&scalar);
        }
        Ok(())
    }

    fn get_array(
        &mut self,
        mut like: FullDescriptor,
        has_memory: bool,
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        // The accessor may reallocate it.
        let mut own = ptr::null_mut();
        if has_memory {
            own = allocate(like.size(), "process's memory for a copy")?;
        }
        like.header.base = own;
        let to_free = self.get(like.exposed().cast());
        let made = like.header.base;
        let packed = self.packed(like.descriptor(), to_free || made == own);
        // SAFETY: memory of `malloc`. An accessor that has allocated the result has used up what it was given.
        unsafe { libc::free(if to_free { made } else { own }) };
        let (shape, elements) = packed?;
        reply.length(self.characters.other);
        reply.descriptor(&shape);
        reply.bytes(&elements);
        Ok(())
    }

    /// The elements of an array, and a descriptor for them in one piece with the same lower bounds.
    fn packed(&mut self, array: &Descriptor, is_near: bool) -> Result<(FullDescriptor, Vec<u8>)> {
        let (mut shape, section) = (in_one_piece(array).0, Section::of(array)?);
        let lower = array.dims().iter().map(|dim| dim.lower);
        let with_bounds = |(mut dim, lower): (Dim, isize)| {
            dim.upper = dim.upper.wrapping_sub(1).wrapping_add(lower);
            dim.lower = lower;
            dim
        };
        let dims: Vec<_> = shape.dims().iter().copied().zip(lower).map(with_bounds).collect();
        shape.set_dims(dims.into_iter());
        let axes = section.axes();
        if !is_near {
            self.left.extend(read_of_array(array, &axes));
        }
        let plan = Plan::pack(array.dtype.elem_len, &axes)?;
        let mut elements = vec![0; shape.size()];
        let base = array.base.cast_const().cast::<u8>();
        // SAFETY: the accessor has left the elements there.
        unsafe {
            if is_near || self.is_here(array.base) {
                plan.execute(elements.as_mut_ptr(), base)?;
            } else {
                let bytes = plan.src_bytes();
                let mut copy = vec![0; (bytes.end - bytes.start) as usize];
                self.read(base.wrapping_offset(bytes.start as isize).cast(), &mut copy)?;
                let base = copy.as_ptr().wrapping_offset(-bytes.start as isize);
                plan.execute(elements.as_mut_ptr(), base)?;
            }
        }
        Ok((shape, elements))
    }

    /// Calls an accessor that puts such a source.
    fn put(&mut self, source: *const c_void) {
        let statement = Statement::without_token(self.values.address(), &self.image);
        let characters = addresses(&mut self.characters);
        let put = || self.function.put(statement, self.object, source, characters);
        guard::follow(self.segment, true, put);
    }

    /// Whether this process can address what the accessor has left there: part of a coarray of this host, or of what
    /// came along. Anything else is in the process of the image.
    fn is_here(&self, address: *const c_void) -> bool {
        let job = self.served.job;
        let stride = job.geometry().stride as usize;
        let is_in = |segment: *mut u8| address.addr().wrapping_sub(segment.addr()) < stride;
        self.values.has(address)
            || job.region_ranks().iter().filter_map(|&rank| job.segment(rank)).any(is_in)
    }

    /// Copies from the process of the image.
    fn read(&self, address: *const c_void, into: &mut [u8]) -> Result<()> {
        let HandlerCall { job, target, .. } = self.served;
        // SAFETY: `into` has room for its bytes; the system checks the address in the other process.
        unsafe {
            memory::read_local(job, target, address.addr() as u64, into.as_mut_ptr(), into.len())
        }
    }
}
