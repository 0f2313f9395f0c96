//! What images call, which images of one host compare always.
//!
//! A number of the call travels in the words that announce an epoch or a ring exchange, so that comparing costs no transfer. The
//! whole call is in a *description*, a cache line of each member that others read only when the numbers differ. A ring exchange has
//! no description; there the number itself tells the call ([`RingCall`]).

use crate::call::Call;
use crate::reduction::{Number, Op, Reduction};
use std::ops::Range;
use xmp_core::coll_area::{CollArea, DESCRIPTION, RingExchange};
use xmp_core::{BoxedResult, Error, Image, Rank};

/// The operation that images call. The lowest two bits are those of the reduction, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A reduction.
    Reduction = 0,
    /// An inclusive scan.
    Scan = 1 << 2,
    /// An exclusive scan.
    Exscan = 2 << 2,
    /// A broadcast.
    Broadcast = 3 << 2,
    /// An allgather.
    Allgather = 4 << 2,
    /// A gather of parts of one length.
    Gather = 5 << 2,
    /// A gather of parts of different lengths.
    Gatherv = 6 << 2,
    /// A scatter of parts of one length.
    Scatter = 7 << 2,
    /// A scatter of parts of different lengths.
    Scatterv = 8 << 2,
    /// An alltoall of parts of one length.
    Alltoall = 9 << 2,
    /// An alltoall of parts of different lengths.
    Alltoallv = 10 << 2,
    /// A broadcast of what is not allocated.
    BroadcastOfNothing = 11 << 2,
}

impl Kind {
    const ALL: [Kind; 12] = [
        Kind::Reduction,
        Kind::Scan,
        Kind::Exscan,
        Kind::Broadcast,
        Kind::Allgather,
        Kind::Gather,
        Kind::Gatherv,
        Kind::Scatter,
        Kind::Scatterv,
        Kind::Alltoall,
        Kind::Alltoallv,
        Kind::BroadcastOfNothing,
    ];

    /// The name of the operation, with a root or without one.
    fn name(self, has_root: bool) -> &'static str {
        match self {
            Kind::Reduction if has_root => "reduce",
            Kind::Reduction => "allreduce",
            Kind::Scan => "scan",
            Kind::Exscan => "exscan",
            Kind::Broadcast | Kind::BroadcastOfNothing => "broadcast",
            Kind::Allgather => "allgather",
            Kind::Gather => "gather",
            Kind::Gatherv => "gatherv",
            Kind::Scatter => "scatter",
            Kind::Scatterv => "scatterv",
            Kind::Alltoall => "alltoall",
            Kind::Alltoallv => "alltoallv",
        }
    }
}

/// The operation of the program, in the place of an [`Op`].
const BY_PROGRAM: u8 = 3;
/// Beside the bytes of an element in the place of a type's code: the elements are characters.
const CHARACTERS: u32 = 1 << 31;
/// Added to the code of a type: the elements are complex numbers.
const COMPLEX: u32 = 1 << 31 | 1 << 23;

/// The call of an image, as far as all images give it alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// A [`Kind`], and the reduction.
    kind: u8,
    /// The type of the elements, for reductions.
    code: u32,
    count: u64,
    /// Bytes of an element.
    element: u64,
    /// The position of the root among those that compare, from 1; 0 if there is none.
    root: u32,
}

impl Signature {
    /// A call with `count` elements of `element` bytes.
    #[inline]
    pub fn of(kind: Kind, count: usize, element: usize) -> Signature {
        let (count, element) = (count as u64, element as u64);
        Signature { kind: kind as u8, code: 0, count, element, root: 0 }
    }

    /// A call with `count` elements that are combined.
    pub fn combined(kind: Kind, count: usize, reduction: &Reduction<'_>) -> Signature {
        let (op, code) = code_of(reduction);
        let call = Signature::of(kind, count, reduction.element());
        Signature { kind: call.kind | op, code, ..call }
    }

    /// A reduction of `count` numbers.
    #[inline(always)]
    pub fn of_numbers<T: Number>(op: Op, count: usize) -> Signature {
        let (kind, code) = (op as u8, const { code(T::NAME) });
        Signature { kind, code, count: count as u64, element: size_of::<T>() as u64, root: 0 }
    }

