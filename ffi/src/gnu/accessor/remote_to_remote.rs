//! The slow path of assignments of a coindexed object to a coindexed object: one accessor gets, another one puts.

use super::arguments::MoreOfBetween;
use super::buffer::{self, Memory};
use super::entered;
use super::function::{self, Statement};
use super::local_call::{Arguments, GetOutcome, LocalCall, NO_COMPONENTS};
use super::object::{Object, TransferSize, Use};
use super::remote::request::Characters;
use super::remote::{Call, length};
use super::selector::{Selector, Specifiers};
use super::table;
use super::values::Values;
use crate::gfortran_abi::{Descriptor, FullDescriptor, Outcome, set_ok};
use crate::gnu::token::TokenHandle;
use crate::gnu::version::convention;
use crate::process::{enter, instance};
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_core::Result;

/// The name of the statement in messages.
const OPERATION: &str = "put of a coindexed object";

/// An operand: a coindexed object and its accessor.
struct AccessorOperand<'a> {
    selector: Selector<'a>,
    /// This image's descriptor of the coarray, or null.
    descriptor: *mut Descriptor,
    /// Characters of the object, or null.
    len: *const usize,
    accessor: c_int,
    /// The values of the statement.
    values: Values,
    add_data: *mut c_void,
}

/// What was got: a scalar or an array, and the memory that it is in.
struct Value<'a> {
    /// Where the scalar is; it may be in the object.
    scalar: *mut c_void,
    /// Bytes of the scalar, or of a character.
    size: usize,
    /// The array, if it is one.
    array: Option<FullDescriptor>,
    /// Whether the accessor has allocated it with `malloc`.
    to_free: bool,
    /// Memory of this process that it was sent or copied to.
    _sent: Memory,
    /// The object that it was got from, which it may be in.
    _object: Object<'a>,
}

/// Any such assignment; the arguments of `_gfortran_caf_transfer_between_remotes`.
#[inline(never)]
pub fn assign(
    token: TokenHandle,
    descriptor: *mut Descriptor,
    len: *const usize,
    image: c_int,
    accessor: c_int,
    add_data: *mut c_void,
    more: &MoreOfBetween,
) {
    let [to, from] = Specifiers::of_both(convention(), more.specifiers);
    let target = AccessorOperand {
        selector: Selector { token, image, team: to.team, team_number: to.team_number },
        descriptor,
        len,
        accessor,
        values: Values { start: add_data, len: more.dst_add_data_size },
        add_data,
    };
    let source = AccessorOperand {
        selector: Selector {
            token: more.src_token,
            image: more.src_image.0,
            team: from.team,
            team_number: from.team_number,
        },
        descriptor: more.src_descriptor,
        len: more.src_len,
        accessor: more.src_accessor.0,
        values: Values { start: more.src_add_data, len: more.src_add_data_size },
        add_data: more.src_add_data,
    };
    if more.is_scalar.0
        && target.len.is_null()
        && source.len.is_null()
        && assign_local(&target, &source)
    {
        set_ok(from.stat);
        return set_ok(to.stat);
    }
    let scalar = more.is_scalar.0.then_some(more.src_size);
    let got = Outcome::new(OPERATION, from.stat).deliver(source.get(scalar, target.len));
    if let Some(value) = got {
        Outcome::new(OPERATION, to.stat).deliver(target.put(value, source.len));
    }
}

