//! Whether executing a plan in any order could read what it has written.

use super::{Plan, Step};

impl Plan<'_> {
    /// Whether the two sides, with these base addresses, may have a byte in common. "No" is certain;
    /// "yes" errs only for interleaved sections with vector subscripts or with several strides.
    #[inline]
    pub fn overlaps(&self, dst: usize, src: usize) -> bool {
        // In 128 bits nothing overflows, whatever the addresses.
        let to = dst as i128 + i128::from(self.dst.bytes.start)
            ..dst as i128 + i128::from(self.dst.bytes.end);
        let from = src as i128 + i128::from(self.src.bytes.start)
            ..src as i128 + i128::from(self.src.bytes.end);
        to.start < from.end && from.start < to.end && !self.interleaved(dst, src)
    }

    /// Whether all strides have a common divisor that keeps the sides apart, as in
    /// `a(1:n:2) = a(2:n:2)`.
    #[cold]
    fn interleaved(&self, dst: usize, src: usize) -> bool {
        let mut divisor = 0;
        for dim in &self.dims {
            let (Step::Stride(to), Step::Stride(from)) = (dim.dst, dim.src) else { return false };
            divisor = gcd(gcd(divisor, to.unsigned_abs()), from.unsigned_abs());
        }
        if divisor == 0 {
            return false;
        }
        let divisor = i128::from(divisor);
        let first = |base: usize, start: i64| base as i128 + i128::from(start);
        let ahead = first(src, self.src.start) - first(dst, self.dst.start);
        ahead.rem_euclid(divisor) >= self.dst.unit as i128
            && (-ahead).rem_euclid(divisor) >= self.src.unit as i128
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
