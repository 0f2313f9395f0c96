//! The text of `docs/PERFORMANCE.md`.

use super::data::Line;
use super::draw::size;
use crate::table::short;
use std::fmt::Write;

/// The least ratio with which a row is behind: less is within the noise of the machine.
const BEHIND: f64 = 1.05;

/// Why rows are behind. A row that is behind and not here makes the page say so.
const REASONS: [(&[&str], &str); 5] = [
    (
        &["sync_memory"],
        "`sync memory` is 16 instructions with the call of a shared library; that of OpenCoarrays is linked statically.",
    ),
    (
        &["co_reduce"],
        "`co_reduce` calls the user's function once for each element, as Fortran defines it; MPI calls it for a vector.",
    ),
    (
        &["get"],
        "A get of 64 MiB is bound by the memory; its range overlaps with that of OpenCoarrays.",
    ),
    (
        &[
            "halo_read_elements",
            "halo_write_elements",
            "halo_read_blocks",
            "halo_write_blocks",
            "volume_exchange",
        ],
        "The halo and the exchange allocate a coarray each time, which takes four barriers; MPI sends two messages. Each element \
         through a pointer component is a call of 7 ns; MPI copies a block.",
    ),
    (
        &["pipeline"],
        "`sync images` waits for the next image of a pipeline, a message does not; with events the pipeline is ahead.",
    ),
];

/// A picture in light and in dark colours.
fn picture(name: &str, text: &str) -> String {
    format!(
        "<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"images/{name}-dark.svg\">\n  \
         <img alt=\"{text}\" src=\"images/{name}-light.svg\">\n</picture>\n"
    )
}

/// A ratio with two digits that count; where XMP-RT is behind it is bold.
fn ratio(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value > BEHIND => format!("**{value:.2}**"),
        Some(value) if value < 0.00995 => format!("{value:.4}"),
        Some(value) if value < 0.0995 => format!("{value:.3}"),
        Some(value) => format!("{value:.2}"),
    }
}

fn time(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| {
        if value >= 1000.0 { format!("{value:.0}") } else { short(value) }
    })
}

/// The whole page.
pub fn text(operations: &[Line], programs: &[Line]) -> String {
    let mut page = String::from(BEGIN);
    page += &picture("put", "Time of a put by its size, with XMP-RT, OpenCoarrays and MPI");
    page += "\n";
    page += &picture("collectives", "Time of co_sum and co_broadcast by size");
    page += "\n";
    page += &picture("programs", "Ratio of the times of whole programs to MPI");
    page += TABLE;
    for line in operations {
        let bytes = if line.size == 0 { String::new() } else { size(line.size) };
        let _ = writeln!(
            page,
            "| {} | {bytes} | {} | {} | {} | {} | {} |",
            line.title,
            time(line.times[0]),
            time(line.times[1]),
            ratio(line.ratio(1)),
            time(line.times[2]),
            ratio(line.ratio(2))
        );
    }
    page += PROGRAMS;
    let has_others = programs.iter().any(|line| line.times[1].is_some());
    let others = |text: String| if has_others { format!(" {text} |") } else { String::new() };
    let row = |cells: [String; 6]| {
        let [title, ours, theirs, over_theirs, mpi, over_mpi] = cells;
        let [theirs, over_theirs] = [theirs, over_theirs].map(others);
        format!("| {title} | {ours} |{theirs}{over_theirs} {mpi} | {over_mpi} |\n")
    };
    page += &row(["program", "XMP-RT", "OpenCoarrays", "ratio", "MPI", "ratio"].map(String::from));
    page +=
        &row(["---", "---:", "---:", "---:", "---:", "---:"].map(String::from)).replace(' ', "");
    for line in programs {
        let [ours, theirs, mpi] = line.times.map(time);
        let [over_theirs, over_mpi] = [1, 2].map(|side| ratio(line.ratio(side)));
        page += &row([line.title.clone(), ours, theirs, over_theirs, mpi, over_mpi]);
    }
    if has_others && programs.iter().any(|line| line.times[1].is_none()) {
        page += NOT_BY_OPENCOARRAYS;
    }
    page += "\n## Where XMP-RT is behind, and why\n\n";
    let is_behind = |line: &&Line| line.ratio_to_best().is_some_and(|ratio| ratio > BEHIND);
    let behind: Vec<&Line> = operations.iter().chain(programs).filter(is_behind).collect();
    for (rows, reason) in REASONS {
        if behind.iter().any(|line| rows.contains(&&*line.row)) {
            let _ = writeln!(page, "- {reason}");
        }
    }
    let is_explained = |line: &&&Line| REASONS.iter().any(|(rows, _)| rows.contains(&&*line.row));
    for line in behind.iter().filter(|line| !is_explained(line)) {
        let _ = writeln!(page, "- {}: the reason is not known yet.", line.title);
    }
    page + END
}

const BEGIN: &str = "<!-- Made by `./x bench figures` from docs/perf/*.csv. -->
# Performance

Times of single operations and of whole programs, with coarrays by XMP-RT, with coarrays by OpenCoarrays, and with MPI. A ratio is the time
with XMP-RT divided by the time of the other side: less than 1 is faster. 2 images on 2 cores of one machine; medians of 5 runs, in which all
sides took turns.

";

const TABLE: &str = "
## Operations

Microseconds an operation. Bold: XMP-RT is behind by more than 5 %.

| operation | size | XMP-RT | OpenCoarrays | ratio | MPI | ratio |
|---|---:|---:|---:|---:|---:|---:|
";

const PROGRAMS: &str = "
## Whole programs

Microseconds a step. Each program exists in two forms, with coarrays and with MPI; the
[README of the bench](../examples/bench/README.md#programs-in-two-forms) describes them.

";

const NOT_BY_OPENCOARRAYS: &str = "
Where OpenCoarrays has no figure, it ended with an error or computed another result.
";

const END: &str = "
## Machines and commands

| figures | command | date | machine |
|---|---|---|---|
| operations | `./x bench --images 2 --reps 5 --batch 10` | 29 November 2026 | AMD EPYC with Zen 5 cores, 2 of them, 1 MiB second-level cache each, 32 MiB third-level cache, virtual, Linux 6.18 |
| programs | `./x bench programs --images 2 --reps 5` | 29 November 2026 | the same |

gfortran 12, OpenCoarrays 2.10.1, Open MPI 4.1, MPICH 4.0, Debian 12. \"OpenCoarrays\" and \"MPI\" are the better of the two with Open MPI and
with MPICH. [The log of measurements](perf/LOG.md) has the figures with 4 images, of other processors, between hosts, of teams, of
XcalableMP and of PRIF, and what was tried.

On your machine:

```sh
xmprun --bench                                # some operations, with the installed library alone, in 20 seconds
./x bench                                     # from the sources: all operations, against what is installed
./x bench programs                            # whole programs, against OpenCoarrays and MPI
./x bench figures --operations target/bench   # this page and its pictures from a run
```
";
