//! Signatures of collective calls. The images of one host always compare them.
//!
//! A number of the call travels in the words that announce an epoch or a ring exchange, so that comparing costs no transfer. The
//! whole call is in a *description*, a cache line of each member that others read only when the numbers differ. A ring exchange has
//! no description; there the number itself tells the call ([`RingCall`]).

mod ring_call;

pub use crate::kind::Kind;
pub use ring_call::{IN_RING, RingCall};

use crate::array_shape::ArrayShape;
use crate::call::Call;
use crate::flows;
use crate::kind::BY_PROGRAM;
use crate::moved;
use crate::reduction::{Number, Op, Reduction};
use xmp_core::coll_area::{CollArea, Comparison, DESCRIPTION, Direction, Flow};
use xmp_core::number::ElemType;
use xmp_core::{BoxedResult, Error, Image, Rank};

/// Beside the bytes of an element in the place of a type's code: the elements are characters.
const CHARACTERS: u32 = 1 << 31;
/// Added to the code of a type: the elements are complex numbers.
const COMPLEX: u32 = 1 << 31 | 1 << 23;

/// The call of an image: the arguments that all images give alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// A [`Kind`], and the reduction.
    kind: u8,
    /// For reductions the type of the elements, or the number of the program's operation; otherwise that of [`moved`].
    code: u32,
    count: u64,
    /// Bytes of an element.
    element: u64,
    /// The position of the root among those that compare, from 1; 0 if there is none.
    root: u32,
    shape: ArrayShape,
}

impl Signature {
    /// A call with `count` elements of `element` bytes.
    #[inline]
    pub fn of(kind: Kind, count: usize, element: usize) -> Signature {
        let (count, element) = (count as u64, element as u64);
        Signature { kind: kind as u8, code: 0, count, element, root: 0, shape: ArrayShape::NONE }
    }

    /// A call with `len` bytes.
    #[inline]
    pub fn of_bytes(kind: Kind, len: usize) -> Signature {
        Signature::of(kind, len, 1)
    }

    /// A call with parts whose lengths images need not agree on.
    #[inline]
    pub fn of_any_parts(kind: Kind) -> Signature {
        Signature::of_bytes(kind, 0)
    }

    /// The call with elements of this type, which it moves.
    #[inline]
    #[must_use]
    pub fn moving(self, element: ElemType) -> Signature {
        Signature { code: moved::code(element), ..self }
    }

    /// The call with an array of this shape.
    #[inline(always)]
    #[must_use]
    pub fn of_shape(self, shape: ArrayShape) -> Signature {
        Signature { shape, ..self }
    }

    /// The call with parts whose lengths have this hash.
    #[must_use]
    pub fn of_parts(self, lengths: u32) -> Signature {
        Signature { code: lengths | 1 << 31, ..self }
    }

    /// A call with `count` elements that are combined.
    pub fn combined(kind: Kind, count: usize, reduction: &Reduction<'_>) -> Signature {
        let (op, code) = code_of(reduction);
        let call = Signature::of(kind, count, reduction.element());
        Signature { kind: call.kind | op, code, shape: reduction.shape(), ..call }
    }

    /// A reduction of `count` numbers.
    #[inline(always)]
    pub fn of_numbers<T: Number>(op: Op, count: usize) -> Signature {
        let (kind, code) = (op as u8, const { code(T::NAME) });
        Signature { kind, code, ..Signature::of(Kind::Reduction, count, size_of::<T>()) }
    }

    /// The call with this 0-based position as root, if there is one.
    #[inline]
    #[must_use]
    pub fn root(self, position: Option<usize>) -> Signature {
        Signature { root: position.map_or(0, |position| position as u32 + 1), ..self }
    }

    /// The position of the root, if there is one.
    pub(crate) fn root_position(&self) -> Option<usize> {
        (self.root as usize).checked_sub(1)
    }

    /// The flow of the operation if it has a root.
    pub(crate) fn flow(&self) -> Option<Flow> {
        let root = self.root_position()?;
        let from_root = [Kind::Broadcast, Kind::BroadcastOfNothing, Kind::Scatter, Kind::Scatterv];
        let is_from_root = from_root.iter().any(|&kind| kind as u8 == self.kind);
        let direction = if is_from_root { Direction::FromRoot } else { Direction::ToRoot };
        Some(Flow::new(direction, root))
    }

    /// The number of its kind, with the reduction.
    pub(crate) fn kind_number(&self) -> u8 {
        self.kind
    }

    /// Tells whether the call combines elements; otherwise it moves bytes.
    pub fn combines(&self) -> bool {
        self.kind < Kind::Broadcast as u8
    }

