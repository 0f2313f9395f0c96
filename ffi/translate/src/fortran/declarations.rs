//! Variables that a specification part declares.

use super::classify::Kind;
use super::items::Item;
use super::scopes::Scope;
use super::source::Statement;
use super::tokens::{after, closing, is_word, name_at, outside, split, trimmed};
use std::ops::Range;

/// A statement that declares: the attributes of all its entities, and the entities.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The type, or the word of a statement like `dimension`.
    pub head: Range<usize>,
    /// Whether it gives a type.
    pub is_typed: bool,
    /// The attributes; `dimension` is not among them.
    pub attributes: Vec<Range<usize>>,
    /// The text in `dimension(..)`.
    pub dimension: Option<Range<usize>>,
    /// The entities.
    pub entities: Vec<Entity>,
}

/// One entity of a declaration, as parts of the statement.
#[derive(Clone, Debug)]
pub struct Entity {
    /// Its name.
    pub name: Range<usize>,
    /// The text in its parentheses.
    pub dims: Option<Range<usize>>,
    /// The text after the name and the dimensions.
    pub tail: Range<usize>,
}

/// The bounds of a dimension, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound; `1` where none is written.
    pub lower: String,
    /// The upper bound; none for `:` and `*`.
    pub upper: Option<String>,
}

/// The declarations of a variable in a specification part.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    /// The dimensions.
    pub dims: Vec<Bounds>,
    /// The code of its type; empty if the type is implicit.
    pub type_code: String,
    /// `allocatable` or `pointer`.
    pub is_deferred: bool,
    /// `pointer`
    pub is_pointer: bool,
    /// `optional`
    pub is_optional: bool,
    /// Whether a dimension is `:` or `*`.
    pub is_assumed: bool,
    /// Whether none is `*`.
    pub has_sizes: bool,
    /// Whether it is in a common block.
    pub is_common: bool,
    /// `save`, in a statement of its own or as an attribute.
    pub is_saved: bool,
    /// The text of its initial value.
    pub initial: Option<String>,
}

/// Reads a statement that declares; none if it does not declare variables by a list of names.
pub fn declaration(statement: &Statement) -> Option<Declaration> {
    let code = statement.code.as_str();
    let colons = outside(code, |rest| rest.starts_with("::"));
    let (left, list) = match colons {
        Some(at) => (0..at, at + 2..code.len()),
        None => {
            let end = head_end(code)?;
            (0..end, end..code.len())
        }
    };
    let mut parts = split(code, left, b',').into_iter();
    let head = parts.next()?;
    let word = name_at(&code[head.clone()]);
    let is_typed = is_type(word);
    let mut dimension = None;
    if !is_typed
        && !["dimension", "allocatable", "pointer", "target", "save", "optional"].contains(&word)
    {
        return None;
    }
    let mut attributes = Vec::new();
    for part in parts {
        match after(&code[part.clone()], &["dimension"]) {
            Some(rest) if rest.starts_with('(') => {
                let open = part.end - rest.len();
                dimension = Some(open + 1..closing(code, open)?);
            }
            _ => attributes.push(part),
        }
    }
    let list = trimmed(code, list);
    let entities = if list.is_empty() {
        Vec::new()
    } else {
        split(code, list, b',').into_iter().map(|span| entity(code, span)).collect::<Option<_>>()?
    };
    Some(Declaration { head, is_typed, attributes, dimension, entities })
}

fn is_type(word: &str) -> bool {
    [
        "integer",
        "real",
        "complex",
        "logical",
        "character",
        "double",
        "doubleprecision",
        "type",
        "class",
    ]
    .contains(&word)
}

/// The end of the type or of the word of a statement without `::`.
pub fn head_end(code: &str) -> Option<usize> {
    let word = name_at(code);
    let mut rest = &code[word.len()..];
    if word == "double" {
        rest = after(rest, &["precision"]).or_else(|| after(rest, &["complex"]))?;
    }
    let blank = rest.len() - rest.trim_start().len();
    let after = &rest[blank..];
    if is_type(word) {
        if let Some(size) = after.strip_prefix('*') {
            let size = size.trim_start();
            let len = if size.starts_with('(') {
                closing(size, 0)? + 1
            } else {
                size.bytes().take_while(|byte| is_word(*byte)).count()
            };
            return Some(code.len() - size.len() + len);
        }
        if after.starts_with('(') {
            return Some(code.len() - after.len() + closing(after, 0)? + 1);
        }
    }
    Some(code.len() - after.len())
}

