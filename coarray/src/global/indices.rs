//! The indices of a loop over a distributed array.

/// All combinations of some indices in each dimension, the last dimension fastest.
#[derive(Clone, Debug)]
pub struct Indices<const N: usize> {
    of_dims: [Vec<usize>; N],
    /// Positions of the next ones.
    at: [usize; N],
    left: usize,
}

impl<const N: usize> Indices<N> {
    pub(super) fn new(of_dims: [Vec<usize>; N]) -> Indices<N> {
        let left = of_dims.iter().map(Vec::len).product();
        Indices { of_dims, at: [0; N], left }
    }
}

impl<const N: usize> Iterator for Indices<N> {
    type Item = [usize; N];

    #[inline]
    fn next(&mut self) -> Option<[usize; N]> {
        self.left = self.left.checked_sub(1)?;
        let index = std::array::from_fn(|dim| self.of_dims[dim][self.at[dim]]);
        for dim in (0..N).rev() {
            self.at[dim] += 1;
            if self.at[dim] < self.of_dims[dim].len() {
                break;
            }
            self.at[dim] = 0;
        }
        Some(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<const N: usize> ExactSizeIterator for Indices<N> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_dimension_runs_fastest() {
        let all: Vec<[usize; 2]> = Indices::new([vec![1, 5], vec![0, 2, 3]]).collect();
        assert_eq!(all, [[1, 0], [1, 2], [1, 3], [5, 0], [5, 2], [5, 3]]);
        assert_eq!(Indices::new([vec![1, 5], vec![]]).len(), 0);
        assert_eq!(Indices::new([vec![1, 5], vec![]]).next(), None);
    }
}
