//! A reference model of teams, task regions and allocations.

use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use xmp_collectives::allgather;
use xmp_core::{Error, Image, Rank, heap};
use xmp_teams::Team;

/// The state of one image.
pub struct World {
    frames: Vec<Frame>,
    rank: Rank,
    images: usize,
    steps: usize,
    stamp: u64,
}

struct Frame {
    members: Vec<Rank>,
    /// Number of the team; `None` for a task region.
    team: Option<i64>,
    blocks: Vec<Block>,
}

struct Block {
    offset: u64,
    size: u64,
    stamp: u64,
    initial: bool,
}

/// The arguments of the images of a set in FORM TEAM, and the teams that they give.
pub struct Teams {
    said: BTreeMap<Rank, (i64, Option<i64>)>,
    teams: BTreeMap<i64, Vec<Rank>>,
}

impl Teams {
    pub fn number_of(&self, rank: Rank) -> i64 {
        self.said[&rank].0
    }

    pub fn new_index_of(&self, rank: Rank) -> Option<i64> {
        self.said[&rank].1
    }
}

fn grains(size: u64) -> u64 {
    size.max(1).next_multiple_of(heap::GRAIN)
}

impl World {
    pub fn new(image: &Image) -> World {
        let members: Vec<Rank> = image.job().ranks().collect();
        let images = members.len();
        let frame = Frame { members, team: Some(-1), blocks: Vec::new() };
        World { frames: vec![frame], rank: image.rank(), images, steps: 0, stamp: 0 }
    }

    pub fn steps(&self) -> usize {
        self.steps
    }

    fn top(&self) -> &Frame {
        self.frames.last().unwrap()
    }

    /// Teams of the executing set, of a shape that is drawn.
    pub fn teams(&self, random: &mut Random) -> Teams {
        let members = &self.top().members;
        let (kind, width) = (random.below(5), 1 + random.below(4));
        let mut number = |position: u64| match kind {
            0 => 1 + position / width,
            1 => 3 + position % width,
            2 => 7,
            _ => 1 + random.below(width),
        };
        let numbers: Vec<i64> = (0..members.len() as u64).map(|p| number(p) as i64).collect();
        let mut teams: BTreeMap<i64, Vec<Rank>> = BTreeMap::new();
        for (&rank, &number) in members.iter().zip(&numbers) {
            teams.entry(number).or_default().push(rank);
        }
        let mut said: BTreeMap<Rank, (i64, Option<i64>)> =
            members.iter().zip(&numbers).map(|(&rank, &number)| (rank, (number, None))).collect();
        if kind == 4 {
            for (&number, team) in &mut teams {
                // All images but perhaps the last of a new order asks for its index.
                for k in (1..team.len()).rev() {
                    team.swap(k, random.below(k as u64 + 1) as usize);
                }
                for (index, rank) in team.iter().enumerate().skip(random.below(2) as usize) {
                    said.insert(*rank, (number, Some(index as i64 + 1)));
                }
            }
        }
        Teams { said, teams }
    }

    pub fn check_team(&self, image: &Image, team: &Team, expected: &Teams) {
        assert_eq!(team.number(), expected.number_of(self.rank));
        let ranks: Vec<Rank> = team.set().ranks().collect();
        assert_eq!(ranks, expected.teams[&team.number()]);
        assert_eq!(team.set().position(), ranks.iter().position(|&rank| rank == self.rank));
        for (&number, members) in &expected.teams {
            let sibling = team.sibling(image, number).unwrap();
            assert_eq!(sibling.ranks().collect::<Vec<_>>(), *members);
            for rank in image.job().ranks() {
                let position = members.iter().position(|&member| member == rank);
                assert_eq!(sibling.position_of(rank), position);
            }
        }
        assert!(team.sibling(image, 99).is_err());
    }

    pub fn enter(&mut self, image: &Image, team: Option<i64>) {
        let members = image.executing().ranks().collect();
        self.frames.push(Frame { members, team, blocks: Vec::new() });
        self.check(image);
    }

    pub fn leave(&mut self, image: &Image, released: Option<&[Range<u64>]>) {
        let left = self.frames.pop().unwrap();
        for block in &left.blocks {
            // Other teams may have freed theirs and taken new ones, but no image has touched these.
            assert_eq!(self.content(image, block), block.stamp);
        }
        if let Some(released) = released {
            let starts = |blocks: &mut dyn Iterator<Item = u64>| blocks.collect::<BTreeSet<u64>>();
            let expected = starts(&mut left.blocks.iter().map(|block| block.offset));
            assert_eq!(starts(&mut released.iter().map(|block| block.start)), expected);
        }
        self.check(image);
    }

