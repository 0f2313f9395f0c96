//! Calls of accessors for coarrays on images of this host, in few steps: without characters and team, as long as no
//! image has ended.
//!
//! The object is the same as in [`super::object`]. Where [`LocalCall::find`] finds no call, it has changed nothing, and
//! the slow path follows.

use super::buffer::is_packed;
use super::function::{Accessor, Characters, Statement};
use super::local::LocalCoarray;
use super::object::Object;
use super::result::{self, Lengths, Source};
use super::table;
use super::values::{self, Values};
use crate::gfortran_abi::{DType, Descriptor, Outcome};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::token::{Access, Token, TokenHandle};
use crate::process::{Instance, current};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use xmp_core::region;

/// How accessors are called for a coarray of this type.
pub fn access_to(instance: &Instance, dtype: &DType) -> Access {
    match (may_have_components(dtype), instance.image.one_host()) {
        (false, _) => Access::Plain,
        (true, true) => Access::Following,
        (true, false) => Access::Awaiting,
    }
}

/// The coarray that a token stands for, if it is one's.
#[inline(always)]
pub fn coarray(token: TokenHandle) -> Option<&'static Token> {
    if values::is_token(token) {
        return None;
    }
    // SAFETY: the contract of entries: null, a coarray's, or one of `values::token_of` that is still good.
    unsafe { token.cast::<Token>().as_ref() }
}

/// The instance that a token was registered with.
#[inline(always)]
fn instance_of(_: &Token) -> &'static Instance {
    // SAFETY: registration of a token creates the instance, which lives as long as the process.
    unsafe { current().unwrap_unchecked() }
}

/// An accessor, and the coarray on an image of this host that it is going to be called for. The compiler has passed the
/// index of the accessor, and uses it for this coarray in this statement only.
#[derive(Clone, Copy)]
pub struct LocalCall {
    coarray: LocalCoarray<'static>,
    accessor: Accessor,
    /// Whether it may follow pointers.
    follows: bool,
    /// Whether the coarray may have components.
    has_components: bool,
}

/// What the compiler passes for the accessor, which gets the addresses of the first two. By address here, too: nothing
/// else has to keep them while it runs. They are of the statement that the call was found for.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    /// The values of the statement.
    pub values: &'a *mut c_void,
    /// The image index.
    pub image: &'a c_int,
    /// This image's descriptor of the object, or null.
    pub descriptor: *mut Descriptor,
}

/// What a get of a scalar has left to do.
pub enum Got {
    /// Nothing.
    All,
    /// The scalar is not where the compiler wants it.
    Elsewhere(Left),
}

/// A scalar that an accessor has left where the compiler does not want it.
#[derive(Clone, Copy)]
pub struct Left {
    /// The variable that the compiler has made.
    own: *mut c_void,
    /// Whether what the accessor has left is to be freed.
    to_free: bool,
}

/// The end of a get of a scalar of a coarray that may have components.
pub struct Pending {
    /// The coarray.
    pub token: &'static Token,
    /// The image index.
    pub image: c_int,
    /// What the accessor has left.
    pub left: Left,
    /// What the accessor was given of this process's memory.
    pub local: Values,
}

/// The call for the coarray of a token on an image of a team that is a formula; `None` if a slower
/// path has to find it.
#[inline(always)]
pub fn on_formula(token: TokenHandle, image: c_int, accessor: c_int) -> Option<LocalCall> {
    let token = coarray(token)?;
    let follows = match token.access {
        Access::Plain => false,
        Access::Following => true,
        Access::Awaiting | Access::Never => return None,
    };
    on_formula_of(token, follows, image, accessor)
}

/// The call for the coarray of a token if it is a formula, as [`on_formula`] finds it; `follows`: accessors may
/// follow pointers.
#[inline(always)]
pub fn on_formula_of(
    token: &'static Token,
    follows: bool,
    image: c_int,
    accessor: c_int,
) -> Option<LocalCall> {
    let instance = instance_of(token);
    if follows && instance.image.threads().is_shared() {
        return None;
    }
    let segment = instance.image.stack().segment_of_index(image)?;
    let coarray = LocalCoarray { instance, token, segment };
    LocalCall::of(coarray, follows, follows, accessor)
}

// What is passed to the parts that are not inlined goes by value: a reference would have it all stored for every
// transfer.
impl LocalCall {
    /// The call for any coarray, on an image of this host in any current team; `None` if the slow path has to find it,
    /// or what is wrong.
    #[inline(always)]
    pub fn find(token: TokenHandle, image: c_int, accessor: c_int) -> Option<LocalCall> {
        let token = coarray(token).filter(|token| token.access != Access::Never)?;
        let instance = instance_of(token);
        let segment = match instance.image.stack().segment_of_index(image) {
            Some(segment) => segment,
            None => segment_of(instance, image)?,
        };
        let coarray = LocalCoarray { instance, token, segment };
        LocalCall::of(coarray, coarray.follows(), token.access != Access::Plain, accessor)
    }

    #[inline(always)]
    fn of(
        coarray: LocalCoarray<'static>,
        follows: bool,
        has_components: bool,
        accessor: c_int,
    ) -> Option<LocalCall> {
        if !coarray.instance.image.all_running() {
            return None;
        }
        let accessor = table::find(coarray.instance, accessor)?;
        Some(LocalCall { coarray, accessor, follows, has_components })
    }

    /// Waits as [`LocalCoarray::wait`] does: before the accessor of a call that [`LocalCall::find`] has found.
    #[inline(always)]
    pub fn wait(&self) {
        self.coarray.wait();
    }

