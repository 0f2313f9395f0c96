//! The program that the images execute: the same text for all.

use crate::dice::Dice;

/// A statement, and its place in the text.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Statements before it in the text.
    pub at: usize,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    SyncAll,
    /// Of the team this many levels outwards.
    SyncTeam(usize),
    SyncImages(Partners),
    /// Of the team this many levels outwards; the operation and its number of elements; whether it goes on in the
    /// background.
    Collective {
        out: usize,
        kind: usize,
        len: usize,
        background: bool,
    },
    /// Each image posts an event of the next one.
    Events,
    /// Each image takes a lock of this image of the executing ones and gives it back.
    Lock(usize),
    /// Each image is in a critical construct.
    Critical,
    /// A coarray of this many elements is allocated, and deallocated, unless it is left to END TEAM.
    Coarray {
        len: usize,
        stays: bool,
    },
    /// FORM TEAM, maybe SYNC TEAM, CHANGE TEAM, the body, END TEAM at its own place.
    Team(TeamRegion),
}

/// FORM TEAM, perhaps SYNC TEAM, and CHANGE TEAM with its body.
#[derive(Clone, Debug)]
pub struct TeamRegion {
    pub split: Split,
    pub indices: Indices,
    pub synchronises: bool,
    pub body: Vec<Statement>,
    /// The position of END TEAM in the text.
    pub end: usize,
}

/// The partners of a synchronisation of an image.
#[derive(Clone, Copy, Debug)]
pub enum Partners {
    All,
    /// The first image with all, all with the first.
    First,
    /// In pairs.
    Pairs,
}

/// Which images are a team.
#[derive(Clone, Copy, Debug)]
pub enum Split {
    One,
    Each,
    Modulo(usize),
    Blocks(usize),
    Irregular(usize),
}

impl Split {
    /// The number of the team of the image at this 0-based position.
    pub fn number(self, position: usize) -> i64 {
        let number = match self {
            Split::One => 0,
            Split::Each => position,
            Split::Modulo(n) => position % n,
            Split::Blocks(n) => position / n,
            Split::Irregular(salt) => position * position % 7 * salt % 3,
        };
        1 + number as i64
    }
}

/// For which indices in their teams images ask. Where that is wrong, also because some have failed, they ask for none
/// then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// For none.
    Any,
    /// All, from the last to the first.
    Turned,
    /// Those at even places of their team, from the last to the first.
    Some,
    /// All for the first one: that is wrong where a team has two.
    Repeated,
}

impl Indices {
    /// The index that the image at this position of `n` asks for.
    pub fn index(self, split: Split, position: usize, n: usize) -> Option<i64> {
        let team: Vec<usize> =
            (0..n).filter(|&p| split.number(p) == split.number(position)).collect();
        let place = team.iter().position(|&p| p == position).expect("of its team");
        let turned = (team.len() - place) as i64;
        match self {
            Indices::Any => None,
            Indices::Turned => Some(turned),
            Indices::Some => (place % 2 == 0).then_some(turned),
            Indices::Repeated => Some(1),
        }
    }
}

/// The statements that the dice give, this many in all.
pub fn text(dice: &Dice, len: usize) -> Vec<Statement> {
    let mut at = 0;
    body(dice, 0, len, &mut at)
}

fn body(dice: &Dice, depth: usize, len: usize, at: &mut usize) -> Vec<Statement> {
    let end = *at + len;
    let mut statements = Vec::new();
    while *at < end {
        let here = *at;
        *at += 1;
        let what = match dice.roll(19) {
            0..2 => What::SyncAll,
            2 => What::SyncTeam(dice.roll(depth + 1)),
            3 | 4 => {
                What::SyncImages(dice.pick(&[Partners::All, Partners::First, Partners::Pairs]))
            }
            5..10 => What::Collective {
                out: if dice.one_of(3) { dice.roll(depth + 1) } else { 0 },
                kind: dice.roll(11),
                len: dice.pick(&[0, 1, 1, 7, 300, 1030, 5000, 20_000]),
                background: dice.one_of(6),
            },
            10 => What::Events,
            11 => What::Lock(dice.roll(8)),
            12 => What::Critical,
            13 | 14 => What::Coarray {
                len: dice.pick(&[0, 1, 100, 5000]),
                // Outside of teams nothing ends that.
                stays: depth > 0 && dice.one_of(3),
            },
            _ if depth < 3 && end - here > 2 => {
                let split = match dice.roll(5) {
                    0 => Split::One,
                    1 => Split::Each,
                    2 => Split::Modulo(1 + dice.roll(3)),
                    3 => Split::Blocks(1 + dice.roll(4)),
                    _ => Split::Irregular(1 + dice.roll(5)),
                };
                let len = 1 + dice.roll((end - *at).min(9));
                let any = Indices::Any;
                let indices = dice.pick(&[any, any, Indices::Turned, Indices::Some]);
                let indices = if dice.one_of(12) { Indices::Repeated } else { indices };
                let synchronises = dice.one_of(4);
                let body = body(dice, depth + 1, len, at);
                *at += 1;
                What::Team(TeamRegion { split, indices, synchronises, body, end: *at - 1 })
            }
            _ => What::SyncAll,
        };
        statements.push(Statement { at: here, what });
    }
    statements
}