    /// Takes a block, and checks that all images of the set have got the same.
    pub fn allocate(&mut self, image: &Image, random: &mut Random) {
        let size = [0, 8, 100, 4096, 70_000][random.below(5) as usize] + random.below(100);
        let align = 64 << random.below(4);
        let offset = image.memory().allocate_symmetric(size, align).unwrap();
        let mut offsets = vec![0; self.top().members.len()];
        allgather(image, &image.executing(), &[offset], &mut offsets).unwrap();
        assert!(offsets.iter().all(|&other| other == offset), "{offsets:?}");
        assert!(offset.is_multiple_of(align));
        self.stamp += 1;
        let stamp = self.stamp << 16 | u64::from(self.rank.get());
        let initial = self.top().members.iter().copied().eq(image.job().ranks());
        let area = if initial { &image.layout().heap } else { &image.layout().teams };
        assert!(area.contains(&offset) && offset + size <= area.end);
        for block in self.frames.iter().flat_map(|frame| &frame.blocks) {
            let apart = block.offset + grains(block.size) <= offset;
            assert!(apart || offset + grains(size) <= block.offset, "blocks overlap");
        }
        let block = Block { offset, size, stamp, initial };
        // SAFETY: every block has at least 64 bytes; it is this image's part of it, which no other image uses.
        unsafe { image.own_segment().add(offset as usize).cast::<u64>().write(stamp) };
        self.frames.last_mut().unwrap().blocks.push(block);
    }

    fn content(&self, image: &Image, block: &Block) -> u64 {
        // SAFETY: the block has at least 64 bytes; it is this image's part, which no other image uses.
        unsafe { image.own_segment().add(block.offset as usize).cast::<u64>().read() }
    }

    /// Gives a block of the executing set back; those of the sets around it cannot be.
    pub fn free(&mut self, image: &Image, random: &mut Random) {
        let drawn = random.below(1 << 20) as usize;
        if let Some(outer) = self.frames.iter().rev().skip(1).flat_map(|f| &f.blocks).next() {
            let text = free(image, outer.offset).unwrap_err().to_string();
            assert!(text.contains("it was allocated before"), "{text}");
        }
        let blocks = &mut self.frames.last_mut().unwrap().blocks;
        if blocks.is_empty() {
            return;
        }
        let block = blocks.swap_remove(drawn % blocks.len());
        assert_eq!(self.content(image, &block), block.stamp);
        free(image, block.offset).unwrap();
        assert!(free(image, block.offset).is_err());
    }

    /// All images of the executing set have the same blocks.
    pub fn compare(&self, image: &Image) {
        let own: Vec<u64> = self.top().blocks.iter().flat_map(|b| [b.offset, b.size]).collect();
        let images = self.top().members.len();
        let mut lens = vec![0; images];
        allgather(image, &image.executing(), &[own.len() as u64], &mut lens).unwrap();
        assert!(lens.iter().all(|&len| len == own.len() as u64));
        let mut all = vec![0; images * own.len()];
        allgather(image, &image.executing(), &own, &mut all).unwrap();
        assert!(own.is_empty() || all.chunks(own.len()).all(|other| other == own));
    }

    /// What the image says of itself is what the model says.
    pub fn check(&mut self, image: &Image) {
        self.steps += 1;
        assert_eq!(image.stack().depth(), self.frames.len());
        let top = self.top();
        assert_eq!(image.executing().ranks().collect::<Vec<_>>(), top.members);
        for (k, &rank) in top.members.iter().enumerate() {
            assert_eq!(image.stack().rank_of_index(k as i32 + 1), Some(rank));
        }
        assert_eq!(image.stack().rank_of_index(top.members.len() as i32 + 1), None);
        let team = self.frames.iter().rev().find_map(|frame| frame.team).unwrap();
        assert_eq!(Team::current(image).number(), team);
        let [initial, _, teams] = image.memory().usage();
        let in_use = |of_initial: bool| {
            let blocks = self.frames.iter().flat_map(|frame| &frame.blocks);
            blocks.filter(|b| b.initial == of_initial).map(|b| grains(b.size)).sum::<u64>()
        };
        assert_eq!((initial.0, teams.0), (in_use(true), in_use(false)));
        assert_eq!(image.memory().has_allocated(), !top.blocks.is_empty());
        assert!(self.images >= top.members.len());
    }

    /// Frees what is left in the initial team.
    pub fn clear(&mut self, image: &Image) {
        assert_eq!(self.frames.len(), 1);
        for block in std::mem::take(&mut self.frames[0].blocks) {
            assert_eq!(self.content(image, &block), block.stamp);
            free(image, block.offset).unwrap();
        }
    }
}

/// Frees a block that the test uses no more.
fn free(image: &Image, offset: u64) -> Result<(), Error> {
    // SAFETY: no image of the test uses the block any more.
    unsafe { image.memory().free_symmetric(offset) }
}
