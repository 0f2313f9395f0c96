//! The stream of the HPC Challenge benchmark: r <- x r in the field of polynomials over two elements, modulo
//! x^64 + x^2 + x + 1, in which a number's bits are its coefficients.

const POLYNOMIAL: u64 = 0b111;
/// After this many numbers the stream starts again.
const PERIOD: u64 = 1_317_624_576_693_539_401;

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    last: u64,
}

fn next(r: u64) -> u64 {
    (r << 1) ^ if r >> 63 != 0 { POLYNOMIAL } else { 0 }
}

impl Stream {
    /// The stream without its first `position` numbers, found in time logarithmic in it.
    pub fn starting_at(position: u64) -> Stream {
        let position = position % PERIOD;
        // Squaring is linear: the square of a sum of powers of x is the sum of their squares.
        let mut squares = [1; 64];
        for k in 1..64 {
            squares[k] = next(next(squares[k - 1]));
        }
        let square = |r: u64| {
            (0..64).filter(|k| r >> k & 1 != 0).fold(0, |sum, k| sum ^ squares[k as usize])
        };
        // x^position, from its leading binary digit down.
        let last = (0..64).rev().map(|digit| position >> digit & 1).fold(1, |power, digit| {
            let power = square(power);
            if digit != 0 { next(power) } else { power }
        });
        Stream { last }
    }
}

impl Iterator for Stream {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.last = next(self.last);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_can_start_anywhere() {
        let mut step_by_step = Stream { last: 1 };
        for position in 0..2000 {
            assert_eq!(Stream::starting_at(position).last, step_by_step.last, "{position}");
            step_by_step.next();
        }
        assert_eq!(Stream::starting_at(PERIOD).last, 1);
        assert_eq!(Stream::starting_at(PERIOD - 1).take(2).last(), Some(2));
    }
}