    /// Two numbers of bytes that such calls move, in one unit, with its word in the singular.
    pub fn in_one_unit(&self, bytes: [u64; 2]) -> ([u64; 2], &'static str) {
        moved::in_one_unit([self.code; 2], bytes)
    }

    /// Tells whether the program has the operation.
    fn is_by_program(&self) -> bool {
        self.combines() && self.kind & BY_PROGRAM == BY_PROGRAM
    }

    /// The call without its number of elements, as three words.
    #[inline(always)]
    fn terms(&self) -> [u64; 3] {
        let root = u64::from(self.root) << 32;
        let element = self.element << 8 | u64::from(self.kind);
        [root | u64::from(self.code), element, self.shape.word()]
    }

    /// A number of the call for barriers: a hash.
    #[inline(always)]
    pub fn number(&self) -> u32 {
        let [one, other, shape] = self.terms();
        hash([self.count, one, other, shape]) & (u32::MAX >> 1) | 1
    }

    /// A short form for messages between hosts; never 0.
    pub fn short(&self) -> u64 {
        let [one, other, shape] = self.terms();
        // The number of elements apart, so that messages can name it.
        self.count << 32 | u64::from(hash([0, one, other, shape]) | 1)
    }

    /// The numbers of elements of two calls in short form that differ in nothing else; `None` for others.
    pub fn counts_that_differ(own: u64, theirs: u64) -> Option<[u64; 2]> {
        (own as u32 == theirs as u32).then_some([own >> 32, theirs >> 32])
    }

    /// Executes the barrier of an area, with which the members compare what they call.
    ///
    /// # Errors
    /// Those of [`CollArea::barrier_of`]; when the members do not call the same, the same error on all of them.
    #[inline(always)]
    pub fn barrier(&self, image: &Image, area: &CollArea) -> BoxedResult<()> {
        let description = Description::new(area.epoch() + 1, self);
        // SAFETY: the place of this member's description in the coming epoch: 8-aligned, longer than this.
        unsafe { area.description().cast::<Description>().write(description) };
        match area.barrier_of(image, self.number()) {
            Ok(Comparison::Same) => Ok(()),
            Ok(Comparison::CallsDiffer) => Err(first_that_differs(image, area).into()),
            Ok(Comparison::FlowsDiffer) => Err(flows::difference(image, area).into()),
            Err(error) => Err(error),
        }
    }

    /// The call with its names.
    fn call(&self) -> Call {
        let kind = Kind::ALL.into_iter().find(|&kind| kind as u8 == self.kind & !BY_PROGRAM);
        let name = kind.map_or("another statement", |kind| kind.name(self.root != 0));
        // The names of other types say how long an element is.
        let is_named = !self.is_by_program() && self.code & COMPLEX != CHARACTERS;
        let element = match (self.combines(), is_named) {
            (true, true) => 0,
            (true, false) => self.element as usize,
            (false, _) => 1,
        };
        let call = Call::of(name).elements(self.count as usize, element);
        let call = if self.combines() {
            call.reduction(&self.reduction())
        } else {
            call.moving(self.code)
        };
        let call = if self.is_by_program() { call.by_procedure(self.code) } else { call };
        let call = call.of_shape(self.shape);
        if self.root == 0 { call } else { call.root(self.root as usize - 1) }
    }

    /// The reduction, such as `sum of f64`.
    fn reduction(&self) -> String {
        let known = |op: &Op| *op as u8 == self.kind & BY_PROGRAM;
        let Some(op) = [Op::Sum, Op::Min, Op::Max].into_iter().find(known) else {
            return "program's operation".into();
        };
        let (complex, code) = match self.code & COMPLEX {
            COMPLEX => ("complex ", self.code & !COMPLEX),
            CHARACTERS => return format!("{} of characters", op.name()),
            _ => ("", self.code),
        };
        let name = code.to_le_bytes();
        let name = String::from_utf8_lossy(&name);
        format!("{} of {complex}{}", op.name(), name.trim_end_matches('\0'))
    }
}

/// The call of a member in an epoch. The last word names the epoch.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    _unused: [u64; DESCRIPTION / size_of::<u64>() - 5],
    count: u64,
    terms: [u64; 3],
    /// The number of the epoch, and [`SIGNATURE`].
    tag: u64,
}

/// Marks descriptions of this module; [`crate::statement`] has others.
const SIGNATURE: u64 = 1;

impl Description {
    #[inline(always)]
    fn new(epoch: u64, call: &Signature) -> Description {
        let (_unused, terms) = ([0; 3], call.terms());
        Description { _unused, count: call.count, terms, tag: epoch << 8 | SIGNATURE }
    }

