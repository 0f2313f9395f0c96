//! Directives of OpenMP beside those of XcalableMP: what of them depends on the loops and variables that the translation makes.

use crate::diagnostics::Diagnostic;
use std::ops::Range;

/// How many loops a directive of OpenMP makes one of: the number of its clause `collapse`. One that is no plain number counts as
/// many.
pub fn collapsed(directive: &str) -> usize {
    argument(directive, "collapse")
        .map_or(1, |span| directive[span].trim().parse().unwrap_or(usize::MAX))
}

/// The error of a loop over cyclic blocks, which are loops in loops, that `collapse` joins with those inside of it.
pub fn collapsed_blocks(place: Range<usize>) -> Diagnostic {
    let title =
        "`collapse` of OpenMP cannot join a loop over cyclic blocks with those inside of it";
    Diagnostic::new(place, title).help(
        "leave `collapse` out, or exchange the loops so that this one is the innermost of them",
    )
}

/// Where the word `none` stands in the clause `default(none)`.
pub fn default_none(directive: &str) -> Option<Range<usize>> {
    let span = argument(directive, "default")?;
    let inner = &directive[span.clone()];
    let start = span.start + inner.len() - inner.trim_start().len();
    inner.trim().eq_ignore_ascii_case("none").then(|| start..start + "none".len())
}

/// What stands in the parentheses behind a word.
fn argument(directive: &str, word: &str) -> Option<Range<usize>> {
    let lower = directive.to_ascii_lowercase();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    lower.match_indices(word).find_map(|(at, _)| {
        let behind = &lower[at + word.len()..];
        let open = at + word.len() + behind.len() - behind.trim_start().len();
        let is_whole = !lower[..at].ends_with(is_word) && lower[open..].starts_with('(');
        let close = open + lower[open..].find(')')?;
        is_whole.then(|| open + 1..close)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_found_by_whole_words() {
        assert_eq!(collapsed("#pragma omp for collapse ( 2 ) nowait"), 2);
        assert_eq!(collapsed("#pragma omp for private(collapse)"), 1);
        assert_eq!(collapsed("!$OMP DO COLLAPSE(LOOPS)"), usize::MAX);
        let text = "!$omp parallel Default( NONE ) shared(a)";
        assert_eq!(default_none(text).map(|span| &text[span]), Some("NONE"));
        assert_eq!(default_none("!$omp parallel default(shared) private(none)"), None);
        assert_eq!(default_none("!$omp parallel private(mydefault) if(none)"), None);
    }
}
