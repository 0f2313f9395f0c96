//! The general transfer: two sides, decoded, planned, checked, carried out.

use super::assign::{Limits, Resolved, assign, check, check_failed};
use super::section::Section;
use super::{MoreOfGet, MoreOfSend};
use crate::gnu::component::copies::{self, Copies};
use crate::gnu::status::Outcome;
use crate::gnu::team::rank_in_team;
use crate::gnu::token::{Token, TokenHandle, rank_of};
use crate::gnu::types::{DType, Descriptor, Subscript, TeamHandle, basic};
use crate::process::{Instance, any_thread, enter};
use std::ffi::c_int;
use xmp_coarray::Location;
use xmp_coarray::plan::copy_block;
use xmp_coarray::transfer::Place;
use xmp_core::Result;

/// One side of a transfer, as the compiler passes it.
pub struct Side<'a> {
    object: Object,
    descriptor: &'a Descriptor,
    subscripts: *const Subscript,
    kind: c_int,
}

/// What a side is part of.
enum Object {
    Local,
    Coindexed { token: TokenHandle, offset: usize, image: c_int, team: *const TeamHandle },
}

impl<'a> Side<'a> {
    /// A section of a local object.
    pub fn local(descriptor: &'a Descriptor, kind: c_int) -> Side<'a> {
        Side { object: Object::Local, descriptor, subscripts: std::ptr::null(), kind }
    }

    /// A section of a coarray on an image of the executing set; its base is at byte `offset` of the coarray.
    pub fn coindexed(
        token: TokenHandle,
        offset: usize,
        image: c_int,
        descriptor: &'a Descriptor,
        subscripts: *const Subscript,
        kind: c_int,
    ) -> Side<'a> {
        let team = std::ptr::null();
        let object = Object::Coindexed { token, offset, image, team };
        Side { object, descriptor, subscripts, kind }
    }

    /// The same, on an image of the team of a `TEAM=` specifier, if that is not null.
    fn of_team(mut self, specified: *const TeamHandle) -> Side<'a> {
        if let Object::Coindexed { team, .. } = &mut self.object {
            *team = specified;
        }
        self
    }

    /// Whether the descriptor says that there are no elements. (With subscripts it does not say anything.)
    ///
    /// # Safety
    /// The compiler made the side.
    unsafe fn is_empty(&self) -> bool {
        // SAFETY: the caller's guarantee.
        self.subscripts.is_null()
            && unsafe { self.descriptor.dims() }.iter().any(|d| d.extent() == 0)
    }

    /// Where the base of the section is, and for a coarray what it must stay in.
    ///
    /// # Safety
    /// The compiler made the side.
    unsafe fn place(&self, instance: &Instance) -> Result<(Place, Option<Limits>)> {
        match self.object {
            Object::Local => Ok((Place::Near(self.descriptor.base.cast()), None)),
            Object::Coindexed { token, offset, image, team } => {
                // SAFETY: the caller's guarantee.
                let block = unsafe { Token::of(token)?.block };
                let rank = match team.is_null() {
                    true => rank_of(instance, image)?,
                    // SAFETY: the caller's guarantee.
                    false => unsafe { rank_in_team(team, image, block.offset)? },
                };
                let at = Location { rank, offset: block.offset.wrapping_add(offset as u64) };
                Ok((Place::of(&instance.image, at), Some(Limits { block, offset, rank })))
            }
        }
    }

    /// The side as a section of what is at its place.
    ///
    /// # Safety
    /// The compiler made the side.
    unsafe fn resolve(&self, place: Place, limits: Option<Limits>) -> Result<Resolved> {
        // SAFETY: the caller's guarantee.
        let section = unsafe { Section::decode(self.descriptor, self.subscripts)? };
        // SAFETY: as above.
        let (dtype, kind) = (unsafe { self.dtype()? }, self.kind);
        Ok(Resolved { place, section, dtype, kind, limits })
    }

    /// The type of the elements. Of characters gfortran 12 gives the length 0 where the variable's own length is not evaluated
    /// yet: at the first use of a host's coarray in an internal procedure. The length that was registered is the right one then:
    /// it is 0 where the variable has that length, and substrings of coindexed objects come with the whole length.
    ///
    /// # Safety
    /// The compiler made the side.
    unsafe fn dtype(&self) -> Result<DType> {
        let dtype = self.descriptor.dtype;
        match self.object {
            Object::Coindexed { token, .. }
                if dtype.basic == basic::CHARACTER && dtype.elem_len == 0 =>
            {
                // SAFETY: the caller's guarantee.
                let registered = unsafe { &Token::of(token)?.dtype };
                let same = registered.basic == basic::CHARACTER;
                Ok(if same { DType { elem_len: registered.elem_len, ..dtype } } else { dtype })
            }
            _ => Ok(dtype),
        }
    }
}

/// Any put; the arguments of `_gfortran_caf_send`.
///
/// # Safety
/// As there.
#[inline(never)]
pub unsafe fn general_send(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    dst: &Descriptor,
    dst_subscripts: *const Subscript,
    src: &Descriptor,
    more: &MoreOfSend,
) {
    let dst = Side::coindexed(token, offset, image, dst, dst_subscripts, more.dst_kind.0);
    let src = Side::local(src, more.src_kind.0);
    // SAFETY: the caller's guarantee.
    unsafe { transfer("put", dst.of_team(more.team), src, more.stat) };
}

