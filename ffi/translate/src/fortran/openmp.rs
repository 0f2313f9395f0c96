//! Lines with directives of OpenMP.

use crate::boundary;
use crate::directive::Form;
use crate::meaning::openmp::default_none;
use std::borrow::Cow;

/// The number of columns that count in free form.
const FREE_COLUMNS: usize = 132;

/// Whether a line is a directive of OpenMP for the next construct.
pub fn belongs_to_next(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let alone = ["end", "barrier", "flush", "taskwait", "threadprivate"];
    openmp(&line).is_some_and(|words| !alone.iter().any(|word| words.starts_with(word)))
}

/// Whether a line is a directive of OpenMP that ends a construct.
pub fn ends_construct(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    openmp(&line).is_some_and(|words| words.starts_with("end"))
}

/// The directives of OpenMP in the last of these lines, among comments and other directives. Their own comments are left out.
pub fn before(lines: &[&str]) -> String {
    let is_passed = |line: &&&str| {
        let text = line.trim_start();
        text.is_empty() || text.starts_with('!') || line.starts_with(['c', 'C', '*'])
    };
    let mut last: Vec<&str> = lines.iter().rev().take_while(is_passed).copied().collect();
    last.retain(|line| belongs_to_next(line));
    let code = |line: &str| {
        let start = line.find('$').map_or(0, |at| at + 1);
        let end = line[start..].find('!').map_or(line.len(), |at| start + at);
        line[..end].trim_end().to_owned() + "\n"
    };
    last.into_iter().rev().map(code).collect()
}

/// Whether directives of OpenMP share the iterations of the loop after them.
pub fn share_loop(directives: &str) -> bool {
    let lower = directives.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| ["do", "simd", "taskloop", "distribute", "loop"].contains(&word))
}

/// The lines for a directive with `default(shared)` instead of `default(none)`: the compiler would ask for clauses for
/// the variables of the translator. The longer word may need a second line; in fixed form the first `columns`
/// characters count.
pub fn shared_by_default(line: &str, form: Form, columns: usize) -> Vec<Cow<'_, str>> {
    let is_openmp = openmp(&line.trim_start().to_ascii_lowercase()).is_some();
    let Some(none) = default_none(line).filter(|_| is_openmp) else { return vec![line.into()] };
    let (before, after) = (&line[..none.start], &line[none.end..]);
    let length = |after: &str| before.len() + "shared".len() + after.trim_end().len();
    if form == Form::Free && length(after) <= FREE_COLUMNS {
        return vec![format!("{before}shared{after}").into()];
    } else if form == Form::Free {
        return vec![format!("{before}&").into(), format!("!$omp& shared{after}").into()];
    }
    // Text after the last column is a comment.
    let counted = boundary::floor(line, columns).max(none.end);
    let after = line[none.end..counted].trim_end();
    if length(after) <= columns {
        return vec![format!("{before}shared{after}").into()];
    }
    let sentinel = &line[..boundary::floor(line, 5)];
    vec![before.into(), format!("{sentinel}&shared{after}").into()]
}

fn openmp(line: &str) -> Option<&str> {
    ["!$omp", "c$omp", "*$omp"]
        .iter()
        .find_map(|sentinel| line.strip_prefix(sentinel))
        .map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_word_does_not_leave_the_columns() {
        let fixed = |line: &str, columns| shared_by_default(line, Form::Fixed, columns).join("\n");
        let line = format!("c$omp parallel do default(none){:34}shared(a)", "");
        assert_eq!(line.len(), 74);
        let short = line.replacen("    ", "", 1);
        assert_eq!(fixed(&short, 72), short.replace("none", "shared"));
        let short = line.replacen("   ", "", 1);
        let two = short.replace("none", "\nc$omp&shared");
        assert_eq!(fixed(&short, 72), two);
        assert_eq!(fixed(&line, usize::MAX), line.replace("none", "shared"));
        // Numbers of cards do not come into the columns that count.
        let card = format!("!$omp parallel default(none) shared(a, b){:31}00000010\n", "");
        assert_eq!(fixed(&card, 72), "!$omp parallel default(shared) shared(a, b)");
        let free = |line: &str| shared_by_default(line, Form::Free, 72).join("\n");
        let line = line.replace("c$", "!$");
        assert_eq!(free(&line), line.replace("none", "shared"));
        let long = line.replace("  (", "(").replace("shared(a)", &format!("shared({:60}a)", ""));
        assert_eq!(free(&long), long.replace("none", "&\n!$omp& shared"));
    }
}
