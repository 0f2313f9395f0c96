//! The setting XMP_CHECK.

/// The checks that a program asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Images compare what they call before each collective.
    pub calls: bool,
    /// Accesses to coarrays that no image control statement orders are errors.
    pub races: bool,
}

impl Checks {
    /// The value of the setting.
    ///
    /// # Errors
    /// The text of the valid values.
    pub fn parse(text: &str) -> Result<Checks, String> {
        if text == "0" {
            return Ok(Checks::default());
        }
        text.split(',').try_fold(Checks::default(), |checks, name| match name.trim() {
            "1" => Ok(Checks { calls: true, ..checks }),
            "races" => Ok(Checks { races: true, ..checks }),
            _ => Err("0, 1, races or 1,races".to_string()),
        })
    }
}
