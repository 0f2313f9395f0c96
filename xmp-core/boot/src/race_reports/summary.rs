//! The end of a job in which races were looked for: how many there are, the file for editors, the exit status.

use super::files::{write_at_end, write_files};
use super::program::{PROGRAM, leave};
use super::{patience, reporting};
use crate::failure;
use crate::image::Image;
use crate::process::{Exit, is_running};
use crate::race_totals;
use crate::races::{Races, WholeTable};
use crate::report::report;
use std::sync::atomic::{AtomicBool, Ordering};

/// This image is about to end the job in error, perhaps because of a wrong value that comes from a race. It enters what it holds back,
/// and leaves the others time to come to their next image control statement, where they do the same.
pub fn before_error_stop(image: &Image) {
    if let Some(races) = image.races() {
        races.flush();
        patience::leave_time(image);
        if let Ok(table) = races.whole_table() {
            write_files(image, &table);
        }
    }
}

/// The end of the program on this image: enters what is held back. The last image says how many races there are.
pub fn end() {
    let Some((image, exit)) = PROGRAM.get().and_then(|program| (program.member)()) else { return };
    if let Some(races) = image.races().filter(|_| is_running(image)) {
        races.flush();
        reporting::until_complete();
        write_at_end(image, races);
        leave_job(image, exit, races);
    }
}

/// This process is about to end by a signal, in error termination of the job: enters what is held back, and completes reports. It is
/// executed by a thread that the library has for that.
pub(super) fn last_words() {
    let member = PROGRAM.get().and_then(|program| (program.member)());
    if let Some(races) = member.and_then(|(image, _)| image.races()) {
        races.enter_held_back();
    }
    reporting::until_complete();
    if let Some((_, exit)) = member {
        exit.leave_by_signal();
    }
}

/// This image has come to its end. The last one sums up.
fn leave_job(image: &Image, exit: &Exit, races: Races<'_>) {
    static HAS_ENDED: AtomicBool = AtomicBool::new(false);
    let job = image.job();
    // Relaxed: one thread ends the process.
    if failure::ending(job).is_some() || HAS_ENDED.swap(true, Ordering::Relaxed) {
        return;
    }
    let failures = u64::from(job.page().status.failures.load(Ordering::Relaxed));
    // Where the host of the table cannot be reached the job ends.
    let Ok(ended) = races.end() else { return };
    if ended + failures == job.images() as u64
        && let Ok(Some(table)) = races.take_summary()
    {
        leave();
        sum_up(image, exit, &table);
    }
}

/// This image, the first one that ends in error, writes files with what was found so far.
pub fn before_error_end(image: &Image) {
    // In an error no message is sent.
    if let Some(table) = image.races().and_then(|races| races.whole_table_here()) {
        write_files(image, &table);
    }
}

fn sum_up(image: &Image, exit: &Exit, table: &WholeTable) {
    let settings = image.settings();
    write_files(image, table);
    let Some(text) = race_totals::text(table) else { return };
    report(format_args!("{text}"));
    if settings.races_status != 0 {
        let code = settings.races_status.into();
        failure::start_ending(image.job(), image.rank(), code);
        exit.end();
    }
}
