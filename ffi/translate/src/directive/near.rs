//! The word that the user may have meant.

/// The known word that two letters at most, and less than half of them, make of this one.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(known, word), *known)).min();
    near.filter(|(distance, _)| *distance <= 2 && 2 * distance <= word.len())
        .map(|(_, known)| known)
}
