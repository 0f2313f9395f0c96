//! The arguments of an invocation, and the body of a macro with or without the contents of `__VA_OPT__`.

use crate::c::tokens::{Token, invocation_len};

/// A body with the contents of each `__VA_OPT__` if there are variable arguments, else without them; none if `#` makes a string of
/// one.
pub fn with_options(body: &[Token], has_rest: bool) -> Option<Vec<Token>> {
    let mut new: Vec<Token> = Vec::new();
    let mut nth = 0;
    while let Some(token) = body.get(nth) {
        if token.text != "__VA_OPT__" {
            new.push(token.clone());
            nth += 1;
            continue;
        }
        if new.last().is_some_and(|last| last.text == "#") {
            return None;
        }
        let len = invocation_len(&body[nth + 1..]);
        let inside = body.get(nth + 2..nth + len).unwrap_or_default();
        nth += 1 + len;
        if has_rest && !inside.is_empty() {
            new.extend_from_slice(inside);
        } else if new.last().is_some_and(|last| last.text == "##") {
            new.pop();
        } else if body.get(nth).is_some_and(|next| next.text == "##") {
            nth += 1;
        }
    }
    Some(new)
}

/// The arguments between parentheses, one for each parameter; none if there are more or fewer.
pub fn arguments(inside: &[Token], parameters: &[String]) -> Option<Vec<Vec<Token>>> {
    let mut all = vec![Vec::new()];
    let takes_rest = parameters.last().is_some_and(|last| last == "...");
    let mut depth = 0;
    for token in inside {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 && !(takes_rest && all.len() == parameters.len()) => {
                all.push(Vec::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().expect("there is one").push(token.clone());
    }
    if parameters.is_empty() && inside.is_empty() {
        return Some(Vec::new());
    }
    if takes_rest && all.len() + 1 == parameters.len() {
        all.push(Vec::new());
    }
    (all.len() == parameters.len()).then_some(all)
}
