//! The call of a member in a ring exchange. The line of an exchange has no room for a description, so the number itself tells the
//! call as far as it can.

use super::{CHARACTERS, COMPLEX, Signature, code, difference, hash};
use crate::array_shape::ArrayShape;
use crate::kind::{BY_PROGRAM, Kind, RING_CALL_PLACE};
use crate::moved;
use crate::reduction::{Number, Op};
use std::ops::Range;
use xmp_core::coll_area::{CollArea, MAX_PIECE, RingExchange};
use xmp_core::number::ElemType;
use xmp_core::{BoxedResult, Error, Image};

/// The call of a member in a ring exchange, as a number: from the highest bit on the kind, the reduction, the code of the type, and
/// the number of elements; without a reduction the type and the number of bytes. What has no room is a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingCall(u32);

/// Bits of the number of elements of a reduction, and of the code of a type.
const COUNT_BITS: u32 = 6;
const TYPE_BITS: u32 = 20;
const _: () = assert!(COUNT_BITS + TYPE_BITS == RING_CALL_PLACE);
/// The least number of elements, or of bytes, that has no room.
const MANY_ELEMENTS: u64 = (1 << COUNT_BITS) - 1;
const MANY_BYTES: u64 = 1 << BYTES_BITS;
/// Bits of the number of bytes of an operation that moves them, of the type of its elements, and of both.
const BYTES_BITS: u32 = 17;
const MOVED_BITS: u32 = BYTES_BITS + 8;
/// Bytes up to which a broadcast goes through the root's ring: from two pieces on other ways cost no more.
pub const IN_RING: usize = 2 * MAX_PIECE;
/// Beside a hash in their place.
const IS_HASHED: u32 = 1 << MOVED_BITS;
/// Bits of the number of pieces in which a broadcast goes through the root's ring, beside a hash; 0 if it goes another way.
const PIECES_BITS: u32 = 2;
const _: () = assert!(IN_RING.div_ceil(MAX_PIECE) < 1 << PIECES_BITS);

impl RingCall {
    /// The number of a call; 0 without one.
    #[inline(always)]
    pub fn of(call: Option<&Signature>) -> RingCall {
        let Some(call) = call else { return RingCall(0) };
        // No kind is 0 then.
        let kind = u32::from(call.kind) + 4;
        let payload = if call.kind < Kind::Broadcast as u8 {
            let has_room = call.count < MANY_ELEMENTS && call.shape == ArrayShape::NONE;
            let more = if has_room { 0 } else { hash([call.count, call.shape.word(), 0]) };
            let code = (ring_type(call) ^ more) & ((1 << TYPE_BITS) - 1);
            code << COUNT_BITS | if has_room { call.count } else { MANY_ELEMENTS } as u32
        } else if call.count < MANY_BYTES && call.shape == ArrayShape::NONE {
            call.code << BYTES_BITS | call.count as u32
        } else {
            hashed(call.count, call.code, call.shape)
        };
        RingCall(kind << (COUNT_BITS + TYPE_BITS) | payload)
    }

    /// The number of a reduction of `count` numbers, for which a line has room.
    #[inline(always)]
    pub fn of_numbers<T: Number>(op: Op, count: usize) -> RingCall {
        let number =
            const { type_number(code(T::NAME)) << COUNT_BITS | 4 << (COUNT_BITS + TYPE_BITS) };
        RingCall(number + ((op as u32) << (COUNT_BITS + TYPE_BITS)) + count as u32)
    }

    /// The number of a broadcast of `len` bytes, for which a line has room.
    #[inline(always)]
    pub fn of_bytes(len: usize, element: ElemType, shape: ArrayShape) -> RingCall {
        const KIND: u32 = (Kind::Broadcast as u32 + 4) << (COUNT_BITS + TYPE_BITS);
        let code = moved::code(element);
        let payload = if shape == ArrayShape::NONE {
            code << BYTES_BITS | len as u32
        } else {
            hashed(len as u64, code, shape)
        };
        RingCall(KIND | payload)
    }

    /// Compares it with that of a member.
    ///
    /// # Errors
    /// When they differ.
    #[inline(always)]
    pub fn compare_with(
        self,
        image: &Image,
        area: &CollArea,
        member: usize,
        theirs: u32,
    ) -> BoxedResult<()> {
        if theirs == self.0 {
            Ok(())
        } else {
            Err(self.differs(image, area, member, theirs).into())
        }
    }

    /// The number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The call, as far as the number tells it; `None` if it has more.
    fn signature(self) -> Option<Signature> {
        let kind = Kind::in_ring_call(self.0)?;
        let payload = u64::from(self.0) & ((1 << (COUNT_BITS + TYPE_BITS)) - 1);
        if kind >= Kind::Broadcast as u8 {
            let is_known = payload & u64::from(IS_HASHED) == 0;
            let (code, count) = ((payload >> BYTES_BITS) as u32, payload & (MANY_BYTES - 1));
            let bytes = Signature::of_bytes(Kind::Broadcast, count as usize);
            return is_known.then_some(Signature { kind, code, ..bytes });
        }
        let (count, ring_type) = (payload & MANY_ELEMENTS, (payload >> COUNT_BITS) as u32);
        let (code, element) = of_ring_type(kind & BY_PROGRAM, ring_type);
        let elements = Signature::of(Kind::Reduction, count as usize, element as usize);
        (count < MANY_ELEMENTS).then_some(Signature { kind, code, ..elements })
    }

