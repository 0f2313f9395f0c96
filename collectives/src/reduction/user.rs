//! Operations of the user on single elements.

use smallvec::SmallVec;

/// A user's operation on single elements: `f(acc, x)` makes `acc` the combination of `acc` (left operand) and
/// `x`. Both are aligned as the size of the element demands, up to 16 bytes.
pub type UserFn<'a> = dyn Fn(*mut u8, *const u8) + 'a;

/// A user's operation on many elements: `f(dst, left, right, count)` makes each of `count` elements at `dst` the
/// combination of those at `left` and `right`, one after the other. `dst` is one of them or overlaps neither. None of the
/// addresses need be aligned.
pub type UserLoop<'a> = dyn Fn(*mut u8, *const u8, *const u8, usize) + 'a;

/// Room for one element, aligned for any type.
type Element = SmallVec<[u128; 16]>;

/// `dst[i] = left[i] op right[i]`, for elements of `len` bytes.
///
/// # Safety
/// Those of [`super::Reduction::two`].
pub unsafe fn two(
    f: &UserFn<'_>,
    len: usize,
    dst: *mut u8,
    left: *const u8,
    right: *const u8,
    count: usize,
) {
    // Copies of a known length need no call.
    // SAFETY: all are valid for `count` elements (contract above).
    unsafe {
        match len {
            4 => each(f, 4, dst, left, right, count),
            8 => each(f, 8, dst, left, right, count),
            16 => each(f, 16, dst, left, right, count),
            _ => each(f, len, dst, left, right, count),
        }
    }
}

/// # Safety
/// Those of [`super::Reduction::two`].
#[inline(always)]
unsafe fn each(
    f: &UserFn<'_>,
    len: usize,
    dst: *mut u8,
    left: *const u8,
    right: *const u8,
    count: usize,
) {
    let alignment = alignment(len);
    let mut acc = Element::with_capacity(len.div_ceil(16));
    let mut x = Element::with_capacity(len.div_ceil(16));
    let (acc, x) = (acc.as_mut_ptr().cast::<u8>(), x.as_mut_ptr().cast::<u8>());
    for at in (0..count).map(|i| i * len) {
        // SAFETY: all are valid for `count` elements (contract above). The result is written when both operands have been
        // read. Slots of a collective area are 8-aligned only, so an operand may have to be moved.
        unsafe {
            std::ptr::copy_nonoverlapping(left.add(at), acc, len);
            let mut operand = right.add(at);
            if !(operand as usize).is_multiple_of(alignment) {
                std::ptr::copy_nonoverlapping(operand, x, len);
                operand = x;
            }
            f(acc, operand);
            std::ptr::copy_nonoverlapping(acc, dst.add(at), len);
        }
    }
}

/// The most that a type of this size can want: its size is a multiple of its alignment.
fn alignment(len: usize) -> usize {
    1 << len.trailing_zeros().min(4)
}

#[cfg(test)]
mod tests {
    use super::alignment;

    #[test]
    fn alignment_divides_the_size() {
        for (len, expected) in [(1, 1), (2, 2), (3, 1), (8, 8), (24, 8), (32, 16), (4096, 16)] {
            assert_eq!(alignment(len), expected);
        }
    }
}
