//! The table of a job's races, which is on the host of the first image, as an image of any host uses it.

use super::every_host::Races;
use super::layout::ShadowLayout;
use super::remote::TABLE_OF;
use super::shadow::Shadows;
use super::table::{Entry, WholeTable};
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

/// The races of a job in which they were looked for and whose images have ended, if no image has summed them up: for its launcher, on
/// the host of the table.
pub fn take_summary_left(job: &Job) -> Option<WholeTable> {
    job.segment(TABLE_OF)?;
    let layout = ShadowLayout::new(&job.geometry().layout(), job.images()).ok()?;
    Shadows::new(job, layout).table().take_summary()
}