/// Any get; the arguments of `_gfortran_caf_get`.
///
/// # Safety
/// As there.
#[inline(never)]
pub unsafe fn general_get(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    src: &Descriptor,
    src_subscripts: *const Subscript,
    dst: &Descriptor,
    more: &MoreOfGet,
) {
    let src = Side::coindexed(token, offset, image, src, src_subscripts, more.src_kind.0);
    let dst = Side::local(dst, more.dst_kind.0);
    // SAFETY: the caller's guarantee.
    unsafe { transfer("get", dst, src, more.stat) };
}

/// Any copy between images; the arguments of `_gfortran_caf_sendget`.
///
/// # Safety
/// As there.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the ABI")]
pub unsafe fn general_sendget(
    dst_token: TokenHandle,
    dst_offset: usize,
    dst_image: c_int,
    dst: &Descriptor,
    dst_subscripts: *const Subscript,
    src_token: TokenHandle,
    src_offset: usize,
    src_image: c_int,
    src: &Descriptor,
    src_subscripts: *const Subscript,
    dst_kind: c_int,
    src_kind: c_int,
    _may_require_tmp: bool,
    stat: *mut c_int,
) {
    let dst = Side::coindexed(dst_token, dst_offset, dst_image, dst, dst_subscripts, dst_kind);
    let src = Side::coindexed(src_token, src_offset, src_image, src, src_subscripts, src_kind);
    // SAFETY: the caller's guarantee.
    unsafe { transfer("put of a coindexed object", dst, src, stat) };
}

/// Carries out `dst = src` and delivers the outcome. Overlapping sides are found by the plan itself, so
/// the compiler's hint that there may be some is not needed.
///
/// # Safety
/// The compiler made both sides; `stat` is null or valid.
unsafe fn transfer(operation: &'static str, dst: Side<'_>, src: Side<'_>, stat: *mut c_int) {
    let attempt = || -> Result<()> {
        let instance = any_thread();
        // SAFETY: the caller's guarantee; what the plan touches is checked before it is carried out.
        unsafe {
            let (to, dst_bounds) = dst.place(instance)?;
            let (from, src_bounds) = src.place(instance)?;
            // Loads and stores need nothing that other threads change.
            let by_stores = matches!((to, from), (Place::Near(_), Place::Near(_)))
                && !copies::may_have_components(&dst.descriptor.dtype);
            let _entered = (!by_stores).then(enter);
            let src_rank = src_bounds.as_ref().map(|bounds| bounds.rank);
            // What a failed image has is lost. A put there does no harm, and gfortran 12 to 14 drop its `stat=`:
            // it is an error only where the program can be told.
            check_failed(instance, &src_bounds)?;
            if !stat.is_null() {
                check_failed(instance, &dst_bounds)?;
            }
            // What was got, byte by byte, gets components of its own.
            let separate = || match (&dst.object, src_rank) {
                (Object::Local, Some(rank)) => {
                    copies::of_array(&instance.image, rank, dst.descriptor).map(Copies::leave)
                }
                _ => Ok(()),
            };
            if let (Place::Near(to), Place::Near(from), Some(len)) =
                (to, from, one_block(&dst, &src))
            {
                check(&dst_bounds, 0..len)?;
                check(&src_bounds, 0..len)?;
                copy_block(to, from, len as usize);
                return separate();
            }
            // What the compiler passes as subscripts of the other side is undefined if a side is empty.
            if dst.is_empty() || src.is_empty() {
                return Ok(());
            }
            let resolved = dst.resolve(to, dst_bounds)?;
            assign(instance, &resolved, &src.resolve(from, src_bounds)?)?;
            separate()
        }
    };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new(operation, stat).deliver(attempt()) };
}

/// The length of both sides in bytes, if they have the same elements and shape and each lies in one piece: then
/// there is nothing to plan.
///
/// # Safety
/// The compiler made both sides.
unsafe fn one_block(dst: &Side<'_>, src: &Side<'_>) -> Option<i64> {
    if dst.kind != src.kind || !dst.subscripts.is_null() || !src.subscripts.is_null() {
        return None;
    }
    // It may not be the true one: see `Side::dtype`.
    if src.descriptor.dtype.elem_len == 0 {
        return None;
    }
    // SAFETY: the caller's guarantee.
    unsafe { block_of_both(dst.descriptor, src.descriptor) }
}

/// The length of two arrays in bytes, if they have the same elements and shape and each lies in one piece.
///
/// # Safety
/// They are descriptors of arrays.
pub unsafe fn block_of_both(dst: &Descriptor, src: &Descriptor) -> Option<i64> {
    let (d, s) = (&dst.dtype, &src.dtype);
    if d.basic != s.basic || d.elem_len != s.elem_len {
        return None;
    }
    // SAFETY: the caller's guarantee.
    let (to, from) = unsafe { (dst.dims(), src.dims()) };
    let (to_unit, from_unit) = (dst.unit(), src.unit());
    let mut len = i64::try_from(d.elem_len).ok()?;
    if to.len() != from.len() {
        return None;
    }
    for (to, from) in to.iter().zip(from) {
        let extent = to.extent();
        let next = |stride: isize, unit: i64| (stride as i64).checked_mul(unit) == Some(len);
        let together = next(to.stride, to_unit) && next(from.stride, from_unit);
        if extent != from.extent() || extent != 1 && !together {
            return None;
        }
        len = len.checked_mul(i64::try_from(extent).ok()?)?;
    }
    Some(len)
}
