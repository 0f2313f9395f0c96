//! The common case, in few steps: no characters, no team, an image of this host and of the current team, and no image has
//! ended. What is said here about the object is the same as in [`super::object`]; whatever is not of this kind has not been
//! touched, and is left to the general way.

use super::buffer::is_packed;
use super::near::Near;
use super::result::{self, Lengths, Source};
use super::{NO_OFFSET, given, table};
use crate::gfortran_abi::{DType, Descriptor, Outcome};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::token::{Access, Token, TokenHandle};
use crate::process::{Instance, current};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
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
///
/// # Safety
/// It is null, a coarray's, or one of [`given::token_of`] that is still good.
#[inline(always)]
pub unsafe fn coarray(token: TokenHandle) -> Option<&'static Token> {
    if given::is_token(token) {
        return None;
    }
    // SAFETY: the caller's guarantee.
    unsafe { token.cast::<Token>().as_ref() }
}

/// An accessor and the object that it is to be called for, where nothing has to be looked at more closely.
#[derive(Clone, Copy)]
pub struct Direct {
    near: Near<'static>,
    accessor: table::Accessor,
    /// Whether it may follow pointers.
    follows: bool,
    /// Whether the coarray may have components.
    has_components: bool,
}

/// What the compiler passes for the accessor, which gets the addresses of these two. By address here, too: nothing else has
/// to keep them while it runs.
#[derive(Clone, Copy)]
pub struct Given {
    /// The values of the statement.
    pub values: *const *mut c_void,
    /// The image index.
    pub image: *const c_int,
    /// This image's descriptor of the object, or null.
    pub descriptor: *mut Descriptor,
}

/// What is left to do of a get.
pub enum Got {
    /// Nothing.
    All,
    /// [`finish`].
    Elsewhere {
        /// The variable that the compiler has made.
        own: *mut c_void,
        /// Whether what the accessor has left is to be freed.
        to_free: bool,
    },
}

/// What an accessor is given of this process's memory besides: start and bytes.
#[derive(Clone, Copy)]
pub struct Local(pub *const c_void, pub usize);

impl Local {
    /// Its addresses.
    pub fn range(self) -> Range<usize> {
        self.0.addr()..self.0.addr().saturating_add(self.1)
    }
}

