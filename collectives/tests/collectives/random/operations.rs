//! One operation, and whether its result is right.

use crate::common::{Dice, random};
use std::cell::Cell;
use xmp_collectives::nonblocking::{self, Handle};
use xmp_collectives::{self as collectives, Op, Parts};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// Number `number` of a program, on a set.
pub struct Operation<'a, 'i> {
    pub image: &'i Image,
    pub set: &'a ImageSet,
    pub number: usize,
    /// Says which operation it is, and of how much.
    pub dice: &'a Dice,
    /// Those of the image.
    pub own: &'a Dice,
}

/// An operation in flight.
pub enum Pending<'i> {
    Barrier(Handle<'i, ()>),
    /// With what is to come.
    Data(Handle<'i, Vec<u64>>, Option<Vec<u64>>),
}

impl Pending<'_> {
    /// Looks after it.
    pub fn test(&self) {
        let _complete = match self {
            Pending::Barrier(handle) => handle.test(),
            Pending::Data(handle, _) => handle.test(),
        };
    }

    /// Completes it.
    pub fn wait(self) -> Result<()> {
        match self {
            Pending::Barrier(handle) => handle.wait(),
            Pending::Data(handle, expected) => {
                let data = handle.wait()?;
                assert!(expected.is_none_or(|expected| expected == data));
                Ok(())
            }
        }
    }
}

/// Ends this image as a failed one.
pub fn fail() -> ! {
    // As a panic, but silent.
    std::panic::resume_unwind(Box::new("fails"))
}

