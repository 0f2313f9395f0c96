//! Calls of accessors for coarrays on images of this host, in few steps: without characters and team, as long as no
//! image has ended.
//!
//! The object is the same as in [`super::object`]. Where [`LocalCall::find`] finds no call, it has changed nothing, and
//! the slow path follows.

use super::buffer::{self, is_packed};
use super::function::{Accessor, Characters, Statement};
use super::local::LocalCoarray;
use super::object::Object;
use super::result::{self, Source};
use super::scalar_result::ScalarResult;
use super::table;
use super::values::{self, Values};
use crate::gfortran_abi::{DType, Descriptor, Outcome, StackDescriptor, set_ok};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::token::{Access, Token, TokenHandle};
use crate::process::Instance;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
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
pub enum GetOutcome {
    /// Nothing.
    All,
    /// The scalar is not where the compiler wants it.
    Elsewhere(ScalarResult),
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
    let coarray = LocalCoarray::on_formula(token, image)?;
    if follows && coarray.instance.image.threads().is_shared() {
        return None;
    }
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
        let coarray = LocalCoarray::on(token, image)?;
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
    pub fn get(
        &self,
        arguments: Arguments<'_>,
        place: *mut *mut c_void,
        size: usize,
    ) -> GetOutcome {
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
                return GetOutcome::All;
            }
            if made == own {
                return GetOutcome::All;
            }
        }
        GetOutcome::Elsewhere(ScalarResult { own, to_free: to_free != 0 })
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

    /// Gets an array whose shape is known, which is in one piece, of a coarray without components. False if it does not
    /// are so: nothing has happened then.
    #[inline(always)]
    pub fn get_shaped(
        &self,
        arguments: Arguments<'_>,
        dst: &Descriptor,
        local: Values,
        stat: Option<&Cell<c_int>>,
    ) -> bool {
        let mut room = StackDescriptor::new();
        let Some(buffer) = buffer::as_it_lies(dst, &mut room) else { return false };
        let mut to_free = 0;
        self.call_getter(arguments, buffer.cast(), &mut to_free);
        // SAFETY: a descriptor, of which the accessor has changed no more than its values.
        let buffer = unsafe { &*buffer };
        if buffer.base != dst.base {
            let image = *arguments.image;
            self.finish_shaped(dst, buffer, image, to_free != 0, local, stat);
        } else {
            set_ok(stat);
        }
        true
    }

    /// The accessor has left the elements elsewhere than where the array is.
    #[cold]
    #[inline(never)]
    fn finish_shaped(
        self,
        dst: &Descriptor,
        buffer: &Descriptor,
        image: c_int,
        to_free: bool,
        local: Values,
        stat: Option<&Cell<c_int>>,
    ) {
        let object = Object::got_from(self.coarray, image);
        let source = Source { object: Some(&object), local: local.range() };
        let instance = self.coarray.instance;
        let got = result::finish_array(instance, dst, buffer, dst.base, to_free, &source);
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
        let mut room = StackDescriptor::new();
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
        let mut room = StackDescriptor::new();
        let object = self.coarray.begin(self.follows, true, descriptor, &mut room);
        let statement = Statement::new(values, image);
        self.accessor.put(statement, object, source, Characters::NONE);
        LocalCoarray::end(self.follows);
    }
}

/// Bytes of a source: coindexed variables have no allocatable components (Fortran 2018, 10.2.1.2), so their bytes are
/// all of what is put.
pub const NO_COMPONENTS: usize = 0;
