//! Environment variables that look like settings and are none, mostly misspelt ones.

use super::table::TABLE;
use std::fmt;

/// Variables that are read elsewhere: by the compiler wrappers, by tests and the benchmark, and by the library itself
/// (`XMP_JOB`).
const READ_ELSEWHERE: [&str; 7] =
    ["XMP_CC", "XMP_CXX", "XMP_FC", "XMP_JOB", "XMP_OMNI", "XMP_PREFIX", "XMP_REQUIRE"];
/// The prefix of names that tests read.
const TESTS: &str = "XMP_TEST_";
/// Most letters in which a misspelt name differs.
const MISSPELT: usize = 3;

/// A variable `XMP_*` that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// The setting with the most similar name, if one is similar.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nearest {
            Some(nearest) => write!(f, "{} (nearest setting: {nearest})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// The unknown variables in the environment of this process, in order of their names.
pub fn unknown() -> Vec<Unknown> {
    unknown_among(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
}

fn unknown_among(names: impl IntoIterator<Item = String>) -> Vec<Unknown> {
    let is_known = |name: &str| {
        TABLE.iter().any(|setting| setting.variables.contains(&name))
            || READ_ELSEWHERE.contains(&name)
            || name.starts_with(TESTS)
    };
    let mut found: Vec<Unknown> = names
        .into_iter()
        .filter(|name| name.starts_with("XMP_") && !is_known(name))
        .map(|name| Unknown { nearest: nearest(&name), name })
        .collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// The setting whose name differs from this one by the fewest changes, if these are few.
fn nearest(name: &str) -> Option<&'static str> {
    let upper = name.to_uppercase();
    let distance = |setting: &'static str| (strsim::damerau_levenshtein(&upper, setting), setting);
    let (changes, setting) = TABLE.iter().map(|setting| distance(setting.name)).min()?;
    // Not names that have little more in common than their prefix.
    let letters = name.len().saturating_sub("XMP_".len());
    (changes <= MISSPELT && 2 * changes < letters).then_some(setting)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn said(names: &[&str]) -> Vec<String> {
        let found = unknown_among(names.iter().map(|name| (*name).to_string()));
        found.iter().map(Unknown::to_string).collect()
    }

    #[test]
    fn misspelt_settings_are_named_with_the_nearest_one() {
        assert_eq!(
            said(&["XMP_SEGMENTSIZE", "XMP_CEHCK", "XMP_num_images"]),
            [
                "XMP_CEHCK (nearest setting: XMP_CHECK)",
                "XMP_SEGMENTSIZE (nearest setting: XMP_SEGMENT_SIZE)",
                "XMP_num_images (nearest setting: XMP_NUM_IMAGES)",
            ]
        );
    }

    #[test]
    fn names_that_are_not_similar_to_any_setting_stand_alone() {
        assert_eq!(said(&["XMP_FOO", "XMP_DATABASE_URL"]), ["XMP_DATABASE_URL", "XMP_FOO"]);
    }

    #[test]
    fn variables_with_a_reader_are_known() {
        let variables = TABLE.iter().flat_map(|setting| setting.variables);
        assert_eq!(said(&variables.copied().collect::<Vec<_>>()), [""; 0]);
        assert_eq!(said(&["XMP_FC", "XMP_JOB", "XMP_NODE_SIZE1", "XMP_TEST_CASES"]), [""; 0]);
        assert_eq!(said(&["PATH", "XMPF_OTHER", "MY_XMP_SPIN"]), [""; 0]);
    }
}
