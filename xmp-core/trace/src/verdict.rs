//! The report in three sentences: where the time goes, which image is waited for, and what to try. Another sentence is about races.

use crate::operation::{Kind, Needs, Operation};
use crate::summary::{ImageRow, Row, Summary, sum};
use crate::units::{bytes, percent, time};

/// Shares in percent from which on waiting and communication are worth an advice.
const MUCH: f64 = 10.0;
/// A share below which images hardly wait.
const LITTLE: f64 = 3.0;
/// By how much of the mean an image computes longer that has too much work.
const UNEVEN: f64 = 0.05;
/// Bytes of a transfer that takes no longer than a smaller one, and operations of an image that are many.
const SMALL: u64 = 512;
const MANY_OPERATIONS: u64 = 200;

/// Where the time goes, which image is waited for, what to try: a sentence each.
pub fn verdict(summary: &Summary) -> [String; 3] {
    [where_the_time_goes(summary), which_image_is_waited_for(summary), what_to_try(summary)]
}

/// Whether there are races: a sentence that precedes the others.
pub fn races(summary: &Summary) -> Option<String> {
    match summary.races.len() {
        0 => None,
        1 => Some("There is a race, so results may be wrong.".into()),
        number => Some(format!("There are {number} races, so results may be wrong.")),
    }
}

fn where_the_time_goes(summary: &Summary) -> String {
    let totals = summary.totals();
    let share = |part| percent(part, totals.after_start()).round();
    let longest = summary.images.iter().map(|image| image.elapsed.saturating_sub(image.starting));
    let longest = time(longest.max().unwrap_or(0));
    let (computing, communicating) = (share(totals.computing), share(totals.communicating));
    if summary.images.len() < 2 {
        return format!(
            "In the {longest} after its start the image computes for {computing} % of the time and communicates for \
             {communicating} %."
        );
    }
    format!(
        "In the {longest} after the start the images compute for {computing} % of their time, wait for one another for \
         {} % and communicate for {communicating} %.",
        share(totals.waiting)
    )
}

/// The row in which images wait longest.
fn longest_wait(summary: &Summary) -> Option<&Row> {
    let rows = summary.rows.iter().filter(|row| row.operation != Operation::Start);
    rows.filter(|row| row.waiting > 0).max_by_key(|row| row.waiting)
}

fn which_image_is_waited_for(summary: &Summary) -> String {
    if summary.images.len() < 2 {
        return "There is no other image to wait for.".into();
    }
    let totals = summary.totals();
    let share = percent(totals.waiting, totals.after_start());
    let (Some(row), true) = (longest_wait(summary), share >= LITTLE) else {
        return "The images hardly wait for one another.".into();
    };
    let most = summary.images.iter().max_by_key(|image| image.waited_for);
    let culprit = most.filter(|image| image.waited_for > 0).map(|image| {
        let share = percent(image.waited_for, totals.waiting);
        format!("; image {} is waited for longest, {share:.0} % of all waiting", image.image)
    });
    format!(
        "Most of the waiting, {:.0} %, is in {}{}.",
        percent(row.waiting, totals.waiting),
        named(summary, row),
        culprit.unwrap_or_default()
    )
}

/// `sync all (heat.f90:32)`
fn named(summary: &Summary, row: &Row) -> String {
    format!("{} ({})", row.operation.name(), summary.places[row.place])
}

