//! The table of a job's races, which is on the host of the first image, as an image of any host uses it.

use super::every_host::Races;
use super::table::{Entry, WholeTable};
use crate::error::Result;

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

    /// The same if the table is on this host, without a message to another one.
    pub fn whole_table_here(&self) -> Option<WholeTable> {
        self.table_here().map(|table| table.whole())
    }
}
