//! The setting XMP_DEADLOCK.

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
