//! From measured numbers to the tables of the library, as Rust source.

use crate::row::Row;
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::io::BufRead;
use xmp_collectives::select::table::{Line, fabric, measured};
use xmp_collectives::select::{
    LeaderAllgather, LeaderAllreduce, LeaderBarrier, LeaderBroadcast, LeaderReduce, Named,
};

/// What a change from one algorithm to another is weighed against: the ratio to the best time that it must save over
/// all sizes. Fewer changes, and noise at one size makes none.
const CHANGE: f64 = 1.15;

/// The first word of the origin of a line whose times come from a model.
const MODEL: &str = "model ";

/// `measured.rs` from the rows of standard input; `origin` says where and when they were measured. Rows after a line `model TEXT`
/// come from a model of that kind, and take the place of no measured line.
///
/// # Errors
/// When a line is not a row, or an algorithm does not exist.
pub fn measured(origin: &str) -> Result<String, String> {
    let rows = input(origin)?;
    let mut file = File { text: MEASURED.into(), rows: &rows };
    let bools = |name: &str| name.parse().ok();
    file.table(
        "HOST_ALLREDUCE",
        "Between images of a host: reduction to all.",
        measured::HOST_ALLREDUCE,
        Named::named,
    )?;
    file.table(
        "HOST_REDUCE",
        "Between images of a host: reduction to one.",
        measured::HOST_REDUCE,
        Named::named,
    )?;
    file.table(
        "DIRECT_ALLREDUCE",
        "Whether operands in segments are combined straight from there: reduction to all.",
        measured::DIRECT_ALLREDUCE,
        bools,
    )?;
    file.table("DIRECT_REDUCE", "The same: reduction to one.", measured::DIRECT_REDUCE, bools)?;
    file.table("DIRECT_BROADCAST", "The same: broadcast.", measured::DIRECT_BROADCAST, bools)?;
    file.table(
        "DIRECT_ALLGATHER",
        "The same: gathering for all.",
        measured::DIRECT_ALLGATHER,
        bools,
    )?;
    file.leaders("LEADER_", &OF_LEADERS)?;
    Ok(file.text)
}

/// `fabric.rs` from the rows of standard input, as [`measured`].
///
/// # Errors
/// Those of [`measured`].
pub fn fabric(origin: &str) -> Result<String, String> {
    let rows = input(origin)?;
    let mut file = File { text: FABRIC.into(), rows: &rows };
    file.leaders("", &OVER_FABRIC)?;
    Ok(file.text)
}

/// The tables between leaders.
struct Leaders {
    barrier: &'static [Line<LeaderBarrier>],
    broadcast: &'static [Line<LeaderBroadcast>],
    reduce: &'static [Line<LeaderReduce>],
    allreduce: &'static [Line<LeaderAllreduce>],
    allgather: &'static [Line<LeaderAllgather>],
}

const OF_LEADERS: Leaders = Leaders {
    barrier: measured::LEADER_BARRIER,
    broadcast: measured::LEADER_BROADCAST,
    reduce: measured::LEADER_REDUCE,
    allreduce: measured::LEADER_ALLREDUCE,
    allgather: measured::LEADER_ALLGATHER,
};

const OVER_FABRIC: Leaders = Leaders {
    barrier: fabric::BARRIER,
    broadcast: fabric::BROADCAST,
    reduce: fabric::REDUCE,
    allreduce: fabric::ALLREDUCE,
    allgather: fabric::ALLGATHER,
};

/// The rows of standard input.
fn input(origin: &str) -> Result<Vec<Sourced>, String> {
    let lines = std::io::stdin().lock().lines().collect::<Result<Vec<String>, _>>();
    sourced(&lines.map_err(|error| error.to_string())?, origin)
}

fn sourced(lines: &[impl AsRef<str>], origin: &str) -> Result<Vec<Sourced>, String> {
    let mut origin = origin.to_string();
    let mut rows = Vec::new();
    for line in lines.iter().map(AsRef::as_ref) {
        if line.starts_with(MODEL) {
            origin = line.to_string();
        } else {
            rows.push(Sourced { row: line.parse()?, origin: origin.clone() });
        }
    }
    Ok(rows)
}

const MEASURED: &str = "\
//! Which algorithm is best where. Written by `./x tune`; do not edit.
//!
//! A line is for up to this many participants: where it was measured, and what to choose up to how many bytes. Lines
//! whose origin begins with \"model\" are for numbers of participants that were not measured: their times are computed by
//! `examples/simulate`, with the constants of the machine that `./x tune` ran on.

use super::{Line, crowded, free};
use crate::select::*;
";

const FABRIC: &str = "\
//! The best algorithms between hosts that share no memory. Written by `./x tune`; do not edit.
//!
//! Lines of 2 hosts were measured: network namespaces on 2 cores of AMD EPYC, Open MPI 4.1 and MPICH 4.0 over TCP, 2026-11-21. A
//! message takes 10 us there, as long as 16 KiB of data: below that size the rounds decide, above it the bytes. Lines whose
//! origin begins with \"model\" are computed by `examples/simulate`, with these two figures.