    /// The call, if the description is of this epoch.
    fn signature(&self, epoch: u64) -> Option<Signature> {
        let [one, other, shape] = self.terms;
        (self.tag == epoch << 8 | SIGNATURE).then_some(Signature {
            kind: other as u8,
            code: one as u32,
            count: self.count,
            element: other >> 8,
            root: (one >> 32) as u32,
            shape: ArrayShape::from_word(shape),
        })
    }
}

/// The error of all members: the first one, and the next one that differs from it.
#[cold]
#[inline(never)]
fn first_that_differs(image: &Image, area: &CollArea) -> Error {
    // SAFETY: descriptions of the last epoch are not written before the next barrier.
    let of = |member| unsafe { &*area.description_of(member).cast::<Description>() };
    let call = |member| of(member).signature(area.epoch());
    let other = (1..area.len()).find(|&member| call(member) != call(0)).unwrap_or(0);
    let ranks = [0, other].map(|member| area.ranks()[member]);
    match (call(0), call(other)) {
        (Some(first), Some(second)) => difference(image, ranks, [first, second]),
        _ => other_than(area, |member| call(member).is_some()),
    }
}

/// The error of two images whose calls differ.
fn difference(image: &Image, [first, other]: [Rank; 2], calls: [Signature; 2]) -> Error {
    let [no_own, none_there] = calls.map(|it| it.kind == Kind::BroadcastOfNothing as u8);
    if no_own != none_there {
        let (without, with) = if no_own { (first, other) } else { (other, first) };
        return Error::Invalid(format!(
            "the argument, or an allocatable component of it, is not allocated on {without} and is on {with}"
        ));
    }
    let language = (image.source().language)();
    let [own, theirs] = calls.map(|signature| signature.call().in_words_of(language));
    Error::Invalid(own.difference(&theirs, [first, other], ["", ""]))
}

/// The error of all members when some have described what they execute in the last epoch, here or in [`crate::statement`], and
/// others execute a barrier, of which there is no description.
#[cold]
#[inline(never)]
pub(crate) fn another_statement(area: &CollArea) -> Error {
    other_than(area, |member| {
        // SAFETY: descriptions of the last epoch are not written before the next barrier; all end with a tag.
        let tag = unsafe { (*area.description_of(member).cast::<Description>()).tag };
        tag >> 8 == area.epoch()
    })
}

/// The error of all members, of which some execute a statement of one kind and others one of another kind.
fn other_than(area: &CollArea, is_of_kind: impl Fn(usize) -> bool) -> Error {
    let rank_of = |kind| {
        let member = (0..area.len()).find(|&member| is_of_kind(member) == kind)?;
        Some(area.ranks()[member])
    };
    Error::Invalid(match (rank_of(true), rank_of(false)) {
        (Some(one), Some(other)) => {
            format!("{other} executes another statement than {one}: XMP_CHECK=1 names both")
        }
        _ => "the images execute different statements: XMP_CHECK=1 names them".into(),
    })
}

/// The reduction as the lowest bits of a kind, and the type of its elements.
fn code_of(reduction: &Reduction<'_>) -> (u8, u32) {
    let element = reduction.element() as u32;
    match reduction.terms() {
        None => (BY_PROGRAM, reduction.procedure()),
        Some((op, None)) => (op as u8, element | CHARACTERS),
        Some((op, Some((number, 1)))) => (op as u8, code(number)),
        Some((op, Some((number, _)))) => (op as u8, code(number) | COMPLEX),
    }
}

/// The first four letters of a type's name.
const fn code(name: &str) -> u32 {
    let (bytes, mut code, mut at) = (name.as_bytes(), 0, 0);
    while at < bytes.len() && at < 4 {
        code |= (bytes[at] as u32) << (8 * at);
        at += 1;
    }
    code
}

/// 32 bits of a hash. The products do not wait for one another.
#[inline(always)]
pub(crate) const fn hash<const N: usize>(words: [u64; N]) -> u32 {
    const FACTORS: [u64; 7] = [
        0x9e37_79b9_7f4a_7c15,
        0xbf58_476d_1ce4_e5b9,
        0x94d0_49bb_1331_11eb,
        0xd6e8_feb8_6659_fd93,
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3,
    ];
    let (mut all, mut at) = (0_u64, 0);
    while at < N {
        all = all.wrapping_add(words[at].wrapping_mul(FACTORS[at]));
        at += 1;
    }
    // Not linear: sums of numbers are compared, and lengths that grow from image to image are a usual mistake.
    ((all ^ all >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

#[cfg(test)]
mod tests;