fn what_to_try(summary: &Summary) -> String {
    let totals = summary.totals();
    if totals.starting > totals.after_start() {
        let images = summary.images.len().max(1) as u64;
        return format!(
            "Try a longer run: its start takes {}, longer than all that follows.",
            time(totals.starting / images)
        );
    }
    let share = |part| percent(part, totals.after_start());
    let is_crowded = (1..summary.job as usize).contains(&summary.processors);
    if is_crowded && share(totals.waiting + totals.communicating) >= MUCH {
        return format!(
            "Try no more images than the {} processors: images that share one wait for it in every operation.",
            summary.processors
        );
    }
    let is_waiting = share(totals.waiting) >= MUCH && totals.waiting >= totals.communicating;
    let row = longest_wait(summary).filter(|_| is_waiting);
    if let Some(row) = row {
        return less_work(summary).unwrap_or_else(|| less_waiting(summary, row));
    }
    let own = |row: &&Row| row.time.saturating_sub(row.waiting);
    let repeated = summary.statements().filter(|row| is_worth_less(summary, row));
    match repeated.max_by_key(own) {
        Some(row) if share(totals.communicating) >= MUCH => less_communication(summary, row),
        _ if share(totals.communicating) >= MUCH => {
            "Communication is in statements that each image executes once: in a longer run its share is smaller.".into()
        }
        _ => "Communication takes little: to be faster, look for the loops that compute longest, for instance with perf \
              record."
            .into(),
    }
}

/// Whether a program can execute a statement less often, or transfer less in it.
fn is_worth_less(summary: &Summary, row: &Row) -> bool {
    let is_transfer = matches!(row.operation.kind(), Kind::Put | Kind::Get | Kind::PutPost);
    is_transfer || is_repeated(summary, row)
}

/// Whether images execute a statement more than once.
fn is_repeated(summary: &Summary, row: &Row) -> bool {
    row.count > summary.images.len() as u64
}

/// What to try where one image has more work than the others, and they wait for it: if that explains a share of the waiting. On a machine
/// that others use, images wait much longer for one that has lost its processor.
fn less_work(summary: &Summary) -> Option<String> {
    let (image, excess) = summary.imbalance().filter(|&(_, excess)| excess >= UNEVEN)?;
    let waited_for = |image: &&ImageRow| image.waited_for;
    if summary.images.iter().max_by_key(waited_for)?.image != image {
        return None;
    }
    let computing = sum(summary.images.iter().map(ImageRow::computing));
    let mean = computing as f64 / summary.images.len() as f64;
    let others = (summary.images.len() - 1) as f64;
    if percent((mean * excess * others) as u64, summary.totals().waiting) < MUCH {
        return None;
    }
    Some(format!(
        "Try to give image {image} less work: it computes {:.0} % longer than the mean, which is {} that others wait.",
        100.0 * excess,
        time((mean * excess) as u64)
    ))
}

fn less_waiting(summary: &Summary, row: &Row) -> String {
    let statement = named(summary, row);
    match row.operation.kind() {
        Kind::Acquire => format!(
            "Try to hold it more shortly: {statement} lets one image after the other through; add up in each image, and \
             combine the sums with co_sum."
        ),
        Kind::Collective(_) if row.operation == Operation::Finish => {
            "Try to give the images equally much work: most of the waiting is at the end of the program.".into()
        }
        Kind::Collective(Needs::All) if summary.job == 2 && is_repeated(summary, row) => format!(
            "Try events in place of {statement}, or more work between two of them: the images arrive at different times, \
             which their computing does not explain (other programs on their processors may)."
        ),
        Kind::Collective(Needs::All) if is_repeated(summary, row) => format!(
            "Try sync images with the neighbours, or events, in place of {statement}: only images that exchange data have \
             to meet."
        ),
        Kind::Collective(_) if !is_repeated(summary, row) => format!(
            "Most of the waiting is in {statement}, which each image executes once: in a longer run its share is smaller."
        ),
        Kind::Collective(_) => format!(
            "Try to execute {statement} more rarely, or later: the images arrive at different times, which their computing \
             does not explain (other programs on their processors may)."
        ),
        Kind::SyncImages => format!(
            "Try to compute between the transfers and {statement}, or events, by which an image that only passes data on \
             need not wait."
        ),
        Kind::Await => format!("Try to post earlier, or to compute something else before {statement}."),
        _ => format!("Try to do something else before {statement}."),
    }
}

