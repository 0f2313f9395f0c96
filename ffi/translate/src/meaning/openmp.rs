//! Directives of OpenMP beside directives of XcalableMP: their dependence on the loops and variables of the
//! translation.

use crate::diagnostics::Diagnostic;
use std::ops::Range;

/// The number of loops that a directive of OpenMP makes one of: the number of its clause `collapse`. A clause that is
/// no plain number counts as many.
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

/// The pattern of the iterations of a node in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// One after the other.
    Piece,
    /// One in each round over the nodes.
    Apart,
    /// Blocks in turn, which are loops in a loop.
    Blocks,
}

/// Refuses clauses of OpenMP that mean something else where a node has this share of a loop.
///
/// # Errors
/// Names the first of these clauses.
pub fn check_clauses(
    directive: &str,
    share: Share,
    variable: &str,
    place: Range<usize>,
) -> Result<(), Diagnostic> {
    let lower = directive.to_ascii_lowercase();
    let is_any = |name, holds: &dyn Fn(&str) -> bool| {
        clauses(&lower, name).into_iter().any(|list| holds(&lower[list]))
    };
    let has_variable = |list: &str| {
        list.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .any(|word| word.eq_ignore_ascii_case(variable))
    };
    let (title, help) = if is_any("linear", &|_| true) {
        (
            "`linear` of OpenMP would count the iterations of this node only",
            "leave it out, and compute the variable from the loop variable",
        )
    } else if is_any("reduction", &|list| list.trim_start().starts_with("inscan")) {
        (
            "`inscan` of OpenMP would add up the iterations of this node only",
            "leave the two directives out around this loop",
        )
    } else if is_any("safelen", &|_| true) && share != Share::Piece {
        (
            "`safelen` of OpenMP counts iterations that other nodes execute in a cyclic dimension",
            "leave `simd` out, or `safelen` if all iterations are independent",
        )
    } else if is_any("ordered", &|count| {
        share == Share::Blocks || (share == Share::Apart && !count.is_empty())
    }) {
        (
            "`ordered` of OpenMP cannot order this loop over a cyclic dimension",
            "leave the directive of OpenMP out, or distribute the template in blocks",
        )
    } else if share == Share::Blocks && is_any("lastprivate", &has_variable) {
        (
            "the variable of a loop over cyclic blocks cannot be `lastprivate`",
            "assign it to another variable in the loop",
        )
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(place, title).help(help))
}

/// The places of the text in the parentheses of each clause with this name; an empty text if the clause has no
/// parentheses. The directive is in lower case.
fn clauses(lower: &str, name: &str) -> Vec<Range<usize>> {
    let (mut depth, mut word) = (0_usize, 0);
    let mut spans = Vec::new();
    for (at, c) in lower.char_indices().chain([(lower.len(), ' ')]) {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        if depth == 0 && !is_word && lower[word..at] == *name {
            let open = lower.len() - lower[at..].trim_start().len();
            spans.push(match lower[open..].strip_prefix('(') {
                Some(list) => open + 1..open + 1 + inside(list),
                None => at..at,
            });
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !is_word {
            word = at + c.len_utf8();
        }
    }
    spans
}

/// The end of the parenthesis before a text.
fn inside(list: &str) -> usize {
    let mut depth = 0_usize;
    let closes = list.char_indices().find(|(_, c)| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    closes.map_or(list.len(), |(at, _)| at)
}

/// The place of the word `none` in the clause `default(none)`.
pub fn default_none(directive: &str) -> Option<Range<usize>> {
    let span = argument(directive, "default")?;
    let inner = &directive[span.clone()];
    let start = span.start + inner.len() - inner.trim_start().len();
    inner.trim().eq_ignore_ascii_case("none").then(|| start..start + "none".len())
}

/// The place of the text in the parentheses of the first clause with this name.
fn argument(directive: &str, name: &str) -> Option<Range<usize>> {
    clauses(&directive.to_ascii_lowercase(), name).into_iter().find(|span| !span.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_that_depend_on_the_share_of_a_node() {
        let is_refused = |clauses: &str, share| {
            check_clauses(&format!("!$omp do {clauses}"), share, "i", 0..1).is_err()
        };
        for share in [Share::Piece, Share::Apart, Share::Blocks] {
            assert!(is_refused("private(x) LINEAR(k : 2)", share));
            assert!(is_refused("reduction(inscan, +: x)", share));
            assert!(!is_refused("reduction(+: inscan) shared(linear, ordered)", share));
            assert!(!is_refused("lastprivate(x) simdlen(4) schedule(static, 2)", share));
            assert_eq!(is_refused("simd safelen(4)", share), share != Share::Piece);
            assert_eq!(is_refused("ordered", share), share == Share::Blocks);
            assert_eq!(is_refused("ordered schedule(dynamic)", share), share == Share::Blocks);
            assert_eq!(is_refused("ordered (1)", share), share != Share::Piece);
            assert_eq!(
                is_refused("lastprivate(x) lastprivate(y, i)", share),
                share == Share::Blocks
            );
            // Names of C may have capitals.
            let capital = check_clauses("#pragma omp for lastprivate(I)", share, "I", 0..1);
            assert_eq!(capital.is_err(), share == Share::Blocks);
        }
    }

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
