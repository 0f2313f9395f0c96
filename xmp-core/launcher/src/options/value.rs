//! Values of options.

use std::time::Duration;
use xmp_core::settings::Checks;

/// A whole number from 1.
///
/// # Errors
/// The text of the valid values.
pub fn positive(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| format!("a whole number from 1 to {} is needed", u32::MAX))
}

/// A time in seconds, fractions allowed.
///
/// # Errors
/// The text of the valid values.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|&seconds: &f64| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a positive number of seconds is needed".to_string())
}

/// Checks of the program, as XMP_CHECK has them.
///
/// # Errors
/// The text of the valid values.
pub fn checks(text: &str) -> Result<String, String> {
    match Checks::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(valid) => Err(format!("{valid} is needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_those_of_the_setting() {
        for good in ["0", "1", "races", "1,races"] {
            assert_eq!(checks(good), Ok(good.to_string()));
        }
        assert_eq!(checks("race").unwrap_err(), "0, 1, races or 1,races is needed");
    }

    #[test]
    fn fractions_of_seconds_are_fine() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "soon", "1e300"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_whole_and_positive() {
        assert_eq!(positive("12"), Ok(12));
        for bad in ["0", "-1", "x", "", "1.5", "4294967296"] {
            assert_eq!(positive(bad).unwrap_err(), "a whole number from 1 to 4294967295 is needed");
        }
    }
}
