//! The slow path of transfers: decodes both sides, plans, checks and executes the transfer.
//!
//! The arguments from the seventh on are structures, which stay on the stack ([`crate::entry::Slot`]).

use super::assign::{Limits, Resolved, assign, block_of_both, check, check_failed};
use super::dimensions::{self, leaves_line, leaves_object, reaches_next_line};
use super::section::Section;
use crate::entry::{Slot, decode};
use crate::gfortran_abi::{DType, Descriptor, NamedError, Outcome, basic};
use crate::gnu::component::{copies, whole_objects};
use crate::gnu::designator::{self, Designator, Part};
use crate::gnu::team::rank_in_team;
use crate::gnu::token::{Token, rank_of};
use crate::gnu::types::{Subscript, TeamHandle};
use crate::process::{Instance, any_thread, enter};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::races;
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_core::{Error, Image, Result};
use xmp_source::Statement;

/// The arguments of a put from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfSend<'a> {
    pub dst_kind: Slot<c_int>,
    pub src_kind: Slot<c_int>,
    pub may_require_tmp: Slot<bool>,
    pub stat: Option<&'a Cell<c_int>>,
    pub team: Option<&'a TeamHandle>,
}

/// The arguments of a get from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfGet<'a> {
    pub src_kind: Slot<c_int>,
    pub dst_kind: Slot<c_int>,
    pub may_require_tmp: Slot<bool>,
    pub stat: Option<&'a Cell<c_int>>,
}

/// The arguments of a copy between images from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfSendget<'a> {
    pub src_offset: usize,
    pub src_image: Slot<c_int>,
    pub src: &'a Descriptor,
    pub src_subscripts: *const Subscript,
    pub dst_kind: Slot<c_int>,
    pub src_kind: Slot<c_int>,
    pub may_require_tmp: Slot<bool>,
    pub stat: Option<&'a Cell<c_int>>,
}

/// An operand of a transfer, as the compiler passes it.
pub struct TransferOperand<'a> {
    object: Object<'a>,
    descriptor: &'a Descriptor,
    subscripts: *const Subscript,
    kind: c_int,
}

/// The object of which an operand is a part.
enum Object<'a> {
    Local,
    Coindexed {
        token: Option<&'a Token>,
        offset: usize,
        image: c_int,
        team: Option<&'a TeamHandle>,
    },
}

/// The number of suspicions about subscripts in this process that were wrong.
static REFUTED: AtomicU32 = AtomicU32::new(0);

/// After this many of them no section is suspected any more: each costs a look into the program's debugging information.
const MAX_REFUTED: u32 = 8;

impl<'a> TransferOperand<'a> {
    /// A section of a local object.
    pub fn local(descriptor: &'a Descriptor, kind: c_int) -> TransferOperand<'a> {
        TransferOperand { object: Object::Local, descriptor, subscripts: std::ptr::null(), kind }
    }

    /// A section of a coarray on an image of the executing set; its base is at byte `offset` of the coarray.
    pub fn coindexed(
        token: Option<&'a Token>,
        offset: usize,
        image: c_int,
        descriptor: &'a Descriptor,
        subscripts: *const Subscript,
        kind: c_int,
    ) -> TransferOperand<'a> {
        let object = Object::Coindexed { token, offset, image, team: None };
        TransferOperand { object, descriptor, subscripts, kind }
    }