    /// The number of pieces of a broadcast that goes through the root's ring; 0 for other calls.
    pub fn pieces_of_broadcast(number: u32) -> usize {
        if Kind::in_ring_call(number) != Some(Kind::Broadcast as u8) {
            return 0;
        }
        match RingCall(number).signature() {
            Some(call) => pieces(call.count) as usize,
            None => (number >> (MOVED_BITS - PIECES_BITS) & ((1 << PIECES_BITS) - 1)) as usize,
        }
    }

    /// Compares it with those of the other ones among these members, whose lines this image has consumed.
    ///
    /// # Errors
    /// When one differs.
    #[inline(always)]
    pub fn compare(
        self,
        image: &Image,
        area: &CollArea,
        exchange: &RingExchange<'_>,
        mut members: Range<usize>,
    ) -> BoxedResult<()> {
        let differs =
            |member: usize| member != area.position() && exchange.call_of(member) != self.0;
        match members.find(|&member| differs(member)) {
            None => Ok(()),
            Some(member) => Err(self.differs(image, area, member, exchange.call_of(member)).into()),
        }
    }

    #[cold]
    #[inline(never)]
    fn differs(self, image: &Image, area: &CollArea, member: usize, theirs: u32) -> Error {
        let ranks = [image.rank(), area.ranks()[member]];
        match (self.signature(), RingCall(theirs).signature()) {
            (Some(own), Some(theirs)) => difference(image, ranks, [own, theirs]),
            _ if theirs == 0 => Error::Invalid(format!(
                "{} executes another statement than {}: XMP_CHECK=1 names both",
                ranks[1], ranks[0]
            )),
            _ if theirs >> RING_CALL_PLACE != self.0 >> RING_CALL_PLACE => Error::Invalid(format!(
                "{} executes another statement, or another operation, than {}: XMP_CHECK=1 names both",
                ranks[1], ranks[0]
            )),
            _ => Error::Invalid(format!(
                "{} and {} give another type, shape or number of elements: XMP_CHECK=1 names them",
                ranks[0], ranks[1]
            )),
        }
    }
}

/// The number of pieces in which a broadcast of `count` bytes goes through the root's ring; 0 if it goes another way.
fn pieces(count: u64) -> u32 {
    if count > IN_RING as u64 { 0 } else { count.div_ceil(MAX_PIECE as u64) as u32 }
}

/// The payload of a call whose terms have no room: a hash of them.
fn hashed(count: u64, code: u32, shape: ArrayShape) -> u32 {
    let hash = hash([count, code.into(), shape.word()]) >> (32 - MOVED_BITS + PIECES_BITS);
    IS_HASHED | pieces(count) << (MOVED_BITS - PIECES_BITS) | hash
}

/// The types of numbers, by their place in a [`RingCall`].
const TYPES: [&str; 16] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
    "f64", "F80", "F128",
];
/// Beside the place of a type: the elements are complex numbers.
const RING_COMPLEX: u32 = TYPES.len() as u32 * 2;
/// Bits of the length of an element that the program combines, beside the number of its operation.
const ELEMENT_BITS: u32 = 7;
/// In the place of a type, beside the bytes of an element: the elements are characters.
const RING_CHARACTERS: u32 = 1 << (TYPE_BITS - 1);

/// The code of a type with fewer bits, for which a [`RingCall`] has room. (An element of the program or a string that is combined
/// in a ring is no longer than a line.)
#[inline(always)]
fn ring_type(call: &Signature) -> u32 {
    let code = call.code;
    if call.kind & BY_PROGRAM == BY_PROGRAM {
        let procedure = hash([code.into(), 0, 0]) << ELEMENT_BITS;
        return (procedure | call.element as u32) & (RING_CHARACTERS - 1);
    }
    if code & COMPLEX == COMPLEX {
        return type_number(code & !COMPLEX) | RING_COMPLEX;
    }
    if code & CHARACTERS != 0 {
        return code & (RING_CHARACTERS - 1) | RING_CHARACTERS;
    }
    type_number(code)
}

/// The place of the type of numbers with this code among [`TYPES`], from 1.
const fn type_number(letters: u32) -> u32 {
    let mut at = 0;
    while at < TYPES.len() {
        if code(TYPES[at]) == letters {
            return at as u32 + 1;
        }
        at += 1;
    }
    0
}

/// The code of a type, and the bytes of an element where it tells them.
fn of_ring_type(op: u8, ring_type: u32) -> (u32, u64) {
    if op == BY_PROGRAM {
        let element = ring_type & ((1 << ELEMENT_BITS) - 1);
        return (ring_type >> ELEMENT_BITS, element.into());
    }
    if ring_type & RING_CHARACTERS != 0 {
        let element = ring_type & !RING_CHARACTERS;
        return (element | CHARACTERS, element.into());
    }
    let at = (ring_type & !RING_COMPLEX) as usize;
    let name = at.checked_sub(1).and_then(|at| TYPES.get(at)).copied().unwrap_or("");
    let complex = if ring_type & RING_COMPLEX != 0 { COMPLEX } else { 0 };
    (code(name) | complex, 0)
}
