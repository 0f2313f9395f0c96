//! Numbers with what they count, in messages.

use std::fmt::Display;

/// A number and the singular or plural of a noun: `1 byte`, `2 bytes`.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_others_are_plural() {
        let texts = [0, 1, 2].map(|number| counted(number, "byte"));
        assert_eq!(texts, ["0 bytes", "1 byte", "2 bytes"]);
    }
}