use super::{Line, free};
use crate::select::*;
";

/// A row, and where it comes from.
struct Sourced {
    row: Row,
    origin: String,
}

struct File<'a> {
    text: String,
    rows: &'a [Sourced],
}

/// Microseconds of each algorithm at each number of bytes.
type Times<'a> = BTreeMap<usize, Vec<(&'a str, f64)>>;

/// Origin and ranges of each line, by whether it is crowded and for how many.
type Lines<A> = BTreeMap<(bool, usize), (String, Vec<(usize, A)>)>;

impl File<'_> {
    /// Writes the tables between leaders, whose names begin with `prefix`.
    fn leaders(&mut self, prefix: &str, of: &Leaders) -> Result<(), String> {
        let name = |operation: &str| format!("{prefix}{operation}");
        self.table(&name("BARRIER"), "Between leaders: barrier.", of.barrier, Named::named)?;
        self.table(&name("BROADCAST"), "Between leaders: broadcast.", of.broadcast, Named::named)?;
        self.table(&name("REDUCE"), "Between leaders: reduction to one.", of.reduce, Named::named)?;
        let doc = "Between leaders: reduction to all.";
        self.table(&name("ALLREDUCE"), doc, of.allreduce, Named::named)?;
        let doc = "Between leaders: gathering for all; the bytes are those of one on average.";
        self.table(&name("ALLGATHER"), doc, of.allgather, Named::named)
    }

    /// Writes one table: the lines there are, and in their place or between them those that were measured.
    fn table<A: Copy + Debug>(
        &mut self,
        name: &str,
        doc: &str,
        before: &[Line<A>],
        parse: impl Fn(&str) -> Option<A>,
    ) -> Result<(), String> {
        let mut lines: Lines<A> = BTreeMap::new();
        for line in before {
            let entry = (line.origin.to_string(), line.ranges.to_vec());
            lines.insert((line.crowded, line.participants), entry);
        }
        let key = name.to_lowercase().replace('_', "-");
        let mut kinds: BTreeMap<(bool, usize), (&str, Times<'_>)> = BTreeMap::new();
        for Sourced { row, origin } in self.rows.iter().filter(|sourced| sourced.row.table == key) {
            let kind = (row.crowded, row.participants);
            let measured = |origin: &str| !origin.starts_with(MODEL);
            if !measured(origin) && lines.get(&kind).is_some_and(|(before, _)| measured(before)) {
                continue;
            }
            let (_, times) = kinds.entry(kind).or_insert_with(|| (origin, Times::new()));
            times.entry(row.bytes).or_default().push((&row.algorithm, row.time));
        }
        for (kind, (origin, times)) in kinds {
            let ranges = ranges(&times).into_iter().map(|(up_to, name)| {
                let algorithm =
                    parse(name).ok_or_else(|| format!("{key}: no algorithm {name:?}"))?;
                Ok((up_to, algorithm))
            });
            lines.insert(kind, (origin.to_string(), ranges.collect::<Result<_, String>>()?));
        }
        let of = std::any::type_name::<A>().rsplit("::").next().expect("a name");
        let prefix =
            if of.starts_with(char::is_uppercase) { format!("{of}::") } else { String::new() };
        let text = &mut self.text;
        let outcome = (|| {
            write!(text, "\n/// {doc}\npub const {name}: &[Line<{of}>] = &[\n")?;
            for ((crowded, participants), (origin, ranges)) in lines {
                let kind = if crowded { "crowded" } else { "free" };
                write!(text, "    {kind}({participants}, {origin:?}, &[")?;
                for (i, (up_to, algorithm)) in ranges.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    let up_to =
                        if *up_to == usize::MAX { "usize::MAX".into() } else { up_to.to_string() };
                    write!(text, "{comma}({up_to}, {prefix}{algorithm:?})")?;
                }
                text.push_str("]),\n");
            }
            text.write_str("];\n")
        })();
        outcome.map_err(|error: std::fmt::Error| error.to_string())
    }
}