// What is passed to the parts that are no part of their callers goes by value: a reference would have it all stored
// for every transfer.
impl Direct {
    /// The accessor with this number for the coarray on this image of the current team; `None` if the general way has to find
    /// it, or what is wrong.
    ///
    /// # Safety
    /// The compiler made the arguments. It is not used when the statement has ended.
    #[inline(always)]
    pub unsafe fn find(token: TokenHandle, image: c_int, accessor: c_int) -> Option<Direct> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let token = coarray(token).filter(|token| token.access != Access::Never)?;
            // Who has registered the token has needed the instance, which is never taken away.
            let instance = current().unwrap_unchecked();
            let segment = match instance.image.stack().segment_of_index(image) {
                Some(segment) => segment,
                None => segment_of(instance, image)?,
            };
            let near = Near { instance, token, segment };
            Direct::of(near, near.follows(), token.access != Access::Plain, accessor)
        }
    }

    /// As [`Direct::find`] for a token of a coarray. `follows` says whether pointers may be followed; nobody is waited for.
    #[inline(always)]
    pub fn find_quickly(
        follows: bool,
        token: &'static Token,
        image: c_int,
        accessor: c_int,
    ) -> Option<Direct> {
        // SAFETY: who has registered the token has needed the instance, which is never taken away.
        let instance = unsafe { current().unwrap_unchecked() };
        if follows && instance.image.threads().is_shared() {
            return None;
        }
        let segment = instance.image.stack().segment_of_index(image)?;
        Direct::of(Near { instance, token, segment }, follows, follows, accessor)
    }

    #[inline(always)]
    fn of(
        near: Near<'static>,
        follows: bool,
        has_components: bool,
        accessor: c_int,
    ) -> Option<Direct> {
        if !near.instance.image.all_running() {
            return None;
        }
        let accessor = table::find(near.instance, accessor)?;
        Some(Direct { near, accessor, follows, has_components })
    }

    /// Waits as [`Near::wait`] does: comes before what calls the accessor, unless it was found quickly.
    #[inline(always)]
    pub fn wait(&self) {
        self.near.wait();
    }

    /// Gets a scalar of `size` bytes, without characters: as [`super::result::scalar`].
    ///
    /// # Safety
    /// The arguments are those of such a get.
    #[inline(always)]
    pub unsafe fn get(&self, given: Given, place: *mut *mut c_void, size: usize) -> Got {
        let mut to_free = 0;
        // SAFETY: the caller's guarantee.
        unsafe {
            let own = *place;
            self.call_getter(given, place.cast(), &mut to_free);
            let made = *place;
            if to_free == 0 {
                // It stays where it is, in any segment or in this process, but not an object with components: that is longer
                // than an address of one. Without components accessors come nowhere else.
                if !self.has_components
                    || size <= size_of::<usize>() && region::may_contain(made.addr())
                {
                    return Got::All;
                }
                if made == own {
                    return Got::All;
                }
            }
            Got::Elsewhere { own, to_free: to_free != 0 }
        }
    }

    /// Gets an array whose shape is known: as [`super::result::array`].
    ///
    /// # Safety
    /// The arguments are those of such a get.
    #[inline(never)]
    pub unsafe fn get_array(
        self,
        given: Given,
        dst: &mut Descriptor,
        local: Local,
        stat: Option<&Cell<c_int>>,
    ) {
        // SAFETY: the caller's guarantee.
        let object = self.near.object(unsafe { *given.image });
        let local = local.range();
        let source = Source { object: Some(&object), local };
        // SAFETY: the caller's guarantee.
        unsafe {
            let get = |buffer| {
                let mut to_free = 0;
                self.call_getter(given, buffer, &mut to_free);
                to_free != 0
            };
            let got = result::array(self.near.instance, dst, false, &source, get);
            Outcome::new("get", stat).deliver(got);
        }
    }

    /// Gets an array of any shape, which the accessor allocates.
    ///
    /// # Safety
    /// The arguments are those of such a get.
    #[inline(always)]
    pub unsafe fn get_allocated(&self, given: Given, dst: *mut Descriptor) {
        // SAFETY: the caller's guarantee.
        unsafe { self.call_getter(given, dst.cast(), &mut 0) };
    }

    /// # Safety
    /// The arguments are those of a get, and `buffer` is what the accessor expects.
    #[inline(always)]
    unsafe fn call_getter(&self, given: Given, buffer: *mut c_void, to_free: &mut i32) {
        let Given { values, image, descriptor } = given;
        let (none, no_length) = (ptr::null_mut(), ptr::null());
        // SAFETY: the caller's guarantee.
        unsafe {
            let getter = table::as_getter(self.accessor);
            let seen = self.near.begin(self.follows, false, descriptor);
            let token = given::token_of(&*values);
            getter(*values, image, buffer, to_free, seen.object, token, NO_OFFSET, none, no_length);
            Near::end(seen);
        }
    }

    /// Whether the accessor needs a copy of this array: it is part of the image that it is to be put to, so that the sides
    /// may overlap, or it is not [as accessors take it](is_packed).
    ///
    /// # Safety
    /// The compiler made it.
    #[inline(always)]
    pub unsafe fn wants_copy(&self, source: *const Descriptor) -> bool {
        // SAFETY: the caller's guarantee.
        unsafe {
            source.as_ref().is_some_and(|array| self.near.has(array.base) || !is_packed(array))
        }
    }

    /// Puts a scalar, or the array of a descriptor that does not overlap, without characters.
    ///
    /// # Safety
    /// The arguments are those of such a put.
    #[inline(always)]
    pub unsafe fn put(&self, given: Given, source: *const c_void) {
        let Given { values, image, descriptor } = given;
        // SAFETY: the caller's guarantee.
        unsafe {
            let putter = table::as_putter(self.accessor);
            let seen = self.near.begin(self.follows, true, descriptor);
            let token = given::token_of(&*values);
            putter(*values, image, seen.object, source, token, NO_OFFSET, ptr::null(), ptr::null());
            Near::end(seen);
        }
    }
}

