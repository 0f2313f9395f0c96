//! What images of coarrays count from in C: 0 since XcalableMP 1.3, 1 before. Nothing in a program says for which it was
//! written, so whoever runs it does: `XMP_C_FIRST_IMAGE=1`.

use crate::omni::error::{Outcome, Wrong};
use std::cell::OnceCell;
use std::env;
use std::ffi::c_int;

/// The index of the first image in C.
#[derive(Debug, Default)]
pub struct FirstImage(OnceCell<c_int>);

impl FirstImage {
    /// 0 or 1.
    ///
    /// # Errors
    /// When the environment says something else.
    pub fn get(&self) -> Outcome<c_int> {
        if let Some(&first) = self.0.get() {
            return Ok(first);
        }
        let first = said(env::var("XMP_C_FIRST_IMAGE").ok().as_deref())?;
        Ok(*self.0.get_or_init(|| first))
    }
}

fn said(text: Option<&str>) -> Outcome<c_int> {
    match text.map(str::trim) {
        None | Some("" | "0") => Ok(0),
        Some("1") => Ok(1),
        Some(text) => Err(Wrong::because(format!("XMP_C_FIRST_IMAGE is {text:?}, not 0 or 1"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_count_from_0_or_1() {
        let number = |text| said(text).map_err(|wrong| wrong.error().to_string());
        assert_eq!(number(None), Ok(0));
        assert_eq!(number(Some(" 0")), Ok(0));
        assert_eq!(number(Some("1")), Ok(1));
        assert!(number(Some("2")).unwrap_err().contains("\"2\", not 0 or 1"));
    }
}
