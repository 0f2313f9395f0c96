//! Coarrays and their descriptors: a descriptor is the address of a coarray, or of a dummy argument that is one.

use super::cobounds::Cobounds;
use crate::coarray::objects::Chunk;
use crate::objects::{NodeSet, Object};
use std::cell::{Cell, LazyCell, RefCell, RefMut};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use xmp_core::Error;
use xmp_ffi::process::{Instance, OfImage};
use xmp_ffi::xmp::entry::Argument;
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// A coarray.
#[derive(Debug, Default)]
pub struct Coarray {
    /// The chunk that it is in, once it was allocated.
    pub chunk: RefCell<Option<Rc<Chunk>>>,
    /// Where it is in the chunk: its first byte, and how many they are. A dummy argument may be anywhere in the chunk.
    extent: Cell<(u64, u64)>,
    /// What messages call it.
    pub name: RefCell<String>,
    /// Its codimensions.
    pub bounds: RefCell<Cobounds>,
    /// The nodes of a COARRAY directive: whose images its image indices mean.
    pub nodes: RefCell<Option<Rc<Object<NodeSet>>>>,
}

/// A descriptor as programs keep it: null, or one that this front end has given out for the variable that it is
/// kept in.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Handle(*const Coarray);

impl Handle {
    /// Of no coarray.
    pub const NULL: Handle = Handle(std::ptr::null());

    /// The descriptor of a coarray that [`Coarrays`] has.
    pub fn of(coarray: &Coarray) -> Handle {
        Handle(coarray)
    }

    /// Its coarray; none for null.
    #[inline(always)]
    pub fn get<'a>(self) -> Option<&'a Coarray> {
        // SAFETY: the contract of entries: null, or a coarray that is not given back.
        unsafe { self.0.as_ref() }
    }

    /// Its coarray.
    ///
    /// # Errors
    /// When there is none: it is not allocated.
    #[inline(always)]
    pub fn coarray<'a>(self) -> Outcome<&'a Coarray> {
        let why = "the coarray is not allocated (its descriptor is null)";
        self.get().ok_or_else(|| DirectiveError::because(why))
    }
}

impl Argument for Handle {
    type Value = Handle;
    type Reference<'r> = &'r Handle;

    fn of_c(value: Handle) -> Outcome<Handle> {
        Ok(value)
    }

    fn of_fortran(reference: &Handle) -> Outcome<Handle> {
        Ok(*reference)
    }
}

impl Argument for &Coarray {
    type Value = Handle;
    type Reference<'r> = &'r Handle;

    fn of_c(value: Handle) -> Outcome<Self> {
        value.coarray()
    }

    fn of_fortran(reference: &Handle) -> Outcome<Self> {
        reference.coarray()
    }
}

impl Coarray {
    /// Its chunk.
    ///
    /// # Errors
    /// When it is not allocated.
    pub fn chunk(&self) -> Result<Rc<Chunk>, Error> {
        match &*self.chunk.borrow() {
            Some(chunk) if chunk.is_live() => Ok(chunk.clone()),
            _ => Err(Error::Invalid("it is not allocated".into())),
        }
    }

    /// It is all of a chunk now.
    pub fn allocated(&self, chunk: Rc<Chunk>) {
        self.extent.set((0, chunk.len()));
        *self.chunk.borrow_mut() = Some(chunk);
    }

    /// It is `len` bytes of a chunk now, from this address on.
    pub fn shared(&self, chunk: Rc<Chunk>, start: *const u8, len: u64) {
        self.extent.set((start.addr().wrapping_sub(chunk.local().addr()) as u64, len));
        *self.chunk.borrow_mut() = Some(chunk);
    }

    /// The offset, in its chunk, of bytes that start at `mold`. This image has `chunk` of it.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] when not all of those in `touched`, counted from there, are its own.
    #[inline(always)]
    pub fn within(
        &self,
        chunk: &Chunk,
        mold: *const u8,
        touched: Range<i64>,
    ) -> Result<u64, Error> {
        let offset = mold.addr().wrapping_sub(chunk.local().addr()) as i64;
        let (first, size) = self.extent.get();
        let relative = offset.wrapping_sub(first as i64);
        let (from, to) =
            (relative.saturating_add(touched.start), relative.saturating_add(touched.end));
        if from >= 0 && to as u64 <= size {
            Ok(offset as u64)
        } else {
            Err(Error::OutOfBounds { from, to, size })
        }
    }

    /// An error, with the name of the coarray.
    #[cold]
    pub fn wrong(&self, error: impl Into<DirectiveError>) -> DirectiveError {
        let name = self.name.borrow();
        match error.into().error() {
            error @ (Error::JobEnding | Error::StoppedImage(_) | Error::FailedImage(_)) => {
                error.into()
            }
            error if name.is_empty() => error.into(),
            error => DirectiveError::because(format!("coarray '{name}': {error}")),
        }
    }
}

/// All coarrays that there are descriptors of.
#[derive(Debug, Default)]
pub struct Coarrays {
    /// By the address of the variable that has the descriptor: when another one is made for it, the former is out
    /// of reach.
    by_variable: HashMap<usize, Box<Coarray>>,
    /// Those of C functions, which return descriptors, until they are given back.
    returned: HashMap<usize, Box<Coarray>>,
}

static COARRAYS: OfImage<LazyCell<RefCell<Coarrays>>> = OfImage::lazy();

/// All coarrays that there are descriptors of.
pub fn coarrays(instance: &Instance) -> RefMut<'static, Coarrays> {
    COARRAYS.of(instance).borrow_mut()
}

impl Coarrays {
    /// A new coarray for a variable, which has none or is to forget it.
    pub fn renew(&mut self, variable: &Cell<Handle>) -> &Coarray {
        let place = self.by_variable.entry(variable.as_ptr().addr()).or_default();
        **place = Coarray::default();
        place
    }

    /// The coarray that was made for this variable, if the descriptor which it has is that.
    pub fn known(&self, variable: &Cell<Handle>) -> Option<&Coarray> {
        let coarray = self.by_variable.get(&variable.as_ptr().addr())?;
        std::ptr::eq(&**coarray, variable.get().0).then_some(&**coarray)
    }

    /// A new coarray whose descriptor is returned.
    pub fn returned(&mut self) -> &Coarray {
        let new = Box::<Coarray>::default();
        let address = (&raw const *new).addr();
        self.returned.entry(address).or_insert(new)
    }

    /// A descriptor that was returned is given back.
    pub fn forget(&mut self, handle: Handle) {
        self.returned.remove(&handle.0.addr());
    }

    /// The name in messages of the coarray in a chunk.
    pub fn name_of(&self, chunk: &Rc<Chunk>) -> String {
        let all = self.by_variable.values().chain(self.returned.values());
        let mut all = all.map(|coarray| &**coarray);
        let has = |coarray: &&Coarray| {
            !coarray.name.borrow().is_empty()
                && coarray.chunk.borrow().as_ref().is_some_and(|known| Rc::ptr_eq(known, chunk))
        };
        match all.find(has) {
            Some(coarray) => format!("coarray '{}'", coarray.name.borrow()),
            None => "a coarray".into(),
        }
    }
}
