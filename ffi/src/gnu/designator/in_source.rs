//! The coindexed objects of a statement, and the argument of a collective subroutine, by the text of the source. The compiler passes a
//! null pointer for an object that is not allocated. So only the source has the name of the variable.

use crate::process;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// The coindexed objects of the statement that this thread executes, as the source has them, with `or` between them: `a(1)[2] or b[k]`.
/// `None` if the source is not where it was compiled, or has none there.
#[cold]
pub fn coindexed_objects() -> Option<String> {
    let objects = objects(&statement_at(&process::place()?)?);
    (!objects.is_empty()).then(|| objects.join(" or "))
}

/// The first argument of the collective subroutine that the statement at this place, `file:line`, calls, as the source has it. `None` if
/// the source is not where it was compiled, and if the statement calls no such subroutine or several.
#[cold]
pub fn collective_argument(place: &str) -> Option<String> {
    argument(&statement_at(place)?)
}

/// The variable of the assignment that this thread executes, as the source has it. `None` if the source is not where it was compiled, or the
/// statement is no assignment.
#[cold]
pub fn assigned_variable() -> Option<String> {
    assigned(&statement_at(&process::place()?)?)
}

/// The code of the statement at a place.
fn statement_at(place: &str) -> Option<String> {
    let (file, line) = place.rsplit_once(':')?;
    let number = line.parse::<usize>().ok()?;
    // Comments in the source may have characters of any encoding.
    let lines = BufReader::new(File::open(file).ok()?).split(b'\n').map_while(Result::ok);
    let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
    statement(lines, number)
}

/// The statement that the line of this number, from 1, belongs to, in one line.
fn statement(lines: impl Iterator<Item = String>, number: usize) -> Option<String> {
    let (mut text, mut goes_on) = (String::new(), false);
    let mut count = 0;
    for line in lines {
        if !goes_on {
            if count >= number {
                break;
            }
            text.clear();
        }
        count += 1;
        let line = without_comments(&line);
        let code = line.trim();
        text += code.trim_start_matches('&').trim_end_matches('&');
        goes_on = code.ends_with('&') || goes_on && code.is_empty();
    }
    (1..=count).contains(&number).then_some(text)
}

/// The first argument of the only call of a collective subroutine in a statement.
fn argument(text: &str) -> Option<String> {
    const SUBROUTINES: [&str; 5] = ["co_broadcast", "co_max", "co_min", "co_reduce", "co_sum"];
    let lower = text.to_ascii_lowercase();
    let mut arguments = SUBROUTINES.iter().flat_map(|name| {
        lower.match_indices(name).filter_map(|(at, _)| {
            let rest = &text[at + name.len()..];
            rest.trim_start()
                .starts_with('(')
                .then(|| at + name.len() + rest.find('(').unwrap_or(0))
        })
    });
    let open = arguments.next()?;
    if arguments.next().is_some() {
        return None;
    }
    let inner = &text[open + 1..closing(text.as_bytes(), open)?];
    let mut depth = 0;
    let end = inner.bytes().position(|byte| {
        depth += i32::from(byte == b'(') + i32::from(byte == b'[');
        depth -= i32::from(byte == b')') + i32::from(byte == b']');
        depth == 0 && byte == b','
    });
    let first = &inner[..end.unwrap_or(inner.len())];
    // `a=` is the keyword of this argument.
    let value = first.split_once('=').map_or(first, |(_, value)| value).trim();
    (!value.is_empty()).then(|| value.into())
}

/// The variable that a statement assigns to.
fn assigned(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    let sign = bytes.iter().enumerate().position(|(at, byte)| {
        depth += i32::from(matches!(byte, b'(' | b'[')) - i32::from(matches!(byte, b')' | b']'));
        let is_operator = matches!(bytes.get(at + 1), Some(b'=' | b'>'))
            || at > 0 && matches!(bytes[at - 1], b'=' | b'/' | b'<' | b'>');
        depth == 0 && *byte == b'=' && !is_operator
    })?;
    Some(text[start_of(bytes, sign)?..sign].trim().into())
}

