//! Distributed members of structures: `c.a` becomes a variable `c$a` of its own, as long as before, and the structure keeps
//! a pointer that nothing uses.

use super::names::{Class, Member, Names};
use super::syntax::{Declarator, declarator, descendants};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Kind, Text};
use tree_sitter::Node;

/// The variables that a name with a member means in a directive: `c.a` itself, or `a` of all variables of type `c`.
pub fn meant(members: &[Member], name: &Text) -> Vec<Text> {
    let Some((owner, field)) = name.text.split_once('.') else { return vec![name.clone()] };
    let of = members.iter().filter(|member| member.owner == owner && member.name == field);
    of.map(|member| Text { text: member.joined(), span: name.span.clone() }).collect()
}

/// The members that directives distribute.
///
/// # Errors
/// For members that are not found, and variables that cannot have distributed ones.
pub fn of_file(
    root: Node<'_>,
    text: &str,
    names: &Names,
    directives: &[Directive],
) -> Result<Vec<Member>, Diagnostic> {
    let mut members: Vec<Member> = Vec::new();
    for directive in directives {
        let Kind::Align(align) = &directive.kind else { continue };
        for name in align.arrays.iter().filter(|name| name.text.contains('.')) {
            let found = of_name(root, text, names, name)?;
            if found.is_empty() {
                let wrong = format!("no variable of the file has a member `{}`", name.text);
                return Err(Diagnostic::new(name.span.clone(), wrong)
                    .help("name a structure of which a variable is declared, or such a variable"));
            }
            members.extend(found);
        }
    }
    Ok(members)
}

fn of_name(
    root: Node<'_>,
    text: &str,
    names: &Names,
    name: &Text,
) -> Result<Vec<Member>, Diagnostic> {
    let (owner, field) = name.text.split_once('.').expect("it has a member");
    let one = names.meant(owner, name.span.start).map(|(number, _)| number);
    let mut members = Vec::new();
    for (number, variable) in names.all() {
        let declaration = descendants(root)
            .into_iter()
            .find(|node| node.kind() == "declaration" && node.byte_range() == variable.declaration);
        let Some(kind) = declaration.and_then(|node| node.child_by_field_name("type")) else {
            continue;
        };
        let number = names.first_of(number);
        let is_meant = match one {
            Some(one) => number == one,
            None => type_name(text, kind) == owner,
        };
        let shape = &variable.declarator;
        if !is_meant || shape.pointer || shape.function {
            continue;
        }
        let Some(field) = structure(root, text, kind).and_then(|of| field_in(text, of, field))
        else {
            continue;
        };
        let cannot = |why: &str| {
            let wrong = format!("`{}` {why}", variable.name);
            Err(Diagnostic::new(shape.name.clone(), wrong)
                .help(format!("its member `{}` is distributed", name.text)))
        };
        if !shape.sizes.is_empty() {
            return cannot("is an array of structures");
        }
        if shape.value.is_some() {
            return cannot("has initial values");
        }
        let is_global = matches!(variable.class, Class::Global | Class::Extern | Class::FileStatic);
        members.push(Member {
            number,
            variable: variable.name.clone(),
            class: variable.class,
            scope: if is_global { 0..text.len() } else { variable.scope.clone() },
            declaration: variable.declaration.clone(),
            owner: owner.to_owned(),
            name: text[field.name.clone()].to_owned(),
            field,
        });
    }
    Ok(members)
}

/// The tag of a structure, or the name of a type.
fn type_name<'t>(text: &'t str, kind: Node<'_>) -> &'t str {
    let name = match kind.kind() {
        "struct_specifier" => kind.child_by_field_name("name"),
        "type_identifier" => Some(kind),
        _ => None,
    };
    name.map_or("", |name| &text[name.byte_range()])
}

/// The structure with its members that a type is.
fn structure<'t>(root: Node<'t>, text: &str, kind: Node<'t>) -> Option<Node<'t>> {
    let has_body = |node: &Node<'_>| {
        node.kind() == "struct_specifier" && node.child_by_field_name("body").is_some()
    };
    if has_body(&kind) {
        return Some(kind);
    }
    let name = type_name(text, kind);
    let mut all = descendants(root).into_iter();
    if kind.kind() == "struct_specifier" {
        return all.find(|node| has_body(node) && type_name(text, *node) == name);
    }
    let definition = all.find(|node| {
        node.kind() == "type_definition"
            && node
                .child_by_field_name("declarator")
                .is_some_and(|declared| &text[declared.byte_range()] == name)
    })?;
    structure(root, text, definition.child_by_field_name("type")?)
}

fn field_in(text: &str, structure: Node<'_>, field: &str) -> Option<Declarator> {
    let body = structure.child_by_field_name("body")?;
    let mut cursor = body.walk();
    for line in body.named_children(&mut cursor).filter(|line| line.kind() == "field_declaration") {
        let mut inner = line.walk();
        for child in line.children_by_field_name("declarator", &mut inner) {
            if let Some(found) = declarator(child).filter(|of| &text[of.name.clone()] == field) {
                return Some(found);
            }
        }
    }
    None
}

/// The source with `c$a` for each `c.a`.
///
/// # Errors
/// For a distributed member whose name is not written in one piece.
pub fn renamed(
    source: &str,
    root: Node<'_>,
    names: &Names,
    members: &[Member],
    directives: &[Directive],
) -> Result<String, Diagnostic> {
    let mut points = Vec::new();
    for node in descendants(root).into_iter().filter(|node| node.kind() == "field_expression") {
        let parts = (node.child_by_field_name("argument"), node.child_by_field_name("field"));
        let (Some(argument), Some(field)) = parts else { continue };
        let is_point = source[argument.end_byte()..field.start_byte()].trim() == ".";
        if argument.kind() != "identifier" || !is_point {
            continue;
        }
        let (owner, field_name) = (&source[argument.byte_range()], &source[field.byte_range()]);
        let meant = names.meant(owner, argument.start_byte());
        let Some((number, _)) = meant else { continue };
        if members.iter().any(|member| member.number == number && member.name == field_name) {
            if argument.end_byte() + 1 != field.start_byte() {
                return refuse(
                    node.byte_range(),
                    format!("write `{owner}.{field_name}` without blanks"),
                );
            }
            points.push(argument.end_byte());
        }
    }
    for directive in directives {
        let text = &source[directive.span.clone()];
        for member in members {
            let wanted = format!("{}.{}", member.variable, member.name);
            for (at, _) in text.match_indices(&wanted) {
                let is_word = |c: Option<char>| {
                    c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
                };
                let after = text[at + wanted.len()..].chars().next();
                if !is_word(text[..at].chars().next_back()) && !is_word(after) {
                    points.push(directive.span.start + at + member.variable.len());
                }
            }
        }
    }
    let mut bytes = source.as_bytes().to_vec();
    for point in points {
        bytes[point] = b'$';
    }
    Ok(String::from_utf8(bytes).expect("only points are replaced"))
}

/// Writes `c.a` for `c$a` in a message.
pub fn name_as_written(wrong: &mut Diagnostic, members: &[Member]) {
    for member in members {
        let written = format!("{}.{}", member.variable, member.name);
        for text in [&mut wrong.title, &mut wrong.label, &mut wrong.help] {
            *text = text.replace(&member.joined(), &written);
        }
    }
}