impl<'i> Operation<'_, 'i> {
    fn me(&self) -> usize {
        self.set.position().unwrap()
    }

    /// Number `index` of what the image at a position has.
    fn number_of(&self, position: usize, index: usize) -> u64 {
        random(self.set.rank_at(position).unwrap().index(), index, self.number as u64)
    }

    fn numbers_of(&self, position: usize, len: usize) -> Vec<u64> {
        (0..len).map(|index| self.number_of(position, index)).collect()
    }

    /// The length of something that two positions have to do with, at most `most`.
    fn len_of(&self, from: usize, to: usize, most: usize) -> usize {
        (random(from, to, self.number as u64 + 77) >> 30) as usize % (most + 1)
    }

    /// The sum of what the images at positions have.
    fn sum(&self, positions: std::ops::Range<usize>, len: usize) -> Vec<u64> {
        let mut sum = vec![0u64; len];
        for position in positions {
            let numbers = self.numbers_of(position, len);
            sum.iter_mut().zip(numbers).for_each(|(sum, x)| *sum = sum.wrapping_add(x));
        }
        sum
    }

    fn len(&self) -> usize {
        [0, 1, 7, 8, 300, 1030, 9000][self.dice.roll(7)]
    }

    /// Memory with this content: of the image's own, or place 0 or 1 of its segment.
    fn memory(&self, place: usize, content: Vec<u64>) -> Memory {
        if self.own.roll(2) == 0 {
            return Memory::Own(content);
        }
        // The middle of the segment is unused in these tests.
        let offset = self.image.layout().heap.start as usize + ((64 + 64 * place) << 20);
        let start = self.image.own_segment().wrapping_add(offset).cast::<u64>();
        // SAFETY: memory of this image, one vector a place at a time.
        unsafe { std::ptr::copy_nonoverlapping(content.as_ptr(), start, content.len()) };
        Memory::Shared(start, content.len())
    }

    /// An allreduce in the midst of which an image fails, if it has something to combine.
    pub fn reduction_in_which_fails(&self, victim: Rank) -> Result<()> {
        let len = self.len();
        let left = Cell::new(self.dice.roll(len + 1));
        let (image, set) = (self.image, self.set);
        let combine = |a: u64, b: u64| {
            if image.rank() == victim && left.replace(left.get().saturating_sub(1)) == 0 {
                fail();
            }
            a.wrapping_add(b)
        };
        let mut data = self.memory(0, self.numbers_of(self.me(), len));
        let outcome = collectives::allreduce_by(image, set, data.get(), combine);
        if image.rank() == victim {
            fail();
        }
        outcome?;
        assert!(data.get() == self.sum(0..set.len(), len));
        Ok(())
    }

    /// Runs a blocking operation.
    pub fn run(&self) -> Result<()> {
        let (image, set, me, n) = (self.image, self.set, self.me(), self.set.len());
        let (kind, len, root) = (self.dice.roll(13), self.len(), self.dice.roll(n));
        let is_root = me == root;
        let mine = || self.numbers_of(me, len);
        let concatenation = || (0..n).flat_map(|i| self.numbers_of(i, len)).collect::<Vec<_>>();
        match kind {
            0 => collectives::barrier(image, set),
            1 => {
                let mut data = self.memory(0, if is_root { mine() } else { vec![0; len] });
                collectives::broadcast(image, set, root, data.get())?;
                assert!(data.get() == self.numbers_of(root, len));
                Ok(())
            }
            2 => {
                let mut data = self.memory(0, mine());
                collectives::reduce(image, set, root, data.get(), Op::Sum)?;
                assert!(!is_root || data.get() == self.sum(0..n, len));
                Ok(())
            }
            3 => {
                let mut data = self.memory(0, mine());
                collectives::allreduce(image, set, data.get(), Op::Sum)?;
                assert!(data.get() == self.sum(0..n, len));
                Ok(())
            }
            4 => {
                let (mut give, mut all) =
                    (self.memory(0, mine()), self.memory(1, vec![0; n * len]));
                collectives::allgather(image, set, give.get(), all.get())?;
                assert!(all.get() == concatenation());
                Ok(())
            }
            5 => {
                let room = if is_root { n * len } else { 0 };
                let (mut give, mut all) = (self.memory(0, mine()), self.memory(1, vec![0; room]));
                collectives::gather(image, set, root, give.get(), all.get())?;
                assert!(!is_root || all.get() == concatenation());
                Ok(())
            }
            6 => {
                let all = if is_root { concatenation() } else { vec![] };
                let (mut all, mut part) = (self.memory(0, all), self.memory(1, vec![0; len]));
                collectives::scatter(image, set, root, all.get(), part.get())?;
                assert!(part.get() == mine());
                Ok(())
            }
            7 | 8 => self.parts_of_root(kind == 7, root, len),
            9 => {
                let mut send = self.memory(0, self.numbers_of(me, n * len));
                let mut receive = self.memory(1, vec![0; n * len]);
                collectives::alltoall(image, set, send.get(), receive.get())?;
                assert!(receive.get() == self.column(len));
                Ok(())
            }
            10 => self.alltoallv(len),
            11 => {
                let mut data = self.memory(0, mine());
                collectives::scan(image, set, data.get(), Op::Sum)?;
                assert!(data.get() == self.sum(0..me + 1, len));
                Ok(())
            }
            _ => {
                let mut data = self.memory(0, mine());
                collectives::exscan(image, set, data.get(), Op::Sum)?;
                assert!(data.get() == if me == 0 { mine() } else { self.sum(0..me, len) });
                Ok(())
            }
        }
    }

    /// What an alltoall brings this image.
    fn column(&self, len: usize) -> Vec<u64> {
        let part = |from| (0..len).map(move |k| self.number_of(from, self.me() * len + k));
        (0..self.set.len()).flat_map(part).collect()
    }

    /// Gather or scatter of parts of different lengths.
    fn parts_of_root(&self, gathers: bool, root: usize, most: usize) -> Result<()> {
        let (image, set, me, n) = (self.image, self.set, self.me(), self.set.len());
        let lens: Vec<usize> = (0..n).map(|i| self.len_of(i, i, most)).collect();
        let offsets = packed(&lens);
        let parts = Parts::Given { lens: &lens, offsets: &offsets };
        let everything: Vec<u64> = (0..n).flat_map(|i| self.numbers_of(i, lens[i])).collect();
        let (room, mine) = (everything.len(), self.numbers_of(me, lens[me]));
        let at_root = |content| if me == root { content } else { vec![] };
        if gathers {
            let (mut give, mut all) =
                (self.memory(0, mine), self.memory(1, at_root(vec![0; room])));
            collectives::gatherv(image, set, root, give.get(), all.get(), parts)?;
            assert!(me != root || all.get() == everything);
        } else {
            let (mut all, mut part) =
                (self.memory(0, at_root(everything)), self.memory(1, vec![0; mine.len()]));
            collectives::scatterv(image, set, root, all.get(), parts, part.get())?;
            assert!(part.get() == mine);
        }
        Ok(())
    }

    fn alltoallv(&self, most: usize) -> Result<()> {
        let (me, n) = (self.me(), self.set.len());
        let lens = |parts: &dyn Fn(usize) -> usize| (0..n).map(parts).collect::<Vec<_>>();
        let out = lens(&|to| self.len_of(me, to, most));
        let into = lens(&|from| self.len_of(from, me, most));
        let [out_at, into_at] = [packed(&out), packed(&into)];
        let mut send = self.memory(0, self.numbers_of(me, out.iter().sum()));
        let mut receive = self.memory(1, vec![0; into.iter().sum()]);
        collectives::alltoallv(
            self.image,
            self.set,
            send.get(),
            Parts::Given { lens: &out, offsets: &out_at },
            receive.get(),
            Parts::Given { lens: &into, offsets: &into_at },
        )?;
        let from = |from: usize| {
            let before: usize = (0..me).map(|to| self.len_of(from, to, most)).sum();
            (0..into[from]).map(move |k| self.number_of(from, before + k))
        };
        assert!(receive.get() == (0..n).flat_map(from).collect::<Vec<_>>());
        Ok(())
    }

    /// Begins an operation that does not block.
    pub fn begin(&self) -> Pending<'i> {
        let (image, set, me, n) = (self.image, self.set, self.me(), self.set.len());
        let (kind, len, root) = (self.dice.roll(13), self.len(), self.dice.roll(n));
        let is_root = me == root;
        let mine = || self.numbers_of(me, len);
        let concatenation = || (0..n).flat_map(|i| self.numbers_of(i, len)).collect::<Vec<_>>();
        let (handle, expected) = match kind {
            0 => return Pending::Barrier(nonblocking::barrier(image, set)),
            1 => {
                let data = if is_root { mine() } else { vec![0; len] };
                let handle = nonblocking::broadcast(image, set, root, data).unwrap();
                (handle, Some(self.numbers_of(root, len)))
            }
            2 => {
                let handle = nonblocking::reduce(image, set, root, mine(), Op::Sum).unwrap();
                (handle, is_root.then(|| self.sum(0..n, len)))
            }
            3 => (nonblocking::allreduce(image, set, mine(), Op::Sum), Some(self.sum(0..n, len))),
            4 => (nonblocking::allgather(image, set, &mine()), Some(concatenation())),
            5 => {
                let handle = nonblocking::gather(image, set, root, &mine()).unwrap();
                (handle, Some(if is_root { concatenation() } else { vec![] }))
            }
            6 => {
                let all = if is_root { concatenation() } else { vec![] };
                (nonblocking::scatter(image, set, root, all, len).unwrap(), Some(mine()))
            }
            7 => {
                let send = self.numbers_of(me, n * len);
                (nonblocking::alltoall(image, set, send).unwrap(), Some(self.column(len)))
            }
            8 => (nonblocking::scan(image, set, mine(), Op::Sum), Some(self.sum(0..me + 1, len))),
            9 => {
                let expected = if me == 0 { mine() } else { self.sum(0..me, len) };
                (nonblocking::exscan(image, set, mine(), Op::Sum), Some(expected))
            }
            _ => self.begin_parts(kind, root, len),
        };
        Pending::Data(handle, expected)
    }

    /// Begins a gather, a scatter or an alltoall of parts of different lengths.
    fn begin_parts(
        &self,
        kind: usize,
        root: usize,
        most: usize,
    ) -> (Handle<'i, Vec<u64>>, Option<Vec<u64>>) {
        let (image, set, me, n) = (self.image, self.set, self.me(), self.set.len());
        let lens: Vec<usize> = (0..n).map(|i| self.len_of(i, i, most)).collect();
        let mine = self.numbers_of(me, lens[me]);
        let everything = || (0..n).flat_map(|i| self.numbers_of(i, lens[i])).collect::<Vec<_>>();
        match kind {
            10 => {
                let expected = if me == root { everything() } else { vec![] };
                (nonblocking::gatherv(image, set, root, mine, &lens).unwrap(), Some(expected))
            }
            11 => {
                let all = if me == root { everything() } else { vec![] };
                let handle = nonblocking::scatterv(image, set, root, all, &lens, lens[me]);
                (handle.unwrap(), Some(mine))
            }
            _ => {
                // The same for each.
                let (send, give) = (mine.repeat(n), vec![lens[me]; n]);
                let handle = nonblocking::alltoallv(image, set, send, &give, &lens).unwrap();
                (handle, Some(everything()))
            }
        }
    }
}

/// Where parts of these lengths are one after the other.
fn packed(lens: &[usize]) -> Vec<usize> {
    lens.iter().scan(0, |at, len| Some(std::mem::replace(at, *at + len))).collect()
}

/// See [`Operation::memory`].
enum Memory {
    Own(Vec<u64>),
    Shared(*mut u64, usize),
}

impl Memory {
    fn get(&mut self) -> &mut [u64] {
        match self {
            Memory::Own(numbers) => numbers,
            // SAFETY: as in `memory`.
            Memory::Shared(start, len) => unsafe { std::slice::from_raw_parts_mut(*start, *len) },
        }
    }
}
