//! The table of a job's races, which is on the host of the first image, as an image of any host uses it.

use super::every_host::Races;
use super::layout::ShadowLayout;
use super::remote::TABLE_OF;
use super::shadow::Shadows;
use super::table::{Entry, Table, WholeTable};
use crate::error::Result;
use crate::job::Job;

// Where the host of the table cannot be reached the job ends: a race is reported then, and not counted.
impl Races<'_> {
    /// The entry of the race with this key, which is not 0, and whether it is new. `None` if there is no room for it.
    pub fn enter(&self, key: u64) -> Option<(Entry, bool)> {
        match self.table_here() {
            Some(table) => table.enter(key),
            None => self.remote().enter(key).ok().flatten(),
        }
    }

    /// Keeps the text about a new race for the report at the end of the job; the first line of a text that is too long.
    pub fn describe(&self, entry: Entry, text: &str) {
        match self.table_here() {
            Some(table) => table.describe(entry, text),
            None => drop(self.remote().describe(entry, text)),
        }
    }

    /// Counts a race that was found more often.
    pub(super) fn count(&self, entry: Entry, times: u64) {
        match self.table_here() {
            Some(table) => table.count(entry, times),
            None => drop(self.remote().count(entry, times)),
        }
    }

    /// Counts this image as ended, and returns the number of ended images.
    ///
    /// # Errors
    /// When the host of the table cannot be reached.
    pub fn end(&self) -> Result<u64> {
        match self.table_here() {
            Some(table) => Ok(table.end()),
            None => self.remote().end(),
        }
    }

    /// The races that the images of the job have found.
    ///
    /// # Errors
    /// When the host of the table cannot be reached.
    pub fn whole_table(&self) -> Result<WholeTable> {
        match self.table_here() {
            Some(table) => Ok(table.whole()),
            None => self.remote().table(),
        }
    }

    /// The same for the summary of the job, once: `None` if another process has it.
    ///
    /// # Errors
    /// When the host of the table cannot be reached.
    pub fn take_summary(&self) -> Result<Option<WholeTable>> {
        match self.table_here() {
            Some(table) => Ok(table.take_summary()),
            None => self.remote().take_summary(),
        }
    }

    /// The same as `whole_table` if the table is on this host, without a message to another one.
    pub fn whole_table_here(&self) -> Option<WholeTable> {
        self.table_here().map(|table| table.whole())
    }
}

/// Calls `look` with the table of a job in which races are looked for, if it is on this host.
fn with_table<T>(job: &Job, look: impl FnOnce(Table<'_>) -> T) -> Option<T> {
    job.segment(TABLE_OF)?;
    let layout = ShadowLayout::new(&job.geometry().layout(), job.images()).ok()?;
    Some(look(Shadows::new(job, layout).table()))
}

/// The races of a job that ends in error, if there are some and no process has summed them up: for processes of the table's host.
pub fn take_summary_left(job: &Job) -> Option<WholeTable> {
    // One without races stays for a process that comes later and may have found one.
    with_table(job, |table| if table.is_empty() { None } else { table.take_summary() })?
}

/// An image leaves a job in error in which races are looked for: the number of images of the table's host that have left; `None` on
/// other hosts.
pub fn leave_in_error(job: &Job) -> Option<u64> {
    with_table(job, |table| table.leave_in_error())
}
