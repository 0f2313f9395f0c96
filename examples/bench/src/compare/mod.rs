//! Two runs, row by row: by how much each side's times differ, and whether that is more than noise.

mod read;

pub use read::read;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::options::CompareOptions;
use crate::stats::Summary;
use crate::table::{Table, short, wrapped};
use read::{Key, Results};

/// Fewest repetitions of each run for which ranges seldom lie apart by chance: of 4 and 4 equal values in 1 of 35 rows.
const ENOUGH_REPETITIONS: usize = 4;

/// Compares two runs, and prints what has changed.
pub fn run(options: &CompareOptions) -> Result<(), Error> {
    let before = read(&options.before)?;
    let after = read(&options.after)?;
    let wanted =
        |side: &str| options.peers.is_empty() || options.peers.iter().any(|peer| peer == side);
    let head = format!("A: {}\nB: {}\n", options.before.display(), options.after.display());
    print!(
        "{}\n{head}\n{}",
        wrapped(&verdict(&before, &after, wanted)),
        table(&before, &after, wanted)
    );
    Ok(())
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Every repetition of B took less time than every one of A.
    Faster,
    /// Every repetition of B took more time than every one of A.
    Slower,
    /// The ranges overlap.
    Noise,
}

impl Change {
    fn of(before: Summary, after: Summary) -> Self {
        if after.max < before.min {
            Self::Faster
        } else if after.min > before.max {
            Self::Slower
        } else {
            Self::Noise
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "SLOWER",
            Self::Noise => "~",
        }
    }
}

/// The rows that both runs have, those of ours first.
fn shared<'a>(
    before: &'a Results,
    after: &'a Results,
    wanted: impl Fn(&str) -> bool,
) -> Vec<(&'a Key, Summary, Summary)> {
    let both = |(key, before): (&'a Key, &Summary)| Some((key, *before, *after.get(key)?));
    before.iter().filter(|(key, _)| wanted(&key.side)).filter_map(both).collect()
}

/// How many rows have changed, of ours and of the others, which tell whether the machine has.
fn verdict(before: &Results, after: &Results, wanted: impl Fn(&str) -> bool + Copy) -> String {
    let rows = shared(before, after, wanted);
    let mut lines = Vec::new();
    for (is_ours, whose) in [(true, "ours"), (false, "the other sides")] {
        let rows: Vec<_> = rows.iter().filter(|(key, ..)| key.is_ours == is_ours).collect();
        if rows.is_empty() {
            continue;
        }
        let count = |change| rows.iter().filter(|(_, a, b)| Change::of(*a, *b) == change).count();
        let mut ratios: Vec<f64> = rows.iter().map(|(_, a, b)| b.median / a.median).collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = short(ratios[ratios.len() / 2]);
        lines.push(format!(
            "{} rows of {whose}: {} faster in B, {} slower, {} within noise; median ratio {ratio}.",
            rows.len(),
            count(Change::Faster),
            count(Change::Slower),
            count(Change::Noise)
        ));
    }
    if lines.is_empty() {
        lines.push("No row has figures in both runs.".to_owned());
    }
    let fewest = rows.iter().map(|(_, a, b)| a.count.min(b.count)).min();
    if fewest.is_some_and(|fewest| fewest < ENOUGH_REPETITIONS) {
        lines.push(format!(
            "Some rows have fewer than {ENOUGH_REPETITIONS} repetitions: their ranges are often apart by chance."
        ));
    }
    for (name, here, there) in [("A", before, after), ("B", after, before)] {
        let lone = here.keys().filter(|key| wanted(&key.side) && !there.contains_key(key)).count();
        if lone > 0 {
            lines.push(format!("{lone} rows have figures in {name} alone."));
        }
    }
    lines.join("\n")
}

/// Every row that both runs have.
fn table(before: &Results, after: &Results, wanted: impl Fn(&str) -> bool) -> String {
    let mut table =
        Table::new(["row", "images", "side", "A", "B", "B/A", "least-greatest", "change"]);
    for (key, before, after) in shared(before, after, wanted) {
        table.push(vec![
            format!("{}:{}", key.row, key.size),
            key.images.to_string(),
            key.side.clone(),
            short(before.median),
            short(after.median),
            short(after.median / before.median),
            format!("{}-{}", short(after.min / before.max), short(after.max / before.min)),
            Change::of(before, after).word().to_owned(),
        ]);
    }
    table.terminal()
}
