//! The waits of images, as their hosts have found them by a probe.

use crate::failure::probing::Needs;
use crate::job::Job;
use crate::rank::Rank;
use crate::wait::Need;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The time for names of variables, unless the launcher is in haste.
const NAMING_LIMIT: Duration = Duration::from_secs(2);

/// The answers of the images of some hosts to a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// The images that wait.
    pub(crate) waits: BTreeMap<Rank, Waiting>,
    /// The activities of the others; only with [`Question::statements`].
    pub(crate) others: BTreeMap<Rank, String>,
    /// The ends of images that the hosts know, as hashes: one hash where all hosts know the same.
    pub(crate) views: BTreeSet<u64>,
}

/// An image that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// The number of the wait.
    pub(crate) number: u32,
    /// The condition that ends the wait.
    pub(crate) need: Need,
    /// The time for which its host has seen it.
    pub(crate) since: Duration,
    /// Only with [`Question::statements`].
    pub(crate) statement: Option<WaitingStatement>,
}

/// The statement that an image waits in, and its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingStatement {
    /// In the words of the language: `sync all`.
    pub(crate) operation: String,
    /// The variable that the image waits for: `ready(3)`.
    pub(crate) variable: Option<String>,
    /// `file:line`, or another description of the statement.
    pub(crate) place: Option<String>,
    /// Whether it is known that nothing of the process acts but the thread that waits; only with [`Question::processes`].
    pub(crate) acts_only_by_its_wait: bool,
}

/// The question of a survey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// Whether statements are asked for, too.
    pub(crate) statements: bool,
    /// Whether the variables that images wait for are asked for, too. Images read their debugging information for them.
    pub(crate) variables: bool,
    /// Whether the processes of images that wait are looked at, too. A proof needs that; it takes long where there are many.
    pub(crate) processes: bool,
    /// The time that images have to answer.
    pub(crate) limit: Duration,
    /// Whether other hosts have no more time than their images.
    pub(crate) in_haste: bool,
}

impl Question {
    /// The statements of images that wait, and their variables.
    pub(crate) fn of_statements(limit: Duration) -> Question {
        Question { statements: true, variables: true, limit, ..Question::default() }
    }

    /// The time that images have to answer and to look up the names of their variables, if these are asked for.
    pub(crate) fn naming(&self) -> Option<Duration> {
        let time = if self.in_haste { self.limit } else { self.limit.max(NAMING_LIMIT) };
        self.variables.then_some(time)
    }
}

/// The hosts of a job, which can be asked for the waits of their images.
pub(crate) trait Hosts {
    /// The images of these hosts.
    fn ranks(&self, job: &Job) -> Vec<Rank>;

    /// By image: the wait that it was in at the last look and is in now.
    fn long_waits(&mut self, job: &Job) -> Vec<Option<u32>>;

    /// Probes the images of all hosts. All have been probed, and have answered, when it returns.
    ///
    /// # Errors
    /// When a host has not answered: the answers of the others.
    fn ask(&mut self, job: &Job, question: Question) -> Result<Survey, Survey>;
}

impl Survey {
    /// The conditions that the waiting images need.
    pub(super) fn needs(&self) -> Needs {
        self.waits.iter().map(|(&rank, waiting)| (rank, waiting.need.clone())).collect()
    }

    /// Keeps the images that have waited without an interruption since another survey.
    pub(super) fn keep_those_of(&mut self, before: &Survey) {
        let is_in = |rank: &Rank, number| {
            before.waits.get(rank).is_some_and(|waiting| waiting.number == number)
        };
        self.waits.retain(|rank, waiting| is_in(rank, waiting.number));
    }

    /// Adds the results of another host.
    pub(crate) fn add(&mut self, other: Survey) {
        self.waits.extend(other.waits);
        self.others.extend(other.others);
        self.views.extend(other.views);
    }

    /// Whether all hosts knew of the same ends of images in this survey and in the one before: no news was in transit
    /// between the two.
    pub(super) fn knows_the_same_as(&self, before: &Survey) -> bool {
        self.views.len() == 1 && self.views == before.views
    }
}