fn entity(code: &str, span: Range<usize>) -> Option<Entity> {
    let name = name_at(&code[span.clone()]);
    if name.is_empty() {
        return None;
    }
    let name = span.start..span.start + name.len();
    let rest = trimmed(code, name.end..span.end);
    let mut tail = rest.clone();
    let mut dims = None;
    if code[rest.clone()].starts_with('(') {
        let close = closing(code, rest.start)?;
        dims = Some(rest.start + 1..close);
        tail = trimmed(code, close + 1..span.end);
    }
    Some(Entity { name, dims, tail })
}

/// The dimensions in a list.
pub fn bounds(statement: &Statement, list: Range<usize>) -> Vec<Bounds> {
    let one = |dim: Range<usize>| {
        let text = |span: Range<usize>| {
            Some(statement.text[span].trim().to_owned()).filter(|text| !text.is_empty())
        };
        let known = |upper: Option<String>| upper.filter(|upper| upper != "*" && upper != ":");
        match outside(&statement.code[dim.clone()], |rest| rest.starts_with(':')) {
            Some(at) => Bounds {
                lower: text(dim.start..dim.start + at).unwrap_or_else(|| "1".into()),
                upper: known(text(dim.start + at + 1..dim.end)),
            },
            None => Bounds { lower: "1".into(), upper: known(text(dim)) },
        }
    };
    split(&statement.code, list, b',').into_iter().map(one).collect()
}

/// The statements of a specification part, with their numbers.
pub fn specification<'a>(
    items: &'a [Item],
    scope: &Scope,
) -> impl Iterator<Item = (usize, &'a Statement)> {
    let (first, body) = (scope.first, scope.body);
    let mut depth = 0_usize;
    items[first..body].iter().enumerate().filter_map(move |(at, item)| {
        let Item::Statement(statement, kind) = item else { return None };
        match kind {
            Kind::InterfaceStart | Kind::TypeStart => depth += 1,
            Kind::InterfaceEnd | Kind::TypeEnd => depth = depth.saturating_sub(1),
            Kind::Specification if depth == 0 => return Some((first + at, statement)),
            _ => {}
        }
        None
    })
}

/// The cobounds that a scope declares for a name, as written; none if it is no coarray.
pub fn cobounds(items: &[Item], scope: &Scope, name: &str) -> Option<String> {
    let bracketed = |text: &str| {
        let open = text.find('[')?;
        Some(text[open + 1..closing(text, open)?].to_owned())
    };
    specification(items, scope).find_map(|(_, statement)| {
        let declaration = declaration(statement)?;
        let code = statement.code.as_str();
        let entity = declaration.entities.iter().find(|of| &code[of.name.clone()] == name)?;
        let attribute = declaration.attributes.iter().map(|span| &code[span.clone()]);
        let mut attribute = attribute.filter(|text| text.starts_with("codimension"));
        Some(&code[entity.tail.clone()])
            .filter(|tail| tail.starts_with('['))
            .or_else(|| attribute.next())
            .and_then(bracketed)
    })
}

/// A block of a `common` statement: its name, empty for the one without, and its variables.
#[derive(Clone, Debug)]
pub struct CommonBlock {
    /// The name.
    pub name: String,
    /// The variables in their order.
    pub entities: Vec<Entity>,
}

/// The blocks of a statement; none if it is no `common` statement.
pub fn common_blocks(statement: &Statement) -> Vec<CommonBlock> {
    let code = statement.code.as_str();
    let Some(list) = after(code, &["common"]) else { return Vec::new() };
    let mut blocks: Vec<CommonBlock> = Vec::new();
    let mut at = code.len() - list.len();
    while at < code.len() {
        let rest = &code[at..];
        if let Some(inside) = rest.strip_prefix('/') {
            let Some(len) = inside.find('/') else { break };
            let name = inside[..len].trim().to_owned();
            blocks.push(CommonBlock { name, entities: Vec::new() });
            at += len + 2;
        } else if rest.starts_with([' ', ',']) {
            at += 1;
        } else {
            let len = outside(rest, |rest| rest.starts_with([',', '/'])).unwrap_or(rest.len());
            if blocks.is_empty() {
                blocks.push(CommonBlock { name: String::new(), entities: Vec::new() });
            }
            let last = blocks.last_mut().expect("there is one");
            last.entities.extend(entity(code, trimmed(code, at..at + len)));
            at += len;
        }
    }
    blocks
}