    /// The call with this 0-based position as root, if there is one.
    #[inline]
    #[must_use]
    pub fn root(self, position: Option<usize>) -> Signature {
        Signature { root: position.map_or(0, |position| position as u32 + 1), ..self }
    }

    /// Whether the call combines elements; otherwise it moves bytes.
    pub fn combines(&self) -> bool {
        self.kind < Kind::Broadcast as u8
    }

    /// What the images call beside the number of elements, as two words.
    #[inline(always)]
    fn terms(&self) -> [u64; 2] {
        let root = u64::from(self.root) << 32;
        [root | u64::from(self.code), self.element << 8 | u64::from(self.kind)]
    }

    /// A number of the call for barriers: a hash.
    #[inline(always)]
    pub fn number(&self) -> u32 {
        let [one, other] = self.terms();
        hash([self.count, one, other]) & (u32::MAX >> 1) | 1
    }

    /// A short form for messages between hosts; never 0.
    pub fn short(&self) -> u64 {
        let [one, other] = self.terms();
        // The number of elements apart, so that messages can name it.
        self.count << 32 | u64::from(hash([0, one, other]) | 1)
    }

    /// The numbers of elements of two calls in short form that differ in nothing else; `None` for others.
    pub fn counts_that_differ(own: u64, theirs: u64) -> Option<[u64; 2]> {
        (own as u32 == theirs as u32).then_some([own >> 32, theirs >> 32])
    }

    /// Executes the barrier of an area, with which the members compare what they call.
    ///
    /// # Errors
    /// Those of [`CollArea::barrier`]; when the members do not call the same, the same error on all of them.
    #[inline(always)]
    pub fn barrier(&self, image: &Image, area: &CollArea) -> BoxedResult<()> {
        let description = Description::new(area.epoch() + 1, self);
        // SAFETY: the place of this member's description in the coming epoch: 8-aligned, longer than this.
        unsafe { area.description().cast::<Description>().write(description) };
        match area.barrier_of(image, self.number()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(first_that_differs(image, area).into()),
            Err(error) => Err(error),
        }
    }

    /// The call with its names.
    fn call(&self) -> Call {
        let kind = Kind::ALL.into_iter().find(|&kind| kind as u8 == self.kind & !BY_PROGRAM);
        let name = kind.map_or("another statement", |kind| kind.name(self.root != 0));
        // The names of other types say how long an element is.
        let is_named = self.kind & BY_PROGRAM != BY_PROGRAM && self.code & COMPLEX != CHARACTERS;
        let element = match (self.combines(), is_named) {
            (true, true) => 0,
            (true, false) => self.element as usize,
            (false, _) => 1,
        };
        let call = Call::of(name).elements(self.count as usize, element);
        let call = if self.combines() { call.reduction(&self.reduction()) } else { call };
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

/// What a member calls in an epoch. The last word tells whether it is of this epoch.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    _unused: [u64; DESCRIPTION / size_of::<u64>() - 4],
    count: u64,
    terms: [u64; 2],
    /// The number of the epoch, and [`SIGNATURE`].
    tag: u64,
}

/// Marks descriptions of this module; [`crate::statement`] has others.
const SIGNATURE: u64 = 1;

impl Description {
    #[inline(always)]
    fn new(epoch: u64, call: &Signature) -> Description {
        let (_unused, terms) = ([0; 4], call.terms());
        Description { _unused, count: call.count, terms, tag: epoch << 8 | SIGNATURE }
    }