    /// Makes the side one of an image of the team of a `TEAM=` specifier, if there is one.
    fn of_team(mut self, specified: Option<&'a TeamHandle>) -> TransferOperand<'a> {
        if let Object::Coindexed { team, .. } = &mut self.object {
            *team = specified;
        }
        self
    }

    /// Whether the descriptor says that there are no elements. (With subscripts it does not say anything.)
    fn is_empty(&self) -> bool {
        self.subscripts.is_null() && self.descriptor.dims().iter().any(|d| d.extent() == 0)
    }

    /// The place of the base of the section, and the memory that a section of a coarray must stay in.
    // Inlined, because a load of a result that was just stored in memory takes long.
    #[inline(always)]
    fn place(&self, instance: &Instance) -> Result<(MemoryRef, Option<Limits>)> {
        match self.object {
            Object::Local => Ok((MemoryRef::Local(self.descriptor.base.cast()), None)),
            Object::Coindexed { token, offset, image, team } => {
                let block = Token::allocated(token)?.block;
                let rank = match team {
                    None => rank_of(instance, image)?,
                    Some(team) => rank_in_team(team, image, block.offset)?,
                };
                let at = Location { rank, offset: block.offset.wrapping_add(offset as u64) };
                Ok((MemoryRef::of(&instance.image, at), Some(Limits { block, offset, rank })))
            }
        }
    }

    /// The subscripts of a side with vector subscripts.
    fn subscripts(&self) -> &[Subscript] {
        // SAFETY: the contract of entries: null, or one for each dimension.
        unsafe { decode::list(self.subscripts, self.descriptor.dims().len()) }
    }

    /// The side as a section of what is at its place.
    fn resolve(&self, place: MemoryRef, limits: Option<Limits>) -> Result<Resolved> {
        let subscripts = self.subscripts();
        let section = Section::with_subscripts(self.descriptor, subscripts)?;
        dimensions::check(self.descriptor, subscripts, &section)?;
        self.check_lines(&section)?;
        let (dtype, kind) = (self.dtype()?, self.kind);
        Ok(Resolved { place, section, dtype, kind, limits })
    }

    /// Whether a coindexed side without vector subscripts stays in its dimensions, as far as that is known.
    ///
    /// # Errors
    /// The subscript that is out of bounds.
    fn check_lines(&self, section: &Section) -> Result<()> {
        let Object::Coindexed { token, offset, .. } = self.object else { return Ok(()) };
        let token = Token::allocated(token)?;
        if section.is_scalar() || !self.subscripts.is_null() {
            return Ok(());
        }
        let (element, object) = (self.descriptor.dtype.elem_len, token.dtype.elem_len);
        if element < object
            && token.has_elements_of_declared_type()
            && leaves_object(object as i64, offset, section, element as i64)
        {
            return Err(Error::Invalid(
                "a section of an array component leaves its object: a subscript of the component is out of bounds".into(),
            ));
        }
        if element != object {
            return Ok(());
        }
        let is_suspicious = match token.shape.get() {
            Some(shape) => leaves_line(shape, offset, section),
            None => reaches_next_line(section),
        };
        if is_suspicious { self.confirm_subscripts() } else { Ok(()) }
    }

    /// Looks closer at a section that goes on in the next line of its coarray. It is wrong if the statement refers to the
    /// coarray by its own shape: if no dummy argument of the procedures around it can have another one.
    #[cold]
    #[inline(never)]
    fn confirm_subscripts(&self) -> Result<()> {
        // Relaxed: a limit only, for the time that programs with such arguments spend here.
        if REFUTED.load(Ordering::Relaxed) >= MAX_REFUTED {
            return Ok(());
        }
        let reshaped = Statement::of_this_thread().and_then(|statement| statement.may_reshape());
        let fault = match reshaped {
            Some(false) => self.designator().and_then(Designator::into_fault),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(Error::Invalid(fault));
        }
        REFUTED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The text that denotes a coindexed side, if its name is known.
    fn designator(&self) -> Option<Designator> {
        let Object::Coindexed { token, offset, image, .. } = self.object else { return None };
        let section = Section::with_subscripts(self.descriptor, self.subscripts()).ok();
        let len = self.descriptor.dtype.elem_len;
        let part =
            section.as_ref().map_or(Part::Whole, |section| Part::Section { offset, section, len });
        Designator::of(Token::allocated(token).ok()?, Some(image), part)
    }

    /// The type of the elements. Of characters gfortran 12 gives the length 0 where the variable's own length is not
    /// evaluated yet: at the first use of a host's coarray in an internal procedure. The length that was registered is
    /// the right one then: it is 0 where the variable has that length, and substrings of coindexed objects come with
    /// the whole length.
    fn dtype(&self) -> Result<DType> {
        let dtype = self.descriptor.dtype;
        match self.object {
            Object::Coindexed { token, .. }
                if dtype.basic == basic::CHARACTER && dtype.elem_len == 0 =>
            {
                let registered = &Token::allocated(token)?.dtype;
                let same = registered.basic == basic::CHARACTER;
                Ok(if same { DType { elem_len: registered.elem_len, ..dtype } } else { dtype })
            }
            _ => Ok(dtype),
        }
    }
}

/// The slow path of puts; the arguments of `_gfortran_caf_send`.
#[inline(never)]
pub fn send(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    dst: &Descriptor,
    dst_subscripts: *const Subscript,
    src: &Descriptor,
    more: &MoreOfSend<'_>,
) {
    let dst =
        TransferOperand::coindexed(token, offset, image, dst, dst_subscripts, more.dst_kind.0);
    let src = TransferOperand::local(src, more.src_kind.0);
    transfer("put", dst.of_team(more.team), src, more.stat);
}

/// The slow path of gets; the arguments of `_gfortran_caf_get`.
#[inline(never)]
pub fn get(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    src: &Descriptor,
    src_subscripts: *const Subscript,
    dst: &Descriptor,
    more: &MoreOfGet<'_>,
) {
    let src =
        TransferOperand::coindexed(token, offset, image, src, src_subscripts, more.src_kind.0);
    let dst = TransferOperand::local(dst, more.dst_kind.0);
    transfer("get", dst, src, more.stat);
}

/// The slow path of copies between images; the arguments of `_gfortran_caf_sendget`.
#[inline(never)]
pub fn sendget(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    dst: &Descriptor,
    dst_subscripts: *const Subscript,
    src_token: Option<&Token>,
    more: &MoreOfSendget<'_>,
) {
    let MoreOfSendget { src_offset, src_image, src, src_subscripts, dst_kind, src_kind, .. } =
        *more;
    let dst = TransferOperand::coindexed(token, offset, image, dst, dst_subscripts, dst_kind.0);
    let src = TransferOperand::coindexed(
        src_token,
        src_offset,
        src_image.0,
        src,
        src_subscripts,
        src_kind.0,
    );
    transfer("copy", dst, src, more.stat);
}

/// Carries out `dst = src` and delivers the outcome. Overlapping sides are found by the plan itself, so
/// the compiler's hint that there may be some is not needed.
fn transfer(
    operation: &'static str,
    dst: TransferOperand<'_>,
    src: TransferOperand<'_>,
    stat: Option<&Cell<c_int>>,
) {
    let attempt = || -> Result<()> {
        let instance = any_thread();
        let (to, dst_bounds) = dst.place(instance)?;
        let (from, src_bounds) = src.place(instance)?;
        // Loads and stores need nothing that other threads change.
        let by_stores = matches!((to, from), (MemoryRef::Local(_), MemoryRef::Local(_)))
            && !copies::may_have_components(&dst.descriptor.dtype);
        let looks_for_races = instance.image.races().is_some();
        let _entered = (!by_stores || looks_for_races).then(enter);
        let src_rank = src_bounds.as_ref().map(|bounds| bounds.rank);
        // The data of a failed image are lost. A put there does no harm, and gfortran 12 to 14 drop its `stat=`:
        // it is an error only where the program can handle it.
        check_failed(instance, &src_bounds)?;
        if stat.is_some() {
            check_failed(instance, &dst_bounds)?;
        }
        // The object was copied byte by byte, and gets components of its own.
        let separate = || match (&dst.object, src_rank) {
            (Object::Local, Some(rank)) => {
                if let Object::Coindexed { token, .. } = src.object {
                    whole_objects::enter(instance, token, rank, dst.descriptor);
                }
                copies::leave_to_array(&instance.image, rank, dst.descriptor)
            }
            _ => Ok(()),
        };
        if let Some(len) = one_block(&dst, &src).filter(|_| !is_remote(to) || !is_remote(from)) {
            let touched = 0..len as i64;
            check(&dst_bounds, touched.clone())?;
            check(&src_bounds, touched)?;
            let block = |place| races::AccessedElements::block(place, len);
            races::transfer(&instance.image, block(to), block(from));
            // SAFETY: the invariant of descriptors for local sides, and the checks for coarrays.
            unsafe { copy_one_block(&instance.image, to, from, len)? };
            return separate();
        }
        // If one side is empty, the subscripts that the compiler passes for the other one are undefined.
        let has_subscripts = !dst.subscripts.is_null() || !src.subscripts.is_null();
        if has_subscripts && (dst.is_empty() || src.is_empty()) {
            return Ok(());
        }
        let resolved = dst.resolve(to, dst_bounds)?;
        if instance.image.settings().check.calls {
            dimensions::check_distinct(dst.subscripts())?;
        }
        assign(instance, &resolved, &src.resolve(from, src_bounds)?)?;
        separate()
    };
    let outcome = Outcome::new(operation, stat);
    outcome.deliver_named(attempt(), |error| named(operation, &dst, &src, error));
}

fn is_remote(place: MemoryRef) -> bool {
    matches!(place, MemoryRef::Remote(_))
}

/// Copies `len` bytes; one side at least is not remote.
///
/// # Safety
/// The bytes of both sides belong to objects, without conflicting access meanwhile.
unsafe fn copy_one_block(image: &Image, to: MemoryRef, from: MemoryRef, len: usize) -> Result<()> {
    // SAFETY: both sides are such bytes (contract of this function).
    unsafe {
        match (to, from) {
            (MemoryRef::Local(to), MemoryRef::Local(from)) => copy_block(to, from, len),
            _ if len == 0 => {}
            (MemoryRef::Remote(to), MemoryRef::Local(from)) => to.put(image, from, len)?,
            (MemoryRef::Local(to), MemoryRef::Remote(from)) => from.get(image, to, len)?,
            (MemoryRef::Remote(_), MemoryRef::Remote(_)) => unreachable!("one side is not remote"),
        }
    }
    Ok(())
}

/// An error of `dst = src` with the names of the coindexed sides, where they are known.
#[cold]
fn named(
    operation: &str,
    dst: &TransferOperand<'_>,
    src: &TransferOperand<'_>,
    error: &Error,
) -> NamedError {
    let is_unallocated = |side: &TransferOperand<'_>| match side.object {
        Object::Coindexed { token, .. } => token.is_none(),
        Object::Local => false,
    };
    match (is_unallocated(dst), is_unallocated(src), operation) {
        (true, _, "put") => return designator::unallocated("put to", error),
        (_, true, "get") => return designator::unallocated("get from", error),
        (true, ..) | (_, true, _) => return designator::unallocated("copy of", error),
        _ => {}
    }
    let sides = [dst, src].map(TransferOperand::designator);
    let explain = |designator: &Designator| designator.explain(error);
    let explained = sides.iter().flatten().map(explain).find(|explained| explained != error);
    let operation = operation_on(operation, sides);
    NamedError { operation, error: explained.unwrap_or_else(|| error.clone()) }
}

/// The operation with the names of its sides.
fn operation_on(operation: &str, sides: [Option<Designator>; 2]) -> String {
    match sides {
        [Some(dst), Some(src)] => format!("copy of {src} to {dst}"),
        [Some(dst), None] => format!("put to {dst}"),
        [None, Some(src)] => format!("get from {src}"),
        [None, None] => operation.into(),
    }
}

/// The length of both sides in bytes, if they have the same elements and shape and each is in one piece: then
/// there is nothing to plan.
fn one_block(dst: &TransferOperand<'_>, src: &TransferOperand<'_>) -> Option<usize> {
    if dst.kind != src.kind || !dst.subscripts.is_null() || !src.subscripts.is_null() {
        return None;
    }
    // It may not be the true one: see `TransferOperand::dtype`.
    if src.descriptor.dtype.elem_len == 0 {
        return None;
    }
    block_of_both(dst.descriptor, src.descriptor)
}
