//! The rows: all sides in the full table, ours and the best peer in the narrow one.

use super::standing::{Standing, best_peer};
use super::{Report, TERMINAL_HEAD, bound};
use crate::peers::{Kind, Peer};
use crate::rows::Row;
use crate::samples::{Cell, Samples};
use crate::stats::Summary;
use crate::table::{Table, short};
use crate::targets::{Against, Verdict, judge, ratio};
use std::fmt::Write;

/// What a table shows.
#[derive(Clone, Copy)]
struct View<'a> {
    images: u32,
    samples: &'a Samples,
    peers: &'a [Peer],
}

impl Report {
    /// Adds the table of the rows for one number of images, with the peers that have a part in it.
    pub fn rows(&mut self, rows: &[Row], images: u32, samples: &Samples, peers: &[Peer]) {
        let tried = |peer: &Peer, row: &Row| samples.get(images, &row.key(), peer.id).is_some();
        let peers_here: Vec<&Peer> =
            peers.iter().filter(|peer| rows.iter().any(|row| tried(peer, row))).collect();
        if peers_here.is_empty() {
            return;
        }
        let head = ["row", "size"].into_iter().chain(peers_here.iter().map(|peer| peer.title));
        let view = View { images, samples, peers };
        let mut table = Table::new(head.chain(["ours/coarrays", "ours/raw MPI", "targets"]));
        let mut brief = Table::new(TERMINAL_HEAD);
        let ours = peers_here.iter().find(|peer| peer.kind == Kind::Ours);
        for row in rows {
            let key = row.key();
            let mut cells = vec![row.title.to_owned(), row.size.to_string()];
            for peer in &peers_here {
                let cell = samples.get(images, &key, peer.id);
                cells.push(match cell.map(|cell| (&cell.trouble, cell.summary())) {
                    Some((Some(trouble), _)) => trouble.word().to_owned(),
                    Some((None, Some(summary))) => {
                        let parts = cell.and_then(Cell::parts);
                        let p95 = parts.map(|parts| format!(" p95 {}", short(parts.percentile_95)));
                        spread(summary) + &p95.unwrap_or_default()
                    }
                    _ => "-".to_owned(),
                });
            }
            for against in [Against::Coarray, Against::RawMpi] {
                let ratio = ratio(against, images, &key, samples, peers);
                cells.push(ratio.map_or_else(|| "-".to_owned(), short));
            }
            let judged = self.judge(row, &view);
            cells.push(judged.full());
            table.push(cells);
            if let Some(ours) = ours.filter(|ours| tried(ours, row)) {
                let is_ambiguous = rows.iter().filter(|other| other.title == row.title).count() > 1;
                let name = match row.size {
                    size if is_ambiguous => format!("{} ({size})", row.title),
                    _ => row.title.to_owned(),
                };
                brief.push(self.brief(name, row, ours, &view, &judged));
            }
        }
        let number = in_words(images);
        let _ = write!(self.body, "\n### {number}\n\n{}", table.markdown());
        if !brief.is_empty() {
            let heading = &self.heading;
            let _ = write!(self.terminal, "\n{heading}, {number}\n\n{}", brief.terminal());
        }
    }