    /// The call, if the description is of this epoch.
    fn signature(&self, epoch: u64) -> Option<Signature> {
        let [one, other] = self.terms;
        (self.tag == epoch << 8 | SIGNATURE).then_some(Signature {
            kind: other as u8,
            code: one as u32,
            count: self.count,
            element: other >> 8,
            root: (one >> 32) as u32,
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
        (None, _) => another_statement(ranks[0]),
        (_, None) => another_statement(ranks[1]),
    }
}

/// The error that these two images call what differs.
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

fn another_statement(other: Rank) -> Error {
    Error::Invalid(format!("{other} executes another statement: XMP_CHECK=1 names it"))
}

/// What a member calls in a ring exchange, as a number: from the highest bit on the kind, the reduction, the code of the type, and
/// the number of elements; without a reduction the number of bytes. What has no room is a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingCall(u32);

/// Bits of the number of elements of a reduction, and of the code of a type.
const COUNT_BITS: u32 = 6;
const TYPE_BITS: u32 = 20;
/// The least number of elements, or of bytes, that has no room.
const MANY_ELEMENTS: u64 = (1 << COUNT_BITS) - 1;
const MANY_BYTES: u64 = 1 << (COUNT_BITS + TYPE_BITS);

impl RingCall {
    /// The number of a call; 0 without one.
    #[inline(always)]
    pub fn of(call: Option<&Signature>) -> RingCall {
        let Some(call) = call else { return RingCall(0) };
        // No kind is 0 then.
        let kind = u32::from(call.kind) + 4;
        let payload = if call.kind < Kind::Broadcast as u8 {
            let many = call.count >= MANY_ELEMENTS;
            let more = if many { hash([call.count, 0, 0]) } else { 0 };
            let code =
                (ring_type(call.kind & BY_PROGRAM, call.code) ^ more) & ((1 << TYPE_BITS) - 1);
            code << COUNT_BITS | call.count.min(MANY_ELEMENTS) as u32
        } else if call.count < MANY_BYTES / 2 {
            call.count as u32
        } else {
            (MANY_BYTES / 2) as u32 | hash([call.count, 0, 0]) >> (33 - COUNT_BITS - TYPE_BITS)
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
    pub fn of_bytes(len: usize) -> RingCall {
        const KIND: u32 = (Kind::Broadcast as u32 + 4) << (COUNT_BITS + TYPE_BITS);
        RingCall(KIND | len as u32)
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
        let kind = (self.0 >> (COUNT_BITS + TYPE_BITS)).checked_sub(4)? as u8;
        let payload = u64::from(self.0) & (MANY_BYTES - 1);
        if kind >= Kind::Broadcast as u8 {
            let is_known = payload < MANY_BYTES / 2;
            return is_known.then_some(Signature {
                kind,
                code: 0,
                count: payload,
                element: 1,
                root: 0,
            });
        }
        let (count, ring_type) = (payload & MANY_ELEMENTS, (payload >> COUNT_BITS) as u32);
        let (code, element) = of_ring_type(kind & BY_PROGRAM, ring_type);
        (count < MANY_ELEMENTS).then_some(Signature { kind, code, count, element, root: 0 })
    }

    /// Bytes of a broadcast; `None` for other calls, and for more than go through a ring.
    pub fn bytes_of_broadcast(number: u32) -> Option<usize> {
        let call = RingCall(number).signature()?;
        (call.kind == Kind::Broadcast as u8).then_some(call.count as usize)
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
            _ if theirs == 0 => another_statement(ranks[1]),
            _ => Error::Invalid(format!(
                "{} and {} give another type or number of elements: XMP_CHECK=1 names them",
                ranks[0], ranks[1]
            )),
        }
    }
}

/// The types of numbers, by their place in a [`RingCall`].
const TYPES: [&str; 16] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
    "f64", "F80", "F128",
];
/// Beside the place of a type: the elements are complex numbers.
const RING_COMPLEX: u32 = TYPES.len() as u32 * 2;
/// In the place of a type, beside the bytes of an element: the elements are characters.
const RING_CHARACTERS: u32 = 1 << (TYPE_BITS - 1);

/// The code of a type with fewer bits, for which a [`RingCall`] has room. (An element of the program or a string that is combined
/// in a ring is no longer than a line.)
#[inline(always)]
const fn ring_type(op: u8, code: u32) -> u32 {
    if op == BY_PROGRAM {
        return code & (RING_CHARACTERS - 1);
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
        return (ring_type, ring_type.into());
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

/// The reduction as the lowest bits of a kind, and the type of its elements.
fn code_of(reduction: &Reduction<'_>) -> (u8, u32) {
    let element = reduction.element() as u32;
    match reduction.terms() {
        None => (BY_PROGRAM, element),
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
    const FACTORS: [u64; 6] = [
        0x9e37_79b9_7f4a_7c15,
        0xbf58_476d_1ce4_e5b9,
        0x94d0_49bb_1331_11eb,
        0xd6e8_feb8_6659_fd93,
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
    ];
    let (mut all, mut at) = (0_u64, 0);
    while at < N {
        all = all.wrapping_add(words[at].wrapping_mul(FACTORS[at]));
        at += 1;
    }
    (all >> 32 ^ all >> 15) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast_path::reduce;
    use crate::raw;
    use std::sync::Mutex;
    use xmp_core::Result;
    use xmp_core::image_set::ImageSet;
    use xmp_core::transport::threads;

    /// A reduction of one image; `None` where the fast path does not apply.
    type Call = dyn Fn(&Image, &ImageSet) -> Option<Result<()>> + Sync;

    /// What images say that execute these functions with a set of all of them; `None` where the fast path did not apply.
    fn errors(calls: &[&Call]) -> Vec<String> {
        let errors = Mutex::new(Vec::new());
        threads::run(calls.len() as u32, 1, |image| {
            let outcome = calls[image.rank().index()](image, &image.executing());
            if let Some(Err(error)) = outcome {
                errors.lock().unwrap().push(error.to_string());
            }
        })
        .unwrap();
        let mut errors = errors.into_inner().unwrap();
        errors.sort();
        errors
    }

    /// A call of the fast path, for all or the one at `to`.
    fn fast<T: Number + Default>(
        to: Option<usize>,
        op: Op,
        count: usize,
    ) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
        move |image, set| {
            let mut numbers = vec![T::default(); count];
            // SAFETY: so many numbers.
            let outcome = unsafe { reduce(image, set, to, numbers.as_mut_ptr(), count, op) };
            outcome.map(|outcome| Ok(outcome?))
        }
    }

    /// A call of the slow path.
    fn slow<T: Number + Default>(
        to: Option<usize>,
        op: Op,
        count: usize,
    ) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
        move |image, set| {
            let mut numbers = vec![T::default(); count];
            let (start, reduction) = (numbers.as_mut_ptr().cast(), Reduction::number::<T>(op));
            // SAFETY: so many numbers.
            Some(unsafe {
                match to {
                    None => raw::allreduce(image, set, start, count, &reduction),
                    Some(to) => raw::reduce(image, set, to, start, count, &reduction),
                }
            })
        }
    }

    const NONE: [String; 0] = [];

    #[test]
    fn reductions_that_differ_are_errors() {
        let [two, three] = [2, 3].map(|count| fast::<f64>(None, Op::Sum, count));
        let greatest = fast::<i32>(None, Op::Max, 2);
        assert_eq!(errors(&[&two, &two, &two]), NONE);
        assert_eq!(errors(&[&two, &three]), ["image 1 gives 2 elements, image 2 gives 3"; 2]);
        assert_eq!(
            errors(&[&two, &greatest]),
            ["image 1 wants the sum of f64, image 2 the maximum of i32"; 2]
        );
        // On both paths.
        let seven = errors(&[&two, &slow::<f64>(None, Op::Sum, 7)]);
        assert_eq!(seven, ["image 1 gives 2 elements, image 2 gives 7"; 2]);
    }

    #[test]
    fn the_image_that_gets_the_result_finds_that_another_reduces_otherwise() {
        let of = |to, count| fast::<f64>(Some(to), Op::Sum, count);
        assert_eq!(errors(&[&of(1, 2), &of(1, 2)]), NONE);
        assert_eq!(errors(&[&of(1, 6), &of(1, 6)]), NONE);
        assert_eq!(errors(&[&of(1, 2), &of(1, 3)]), ["image 2 gives 3 elements, image 1 gives 2"]);
        assert_eq!(
            errors(&[&of(0, 2), &fast::<i32>(Some(0), Op::Max, 2)]),
            ["image 1 wants the sum of f64, image 2 the maximum of i32"]
        );
    }

    #[test]
    fn images_on_both_paths_agree() {
        for to in [None, Some(0), Some(2)] {
            let (near, far) = (fast::<f64>(to, Op::Min, 6), slow::<f64>(to, Op::Min, 6));
            assert_eq!(errors(&[&near, &far, &near, &far]), NONE, "{to:?}");
            assert_eq!(errors(&[&far, &near, &far]), NONE, "{to:?}");
            let (near, far) = (fast::<i8>(to, Op::Sum, 48), slow::<i8>(to, Op::Sum, 48));
            assert_eq!(errors(&[&near, &far, &near]), NONE, "{to:?}");
            let (near, far) = (fast::<i64>(to, Op::Sum, 6), slow::<i64>(to, Op::Sum, 6));
            assert_eq!(errors(&[&near, &far, &near]), NONE, "{to:?}");
        }
    }

    /// What images say that broadcast so many bytes from this position.
    fn broadcasts(calls: &[(usize, usize)]) -> Vec<String> {
        let call = |len, root| {
            move |image: &Image, set: &ImageSet| {
                let mut bytes = vec![image.rank().get() as u8; len];
                // SAFETY: so many bytes.
                let outcome = unsafe { raw::broadcast(image, set, root, bytes.as_mut_ptr(), len) };
                let untouched = bytes.iter().all(|&byte| byte == image.rank().get() as u8);
                assert!(outcome.is_ok() || untouched, "nothing is written");
                // The next operation is a correct one.
                let next =
                    crate::barrier(image, set).and(crate::broadcast(image, set, 0, &mut [0u64; 3]));
                Some(outcome.and(next))
            }
        };
        let calls: Vec<_> = calls.iter().map(|&(len, root)| call(len, root)).collect();
        errors(&calls.iter().map(|call| call as &Call).collect::<Vec<_>>())
    }

    #[test]
    fn broadcasts_that_differ_are_errors_and_write_nothing() {
        for (len, other) in
            [(8, 16), (48, 49), (8, 4000), (4000, 8), (1000, 9000), (9000, 1000), (5000, 5008)]
        {
            let text = format!("image 2 gives {other} bytes, image 1 gives {len}");
            let many = "image 2 and image 1 give another type or number of elements: XMP_CHECK=1 names them";
            let found = broadcasts(&[(len, 0), (other, 0), (len, 0)]);
            assert!(
                found == [text] || other < 49 && len >= 255 && found == [many],
                "{len} {other}: {found:?}"
            );
        }
        for (len, other) in [(20_000, 20_008), (1 << 20, 1 << 19), (100_000, 300_000)] {
            let text = format!("image 1 gives {len} bytes, image 3 gives {other}");
            assert_eq!(broadcasts(&[(len, 0), (len, 0), (other, 0)]), vec![text; 3]);
            let text = "the root is image 1 on image 1, image 2 on image 2";
            assert_eq!(broadcasts(&[(len, 0), (len, 1)]), [text; 2]);
        }
    }

    #[test]
    fn long_reductions_that_differ_are_errors() {
        for (count, other) in
            [(7, 8), (40, 41), (1010, 1020), (101_000, 102_000), (1010, 101_000), (3, 1010)]
        {
            for to in [None, Some(1)].into_iter().filter(|to| to.is_none() || count > 7) {
                let call = slow::<f64>(to, Op::Sum, count);
                let text = format!("image 1 gives {count} elements, image 3 gives {other}");
                let found = errors(&[&call, &call, &slow::<f64>(to, Op::Sum, other)]);
                let many = "image 1 and image 3 give another type or number of elements: XMP_CHECK=1 names them";
                assert!(
                    found == [text.as_str(); 3] || count == 3 && found == [many; 3],
                    "{to:?}: {found:?}"
                );
            }
            let (one, two) = (slow::<f64>(Some(0), Op::Sum, 9), slow::<f64>(Some(1), Op::Sum, 9));
            let text = "the root is image 1 on image 1, image 2 on image 2";
            assert_eq!(errors(&[&one, &two, &one]), [text; 3]);
            let [sum, max] = [Op::Sum, Op::Max].map(|op| slow::<f64>(None, op, other));
            let text = "image 1 wants the sum of f64, image 2 the maximum of f64";
            assert_eq!(errors(&[&sum, &max]), [text; 2]);
        }
    }

    #[test]
    fn numbers_of_epochs_may_wrap() {
        let many = |image: &Image, set: &ImageSet| {
            let call = fast::<i32>(None, Op::Sum, 1);
            let mut outcomes = (0..70_000).map(|_| call(image, set));
            outcomes.find(|outcome| !matches!(outcome, Some(Ok(())))).flatten()
        };
        assert_eq!(errors(&[&many, &many]), NONE);
    }
}
