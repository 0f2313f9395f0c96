//! Settings whose value is one of some words: XMP_TRANSPORT and XMP_DEADLOCK.

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
            _ => Err("auto, shm, mpi, openmpi or mpich".to_string()),
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
