//! Declarations of distributed arrays, written anew with the bounds of the part of this image.

use super::declarations::{Declaration, Entity, declaration};
use super::heads::Unit as Program;
use super::make::part_bounds;
use super::objects::ArrayObject;
use super::source::Statement;
use super::tokens::{name_at, uses};
use super::unit::Unit;
use super::writer::Code;

/// The replacement of a declaration of a distributed array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An array that is allocated when its scope starts.
    Allocated,
    /// An argument with the bounds of the part.
    Part,
    /// An argument of which only the start is known.
    Start,
}

impl Unit<'_> {
    /// The statements that a declaration becomes; none if it declares no distributed array, or only ones that the program
    /// allocates by itself.
    pub fn redeclared(
        &self,
        home: usize,
        statement: &Statement,
        role: impl Fn(&ArrayObject) -> Role,
    ) -> Option<Vec<Code>> {
        if let Some(code) = self.common(home, statement, &role) {
            return Some(code);
        }
        let declaration = declaration(statement)?;
        let code = statement.code.as_str();
        let array_of = |name: &str| {
            self.objects
                .arrays
                .iter()
                .find(|of| of.home == home && of.name == name && !of.is_deferred)
        };
        let has_dims = |dims: &Option<std::ops::Range<usize>>| {
            dims.is_some() || declaration.dimension.is_some()
        };
        if name_at(&code[declaration.head.clone()]) == "save" {
            return self.saved_by_body(home, code, &declaration);
        }
        let alias_of = |name: &str| {
            let arrays = self.objects.arrays.iter().filter(|of| of.home == home);
            arrays.filter_map(|of| of.alias.as_ref()).find(|alias| alias.name == name)
        };
        let (aliases, entities): (Vec<_>, Vec<_>) = declaration
            .entities
            .iter()
            .partition(|entity| alias_of(&code[entity.name.clone()]).is_some());
        let (moved, others): (Vec<_>, Vec<_>) = entities.into_iter().partition(|entity| {
            array_of(&code[entity.name.clone()]).is_some() && has_dims(&entity.dims)
        });
        if moved.is_empty() && aliases.is_empty() {
            return None;
        }
        let mut result = Vec::new();
        for alias in aliases.iter().filter_map(|entity| alias_of(&code[entity.name.clone()])) {
            let (extra, declared) = alias.declared();
            let head = if declaration.is_typed {
                head_without(statement, &declaration, "codimension", extra)
            } else {
                extra.to_owned()
            };
            result.push(format!("{head} :: {declared}").into());
        }
        if !others.is_empty() {
            result.push(unmoved(statement, &declaration, &others));
        }
        for entity in moved {
            let array = array_of(&code[entity.name.clone()])?;
            result.push(self.moved(statement, &declaration, entity, array, role(array))?);
        }
        Some(result)
    }

    /// The `save` statement without arrays that stay: the declaration in the wrapper saves these, and they are arguments of the body. None
    /// if there are no such arrays.
    fn saved_by_body(
        &self,
        home: usize,
        code: &str,
        declaration: &Declaration,
    ) -> Option<Vec<Code>> {
        let kept = self.kept(home);
        let names = declaration.entities.iter().map(|entity| &code[entity.name.clone()]);
        let others: Vec<&str> = names.filter(|name| !kept.contains(name)).collect();
        if others.len() == declaration.entities.len() {
            return None;
        }
        let is_empty = others.is_empty();
        Some(if is_empty { vec![] } else { vec![format!("save :: {}", others.join(", ")).into()] })
    }

    /// The declaration of a distributed array with another shape.
    fn moved(
        &self,
        statement: &Statement,
        declaration: &Declaration,
        entity: &Entity,
        array: &ArrayObject,
        role: Role,
    ) -> Option<Code> {
        let (code, home) = (statement.code.as_str(), array.home);
        let has = |name: &str| {
            declaration.attributes.iter().any(|span| code[span.clone()].trim() == name)
        };
        // The wrapper of a procedure has no `save` statement of the user.
        let saves_all = self.scopes.all[home].unit == Program::Block && self.saved(home).is_empty();
        let is_kept = self.kept(home).contains(&array.name.as_str());
        let is_common = array.variable.as_ref().is_some_and(|of| of.is_common);
        let deferred = vec![":"; array.dims.len()].join(", ");
        let (extra, dims) = match role {
            Role::Allocated if array.alias.is_some() && !has("target") => {
                ("allocatable, target", deferred)
            }
            Role::Allocated if is_kept && !has("save") && !saves_all => {
                ("allocatable, save", deferred)
            }
            Role::Allocated if is_common => ("pointer", deferred),
            Role::Allocated => ("allocatable", deferred),
            Role::Part => ("", part_bounds(array)),
            Role::Start => {
                let dims = entity.dims.as_ref().or(declaration.dimension.as_ref())?;
                let text = &statement.text[dims.clone()];
                let keeps_form = array.variable.as_ref()?.is_assumed || self.is_separate(home);
                let dims = if keeps_form && !text.contains('*') {
                    text.to_owned()
                } else {
                    // Procedures of a generic name may differ in ranks alone.
                    "1, ".repeat(array.dims.len() - 1) + "*"
                };
                ("", dims)
            }
        };
        let tail = &code[entity.tail.clone()];
        let length = if tail.starts_with('*') {
            tail.split('=').next().unwrap_or_default().trim()
        } else {
            ""
        };
        let head = if declaration.is_typed && role == Role::Part {
            head_without(statement, declaration, "save", extra)
        } else if declaration.is_typed && is_common {
            head_without(statement, declaration, "target", extra)
        } else if declaration.is_typed {
            head(statement, declaration, extra)
        } else if extra.is_empty() {
            "dimension".to_owned()
        } else {
            extra.to_owned()
        };
        Some(format!("{head} :: {}({dims}){length}", array.name).into())
    }

    /// Whether a procedure has its interface in a module, with which its arguments have to agree.
    fn is_separate(&self, home: usize) -> bool {
        let scope = &self.scopes.all[home];
        let prefix = scope.head.as_ref().map(|head| head.prefix.clone()).unwrap_or_default();
        uses(&self.statement(scope.first).code[prefix], "module").next().is_some()
    }

    /// Replaces the declarations of the distributed arrays of a scope.
    pub fn redeclare(&mut self, home: usize, role: impl Fn(&ArrayObject) -> Role) {
        let scope = &self.scopes.all[home];
        let statements: Vec<_> = super::declarations::specification(self.items, scope).collect();
        for (item, statement) in statements {
            if let Some(code) = self.redeclared(home, statement, &role) {
                self.output.replace(item, code);
            }
        }
        self.redeclare_components(home);
    }
}

