//! Reductions: the combination of elements.
//!
//! A [`Reduction`] is resolved once for a call; after that there is one indirect call for many elements. All algorithms
//! combine operands in the *canonical brackets* of [`crate::schedules::recursive_doubling`] (`tree.rs`), so all of them
//! give the same bits.

mod brackets;
mod character;
mod element;
mod kernel;
mod located;
mod number;
mod prefix;
mod tree;
mod user;

pub use brackets::{Brackets, Canonical};
pub use character::CharacterKind;
pub use located::Located;
pub use number::{Number, Op};
pub use user::{UserFn, UserLoop};

use crate::array_shape::ArrayShape;
use kernel::Typed;

/// The numbers of operations that this library has beside [`Op`] begin with these 16 bits.
pub const OPERATOR: u32 = 0x4f50_0000;

/// A rule to combine elements of some size.
#[derive(Clone, Copy)]
pub struct Reduction<'a> {
    element: usize,
    /// A number of the program's operation, alike on all images; 0 without one.
    procedure: u32,
    shape: ArrayShape,
    method: Method<'a>,
}

#[derive(Clone, Copy)]
enum Method<'a> {
    /// An element is `atoms` numbers, each combined for itself.
    Typed {
        typed: Typed,
        atoms: usize,
        op: Op,
        /// The name of their type.
        number: &'static str,
    },
    Character {
        kind: CharacterKind,
        greatest: bool,
    },
    User(&'a UserFn<'a>),
    UserLoop(&'a UserLoop<'a>),
}

impl Method<'_> {
    fn numbers<T: Number>(op: Op, atoms: usize) -> Self {
        Method::Typed { typed: Typed::new::<T>(op), atoms, op, number: T::NAME }
    }
}

impl std::fmt::Debug for Reduction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reduction({self} of {} bytes)", self.element)
    }
}

/// The name of the reduction, such as "sum of f64".
impl std::fmt::Display for Reduction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.method {
            Method::Typed { atoms, op, number, .. } => {
                let complex = if atoms == 1 { "" } else { "complex " };
                write!(f, "{} of {complex}{number}", op.name())
            }
            Method::Character { greatest, .. } => {
                let op = if greatest { Op::Max } else { Op::Min };
                write!(f, "{} of characters", op.name())
            }
            Method::User(_) | Method::UserLoop(_) => f.write_str("program's operation"),
        }
    }
}

impl<'a> Reduction<'a> {
    #[inline(always)]
    fn new(element: usize, method: Method<'a>) -> Reduction<'a> {
        Reduction { element, procedure: 0, shape: ArrayShape::NONE, method }
    }

    /// A reduction of numbers.
    pub fn number<T: Number>(op: Op) -> Reduction<'a> {
        Reduction::new(size_of::<T>(), Method::numbers::<T>(op, 1))
    }

    /// The sum of complex numbers with parts of type `T`.
    pub fn complex_sum<T: Number>() -> Reduction<'a> {
        Reduction::new(2 * size_of::<T>(), Method::numbers::<T>(Op::Sum, 2))
    }

    /// The smallest, or `greatest`, of character strings of `len` characters, in the order of their codes.
    pub fn character(kind: CharacterKind, len: usize, greatest: bool) -> Reduction<'a> {
        Reduction::new(len * kind.bytes(), Method::Character { kind, greatest })
    }

    /// A user's associative operation on elements of `element` bytes. It is applied in the order of the
    /// images (of a host, and the hosts in the order in which the set first names them), so it need not be
    /// commutative.
    pub fn user(element: usize, operation: &'a UserFn<'a>) -> Reduction<'a> {
        Reduction::new(element, Method::User(operation))
    }

    /// As [`Reduction::user`], by an operation that has the loop over the elements itself.
    pub fn user_loop(element: usize, operation: &'a UserLoop<'a>) -> Reduction<'a> {
        Reduction::new(element, Method::UserLoop(operation))
    }

    /// The reduction whose operation has this number on all images, which they compare; 0 where none is known.
    #[must_use]
    pub fn by_procedure(self, number: u32) -> Reduction<'a> {
        Reduction { procedure: number, ..self }
    }

    /// The reduction of an array of this shape on all images, which they compare.
    #[must_use]
    pub fn of_shape(self, shape: ArrayShape) -> Reduction<'a> {
        Reduction { shape, ..self }
    }

    /// The shape of the array.
    pub(crate) fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// The number of the program's operation; 0 without one.
    pub(crate) fn procedure(&self) -> u32 {
        self.procedure
    }

    /// The operation, and the name of the type of the numbers with their number in an element; no type for characters.
    /// `None` if the program has the operation.
    pub(crate) fn terms(&self) -> Option<(Op, Option<(&'static str, usize)>)> {
        match self.method {
            Method::Typed { atoms, op, number, .. } => Some((op, Some((number, atoms)))),
            Method::Character { greatest, .. } => {
                Some((if greatest { Op::Max } else { Op::Min }, None))
            }
            Method::User(_) | Method::UserLoop(_) => None,
        }
    }

    /// Whether the program has the operation, so that its time is not known.
    pub fn is_by_program(&self) -> bool {
        matches!(self.method, Method::User(_) | Method::UserLoop(_))
    }

    /// Bytes of an element.
    #[inline(always)]
    pub fn element(&self) -> usize {
        self.element
    }

    /// Writes the combination of `count` elements of two sources to `dst`.
    ///
    /// # Safety
    /// All are valid for `count` elements; `dst` is one of the sources or overlaps none.
    #[inline]
    pub unsafe fn two(&self, dst: *mut u8, left: *const u8, right: *const u8, count: usize) {
        // SAFETY: all operands are valid for `count` elements (contract above).
        unsafe {
            match self.method {
                Method::Typed { typed, atoms, .. } => (typed.two)(dst, left, right, count * atoms),
                Method::Character { kind, greatest } => {
                    character::two(kind, greatest, self.element, dst, left, right, count);
                }
                Method::User(f) => user::two(f, self.element, dst, left, right, count),
                Method::UserLoop(f) => f(dst, left, right, count),
            }
        }
    }

    /// Writes the combination ((0, 1), (2, 3)) in one pass, if these elements have such a loop. Returns whether it did.
    ///
    /// # Safety
    /// Those of [`Reduction::combine`].
    #[inline]
    unsafe fn four(&self, dst: *mut u8, sources: [*const u8; 4], count: usize) -> bool {
        let Method::Typed { typed, atoms, .. } = self.method else { return false };
        // SAFETY: all operands are valid for `count` elements (contract above).
        unsafe { (typed.four)(dst, sources, count * atoms) };
        true
    }
}
