//! What images call, in words beside their data, which images of one host compare always.
//!
//! The words travel in the cache line of a slot, or of a ring's line, whose number each member reads anyway. The *lead* is the
//! last word of the line. Where the data leaves more room, the other words of the signature are before it.
//!
//! An image on the slow path writes the same words as one on the fast path: images that execute the same statement may take
//! different paths, because arguments differ in what lies between their elements.

use crate::call::Call;
use crate::reduction::{Number, Op, Reduction};
use std::ops::Range;
use xmp_core::coll_area::{CollArea, RingExchange, SLOT_DATA};
use xmp_core::{Error, Image, Rank, Result};

/// Bytes of data that a slot or a line has beside the lead.
pub const ROOM: usize = SLOT_DATA - size_of::<u64>();
/// Bytes of data that a slot or a line has beside a whole signature.
pub const ROOM_BESIDE_ALL: usize = SLOT_DATA - WORDS * size_of::<u64>();
/// Words of a signature; the lead is the last one.
const WORDS: usize = 4;
/// Elements from which on the lead has only a hash of their number.
const MANY: u64 = 0xff;

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

    /// The call with this 0-based position as root, if there is one.
    #[must_use]
    pub fn root(self, position: Option<usize>) -> Signature {
        Signature { root: position.map_or(0, |position| position as u32 + 1), ..self }
    }

    /// The lead in the epoch or ring exchange of this number.
    #[inline]
    pub fn lead(&self, epoch: u64) -> Lead {
        // Without a type the word has room for the root.
        let code = if self.kind < Kind::Broadcast as u8 { self.code } else { self.root };
        let many = if self.count < MANY { 0 } else { hash(self.count) };
        Lead::new(epoch, u64::from(code ^ many), self.kind, self.count.min(MANY))
    }

    /// All words.
    #[inline]
    fn words(&self, epoch: u64) -> Words {
        let more = u64::from(self.root) << 32 | u64::from(self.code);
        Words([self.count, self.element, more, self.lead(epoch).0])
    }

    /// Whether the call combines elements; otherwise it moves bytes.
    pub fn combines(&self) -> bool {
        self.kind < Kind::Broadcast as u8
    }

    /// A short form for messages between hosts; never 0.
    pub fn short(&self) -> u64 {
        let Words([count, element, more, lead]) = self.words(0);
        // The number of elements apart, so that messages can name it.
        let lead = Lead(lead).kind();
        let all = [element, more, u64::from(lead)].into_iter().fold(1, |all, word| {
            (all ^ u64::from(hash(word ^ word >> 32))).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        count << 32 | all >> 33 | 1 << 31
    }

    /// The numbers of elements of two calls in short form that differ in nothing else; `None` for others.
    pub fn counts_that_differ(own: u64, theirs: u64) -> Option<[u64; 2]> {
        (own as u32 == theirs as u32).then_some([own >> 32, theirs >> 32])
    }

    /// Writes all words to a slot or a line.
    ///
    /// # Safety
    /// The slot is this image's, has [`SLOT_DATA`] bytes, and others do not read it yet.
    #[inline]
    pub unsafe fn write(&self, epoch: u64, slot: *mut u8) {
        // SAFETY: the last words of the slot (contract above).
        unsafe { slot.add(ROOM_BESIDE_ALL).cast::<Words>().write(self.words(epoch)) };
    }

    /// Compares it with those that all members have written to their slots of the last epoch.
    ///
    /// # Errors
    /// When two differ: on all members that compare, the same error.
    #[inline]
    pub fn compare(&self, image: &Image, area: &CollArea) -> Result<()> {
        let own = self.words(area.epoch());
        // SAFETY: slots of the last epoch are not written before the next barrier.
        let of = |member| unsafe { Words::read(area.slot_of(member)) };
        match (0..area.len()).find(|&member| of(member) != own) {
            None => Ok(()),
            Some(_) => Err(first_that_differs(image, area)),
        }
    }

    /// Compares it with the one in the line of a member, which this image consumes.
    ///
    /// # Errors
    /// When they differ.
    #[inline]
    pub fn compare_line(
        &self,
        image: &Image,
        area: &CollArea,
        exchange: &RingExchange<'_>,
        member: usize,
    ) -> Result<()> {
        let own = self.words(exchange.number());
        // SAFETY: a line that was consumed is not written before this member completes the exchange.
        if unsafe { Words::read(exchange.consumed(member)) } == own {
            Ok(())
        } else {
            Err(differ_in_lines(image, area, exchange, member, own))
        }
    }

    /// The number of bytes that the broadcast in the line of a member has, if it is a broadcast.
    pub fn bytes_of_broadcast(exchange: &RingExchange<'_>, member: usize) -> Option<usize> {
        // SAFETY: as in `compare_line`.
        let words = unsafe { Words::read(exchange.consumed(member)) };
        let is_of_now = words.lead().epoch() == exchange.number() as u16;
        let call = words.signature().filter(|_| is_of_now)?;
        (call.kind == Kind::Broadcast as u8).then_some(call.count as usize)
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
        let call = match self.kind {
            0..12 => call.reduction(&self.reduction()),
            _ => call,
        };
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

/// The words that a member has written to a line, if it is a whole signature; the last one is the lead in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words([u64; WORDS]);

impl Words {
    /// # Safety
    /// The slot has [`SLOT_DATA`] bytes, which are not written meanwhile.
    #[inline]
    unsafe fn read(slot: *const u8) -> Words {
        // SAFETY: the last words of the slot (contract above).
        unsafe { slot.add(ROOM_BESIDE_ALL).cast::<Words>().read() }
    }

    fn lead(self) -> Lead {
        Lead(self.0[WORDS - 1])
    }

    /// Whether both are of the same call.
    fn is_same_call(&self, other: &Words) -> bool {
        self.lead() == other.lead() && self.signature() == other.signature()
    }

    /// The signature, if the words have it; of a lead without the other words, what is in it.
    fn signature(self) -> Option<Signature> {
        let (lead, [count, element, more, _]) = (self.lead(), self.0);
        let (root, code) = ((more >> 32) as u32, more as u32);
        let whole = Signature { kind: lead.kind(), code, count, element, root };
        if whole.lead(lead.epoch().into()) == lead {
            return Some(whole);
        }
        if lead.few() == MANY {
            return None;
        }
        let code = (lead.0 >> 16) as u32;
        let is_combined = lead.kind() < Kind::Broadcast as u8;
        let (code, root) = if is_combined { (code, 0) } else { (0, code) };
        let element = u64::from(code & !CHARACTERS);
        Some(Signature { kind: lead.kind(), code, count: lead.few(), element, root })
    }
}

/// The last word of a line: from the lowest byte on the number of elements, the operation, the type or the root, and the number
/// of the epoch or ring exchange. Images that do not execute the same have another one, or data there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead(u64);

impl Lead {
    /// That of a reduction of `count` numbers, for which a slot has room.
    #[inline(always)]
    pub fn of_numbers<T: Number>(epoch: u64, op: Op, count: usize) -> Lead {
        Lead::new(epoch, const { code(T::NAME) as u64 }, op as u8, count as u64)
    }

    /// That of a broadcast of `len` bytes, for which a slot has room, from a position.
    #[inline(always)]
    pub fn of_broadcast(epoch: u64, root: usize, len: usize) -> Lead {
        Lead::new(epoch, root as u64 + 1, Kind::Broadcast as u8, len as u64)
    }

    #[inline(always)]
    fn new(epoch: u64, code: u64, kind: u8, few: u64) -> Lead {
        Lead(epoch << 48 | code << 16 | u64::from(kind) << 8 | few)
    }

    fn few(self) -> u64 {
        self.0 & MANY
    }

    fn kind(self) -> u8 {
        (self.0 >> 8) as u8
    }

    fn epoch(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// Writes it to a slot or a line.
    ///
    /// # Safety
    /// The slot is this image's, has [`SLOT_DATA`] bytes, and others do not read it yet.
    #[inline(always)]
    pub unsafe fn write(self, slot: *mut u8) {
        // SAFETY: the last word of the slot (contract above).
        unsafe { slot.add(ROOM).cast::<u64>().write(self.0) };
    }

    /// What is in a slot or a line.
    ///
    /// # Safety
    /// The slot has [`SLOT_DATA`] bytes, which are not written meanwhile.
    #[inline(always)]
    unsafe fn read(slot: *const u8) -> Lead {
        // SAFETY: the last word of the slot (contract above).
        Lead(unsafe { slot.add(ROOM).cast::<u64>().read() })
    }

    /// Compares it with those that all members have written to their slots of the last epoch.
    ///
    /// # Errors
    /// When two differ: on all members that compare, the same error.
    #[inline(always)]
    pub fn compare(self, image: &Image, area: &CollArea) -> Result<()> {
        // SAFETY: slots of the last epoch are not written before the next barrier.
        let of = |member| unsafe { Lead::read(area.slot_of(member)) };
        if self.is_that_of(0..area.len(), of) {
            Ok(())
        } else {
            Err(first_that_differs(image, area))
        }
    }

    /// Compares it with those in the lines of the other members, which this image has consumed.
    ///
    /// # Errors
    /// When one differs.
    #[inline(always)]
    pub fn compare_lines(
        self,
        image: &Image,
        area: &CollArea,
        exchange: &RingExchange<'_>,
        members: Range<usize>,
    ) -> Result<()> {
        // SAFETY: lines that were consumed are not written before this member completes the exchange.
        let line = |member| unsafe { Lead::read(exchange.consumed(member)) };
        let of = |member| if member == area.position() { self } else { line(member) };
        if self.is_that_of(members.clone(), of) {
            Ok(())
        } else {
            Err(self.first_line_that_differs(image, area, exchange, members, of))
        }
    }

    /// Whether these members, which `of` reads, have the same one.
    #[inline(always)]
    fn is_that_of(self, members: Range<usize>, of: impl Fn(usize) -> Lead) -> bool {
        let bits = |member| of(member).0 ^ self.0;
        // A loop over few members takes longer than they do.
        let differing = match (members.start, members.end) {
            (0, 2) => bits(0) | bits(1),
            (0, 4) => bits(0) | bits(1) | bits(2) | bits(3),
            _ => members.fold(0, |all, member| all | bits(member)),
        };
        differing == 0
    }

    #[cold]
    #[inline(never)]
    fn first_line_that_differs(
        self,
        image: &Image,
        area: &CollArea,
        exchange: &RingExchange<'_>,
        mut members: Range<usize>,
        of: impl Fn(usize) -> Lead,
    ) -> Error {
        let other = members.find(|&member| of(member) != self).unwrap_or(area.position());
        differ_in_lines(image, area, exchange, other, Words([0, 0, 0, self.0]))
    }
}

/// The error of all members: the first one, and the next one that differs from it.
#[cold]
#[inline(never)]
fn first_that_differs(image: &Image, area: &CollArea) -> Error {
    // SAFETY: slots of the last epoch are not written before the next barrier.
    let of = |member| unsafe { Words::read(area.slot_of(member)) };
    // All members find the same words.
    let differs = |member: &usize| !of(0).is_same_call(&of(*member));
    let other = (1..area.len()).find(differs).unwrap_or(0);
    let (first, second) = ((area.ranks()[0], of(0)), (area.ranks()[other], of(other)));
    // The one whose number is another one executes another statement, or has not written here.
    match [first.1, second.1].map(|words| words.lead().epoch() == area.epoch() as u16) {
        [false, true] => another_statement(first.0),
        [true, true] => difference(image, first, second),
        _ => another_statement(second.0),
    }
}

/// The error of this image, that a member whose line it consumes has written something else than its own words.
#[cold]
#[inline(never)]
fn differ_in_lines(
    image: &Image,
    area: &CollArea,
    exchange: &RingExchange<'_>,
    member: usize,
    own: Words,
) -> Error {
    // SAFETY: a line that was consumed is not written before this member completes the exchange.
    let theirs = unsafe { Words::read(exchange.consumed(member)) };
    if theirs.lead().epoch() != own.lead().epoch() {
        return another_statement(area.ranks()[member]);
    }
    difference(image, (image.rank(), own), (area.ranks()[member], theirs))
}

/// The error that these two images have written what differs.
fn difference(image: &Image, first: (Rank, Words), other: (Rank, Words)) -> Error {
    let [(first, own), (other, theirs)] = [first, other];
    let (Some(own), Some(theirs)) = (own.signature(), theirs.signature()) else {
        return Error::Invalid(format!(
            "{first} and {other} give another type or number of elements: XMP_CHECK=1 names them"
        ));
    };
    let [no_own, none_there] = [own, theirs].map(|it| it.kind == Kind::BroadcastOfNothing as u8);
    if no_own != none_there {
        let (without, with) = if no_own { (first, other) } else { (other, first) };
        return Error::Invalid(format!(
            "the argument, or an allocatable component of it, is not allocated on {without} and is on {with}"
        ));
    }
    let language = (image.source().language)();
    let [own, theirs] = [own, theirs].map(|signature| signature.call().in_words_of(language));
    Error::Invalid(own.difference(&theirs, [first, other], ["", ""]))
}

fn another_statement(other: Rank) -> Error {
    Error::Invalid(format!("{other} executes another statement: XMP_CHECK=1 names it"))
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

/// 32 bits of a hash.
fn hash(word: u64) -> u32 {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast_path::reduce;
    use crate::raw;
    use std::sync::Mutex;
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
            unsafe { reduce(image, set, to, numbers.as_mut_ptr(), count, op) }
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
        // Seven fill a slot without a lead, and go another way.
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
            for to in [None, Some(1)].into_iter().filter(|to| to.is_none() || count > 3) {
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