/// What is best up to which size. Between two sizes that were measured, the limit is in their (geometric) middle.
///
/// The costs of an algorithm at a size are the logarithm of its time; the cheapest way through all sizes is found
/// size by size: for each algorithm the cheapest way that ends with it.
fn ranges<'a>(times: &Times<'a>) -> Vec<(usize, &'a str)> {
    type Way<'a> = (f64, Vec<(usize, &'a str)>);
    let mut ways: Vec<Way<'a>> = vec![(0.0, Vec::new())];
    let mut before = 0_usize;
    for (&bytes, measured) in times {
        let limit = (before as f64 * bytes as f64).sqrt() as usize;
        let end_with = |&(name, time): &(&'a str, f64)| {
            let extended = ways.iter().map(|(cost, ranges)| {
                let mut ranges = ranges.clone();
                let changes = ranges.last().is_some_and(|last| last.1 != name);
                if let Some((up_to, _)) = ranges.last_mut().filter(|_| changes) {
                    *up_to = limit;
                }
                if changes || ranges.is_empty() {
                    ranges.push((usize::MAX, name));
                }
                (cost + time.ln() + if changes { CHANGE.ln() } else { 0.0 }, ranges)
            });
            extended.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a way")
        };
        ways = measured.iter().map(end_with).collect();
        before = bytes;
    }
    ways.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("an algorithm").1
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_collectives::select::table;
    use xmp_collectives::select::table::measured::LEADER_ALLREDUCE;

    fn rows(lines: &[&str]) -> Vec<Sourced> {
        sourced(lines, "here, today").unwrap()
    }

    fn written(rows: &[Sourced]) -> Result<String, String> {
        let mut file = File { text: String::new(), rows };
        file.table("LEADER_ALLREDUCE", "Doc.", LEADER_ALLREDUCE, Named::named)?;
        Ok(file.text)
    }

    #[test]
    fn an_algorithm_that_is_clearly_better_takes_over() {
        let times = BTreeMap::from([
            (8, vec![("a", 1.0), ("b", 2.0)]),
            (32, vec![("a", 2.0), ("b", 1.95)]),
            (128, vec![("a", 4.0), ("b", 3.0), ("b", 5.0)]),
        ]);
        assert_eq!(ranges(&times), [(16, "a"), (usize::MAX, "b")]);
    }

    #[test]
    fn noise_at_one_size_changes_nothing() {
        let times = BTreeMap::from([
            (8, vec![("a", 1.0), ("b", 1.3)]),
            (32, vec![("a", 1.2), ("b", 1.0)]),
            (128, vec![("a", 1.0), ("b", 1.3)]),
        ]);
        assert_eq!(ranges(&times), [(usize::MAX, "a")]);
    }

    #[test]
    fn measured_lines_replace_those_of_their_kind() {
        let number = LEADER_ALLREDUCE.iter().find(|line| !line.crowded).unwrap().participants;
        let rows = rows(&[
            &format!("leader-allreduce {number} free 8 flat 1.5"),
            &format!("leader-allreduce {number} free 32 flat 9.5"),
            &format!("leader-allreduce {number} free 32 ring 2.5"),
            "leader-allreduce 77 crowded 8 flat 1.5",
            "leader-reduce 3 free 8 flat 1.5",
        ]);
        let text = written(&rows).unwrap();
        let expected = "(16, LeaderAllreduce::Flat), (usize::MAX, LeaderAllreduce::Ring)";
        assert!(
            text.contains(&format!("free({number}, \"here, today\", &[{expected}])")),
            "{text}"
        );
        assert!(text.contains("crowded(77, \"here, today\""), "{text}");
        let lines = text.matches("free(").count() + text.matches("crowded(").count();
        assert_eq!(lines, LEADER_ALLREDUCE.len() + 1, "{text}");
        let kept = table::find(LEADER_ALLREDUCE, 100, true, 8);
        assert!(text.contains(&format!("LeaderAllreduce::{kept:?}")), "{text}");
    }

    #[test]
    fn lines_of_a_model_replace_no_measured_line() {
        let measured = LEADER_ALLREDUCE.iter().find(|line| !line.origin.starts_with(MODEL));
        let measured = measured.unwrap();
        let cores = if measured.crowded { "crowded" } else { "free" };
        let of_measured = format!("leader-allreduce {} {cores} 8 flat 1.5", measured.participants);
        let rows = rows(&["model of here", &of_measured, "leader-allreduce 99 free 8 ring 1.5"]);
        let text = written(&rows).unwrap();
        assert!(text.contains(measured.origin), "{text}");
        let of_model = "free(99, \"model of here\", &[(usize::MAX, LeaderAllreduce::Ring)])";
        assert!(text.contains(of_model), "{text}");
        assert_eq!(text.matches("model of here").count(), 1, "{text}");
    }

    #[test]
    fn what_is_not_a_measured_line_is_refused() {
        for line in
            ["", "leader-allreduce 2 free 8 flat", "t x free 8 flat 1.0", "t 1 free 8 flat y"]
        {
            assert!(line.parse::<Row>().unwrap_err().contains(line));
        }
        let unknown = rows(&["leader-allreduce 2 free 8 fastest 1.0"]);
        assert!(written(&unknown).unwrap_err().contains("fastest"));
        let row = &unknown[0].row;
        assert_eq!(row.to_string().parse::<Row>().as_ref(), Ok(row));
        assert_eq!(LeaderAllreduce::named("ring"), Some(LeaderAllreduce::Ring));
    }
}
