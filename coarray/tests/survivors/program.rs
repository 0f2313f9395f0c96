//! What the images execute: the same text for all.

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
    /// Of the team so many levels outwards.
    SyncTeam(usize),
    SyncImages(Partners),
    /// Of the team so many levels outwards; the operation and its number of elements; whether it goes on in the background.
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
    /// FORM TEAM, maybe SYNC TEAM, CHANGE TEAM, the body, END TEAM at its own place.
    Team {
        split: Split,
        synchronises: bool,
        body: Vec<Statement>,
        end: usize,
    },
}

/// With whom an image synchronises.
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

/// The statements that the dice say, so many in all.
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
        let what = match dice.roll(16) {
            0..2 => What::SyncAll,
            2 => What::SyncTeam(dice.roll(depth + 1)),
            3 | 4 => {
                What::SyncImages(dice.pick(&[Partners::All, Partners::First, Partners::Pairs]))
            }
            5..10 => What::Collective {
                out: if dice.one_of(3) { dice.roll(depth + 1) } else { 0 },
                kind: dice.roll(9),
                len: dice.pick(&[0, 1, 1, 7, 300, 1030, 5000, 20_000]),
                background: dice.one_of(6),
            },
            10 => What::Events,
            11 => What::Lock(dice.roll(8)),
            _ if depth < 3 && end - here > 2 => {
                let split = match dice.roll(5) {
                    0 => Split::One,
                    1 => Split::Each,
                    2 => Split::Modulo(1 + dice.roll(3)),
                    3 => Split::Blocks(1 + dice.roll(4)),
                    _ => Split::Irregular(1 + dice.roll(5)),
                };
                let len = 1 + dice.roll((end - *at).min(9));
                let synchronises = dice.one_of(4);
                let body = body(dice, depth + 1, len, at);
                *at += 1;
                What::Team { split, synchronises, body, end: *at - 1 }
            }
            _ => What::SyncAll,
        };
        statements.push(Statement { at: here, what });
    }
    statements
}