/// As [`head`], without the attribute that begins with this word.
fn head_without(
    statement: &Statement,
    declaration: &Declaration,
    word: &str,
    extra: &str,
) -> String {
    let is_other =
        |span: &&std::ops::Range<usize>| !statement.code[(*span).clone()].starts_with(word);
    let attributes = declaration.attributes.iter().filter(is_other).cloned().collect();
    head(statement, &Declaration { attributes, ..declaration.clone() }, extra)
}

/// Type and attributes of a declaration, without `dimension`, and one more.
fn head(statement: &Statement, declaration: &Declaration, extra: &str) -> String {
    let mut head = statement.text[declaration.head.clone()].trim().to_owned();
    for attribute in &declaration.attributes {
        head += ", ";
        head += &statement.text[attribute.clone()];
    }
    if !extra.is_empty() {
        head += ", ";
        head += extra;
    }
    head
}

/// The declaration of the entities that stay as they are.
fn unmoved(statement: &Statement, declaration: &Declaration, entities: &[&Entity]) -> Code {
    let each = |entity: &&Entity| {
        let dims = entity.dims.as_ref().or(declaration.dimension.as_ref());
        let dims =
            dims.map_or(String::new(), |dims| format!("({})", &statement.text[dims.clone()]));
        let [name, tail] = [&entity.name, &entity.tail].map(|span| &statement.text[span.clone()]);
        format!("{name}{dims}{}{tail}", if tail.starts_with('=') { " " } else { "" })
    };
    let list: Vec<String> = entities.iter().map(each).collect();
    format!("{} :: {}", head(statement, declaration, ""), list.join(", ")).into()
}
