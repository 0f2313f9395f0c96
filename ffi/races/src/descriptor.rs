//! Arrays as gfortran (version 8 and later) passes them to its library.

use std::slice;

/// Fortran's most dimensions.
const RANKS: usize = 15;

/// The head of a descriptor; its dimensions follow.
#[repr(C)]
pub struct Array {
    base: usize,
    offset: usize,
    element: usize,
    version: i32,
    rank: i8,
    kind: i8,
    attribute: i16,
    span: isize,
}

#[repr(C)]
struct Dimension {
    /// In elements.
    stride: isize,
    lower: isize,
    upper: isize,
}

impl Array {
    /// Bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Calls `visit` with the address and length of each piece of contiguous elements, unless the array has none.
    ///
    /// # Safety
    /// The dimensions follow the head.
    pub unsafe fn pieces(&self, mut visit: impl FnMut(usize, usize)) {
        let rank = usize::try_from(self.rank).unwrap_or(0).min(RANKS);
        // SAFETY: as the caller says.
        let dims =
            unsafe { slice::from_raw_parts((&raw const *self).add(1).cast::<Dimension>(), rank) };
        if self.base == 0 || dims.iter().any(|dim| dim.upper < dim.lower) {
            return;
        }
        let (mut len, mut dims) = (self.element, dims);
        while let [Dimension { stride, lower, upper }, outer @ ..] = dims
            && stride * self.element as isize == len as isize
        {
            (len, dims) = (len * (upper - lower + 1) as usize, outer);
        }
        self.each(dims, self.base, &mut |address| visit(address, len));
    }

    fn each(&self, dims: &[Dimension], from: usize, visit: &mut impl FnMut(usize)) {
        let Some((dim, inner)) = dims.split_last() else { return visit(from) };
        for number in 0..=dim.upper - dim.lower {
            let distance = dim.stride * number * self.element as isize;
            self.each(inner, from.wrapping_add_signed(distance), visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Matrix(Array, [Dimension; 2]);

    fn pieces(base: usize, strides: [isize; 2], extents: [isize; 2]) -> Vec<(usize, usize)> {
        let head = Array {
            base,
            offset: 0,
            element: 8,
            version: 0,
            rank: 2,
            kind: 3,
            attribute: 0,
            span: 8,
        };
        let dim = |at: usize| Dimension { stride: strides[at], lower: 1, upper: extents[at] };
        let matrix = Matrix(head, [dim(0), dim(1)]);
        let mut found = Vec::new();
        // SAFETY: the dimensions follow.
        unsafe { matrix.0.pieces(|address, len| found.push((address, len))) };
        found
    }

    #[test]
    fn pieces_are_as_long_as_elements_are_contiguous() {
        assert_eq!(pieces(64, [1, 3], [3, 2]), [(64, 48)]);
        assert_eq!(pieces(64, [1, 5], [3, 2]), [(64, 24), (104, 24)]);
        assert_eq!(pieces(64, [2, 10], [2, 2]), [(64, 8), (80, 8), (144, 8), (160, 8)]);
        assert_eq!(pieces(64, [-1, 5], [2, 1]), [(64, 8), (56, 8)]);
        assert_eq!(pieces(64, [1, 3], [0, 2]), []);
        assert_eq!(pieces(0, [1, 3], [3, 2]), []);
    }
}