/// Whether a `save` statement without names saves all variables of a scope.
pub fn saves_all(items: &[Item], scope: &Scope) -> bool {
    specification(items, scope).any(|(_, statement)| statement.code == "save")
}

/// The declaration of a name in a scope.
pub fn variable(items: &[Item], scope: &Scope, name: &str) -> Option<Variable> {
    variable_in(specification(items, scope), name)
}

/// The declarations of a name in these statements.
pub fn variable_in<'a>(
    statements: impl Iterator<Item = (usize, &'a Statement)>,
    name: &str,
) -> Option<Variable> {
    let mut found: Option<Variable> = None;
    let mut saves_all = false;
    for (_, statement) in statements {
        for entity in common_blocks(statement).into_iter().flat_map(|block| block.entities) {
            if &statement.code[entity.name] == name {
                let variable = found.get_or_insert_default();
                variable.is_common = true;
                if let Some(dims) = entity.dims {
                    variable.dims = bounds(statement, dims);
                }
            }
        }
        let Some(declaration) = declaration(statement) else { continue };
        let code = statement.code.as_str();
        let word = name_at(&code[declaration.head.clone()]);
        saves_all |= word == "save" && declaration.entities.is_empty();
        let Some(entity) =
            declaration.entities.iter().find(|entity| &code[entity.name.clone()] == name)
        else {
            continue;
        };
        let variable = found.get_or_insert_default();
        let says = |what: &str| {
            word == what || declaration.attributes.iter().any(|span| &code[span.clone()] == what)
        };
        variable.is_deferred |= says("allocatable") || says("pointer");
        variable.is_pointer |= says("pointer");
        variable.is_saved |= says("save");
        variable.is_optional |= says("optional");
        if declaration.is_typed {
            variable.type_code = code[declaration.head.clone()].to_owned();
        }
        if let Some(dims) = entity.dims.as_ref().or(declaration.dimension.as_ref()) {
            variable.dims = bounds(statement, dims.clone());
            let parts = split(code, dims.clone(), b',');
            variable.has_sizes = !parts.into_iter().any(|part| code[part].ends_with('*'));
        }
        let tail = &code[entity.tail.clone()];
        if let Some(at) = outside(tail, |rest| rest.starts_with('=')) {
            let value = statement.text[entity.tail.start + at + 1..entity.tail.end].trim();
            variable.initial = Some(value.to_owned()).filter(|value| !value.starts_with('>'));
        }
    }
    let mut variable = found?;
    variable.is_saved |= saves_all;
    variable.is_saved &= !variable.is_common;
    variable.is_assumed = variable.dims.iter().any(|dim| dim.upper.is_none());
    Some(variable)
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::super::scopes::Scopes;
    use super::super::source::{COLUMNS, statements};
    use super::*;
    use crate::directive::Form;

    #[test]
    fn declarations_in_all_forms() {
        let source = "subroutine s(n)\ninteger n\nreal*8 a(n, 0:*), b(3)*4\nreal(8), dimension(2:n), save :: c = 1, d(7)\n\
            double precision e\ndimension e(5)\ninteger, allocatable :: f(:)\ncharacter*(*) g\nn = 1\nend\n";
        let items = items(statements(source, Form::Free, COLUMNS), Vec::new());
        let scopes = Scopes::of(&items).unwrap();
        let of = |name: &str| variable(&items, &scopes.all[0], name).unwrap();
        let dims = |name: &str| {
            let text = |dim: Bounds| format!("{}:{}", dim.lower, dim.upper.unwrap_or_default());
            of(name).dims.into_iter().map(text).collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            (dims("a"), dims("b"), dims("c"), dims("d")),
            ("1:n,0:".into(), "1:3".into(), "2:n".into(), "1:7".into())
        );
        assert_eq!(
            (of("c").is_saved, of("c").initial, of("a").is_assumed),
            (true, Some("1".into()), true)
        );
        assert_eq!((dims("e"), of("e").type_code), ("1:5".into(), "double precision".into()));
        assert!(of("f").is_deferred && of("a").type_code == "real*8");
        assert!(of("g").dims.is_empty());
    }
}
