//! The names of statements in errors: the operation, and what the user wrote for its operands.

use crate::boundary;

/// The longest operand that is written as a whole, in bytes.
const MAX_OPERAND: usize = 100;

/// An operation on an operand, as the user wrote that, in one line. The library separates both where an error begins with
/// the operation.
pub fn naming(operation: &str, operand: &str) -> String {
    let operand = operand.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = boundary::floor(&operand, MAX_OPERAND);
    let dots = if end < operand.len() { "..." } else { "" };
    format!("{operation}: {}{dots}", operand[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operand_is_one_line_of_limited_length() {
        assert_eq!(naming("gmove", " a[0:n]\n   = b[0:n] "), "gmove: a[0:n] = b[0:n]");
        let long = naming("gmove", &"é".repeat(60));
        assert_eq!(long, format!("gmove: {}...", "é".repeat(50)));
    }
}