/// Ends the get of a scalar of so many bytes from the image with this index. `local` is what the accessor was given of this
/// process's.
///
/// # Safety
/// As [`Direct::get`], which left it so; `stat` is null or valid.
#[cold]
#[inline(never)]
pub unsafe fn finish(
    (token, image): (&'static Token, c_int),
    place: *mut *mut c_void,
    (own, to_free): (*mut c_void, bool),
    element: usize,
    local: Local,
    stat: Option<&Cell<c_int>>,
) {
    // SAFETY: the token was found with an instance.
    let instance = unsafe { current().unwrap_unchecked() };
    let segment = match instance.image.stack().segment_of_index(image) {
        Some(segment) => segment,
        None => segment_of(instance, image).expect("the accessor was called for it"),
    };
    let object = Near { instance, token, segment }.object(image);
    let source = Source { object: Some(&object), local: local.range() };
    let lengths = Lengths { element, characters: ptr::null() };
    // SAFETY: the caller's guarantee.
    unsafe {
        let got = result::finish(place, own, to_free, lengths, &instance.image, &source);
        Outcome::new("get", stat).deliver(got);
    }
}

/// Copies a scalar of so many bytes that an accessor has allocated to where the compiler wants it.
///
/// # Safety
/// As [`Direct::get`] of a coarray without components, which left it so; `stat` is null or valid.
#[cold]
#[inline(never)]
pub unsafe fn finish_plain(
    place: *mut *mut c_void,
    own: *mut c_void,
    element: usize,
    stat: Option<&Cell<c_int>>,
) {
    // SAFETY: as above.
    unsafe {
        let image = &current().unwrap_unchecked().image;
        let source = Source { object: None, local: 0..0 };
        let lengths = Lengths { element, characters: ptr::null() };
        let got = result::finish(place, own, true, lengths, image, &source);
        Outcome::new("get", stat).deliver(got);
    }
}

/// The segment of an image of this host, in a team that is no formula or where there are several hosts.
#[inline(never)]
fn segment_of(instance: &Instance, image: c_int) -> Option<*mut u8> {
    instance.image.near(instance.image.stack().rank_of_index(image)?, 0)
}

/// Where the scalar is that the source of an assignment between images gives: in a segment, or in this process. Null if it is
/// not so quickly found, or is memory to be freed; nothing has changed then.
///
/// # Safety
/// The compiler made the arguments, for a scalar without characters of the current team.
#[inline(never)]
pub unsafe fn scalar(
    token: TokenHandle,
    accessor: c_int,
    values: *mut c_void,
    image: c_int,
    descriptor: *mut Descriptor,
) -> *mut c_void {
    let mut place: *mut c_void = ptr::null_mut();
    // SAFETY: the caller's guarantee; what was made with `malloc` is given back.
    unsafe {
        let Some((token, follows)) = quickly(token) else { return place };
        let Some(from) = Direct::find_quickly(follows, token, image, accessor) else {
            return place;
        };
        let given = Given { values: &raw const values, image: &raw const image, descriptor };
        match from.get(given, &raw mut place, NO_COMPONENTS) {
            Got::All => place,
            Got::Elsewhere { to_free, .. } => {
                if to_free {
                    libc::free(place);
                }
                ptr::null_mut()
            }
        }
    }
}

/// Bytes of a source: coindexed variables have no allocatable components (Fortran 2018, 10.2.1.2), so their bytes are all of
/// what is put.
pub const NO_COMPONENTS: usize = 0;

/// The coarray of a token for whose accessors nobody is waited for, and whether they may follow pointers.
///
/// # Safety
/// As [`access_of`].
#[inline(always)]
pub unsafe fn quickly(token: TokenHandle) -> Option<(&'static Token, bool)> {
    // SAFETY: the caller's guarantee.
    let token = unsafe { coarray(token)? };
    match token.access {
        Access::Plain => Some((token, false)),
        Access::Following => Some((token, true)),
        Access::Awaiting | Access::Never => None,
    }
}
