//! One collective, and whether its result is right.

use crate::dice::number;
use xmp_collectives::{self as collectives, Op, Reduction, nonblocking};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// A collective of `set`; `combine` adds two numbers in the reductions.
pub struct Operation<'a> {
    pub image: &'a Image,
    pub set: &'a ImageSet,
    /// Place in the text.
    pub at: usize,
    pub kind: usize,
    pub len: usize,
    pub background: bool,
    /// Called before two numbers are added.
    pub before_adding: &'a dyn Fn(),
}

impl Operation<'_> {
    fn numbers(&self, position: usize, len: usize) -> Vec<u64> {
        let rank = self.set.rank_at(position).expect("a position").index();
        (0..len).map(|index| number(rank, index, self.at)).collect()
    }

    fn sum(&self, positions: std::ops::Range<usize>) -> Vec<u64> {
        let mut sum = vec![0u64; self.len];
        for position in positions {
            let numbers = self.numbers(position, self.len);
            sum.iter_mut().zip(numbers).for_each(|(sum, x)| *sum = sum.wrapping_add(x));
        }
        sum
    }

    fn concatenation(&self) -> Vec<u64> {
        (0..self.set.len()).flat_map(|position| self.numbers(position, self.len)).collect()
    }

    /// The result of an alltoall on the image at this position.
    fn column(&self) -> Vec<u64> {
        let (me, len, n) = (self.me(), self.len, self.set.len());
        (0..n).flat_map(|i| self.numbers(i, n * len)[me * len..][..len].to_vec()).collect()
    }

    fn me(&self) -> usize {
        self.set.position().expect("a member")
    }

    /// Runs it.
    pub fn run(&self) -> Result<()> {
        if self.background { self.in_background() } else { self.at_once() }
    }

    fn at_once(&self) -> Result<()> {
        let (image, set, me, n, len) = (self.image, self.set, self.me(), self.set.len(), self.len);
        let root = self.at % n;
        let mut mine = self.numbers(me, len);
        match self.kind {
            0 | 1 => {
                collectives::allreduce_by(image, set, &mut mine, |a: u64, b: u64| {
                    (self.before_adding)();
                    a.wrapping_add(b)
                })?;
                self.check(mine == self.sum(0..n));
            }
            2 => {
                collectives::allreduce(image, set, &mut mine, Op::Sum)?;
                self.check(mine == self.sum(0..n));
            }
            3 => {
                collectives::reduce(image, set, root, &mut mine, Op::Sum)?;
                self.check(me != root || mine == self.sum(0..n));
            }
            4 => {
                if me != root {
                    mine.fill(0);
                }
                collectives::broadcast(image, set, root, &mut mine)?;
                self.check(mine == self.numbers(root, len));
            }
            5 => {
                let mut all = vec![0; n * len];
                collectives::allgather(image, set, &mine, &mut all)?;
                self.check(all == self.concatenation());
            }
            6 => {
                let (send, mut receive) = (self.numbers(me, n * len), vec![0; n * len]);
                collectives::alltoall(image, set, &send, &mut receive)?;
                self.check(receive == self.column());
            }
            7 => {
                collectives::scan(image, set, &mut mine, Op::Sum)?;
                self.check(mine == self.sum(0..me + 1));
            }
            8 => {
                let combine = |sum: *mut u8, x: *const u8| {
                    (self.before_adding)();
                    let (sum, x) = (sum.cast::<u64>(), x.cast::<u64>());
                    // SAFETY: called with two numbers.
                    unsafe {
                        sum.write_unaligned(sum.read_unaligned().wrapping_add(x.read_unaligned()))
                    };
                };
                let sum = Reduction::user(8, &combine);
                // SAFETY: as many numbers as the block has, which no other image accesses.
                unsafe {
                    collectives::raw::reduce(image, set, root, mine.as_mut_ptr().cast(), len, &sum)?
                };
                self.check(me != root || mine == self.sum(0..n));
            }
            9 => {
                collectives::exscan(image, set, &mut mine, Op::Sum)?;
                self.check(me == 0 || mine == self.sum(0..me));
            }
            _ => {
                let mut all = vec![0; if me == root { n * len } else { 0 }];
                collectives::gather(image, set, root, &mine, &mut all)?;
                self.check(me != root || all == self.concatenation());
                let mut part = vec![0; len];
                collectives::scatter(image, set, root, &all, &mut part)?;
                self.check(part == mine);
            }
        }
        Ok(())
    }

    fn in_background(&self) -> Result<()> {
        let (image, set, me, n, len) = (self.image, self.set, self.me(), self.set.len(), self.len);
        let root = self.at % n;
        let mine = self.numbers(me, len);
        match self.kind {
            0 => nonblocking::barrier(image, set).wait()?,
            1 | 2 => {
                let sum = nonblocking::allreduce(image, set, mine, Op::Sum).wait()?;
                self.check(sum == self.sum(0..n));
            }
            3 | 4 => {
                let data = if me == root { mine } else { vec![0; len] };
                let data = nonblocking::broadcast(image, set, root, data)?.wait()?;
                self.check(data == self.numbers(root, len));
            }
            5 | 6 => {
                let all = nonblocking::allgather(image, set, &mine).wait()?;
                self.check(all == self.concatenation());
            }
            _ => {
                let send = self.numbers(me, n * len);
                let receive = nonblocking::alltoall(image, set, send)?.wait()?;
                self.check(receive == self.column());
            }
        }
        Ok(())
    }

    fn check(&self, right: bool) {
        assert!(right, "a wrong result on image {} at {}", self.image.rank().image(), self.at);
    }
}