fn less_communication(summary: &Summary, row: &Row) -> String {
    let statement = named(summary, row);
    let (count, size) = (row.count, row.bytes / row.count.max(1));
    let is_often = count >= MANY_OPERATIONS * summary.images.len() as u64;
    match row.operation.kind() {
        Kind::Put | Kind::Get | Kind::PutPost if is_often && size < SMALL => format!(
            "Try to transfer whole sections at once: {statement} transfers {} {count} times.",
            bytes(size)
        ),
        Kind::Put | Kind::Get | Kind::PutPost => format!(
            "Try to transfer less, or more rarely: {statement} takes {} for {}.",
            time(row.time.saturating_sub(row.waiting)),
            bytes(row.bytes)
        ),
        Kind::Atomic => format!(
            "Try to count in a local variable first: {statement} is executed {count} times."
        ),
        Kind::Collective(_)
            if matches!(row.operation, Operation::AllocateAll | Operation::DeallocateAll) =>
        {
            format!("Try to allocate once, before the loop: {statement} is executed {count} times.")
        }
        Kind::Collective(_) if is_often && (1..SMALL).contains(&size) => format!(
            "Try to combine several values in one call: {statement} works on {} {count} times.",
            bytes(size)
        ),
        _ => format!(
            "Try to execute {statement} more rarely: all {count} times together take {}.",
            time(row.time.saturating_sub(row.waiting))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operation: Operation, [count, time, waiting, bytes]: [u64; 4]) -> Row {
        let waited_for = [(2, waiting)].into();
        Row { operation, place: 0, count, time, longest: time, bytes, waiting, waited_for }
    }

    /// Two images with these times of computing, operations, waiting and of being waited for.
    fn job(rows: Vec<Row>, images: [[u64; 4]; 2]) -> Summary {
        let image = |(number, times): (usize, [u64; 4])| ImageRow {
            image: number as u32 + 1,
            elapsed: times[0] + times[1],
            operations: times[1],
            waiting: times[2],
            waited_for: times[3],
            ..ImageRow::default()
        };
        Summary {
            job: 2,
            rows,
            images: images.into_iter().enumerate().map(image).collect(),
            places: vec!["a.f90:3".into()],
            ..Summary::default()
        }
    }

    #[test]
    fn an_image_with_more_work_is_named_with_what_the_others_lose() {
        let rows = vec![row(Operation::SyncAll, [2, 1_000_000, 900_000, 0])];
        let job = job(rows, [[1_000_000, 1_000_000, 900_000, 0], [2_000_000, 0, 0, 900_000]]);
        assert_eq!(
            verdict(&job),
            [
                "In the 2.00 ms after the start the images compute for 75 % of their time, wait for one another for 23 % and \
                 communicate for 3 %.",
                "Most of the waiting, 100 %, is in sync all (a.f90:3); image 2 is waited for longest, 100 % of all waiting.",
                "Try to give image 2 less work: it computes 33 % longer than the mean, which is 500 us that others wait.",
            ]
        );
    }

    /// Image 2 computes 33 % longer, which is 0.5 of 50 ms that are waited for.
    #[test]
    fn work_that_explains_little_of_the_waiting_is_not_the_advice() {
        let rows = vec![row(Operation::SyncAll, [100, 50_000_000, 50_000_000, 0])];
        let waited = 25_000_000;
        let job =
            job(rows, [[1_000_000, waited, waited, waited], [2_000_000, waited, waited, waited]]);
        let [_, _, advice] = verdict(&job);
        assert!(advice.starts_with("Try events in place of sync all"), "{advice}");
        assert!(advice.contains("computing does not explain"), "{advice}");
    }

    #[test]
    fn the_advice_fits_the_operation() {
        let waiting = |operation| {
            let rows = vec![row(operation, [100, 1_000_000, 900_000, 0])];
            job(rows, [[1_000_000, 1_000_000, 900_000, 0], [1_000_000, 0, 0, 900_000]])
        };
        let communicating = |operation, count, bytes| {
            let rows = vec![row(operation, [count, 1_000_000, 0, bytes])];
            job(rows, [[1_000_000, 1_000_000, 0, 0], [1_000_000, 0, 0, 0]])
        };
        for (job, words) in [
            (Summary { job: 3, ..waiting(Operation::SyncAll) }, "sync images with the neighbours"),
            (waiting(Operation::SyncAll), "events in place of sync all"),
            (waiting(Operation::Critical), "combine the sums with co_sum"),
            (waiting(Operation::CoSum), "more rarely, or later"),
            (waiting(Operation::SyncImages), "or events"),
            (waiting(Operation::EventWait), "post earlier"),
            (waiting(Operation::Finish), "at the end of the program"),
            (communicating(Operation::Put, 10_000, 80_000), "transfers 8 B 10000 times"),
            (communicating(Operation::Get, 10, 80 << 20), "takes 1.00 ms for 80.0 MiB"),
            (communicating(Operation::AtomicOp, 10, 0), "local variable"),
            (communicating(Operation::AllocateAll, 10, 0), "allocate once"),
            (communicating(Operation::CoSum, 10_000, 80_000), "combine several values"),
        ] {
            let [_, _, advice] = verdict(&job);
            assert!(advice.starts_with("Try ") && advice.contains(words), "{words}: {advice}");
        }
    }

    #[test]
    fn a_statement_that_each_image_executes_once_cannot_be_executed_more_rarely() {
        for operation in [Operation::CoSum, Operation::SyncAll, Operation::AllocateAll] {
            for [waiting, share] in [[0, 0], [900_000, 900_000]] {
                let rows = vec![row(operation, [2, 1_000_000, waiting, 0])];
                let job = job(rows, [[1_000_000, 1_000_000, share, 0], [1_000_000, 0, 0, share]]);
                let [_, _, advice] = verdict(&job);
                assert!(
                    !advice.starts_with("Try ") && advice.contains("executes once"),
                    "{advice}"
                );
            }
        }
    }

    #[test]
    fn what_takes_longer_of_waiting_and_communication_gets_the_advice() {
        let rows = vec![row(Operation::CoSum, [10_000, 1_000_000, 400_000, 80_000])];
        let job = job(rows, [[1_000_000, 1_000_000, 400_000, 0], [1_000_000, 0, 0, 400_000]]);
        let [_, waiting, advice] = verdict(&job);
        assert!(waiting.starts_with("Most of the waiting, 100 %, is in co_sum"), "{waiting}");
        assert!(advice.contains("combine several values"), "{advice}");
    }

    #[test]
    fn without_waiting_and_communication_the_computation_is_what_counts() {
        let job = job(Vec::new(), [[1_000_000, 0, 0, 0], [1_000_000, 0, 0, 0]]);
        let [_, waiting, advice] = verdict(&job);
        assert_eq!(waiting, "The images hardly wait for one another.");
        assert!(advice.contains("perf record"), "{advice}");
    }

    #[test]
    fn images_that_share_a_processor_are_too_many() {
        let rows = vec![row(Operation::SyncAll, [2, 1_000_000, 900_000, 0])];
        let mut job = job(rows, [[1_000_000, 1_000_000, 900_000, 0], [2_000_000, 0, 0, 900_000]]);
        job.processors = 1;
        let [_, _, advice] = verdict(&job);
        assert!(advice.starts_with("Try no more images than the 1 processors: "), "{advice}");
        job.processors = 2;
        assert!(verdict(&job)[2].contains("less work"));
    }

    #[test]
    fn a_start_that_takes_longest_asks_for_a_longer_run() {
        let mut job = job(Vec::new(), [[1_000, 0, 0, 0], [1_000, 0, 0, 0]]);
        for image in &mut job.images {
            (image.starting, image.elapsed) = (5_000, 6_000);
        }
        let [first, _, advice] = verdict(&job);
        assert!(first.starts_with("In the 1.00 us after the start"), "{first}");
        assert!(advice.starts_with("Try a longer run: its start takes 5.00 us"), "{advice}");
    }
}
