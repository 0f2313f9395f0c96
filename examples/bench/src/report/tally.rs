//! The account of a run: rows against the best peer, and targets.

use super::standing::Standing;
use std::fmt;

/// What came of the targets.
#[derive(Debug, Default)]
pub struct Targets {
    /// How many were reached.
    pub met: usize,
    /// Those that were not: row, rule and figure.
    pub missed: Vec<String>,
    /// How many have no figure of ours or of the other side.
    pub open: usize,
}

impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { met, missed, open } = self;
        write!(f, "Targets: {met} met, {} missed, {open} not judged.", missed.len())?;
        missed.iter().try_for_each(|line| write!(f, "\n* MISSED {line}"))
    }
}

/// In how many rows ours is ahead of the best peer, beyond noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// So many.
    pub ahead: usize,
    /// Of these, which are the rows that a peer has a figure for.
    pub rows: usize,
}

impl fmt::Display for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows ahead of every peer", self.ahead, self.rows)
    }
}

/// The account of the rows and of the targets.
#[derive(Debug, Default)]
pub struct Tally {
    /// What came of the targets.
    pub targets: Targets,
    rows: usize,
    ahead: usize,
    within_noise: usize,
    behind: Vec<String>,
    without_peer: usize,
    without_ours: usize,
    /// Of those that ours has no figure for, those that a peer has one for.
    only_of_peers: usize,
    without_spread: bool,
}

impl Tally {
    /// Counts a row of this name. `standing` is where ours stands; `None` if no peer has a figure.
    pub fn row(&mut self, name: &str, standing: Option<Standing>) {
        self.rows += 1;
        match standing {
            Some(Standing::Ahead) => self.ahead += 1,
            Some(Standing::WithinNoise) => self.within_noise += 1,
            Some(Standing::Behind) => self.behind.push(name.to_owned()),
            None => self.without_peer += 1,
        }
    }

    /// Counts a row that ours has no figure for; a peer may have one.
    pub fn row_without_ours(&mut self, peer_has_one: bool) {
        self.rows += 1;
        self.without_ours += 1;
        self.only_of_peers += usize::from(peer_has_one);
    }

    /// Notes that a figure is of one repetition, which has no spread.
    pub fn one_repetition(&mut self) {
        self.without_spread = true;
    }

    /// In how many of the rows that a peer has a figure for ours is ahead of the best one, beyond noise.
    pub fn ahead(&self) -> Ahead {
        let Self { ahead, within_noise, behind, only_of_peers, .. } = self;
        let rows = ahead + within_noise + behind.len() + only_of_peers;
        Ahead { ahead: *ahead, rows }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, ahead, within_noise, behind, .. } = self;
        if *rows == 0 {
            return write!(f, "Ours was measured in no row.\n{}", self.targets);
        }
        write!(
            f,
            "{rows} rows: ours ahead of the best peer in {ahead}, within noise in {within_noise}, behind in {}",
            behind.len()
        )?;
        for (count, what) in
            [(self.without_peer, "no peer has a figure"), (self.without_ours, "ours has no figure")]
        {
            if count > 0 {
                write!(f, "; {what} in {count}")?;
            }
        }
        f.write_str(".")?;
        if self.without_spread {
            f.write_str(" One repetition has no spread: what is noise is not known.")?;
        }
        write!(f, "\n{}", self.targets)?;
        behind.iter().try_for_each(|line| write!(f, "\n* BEHIND {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_ours_no_row_is_compared() {
        let text = Tally::default().to_string();
        assert_eq!(text, "Ours was measured in no row.\nTargets: 0 met, 0 missed, 0 not judged.");
    }

    #[test]
    fn every_row_and_target_is_in_the_account() {
        let mut tally = Tally::default();
        for standing in [Standing::Ahead, Standing::Ahead, Standing::WithinNoise, Standing::Behind]
        {
            tally.row("sync all", Some(standing));
        }
        tally.row("flag", None);
        tally.row_without_ours(true);
        tally.targets = Targets { met: 7, missed: vec!["put: 0.2".to_owned()], open: 3 };
        assert_eq!(
            tally.to_string(),
            "6 rows: ours ahead of the best peer in 2, within noise in 1, behind in 1; no peer has a figure in 1; \
             ours has no figure in 1.\nTargets: 7 met, 1 missed, 3 not judged.\n* MISSED put: 0.2\n* BEHIND sync all"
        );
        // A row that no peer has is no row to be ahead in; one that ours has no figure for is.
        assert_eq!(tally.ahead().to_string(), "2 of 5 rows ahead of every peer");
        tally.one_repetition();
        assert!(tally.to_string().contains("what is noise is not known"));
    }
}