    /// The line of a row on the terminal; it counts the row.
    fn brief(
        &mut self,
        name: String,
        row: &Row,
        ours: &Peer,
        view: &View,
        judged: &Judged,
    ) -> Vec<String> {
        let View { images, samples, peers } = *view;
        let key = row.key();
        let best = best_peer(self.compared, images, &key, samples, peers);
        let best_text = best.map_or_else(
            || "-".to_owned(),
            |(peer, summary)| format!("{} {}", short(summary.median), peer.title),
        );
        let cell = samples.get(images, &key, ours.id);
        let Some(summary) = cell.and_then(|cell| cell.summary()) else {
            self.tally.row_without_ours(best.is_some());
            let trouble = cell.and_then(|cell| cell.trouble.as_ref());
            let word = trouble.map_or("-", |trouble| trouble.word());
            let none = || "-".to_owned();
            return vec![name, word.to_owned(), none(), best_text, none(), judged.brief()];
        };
        let standing = best.map(|(_, theirs)| Standing::of(summary, theirs));
        let ratio = best.map(|(peer, theirs)| (peer, summary.median / theirs.median));
        let line = ratio.map_or_else(String::new, |(peer, ratio)| {
            format!("{name}, {}: {} times {}", in_words(images), short(ratio), peer.title)
        });
        self.tally.row(&line, standing);
        if summary.count == 1 || best.is_some_and(|(_, theirs)| theirs.count == 1) {
            self.tally.one_repetition();
        }
        let ratio = ratio.map_or_else(|| "-".to_owned(), |(_, ratio)| short(ratio));
        let mark = if standing == Some(Standing::WithinNoise) { " ~" } else { "" };
        let parts = cell.and_then(Cell::parts);
        let p95 = parts.map_or_else(|| "-".to_owned(), |parts| short(parts.percentile_95));
        let ratio = format!("{ratio}{mark}");
        vec![name, short(summary.median), p95, best_text, ratio, judged.brief()]
    }

    /// Judges the targets of a row, and counts them.
    fn judge(&mut self, row: &Row, view: &View) -> Judged {
        let View { images, samples, peers } = *view;
        let mut judged = Judged::default();
        for target in row.targets.iter().filter(|target| target.applies(images)) {
            let rule = format!("{} <= {}", target.against, bound(target.at_most));
            let verdict = judge(target, images, &row.key(), samples, peers);
            let targets = &mut self.tally.targets;
            match verdict {
                Verdict::Met(_) => targets.met += 1,
                Verdict::Missed(ratio) => targets.missed.push(format!(
                    "{}, {}: {rule}, is {} ({} times too much)",
                    row.title,
                    in_words(images),
                    short(ratio),
                    short(ratio / target.at_most)
                )),
                Verdict::OursMissing | Verdict::TheirsMissing => targets.open += 1,
            }
            judged.0.push((rule, verdict));
        }
        judged
    }
}

/// The targets of a row with what came of each.
#[derive(Default)]
struct Judged(Vec<(String, Verdict)>);

impl Judged {
    /// In words.
    fn full(&self) -> String {
        let words = |(rule, verdict): &(String, Verdict)| match verdict {
            Verdict::Met(ratio) => format!("{rule}: {} met", short(*ratio)),
            Verdict::Missed(ratio) => format!("{rule}: {} MISSED", short(*ratio)),
            Verdict::OursMissing => format!("{rule}: open"),
            Verdict::TheirsMissing => format!("{rule}: nothing to compare with"),
        };
        self.0.iter().map(words).collect::<Vec<_>>().join("; ")
    }

    /// Only what was missed in words.
    fn brief(&self) -> String {
        let count = |is: fn(&Verdict) -> bool| self.0.iter().filter(|(_, v)| is(v)).count();
        let met = count(|verdict| matches!(verdict, Verdict::Met(_)));
        let open = count(|verdict| !matches!(verdict, Verdict::Met(_) | Verdict::Missed(_)));
        let mut words: Vec<String> = Vec::new();
        for (rule, verdict) in &self.0 {
            if let Verdict::Missed(ratio) = verdict {
                words.push(format!("MISSED {rule}: {}", short(*ratio)));
            }
        }
        words.extend((met > 0).then(|| format!("{met} met")));
        words.extend((open > 0).then(|| format!("{open} not judged")));
        if words.is_empty() { "-".to_owned() } else { words.join(", ") }
    }
}

/// A number of images.
fn in_words(images: u32) -> String {
    if images == 1 { "1 image".to_owned() } else { format!("{images} images") }
}

fn spread(summary: Summary) -> String {
    let Summary { median, min, max, count } = summary;
    if count == 1 {
        return short(median);
    }
    format!("{} [{}-{}]", short(median), short(min), short(max))
}
