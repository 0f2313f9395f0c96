//! The macros that a program defines, from its source or from the definitions that the preprocessor prints.

use super::tokens::{Token, logical_line, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// A macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The parameters, if it has a list of them; the last one is `...` for any number of arguments.
    pub parameters: Option<Vec<String>>,
    /// Its replacement.
    pub body: Vec<Token>,
}

/// Macros by their names. One that is defined in several ways has none.
pub type Definitions = BTreeMap<String, Option<Definition>>;

/// The macros of a text: a source, or the output of the preprocessor with `-dD`, without the macros of the system's
/// headers.
pub fn definitions(text: &str) -> Definitions {
    let mut all = Definitions::new();
    let (mut at, mut of_system) = (0, false);
    while at < text.len() {
        let end = at + logical_line(&text[at..]);
        let line = text[at..end].trim_start();
        at = end + 1;
        let Some(rest) = line.strip_prefix('#').map(str::trim_start) else { continue };
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            // `# 12 "stdio.h" 1 3 4`: 3 is a header of the system.
            let (_, flags) = rest.rsplit_once('"').unwrap_or((rest, ""));
            of_system =
                flags.split_whitespace().any(|flag| flag == "3") || rest.contains("\"<built-in>\"");
        } else if let Some(defined) = rest.strip_prefix("define").filter(|_| !of_system) {
            if let Some((name, new)) = definition(defined) {
                let known = all.entry(name).or_insert_with(|| Some(new.clone()));
                if known.as_ref() != Some(&new) {
                    *known = None;
                }
            }
        } else if let Some(name) = rest.strip_prefix("undef") {
            let name = name.trim().to_owned();
            if all.contains_key(&name) {
                all.insert(name, None);
            }
        }
    }
    all
}

/// The definitions of a source, each with its place; none where a macro is given up.
pub fn placed_definitions(source: &str) -> BTreeMap<String, Vec<(usize, Option<Definition>)>> {
    let mut all: BTreeMap<String, Vec<(usize, Option<Definition>)>> = BTreeMap::new();
    let mut at = 0;
    while at < source.len() {
        let (start, end) = (at, at + logical_line(&source[at..]));
        let line = source[start..end].trim_start();
        at = end + 1;
        let Some(rest) = line.strip_prefix('#').map(str::trim_start) else { continue };
        if let Some((name, of)) = rest.strip_prefix("define").and_then(definition) {
            all.entry(name).or_default().push((start, Some(of)));
        } else if let Some(name) = rest.strip_prefix("undef") {
            all.entry(name.trim().to_owned()).or_default().push((start, None));
        }
    }
    all
}

/// Whether a macro, or one that it uses, has a property. `find` returns the property of a name; a name that is no macro
/// has none.
pub fn any_used<'d, K: Copy + Into<Option<&'d Definition>>>(
    name: &'d str,
    find: impl Fn(&str) -> Option<K>,
    has: impl Fn(K) -> bool,
) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![name]);
    while let Some(name) = open.pop() {
        let Some(known) = find(name).filter(|_| seen.insert(name)) else { continue };
        if has(known) {
            return true;
        }
        open.extend(known.into().iter().flat_map(|of| &of.body).map(|token| token.text.as_str()));
    }
    false
}

/// Whether the body of a macro has one of these words: no parameter and no member.
pub fn has_word(of: &Definition, words: &BTreeSet<String>) -> bool {
    let parameters = of.parameters.as_deref().unwrap_or_default();
    let is_member = |nth: usize| nth > 0 && matches!(of.body[nth - 1].text.as_str(), "." | "->");
    of.body.iter().enumerate().any(|(nth, token)| {
        words.contains(&token.text) && !parameters.contains(&token.text) && !is_member(nth)
    })
}

/// Whether the replacement of a name consists of numbers only, by itself or by other macros.
pub fn is_number(all: &Definitions, name: &str) -> bool {
    let find = |name: &str| all.get(name).and_then(Option::as_ref);
    let is_open = |of: &Definition| {
        let mut words = of.body.iter().filter(|token| token.is_word());
        of.parameters.is_some() || words.any(|token| find(&token.text).is_none())
    };
    find(name).is_some() && !any_used(name, find, is_open)
}

/// The name and the rest of a line after `#define`.
fn definition(line: &str) -> Option<(String, Definition)> {
    let mut tokens = tokens(line.trim_start());
    if tokens.is_empty() || !tokens[0].is_word() {
        return None;
    }
    let name = tokens.remove(0).text;
    let has_list = tokens.first().is_some_and(|token| token.text == "(" && !token.spaced);
    if !has_list {
        return Some((name, Definition { parameters: None, body: tokens }));
    }
    let close = tokens.iter().position(|token| token.text == ")")?;
    let body = tokens.split_off(close + 1);
    let names = tokens.into_iter().map(|token| token.text);
    let parameters = names.filter(|text| !["(", ")", ","].contains(&text.as_str())).collect();
    Some((name, Definition { parameters: Some(parameters), body }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_the_user() {
        let text = "# 1 \"/usr/include/stdio.h\" 1 3 4\n#define EOF (-1)\n# 3 \"a.c\" 2\n#define N 4\n#define N 4\n\
                    #define FOR(i, \\\n n) for (;;)\n#define M 1\n#define M 2\n#define W (x)\n#undef W\n";
        let all = definitions(text);
        let names: Vec<(&str, bool)> =
            all.iter().map(|(name, of)| (name.as_str(), of.is_some())).collect();
        assert_eq!(names, [("FOR", true), ("M", false), ("N", true), ("W", false)]);
        let of = all["FOR"].as_ref().expect("it is defined once");
        assert_eq!(of.parameters.as_deref(), Some(&["i".to_owned(), "n".to_owned()][..]));
        assert_eq!(of.body[0].text, "for");
    }
}
