//! Subscripts as linear expressions of a loop variable: `2*i - 1`.

/// A linear expression: the factor of the variable, and the number that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The factor of the variable; none where it is not a number.
    pub factor: Option<i64>,
    /// The number that is added; none where it is not known.
    pub added: Option<i64>,
}

impl Linear {
    /// Reads an expression of numbers, names and `+ - * / %` with parentheses.
    pub fn of(text: &str, variable: &str) -> Option<Self> {
        let mut reader = Reader { rest: text, variable };
        let value = reader.sum()?;
        reader.rest.trim().is_empty().then_some(value)
    }

    fn number(value: i64) -> Self {
        Self { factor: Some(0), added: Some(value) }
    }

    fn plus(self, other: Self, sign: i64) -> Self {
        let both =
            |one: Option<i64>, other: Option<i64>| one?.checked_add(other?.checked_mul(sign)?);
        Self { factor: both(self.factor, other.factor), added: both(self.added, other.added) }
    }

    fn times(self, other: Self) -> Self {
        let product = |of: Option<i64>, by: Option<i64>| of?.checked_mul(by?);
        match (self.factor, other.factor) {
            (Some(0), _) => Self {
                factor: match other.factor {
                    Some(0) => Some(0),
                    factor => product(factor, self.added),
                },
                added: product(self.added, other.added),
            },
            (_, Some(0)) => other.times(self),
            _ => Self { factor: None, added: None },
        }
    }

    /// Of a quotient or a remainder nothing is known but whether the variable is in it.
    fn divided(self, other: Self) -> Self {
        let without = self.factor == Some(0) && other.factor == Some(0);
        Self { factor: without.then_some(0), added: None }
    }
}

struct Reader<'a> {
    rest: &'a str,
    variable: &'a str,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn sum(&mut self) -> Option<Linear> {
        let mut value = Linear::number(0);
        let mut sign = 1;
        if let Some(first @ ('+' | '-')) = self.next() {
            self.rest = &self.rest[1..];
            sign = if first == '-' { -1 } else { 1 };
        }
        loop {
            value = value.plus(self.product()?, sign);
            let Some(operator @ ('+' | '-')) = self.next() else { return Some(value) };
            self.rest = &self.rest[1..];
            sign = if operator == '-' { -1 } else { 1 };
        }
    }

    fn product(&mut self) -> Option<Linear> {
        let mut value = self.operand()?;
        while let Some(operator @ ('*' | '/' | '%')) = self.next() {
            self.rest = &self.rest[1..];
            let other = self.operand()?;
            value = if operator == '*' { value.times(other) } else { value.divided(other) };
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<Linear> {
        let first = self.next()?;
        if first == '(' {
            self.rest = &self.rest[1..];
            let value = self.sum()?;
            (self.next()? == ')').then_some(())?;
            self.rest = &self.rest[1..];
            return Some(value);
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        match first {
            '0'..='9' => word.parse().ok().map(Linear::number),
            // Calls and other subscripts may be anything.
            _ if word.is_empty() || matches!(self.next(), Some('(' | '[' | '.' | '?')) => None,
            _ if word == self.variable => Some(Linear { factor: Some(1), added: Some(0) }),
            _ => Some(Linear { factor: Some(0), added: None }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_expressions() {
        let of = |text: &str| Linear::of(text, "i").map(|value| (value.factor, value.added));
        assert_eq!(of("i"), Some((Some(1), Some(0))));
        assert_eq!(of("(i) - 1 + 2"), Some((Some(1), Some(1))));
        assert_eq!(of("3+i"), Some((Some(1), Some(3))));
        assert_eq!(of("i + n"), Some((Some(1), None)));
        assert_eq!(of("n - 1 - i"), Some((Some(-1), None)));
        assert_eq!(of("2*(i - 1)"), Some((Some(2), Some(-2))));
        assert_eq!(of("n*i"), Some((None, None)));
        assert_eq!(of("i/2"), Some((None, None)));
        assert_eq!(of("j*2 + n/3"), Some((Some(0), None)));
        assert_eq!((of("p[i]"), of("f(i)"), of("i & 1"), of("i ?: 2")), (None, None, None, None));
    }
}
