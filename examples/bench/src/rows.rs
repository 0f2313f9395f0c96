//! The rows that a suite measures, in groups that are run together.

use crate::error::Error;
use crate::peers::Kind;
use crate::protocol::RowKey;
use crate::targets::Target;

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Rows of a group are measured in one start of a program.
    pub group: &'static str,
    /// Name in the programs.
    pub name: &'static str,
    /// Size of the operand in bytes, or another number that the row is repeated for; 0 where there is none.
    pub size: u64,
    /// What it is, for readers.
    pub title: &'static str,
    /// What ours shall reach.
    pub targets: &'static [Target],
    least_images: u32,
    in_mpi: bool,
    in_messages: bool,
    in_limits: bool,
    in_hosts: bool,
    in_techniques: bool,
    in_quick: bool,
}

impl Row {
    /// A row that coarray programs have, left out with `--quick`.
    pub const fn new(
        group: &'static str,
        name: &'static str,
        size: u64,
        title: &'static str,
    ) -> Self {
        Self {
            group,
            name,
            size,
            title,
            targets: &[],
            least_images: 2,
            in_mpi: false,
            in_messages: false,
            in_limits: false,
            in_hosts: false,
            in_techniques: false,
            in_quick: false,
        }
    }

    /// Raw MPI has it too.
    pub const fn mpi(mut self) -> Self {
        self.in_mpi = true;
        self
    }

    /// Raw MPI by messages has it too.
    pub const fn messages(mut self) -> Self {
        self.in_messages = true;
        self
    }

    /// The limits program has it too.
    pub const fn limit(mut self) -> Self {
        self.in_limits = true;
        self
    }

    /// Ours on several virtual hosts is measured too.
    pub const fn hosts(mut self) -> Self {
        self.in_hosts = true;
        self
    }

    /// Ours with single techniques switched off is measured too.
    pub const fn techniques(mut self) -> Self {
        self.in_techniques = true;
        self
    }

    /// Needs at least this many images.
    pub const fn least_images(mut self, least: u32) -> Self {
        self.least_images = least;
        self
    }

    /// Measured with `--quick` too.
    pub const fn quick(mut self) -> Self {
        self.in_quick = true;
        self
    }

    /// What ours shall reach.
    pub const fn targets(mut self, targets: &'static [Target]) -> Self {
        self.targets = targets;
        self
    }

    /// Its key in the programs' output.
    pub fn key(&self) -> RowKey {
        RowKey::new(self.name, self.size)
    }

    /// Whether it can be measured with this many images.
    pub const fn fits(&self, images: u32) -> bool {
        images >= self.least_images
    }

    /// Whether the programs of such a peer have it.
    pub const fn exists_in(&self, kind: Kind) -> bool {
        match kind {
            Kind::Ours
            | Kind::OursEmbedded
            | Kind::OursOverMpi
            | Kind::OpenCoarrays
            | Kind::CafShmem
            | Kind::Caffeine
            | Kind::Omni
            | Kind::Sequential => true,
            Kind::OursOnHosts => self.in_hosts,
            Kind::Technique => self.in_techniques,
            Kind::RawMpi => self.in_mpi,
            Kind::RawMessages => self.in_messages,
            Kind::Limit => self.in_limits,
        }
    }
}

/// The rows that were asked for, in the suite's order. `wanted` holds names, groups and `name:size`;
/// empty means all (of those of `--quick`, if so).
pub fn choose(rows: &[Row], wanted: &[String], quick: bool) -> Result<Vec<Row>, Error> {
    let named = |row: &Row, item: &str| {
        item == row.name || item == row.group || item == row.key().to_string()
    };
    if let Some(item) = wanted.iter().find(|item| !rows.iter().any(|row| named(row, item))) {
        return Err(Error::UnknownRow(item.clone()));
    }
    let chosen = rows.iter().copied().filter(|row| {
        if wanted.is_empty() {
            row.in_quick || !quick
        } else {
            wanted.iter().any(|item| named(row, item))
        }
    });
    Ok(chosen.collect())
}

/// Checks the rows of a suite: keys are unique, groups are contiguous, and what targets compare with is measured.
#[cfg(test)]
pub fn check(rows: &[Row]) {
    use crate::targets::Against;
    use std::collections::HashSet;
    let keys: HashSet<_> = rows.iter().map(Row::key).collect();
    assert_eq!(keys.len(), rows.len());
    let mut groups: Vec<&str> = rows.iter().map(|row| row.group).collect();
    groups.dedup();
    let distinct: HashSet<_> = groups.iter().collect();
    assert_eq!(distinct.len(), groups.len());
    for row in rows {
        for target in row.targets {
            let is_measured = match target.against {
                Against::Limit => row.exists_in(Kind::Limit),
                Against::RawMpi => row.exists_in(Kind::RawMpi),
                Against::OurRow(name) => {
                    rows.iter().any(|other| other.name == name && other.size == row.size)
                }
                _ => true,
            };
            assert!(is_measured, "{}", row.key());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[Row] = &[
        Row::new("ladder", "put", 8, "put").quick(),
        Row::new("ladder", "put", 64, "put"),
        Row::new("sync", "sync_all", 0, "sync all").quick(),
    ];

    fn chosen(wanted: &[&str], quick: bool) -> Result<Vec<String>, Error> {
        let wanted: Vec<String> = wanted.iter().map(|&item| item.to_owned()).collect();
        Ok(choose(ROWS, &wanted, quick)?.iter().map(|row| row.key().to_string()).collect())
    }

    #[test]
    fn rows_are_chosen_by_name_group_or_size() {
        assert_eq!(chosen(&[], false).unwrap(), ["put:8", "put:64", "sync_all:0"]);
        assert_eq!(chosen(&[], true).unwrap(), ["put:8", "sync_all:0"]);
        assert_eq!(chosen(&["put:64"], true).unwrap(), ["put:64"]);
        assert_eq!(chosen(&["sync"], false).unwrap(), ["sync_all:0"]);
        assert_eq!(chosen(&["put"], false).unwrap(), ["put:8", "put:64"]);
    }

    #[test]
    fn an_unknown_row_is_named() {
        let message = chosen(&["putt"], false).unwrap_err().to_string();
        assert!(message.contains("\"putt\""), "{message}");
    }
}