/// A line without comments, and with blanks instead of the characters of constants.
fn without_comments(line: &str) -> String {
    let mut quote = None;
    let mut code = String::new();
    for character in line.chars() {
        match (quote, character) {
            (None, '!') => break,
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, _) => code.push(character),
            (Some(_), _) => code.push(' '),
        }
    }
    code
}

/// The different designators with an image selector in a statement.
fn objects(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut found: Vec<String> = Vec::new();
    for (open, _) in text.match_indices('[') {
        let (Some(start), Some(close)) = (start_of(bytes, open), closing(bytes, open)) else {
            continue;
        };
        let object = text[start..=close].split_whitespace().collect::<Vec<_>>().join(" ");
        if !found.contains(&object) {
            found.push(object);
        }
    }
    found
}

/// The end of the bracket that opens here.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The start of the designator before a bracket: names with subscripts, and components of them.
fn start_of(bytes: &[u8], open: usize) -> Option<usize> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let before = |end: usize| bytes[..end].iter().rposition(|byte| !byte.is_ascii_whitespace());
    let mut end = open;
    loop {
        let mut last = before(end)?;
        if bytes[last] == b')' {
            let mut depth = 0;
            let open = (0..=last).rev().find(|&at| {
                depth += i32::from(bytes[at] == b')') - i32::from(bytes[at] == b'(');
                depth == 0
            })?;
            last = before(open)?;
        }
        let start = bytes[..=last].iter().rposition(|&byte| !is_name(byte)).map_or(0, |at| at + 1);
        if start > last || !bytes[start].is_ascii_alphabetic() {
            return None;
        }
        match before(start) {
            Some(parent) if bytes[parent] == b'%' => end = parent,
            _ => return Some(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_all_its_lines() {
        let source = ["x = 1", "y(2) & ! first", "", "  &[3] = a[1] + &", "  b[2]", "z = 2"];
        let of = |number| statement(source.iter().map(|line| (*line).to_owned()), number);
        for number in [2, 4, 5] {
            assert_eq!(objects(&of(number).unwrap()), ["y(2) [3]", "a[1]", "b[2]"]);
        }
        assert_eq!((of(1).unwrap(), of(6).unwrap()), ("x = 1".into(), "z = 2".into()));
        assert_eq!((of(0), of(7)), (None, None));
    }

    #[test]
    fn designators_with_image_selectors_are_found() {
        for (text, expected) in [
            ("x = a(1)[2] + b [ k ]", vec!["a(1)[2]", "b [ k ]"]),
            ("call f(s%t(i, f(j))%u(:)[2], [1, 2])", vec!["s%t(i, f(j))%u(:)[2]"]),
            ("y = a(1)[2] + a(1)[2]", vec!["a(1)[2]"]),
            ("y = a(n[3])[2]", vec!["n[3]", "a(n[3])[2]"]),
            ("y = sum([1, 2])", vec![]),
            ("if (x) a [me] = 1", vec!["a [me]"]),
        ] {
            let found = objects(text);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            assert!(expected.iter().all(|object| found.contains(&(*object).into())), "{found:?}");
        }
        assert_eq!(without_comments("x = 'a[1]!' // b[2] ! c[3]"), "x =       // b[2] ");
    }

    #[test]
    fn the_variable_of_an_assignment_is_found() {
        for (text, expected) in [
            ("x = b * me", Some("x")),
            ("if (me == 1 .and. f(a=3)) s%t(i)%u = [1, 2]", Some("s%t(i)%u")),
            ("x(:, 1) = y", Some("x(:, 1)")),
            ("p => q", None),
            ("call f(a = 1)", None),
            ("l = a == b", Some("l")),
        ] {
            assert_eq!(assigned(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_argument_of_a_collective_subroutine_is_found() {
        for (text, expected) in [
            ("call co_broadcast(l, 1)", Some("l")),
            ("if (n > 0) CALL Co_Sum ( A = s%t(i, j) , 1)", Some("s%t(i, j)")),
            ("call co_max(x)", Some("x")),
            ("call co_sum(a); call co_sum(b)", None),
            ("call own_co_sum_of(a)", None),
            ("x = 1", None),
        ] {
            assert_eq!(argument(text).as_deref(), expected, "{text}");
        }
    }
}
