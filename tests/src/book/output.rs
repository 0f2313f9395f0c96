//! Comparing the output that a chapter shows with what a command has written. `...` stands for what differs from run to
//! run: within a line for any text, as a line of its own for any number of lines.

/// What stands for any text, or any lines.
const ANY: &str = "...";

/// Whether these lines are those that a chapter shows; in any order if not `ordered`.
pub fn matches(shown: &[String], written: &[&str], ordered: bool) -> bool {
    if ordered { in_order(shown, written) } else { in_any_order(shown, written) }
}

fn in_order(shown: &[String], written: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return written.is_empty() };
    if first.trim() == ANY {
        return (0..=written.len()).any(|skipped| in_order(rest, &written[skipped..]));
    }
    let Some((line, others)) = written.split_first() else { return false };
    line_matches(first, line) && in_order(rest, others)
}

fn in_any_order(shown: &[String], written: &[&str]) -> bool {
    let (any, mut shown): (Vec<&String>, Vec<&String>) =
        shown.iter().partition(|line| line.trim() == ANY);
    // Lines without a gap take theirs first.
    shown.sort_by_key(|line| line.contains(ANY));
    let mut left = written.to_vec();
    for line in shown {
        let Some(place) = left.iter().position(|written| line_matches(line, written)) else {
            return false;
        };
        left.remove(place);
    }
    left.is_empty() || !any.is_empty()
}

/// Whether a line that may contain `...` stands for this one.
pub fn line_matches(shown: &str, written: &str) -> bool {
    let (shown, mut written) = (shown.trim_end(), written.trim_end());
    let mut parts = shown.split(ANY);
    let first = parts.next().unwrap_or_default();
    let Some(rest) = written.strip_prefix(first) else { return false };
    written = rest;
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return written.is_empty() };
    for part in middle {
        let Some(place) = written.find(part) else { return false };
        written = &written[place + part.len()..];
    }
    written.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_gap_in_a_line() {
        assert!(line_matches("image 2 (process ...) ended", "image 2 (process 17) ended"));
        assert!(line_matches("...", "anything"));
        assert!(line_matches("at ...:3 in ...", "at a.f90:3 in main"));
        assert!(!line_matches("image 2 ... ended", "image 3 has ended"));
        assert!(!line_matches("image 2", "image 23"));
        assert!(!line_matches("a ... b ... b", "a b"));
    }

    #[test]
    fn gaps_of_lines() {
        assert!(matches(&lines("a\n...\nd"), &["a", "b", "c", "d"], true));
        assert!(matches(&lines("a\n..."), &["a"], true));
        assert!(!matches(&lines("a\n...\nd"), &["a", "b"], true));
        assert!(!matches(&lines("a"), &["a", "b"], true));
        assert!(!matches(&lines("a\nb"), &["a"], true));
    }

    #[test]
    fn any_order() {
        assert!(matches(&lines("b\na"), &["a", "b"], false));
        assert!(matches(&lines("a ...\na 1"), &["a 1", "a 2"], false));
        assert!(!matches(&lines("a\na"), &["a", "b"], false));
        assert!(!matches(&lines("a"), &["a", "b"], false));
        assert!(matches(&lines("a\n..."), &["b", "a"], false));
    }
}