    /// Gets a scalar of `size` bytes, without characters: as [`super::result::scalar`].
    #[inline(always)]
    pub fn get(&self, arguments: Arguments<'_>, place: *mut *mut c_void, size: usize) -> Got {
        let mut to_free = 0;
        // SAFETY: the contract of entries: the place of the address of the compiler's variable.
        let own = unsafe { *place };
        self.call_getter(arguments, place.cast(), &mut to_free);
        // SAFETY: the place of the address of the compiler's variable, which the accessor may have changed.
        let made = unsafe { *place };
        if to_free == 0 {
            // It stays where it is, in any segment or in this process, but not an object with components: that is
            // longer than an address of one. Without components accessors come nowhere else.
            if !self.has_components
                || size <= size_of::<usize>() && region::may_contain(made.addr())
            {
                return Got::All;
            }
            if made == own {
                return Got::All;
            }
        }
        Got::Elsewhere(Left { own, to_free: to_free != 0 })
    }

    /// Gets an array whose shape is known: as [`super::result::array`].
    #[inline(never)]
    pub fn get_array(
        self,
        arguments: Arguments<'_>,
        dst: &mut Descriptor,
        local: Values,
        stat: Option<&Cell<c_int>>,
    ) {
        let object = Object::got_from(self.coarray, *arguments.image);
        let source = Source { object: Some(&object), local: local.range() };
        let get = |buffer| {
            let mut to_free = 0;
            self.call_getter(arguments, buffer, &mut to_free);
            to_free != 0
        };
        let got = result::array(self.coarray.instance, dst, false, &source, get);
        Outcome::new("get", stat).deliver(got);
    }

    /// Gets an array of any shape, which the accessor allocates.
    #[inline(always)]
    pub fn get_allocated(&self, arguments: Arguments<'_>, dst: *mut Descriptor) {
        self.call_getter(arguments, dst.cast(), &mut 0);
    }

    /// Calls an accessor that gets; `buffer` is what it expects.
    #[inline(always)]
    fn call_getter(&self, arguments: Arguments<'_>, buffer: *mut c_void, to_free: &mut i32) {
        let Arguments { values, image, descriptor } = arguments;
        let mut room = MaybeUninit::uninit();
        let object = self.coarray.begin(self.follows, false, descriptor, &mut room);
        let statement = Statement::new(values, image);
        self.accessor.get_flagged(statement, object, buffer, Characters::NONE, to_free);
        LocalCoarray::end(self.follows);
    }

    /// Whether the accessor needs a copy of this array, the local side of a put: it is part of the image that it is to
    /// be put to, so that the sides may overlap, or it is not [as accessors take it](is_packed).
    #[inline(always)]
    pub fn wants_copy(&self, source: *const Descriptor) -> bool {
        // SAFETY: the contract of entries: null or a descriptor.
        let source = unsafe { source.as_ref() };
        source.is_some_and(|array| self.coarray.has(array.base) || !is_packed(array))
    }

    /// Puts a scalar, or the array of a descriptor that does not overlap, without characters.
    #[inline(always)]
    pub fn put(&self, arguments: Arguments<'_>, source: *const c_void) {
        let Arguments { values, image, descriptor } = arguments;
        let mut room = MaybeUninit::uninit();
        let object = self.coarray.begin(self.follows, true, descriptor, &mut room);
        let statement = Statement::new(values, image);
        self.accessor.put(statement, object, source, Characters::NONE);
        LocalCoarray::end(self.follows);
    }
}

impl Pending {
    /// Ends the get of a scalar of `element` bytes: it becomes what `place` has the address of.
    #[cold]
    #[inline(never)]
    pub fn finish(self, place: *mut *mut c_void, element: usize, stat: Option<&Cell<c_int>>) {
        let Pending { token, image, left: Left { own, to_free }, local } = self;
        let instance = instance_of(token);
        let segment = match instance.image.stack().segment_of_index(image) {
            Some(segment) => segment,
            None => segment_of(instance, image).expect("the accessor was called for it"),
        };
        let object = Object::got_from(LocalCoarray { instance, token, segment }, image);
        let source = Source { object: Some(&object), local: local.range() };
        let lengths = Lengths { element, characters: ptr::null() };
        // SAFETY: the contract of entries, and what the accessor has left.
        let got = unsafe { result::finish(place, own, to_free, lengths, &instance.image, &source) };
        Outcome::new("get", stat).deliver(got);
    }
}

impl Left {
    /// Copies a scalar of `element` bytes that an accessor of a coarray without components has allocated to where the
    /// compiler wants it.
    #[cold]
    #[inline(never)]
    pub fn finish_plain(self, place: *mut *mut c_void, element: usize, stat: Option<&Cell<c_int>>) {
        let image = &crate::process::any_thread().image;
        let source = Source { object: None, local: 0..0 };
        let lengths = Lengths { element, characters: ptr::null() };
        // SAFETY: the contract of entries, and what the accessor has left.
        let got = unsafe { result::finish(place, self.own, true, lengths, image, &source) };
        Outcome::new("get", stat).deliver(got);
    }

    /// Whether the accessor has allocated it.
    pub fn is_allocated(&self) -> bool {
        self.to_free
    }

    /// Frees what the accessor has allocated, which is at `made`.
    pub fn discard(self, made: *mut c_void) {
        if self.to_free {
            // SAFETY: the accessor has allocated it with `malloc`, and it is not used.
            unsafe { libc::free(made) };
        }
    }
}

/// The segment of an image of this host, in a team that is no formula or where there are several hosts.
#[inline(never)]
fn segment_of(instance: &Instance, image: c_int) -> Option<*mut u8> {
    instance.image.local_address(instance.image.stack().rank_of_index(image)?, 0)
}

/// Bytes of a source: coindexed variables have no allocatable components (Fortran 2018, 10.2.1.2), so their bytes are
/// all of what is put.
pub const NO_COMPONENTS: usize = 0;
