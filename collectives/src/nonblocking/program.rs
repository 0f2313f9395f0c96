//! The program of one image in an operation: its steps and its memory.

use super::header::Header;
use super::steps::Step;
use crate::reduction::{Reduction, UserFn};
use crate::signature::{Kind, Signature};
use std::fmt;
use std::ops::Range;
use xmp_core::language::Language;

/// Bytes of a vector that go through all steps at a time. So the memory for received operands is bounded, and an image
/// can work on one chunk while the next one travels.
const CHUNK: usize = 64 * 1024;

/// The combination of elements, which lives as long as an operation.
pub enum Combine {
    /// A reduction without other memory.
    By(Reduction<'static>),
    /// An operation of the user.
    User {
        /// Bytes of an element.
        element: usize,
        /// The number of the operation ([`Reduction::by_procedure`]).
        procedure: u32,
        /// The operation.
        operation: Box<UserFn<'static>>,
    },
}

impl Combine {
    /// Bytes of an element.
    pub fn element(&self) -> usize {
        match self {
            Combine::By(reduction) => reduction.element(),
            Combine::User { element, .. } => *element,
        }
    }

    /// The operation as a reduction.
    pub(super) fn reduction(&self) -> Reduction<'_> {
        match self {
            Combine::By(reduction) => *reduction,
            Combine::User { element, procedure, operation } => {
                Reduction::user(*element, operation).by_procedure(*procedure)
            }
        }
    }

    /// Combines two vectors.
    ///
    /// # Safety
    /// Those of [`Reduction::two`], for `len` bytes.
    pub(super) unsafe fn two(&self, dst: *mut u8, left: *const u8, right: *const u8, len: usize) {
        let count = len / self.element();
        // SAFETY: all three are valid for `len` bytes (contract above).
        unsafe { self.reduction().two(dst, left, right, count) };
    }
}

impl fmt::Debug for Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Combine({} bytes)", self.element())
    }
}

/// The memory of an operation.
#[derive(Clone, Debug)]
pub enum Memory {
    /// A vector of this many bytes, which is one block: its chunks go through all steps in turn.
    Vector(*mut u8, usize),
    /// A vector as block 0, and work blocks of [`Memory::work_block`] bytes each at the second address.
    VectorAndWork(*mut u8, usize, *mut u8),
    /// Blocks of this many bytes each.
    Blocks(*mut u8, usize),
    /// Blocks that are anywhere, each of this many bytes; they are used one by one.
    Parts(Box<[(*mut u8, usize)]>),
}

impl Memory {
    /// Bytes of a work block for a vector of `len` bytes, whose elements have `element` bytes.
    pub fn work_block(len: usize, element: usize) -> usize {
        // Each block begins where any element may.
        chunk(element).min(len).next_multiple_of(16)
    }
}

/// Bytes of a vector that go through all steps at a time.
fn chunk(element: usize) -> usize {
    let element = element.max(1);
    (CHUNK / element).max(1) * element
}

/// The program of one image in an operation.
#[derive(Debug)]
pub struct Program {
    /// The steps.
    pub steps: Vec<Step>,
    /// The memory of its data.
    pub memory: Memory,
    /// The combination of received elements with it.
    pub combine: Option<Combine>,
    /// What all images call alike, as far as they compare it.
    pub signature: Option<Signature>,
}

impl Program {
    /// The signature as a number of messages; 0 without one.
    pub(super) fn call(&self) -> u32 {
        self.signature.map_or(0, |signature| {
            let short = signature.short();
            (short ^ short >> 29) as u32 & Header::CALLS | 1
        })
    }

    /// The call as a word that images publish: its number, and its kind, so that a message can name both operations.
    pub(super) fn call_with_kind(&self) -> u64 {
        let kind = self.signature.map_or(0, |signature| 1 + u64::from(signature.kind_number()));
        kind << 32 | u64::from(self.call())
    }

    /// The name of the operation in such a word, in the words of a language, if it has one there.
    pub(super) fn name_in(word: u64, language: Language) -> Option<String> {
        let (name, reduction) = Kind::names(u8::try_from((word >> 32).checked_sub(1)?).ok()?);
        Some(language.collective(name, &format!("{reduction} of numbers")))
    }

    /// Whether the operation has a root.
    pub(super) fn has_root(&self) -> bool {
        self.signature.is_some_and(|signature| signature.root_position().is_some())
    }

    /// Number of executions of all steps.
    pub(super) fn passes(&self) -> usize {
        match self.memory {
            Memory::Vector(_, len) | Memory::VectorAndWork(_, len, _) => {
                len.div_ceil(chunk(self.element())).max(1)
            }
            Memory::Blocks(..) | Memory::Parts(_) => 1,
        }
    }

    fn element(&self) -> usize {
        self.combine.as_ref().map_or(1, Combine::element)
    }

    /// Address and length of some blocks in a pass.
    pub(super) fn bytes(&self, pass: usize, blocks: &Range<usize>) -> (*mut u8, usize) {
        let part = |start: *mut u8, len: usize| {
            let chunk = chunk(self.element());
            (start.wrapping_add(pass * chunk), chunk.min(len - pass * chunk))
        };
        match &self.memory {
            Memory::Vector(start, _) if blocks.is_empty() => (*start, 0),
            Memory::Vector(start, len) => part(*start, *len),
            Memory::VectorAndWork(start, len, work) => {
                assert_eq!(blocks.len(), 1, "work blocks are used one by one");
                let (of_vector, bytes) = part(*start, *len);
                let stride = Memory::work_block(*len, self.element());
                let before = blocks.start.checked_sub(1);
                (before.map_or(of_vector, |before| work.wrapping_add(before * stride)), bytes)
            }
            Memory::Blocks(start, len) => {
                (start.wrapping_add(blocks.start * len), blocks.len() * len)
            }
            Memory::Parts(parts) => {
                assert_eq!(blocks.len(), 1, "parts are used one by one");
                parts[blocks.start]
            }
        }
    }
}
