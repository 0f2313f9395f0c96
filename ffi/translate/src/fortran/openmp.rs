//! Lines with directives of OpenMP.

use crate::directive::openmp::default_none;
use std::borrow::Cow;

/// Whether a line is a directive of OpenMP for what follows.
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

/// Whether directives of OpenMP share the iterations of the loop behind them.
pub fn share_loop(directives: &str) -> bool {
    let lower = directives.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| ["do", "simd", "taskloop", "distribute", "loop"].contains(&word))
}

/// A line in which `default(none)` of OpenMP is `default(shared)`: the compiler would ask for clauses for the variables of the
/// translator.
pub fn shared_by_default(line: &str) -> Cow<'_, str> {
    let is_openmp = openmp(&line.trim_start().to_ascii_lowercase()).is_some();
    match default_none(line).filter(|_| is_openmp) {
        Some(none) => format!("{}shared{}", &line[..none.start], &line[none.end..]).into(),
        None => line.into(),
    }
}

fn openmp(line: &str) -> Option<&str> {
    ["!$omp", "c$omp", "*$omp"]
        .iter()
        .find_map(|sentinel| line.strip_prefix(sentinel))
        .map(str::trim_start)
}
