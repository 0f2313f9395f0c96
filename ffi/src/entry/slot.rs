//! Arguments on the stack.

/// An argument of at most eight bytes in its slot of the stack; the bytes behind it are undefined.
///
/// Arguments from the seventh on lie in memory, in slots of eight bytes each, and that is just how a structure of more than 16
/// bytes is passed by value (System V ABI, 3.2.3). Declared as one they stay where they are until they are needed, instead of
/// being loaded into registers that would have to be saved first.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<T>(pub T);

const _: () = assert!(size_of::<Slot<bool>>() == 8);