impl AccessorOperand<'_> {
    /// Gets a scalar of `scalar` bytes, or an array without them. A scalar stays where it is, in the object, or it was
    /// sent from there.
    fn get(&self, scalar: Option<usize>, target_len: *const usize) -> Result<Value<'static>> {
        let _entered = enter();
        let instance = instance();
        let called = table::accessor(instance, self.accessor)?;
        let moved = scalar.map_or(TransferSize::Array, TransferSize::Bytes);
        let object = Object::find(instance, &self.selector, Use::Get, moved)?;
        let size = scalar.unwrap_or(0);
        if object.is_remote() {
            let call = self.call(&object, target_len);
            let (array, mut sent) = match scalar {
                // gfortran 16 passes the bytes of the whole array for an element.
                Some(size) => (None, call.scalar(self.descriptor, size, false)?.0),
                None => {
                    let like = FullDescriptor::empty();
                    let (array, sent) = call.array(self.descriptor, like, false)?;
                    (Some(array), sent)
                }
            };
            let scalar = sent.start();
            return Ok(Value { scalar, size, array, to_free: false, _sent: sent, _object: object });
        }
        let mut made: *mut c_void = ptr::null_mut();
        let mut array = FullDescriptor::empty();
        let buffer: *mut c_void =
            if scalar.is_some() { (&raw mut made).cast() } else { array.exposed().cast() };
        // The getter may set it, and the length of the other side must stay.
        let mut len = length(target_len).unwrap_or(0);
        let len = if target_len.is_null() { ptr::null_mut() } else { &raw mut len };
        let characters = function::Characters { object: self.len, other: len };
        let statement = self.statement();
        let get = |src| entered::called(&object, || called.get(statement, src, buffer, characters));
        let to_free = object.with(self.descriptor, get);
        if scalar.is_none() {
            made = array.header.base;
        }
        if !to_free && !made.is_null() && !object.is_near() {
            match scalar {
                // See above: an element has this many bytes at most.
                Some(size) => entered::read(&object, made, size.min(object.element_size())),
                None => entered::read_copied_array(&object, array.descriptor())?,
            }
        }
        let mut sent = Memory::default();
        if !to_free
            && !made.is_null()
            && let Some(private) = object.private(made, &self.values.range())
        {
            // The put needs it in this process.
            let like = scalar.is_none().then(|| buffer::in_one_piece(array.descriptor()).0);
            let bytes = like.as_ref().map_or_else(
                || size.saturating_mul(length(self.len).unwrap_or(1)),
                FullDescriptor::size,
            );
            sent = Memory::zeroed(bytes)?;
            let own = sent.start();
            if let Some(mut copy) = like {
                copy.header.base = own;
                let place = MemoryRef::Remote(private);
                buffer::copy_from(instance, copy.descriptor(), array.descriptor(), place)?;
                array = copy;
            } else {
                // SAFETY: the memory has as many bytes as the scalar that the accessor has left.
                unsafe { private.get(&instance.image, own.cast(), bytes)? };
                made = own;
            }
        }
        let array = scalar.is_none().then_some(array);
        Ok(Value { scalar: made, size, array, to_free, _sent: sent, _object: object })
    }

    /// Puts what was got.
    fn put(&self, mut value: Value<'_>, source_len: *const usize) -> Result<()> {
        let _entered = enter();
        let instance = instance();
        let called = table::accessor(instance, self.accessor)?;
        let moved =
            TransferSize::Bytes(value.array.as_ref().map_or(value.size, FullDescriptor::size));
        let object = Object::find(instance, &self.selector, Use::Put, moved)?;
        if object.is_remote() {
            let call = self.call(&object, source_len);
            return match &mut value.array {
                None => call.put_scalar(self.descriptor, value.scalar, value.size),
                Some(array) => call.put_array(self.descriptor, array.descriptor()),
            };
        }
        let src: *const c_void = match &mut value.array {
            None => value.scalar,
            Some(array) => array.exposed().cast(),
        };
        let characters = function::Characters { object: self.len, other: source_len.cast_mut() };
        let put = |dst| {
            entered::called(&object, || called.put(self.statement(), dst, src, characters));
        };
        object.with(self.descriptor, put);
        object.put_back()
    }

    /// The call of the accessor on another host.
    fn call<'a>(&self, object: &'a Object<'a>, other_len: *const usize) -> Call<'a> {
        let characters = Characters { object: length(self.len), other: length(other_len) };
        let AccessorOperand { accessor, values, .. } = *self;
        Call { object, accessor, image: self.selector.image, characters, values }
    }

    fn statement(&self) -> Statement<'_> {
        Statement::new(&self.add_data, &self.selector.image)
    }

    fn arguments(&self) -> Arguments<'_> {
        let (values, image) = (&self.add_data, &self.selector.image);
        Arguments { values, image, descriptor: self.descriptor }
    }

    /// The call on an image of this host, without a team.
    #[inline]
    fn local_call(&self) -> Option<LocalCall> {
        let Selector { token, image, .. } = self.selector;
        self.selector.is_plain().then(|| LocalCall::find(token, image, self.accessor))?
    }
}

impl Drop for Value<'_> {
    fn drop(&mut self) {
        if self.to_free {
            let made = self.array.as_ref().map_or(self.scalar, |array| array.header.base);
            // SAFETY: the getter has made it with `malloc`, and it has been put.
            unsafe { libc::free(made) };
        }
    }
}

/// Assigns a scalar without characters between images of this host. False if nothing has been changed.
#[inline]
fn assign_local(target: &AccessorOperand<'_>, source: &AccessorOperand<'_>) -> bool {
    let (Some(from), Some(to)) = (source.local_call(), target.local_call()) else { return false };
    let mut scalar: *mut c_void = ptr::null_mut();
    from.wait();
    let left = match from.get(source.arguments(), &raw mut scalar, NO_COMPONENTS) {
        GetOutcome::All if !scalar.is_null() => None,
        GetOutcome::Elsewhere(left) if left.is_allocated() => Some(left),
        _ => return false,
    };
    to.wait();
    to.put(target.arguments(), scalar);
    if let Some(left) = left {
        left.discard(scalar);
    }
    true
}
