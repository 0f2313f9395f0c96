//! Settings whose value is one of some words: XMP_TRANSPORT, XMP_DEADLOCK, XMP_RACES, XMP_MPI_RMA, XMP_MPI_SOCKETS
//! and XMP_READ_CACHE.

use std::fmt;

/// The connection between images that are processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransportChoice {
    /// MPI where a launcher of MPI has started the program, otherwise this machine's memory.
    #[default]
    Auto,
    /// This machine's memory.
    Shm,
    /// MPI: that of the launcher, or that of the program.
    Mpi,
    /// Open MPI.
    OpenMpi,
    /// MPICH, or one of its family.
    Mpich,
    /// The process manager of the launcher and sockets, without MPI.
    Sockets,
}

impl TransportChoice {
    /// The value of the setting; the error is the text of the valid values.
    pub(super) fn parse(text: &str) -> Result<TransportChoice, String> {
        match text {
            "auto" => Ok(TransportChoice::Auto),
            "shm" => Ok(TransportChoice::Shm),
            "mpi" => Ok(TransportChoice::Mpi),
            "openmpi" => Ok(TransportChoice::OpenMpi),
            "mpich" => Ok(TransportChoice::Mpich),
            "sockets" => Ok(TransportChoice::Sockets),
            _ => Err("auto, shm, mpi, openmpi, mpich or sockets".to_string()),
        }
    }
}

/// What the launcher does when images wait for one another for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlockAction {
    /// Reports it and ends the job.
    #[default]
    End,
    /// Reports it, and the job continues.
    Report,
    /// Does not look for deadlocks.
    Ignore,
}

impl DeadlockAction {
    /// The value of the setting; the error is the text of the valid values.
    pub(super) fn parse(text: &str) -> Result<DeadlockAction, String> {
        match text {
            "end" => Ok(DeadlockAction::End),
            "report" => Ok(DeadlockAction::Report),
            "ignore" => Ok(DeadlockAction::Ignore),
            _ => Err("end, report or ignore".to_string()),
        }
    }
}

/// What an image does when it has found a race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RaceAction {
    /// Reports it, and continues.
    #[default]
    All,
    /// Reports it and ends the job.
    First,
}

impl RaceAction {
    /// The value of the setting; the error is the text of the valid values.
    pub(super) fn parse(text: &str) -> Result<RaceAction, String> {
        match text {
            "all" => Ok(RaceAction::All),
            "first" => Ok(RaceAction::First),
            _ => Err("all or first".to_string()),
        }
    }
}

/// Whether images use something that pays between some hosts only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Preference {
    /// They do not.
    Never,
    /// They do where it pays, as each job measures at its start.
    Auto,
    /// They do.
    Always,
}

impl Preference {
    const WORDS: [(&'static str, Preference); 3] =
        [("never", Preference::Never), ("auto", Preference::Auto), ("always", Preference::Always)];

    /// The value of the setting; the error is the text of the valid values.
    pub fn parse(text: &str) -> Result<Preference, String> {
        let known = Preference::WORDS.into_iter().find(|(word, _)| *word == text);
        known.map(|(_, choice)| choice).ok_or_else(|| "never, auto or always".to_string())
    }
}

/// The word of the setting, which images compare.
impl fmt::Debug for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Preference::WORDS.into_iter().find(|(_, choice)| choice == self);
        f.write_str(known.map_or("", |(word, _)| word))
    }
}
