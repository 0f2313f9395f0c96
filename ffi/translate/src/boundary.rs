//! Places between characters. (The methods of the same names that `str` has need Rust 1.91.)

/// The last place between characters up to `at`.
pub fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The first place between characters from `at` on.
pub fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_cut() {
        let places = |find: fn(&str, usize) -> usize| [0, 1, 2, 3, 4, 9].map(|at| find("aä€", at));
        assert_eq!(places(floor), [0, 1, 1, 3, 3, 6]);
        assert_eq!(places(ceil), [0, 1, 3, 3, 6, 6]);
    }
}
