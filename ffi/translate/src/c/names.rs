//! Variables of a C source: where each name is declared, how far it reaches, and which declaration a use means.

use super::syntax::{Declarator, ancestor, declarator, descendants};
use std::ops::Range;
use tree_sitter::Node;

/// The scope of the declaration of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Outside of functions, seen by other files.
    Global,
    /// Outside of functions, `static`.
    FileStatic,
    /// Outside of functions, `extern`.
    Extern,
    /// In a block.
    Local,
    /// In a block, `static`.
    LocalStatic,
    /// In the parentheses of a function.
    Parameter,
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The scope of its declaration.
    pub class: Class,
    /// Its shape.
    pub declarator: Declarator,
    /// The part of the file that knows it.
    pub scope: Range<usize>,
    /// The declaration with its semicolon, or the parameter.
    pub declaration: Range<usize>,
    /// The member of a structure that it is.
    pub of: Option<Member>,
}

/// A distributed member of a variable.
#[derive(Clone, Debug)]
pub struct Member {
    /// The number of the variable.
    pub number: usize,
    /// The variable's name.
    pub variable: String,
    /// Its declaration.
    pub class: Class,
    /// The part of the file that knows the member.
    pub scope: Range<usize>,
    /// The declaration of the variable.
    pub declaration: Range<usize>,
    /// The name of the structure, or of its type, that the directives may name in its place.
    pub owner: String,
    /// The declarator in the structure.
    pub field: Declarator,
    /// The member's name.
    pub name: String,
}

impl Member {
    /// The name as a variable.
    pub fn joined(&self) -> String {
        format!("{}${}", self.variable, self.name)
    }
}

/// All variables.
#[derive(Debug)]
pub struct Names {
    variables: Vec<Variable>,
}

impl Names {
    /// Collects the variables of a file.
    pub fn of(root: Node<'_>, text: &str) -> Self {
        let mut variables = Vec::new();
        for node in descendants(root) {
            let declares = match node.kind() {
                "declaration" => true,
                "parameter_declaration" => is_defined(node),
                "expression_statement" => {
                    variables.extend(rows_of_a_named_type(node, text, &variables));
                    false
                }
                _ => false,
            };
            if declares {
                let mut cursor = node.walk();
                for child in node.children_by_field_name("declarator", &mut cursor) {
                    variables.extend(variable(node, child, text));
                }
            }
        }
        Self { variables }
    }

    /// The variable that a name means at a place.
    pub fn meant(&self, name: &str, at: usize) -> Option<(usize, &Variable)> {
        let known = self.variables.iter().enumerate();
        let known =
            known.filter(|(_, variable)| variable.name == name && variable.scope.contains(&at));
        let (nth, _) =
            known.min_by_key(|(nth, variable)| (variable.scope.len(), std::cmp::Reverse(*nth)))?;
        let first = self.first_of(nth);
        Some((first, &self.variables[first]))
    }

    /// The number of a variable: of several declarations outside of functions, the number of the first.
    pub fn first_of(&self, nth: usize) -> usize {
        let first = self.declarations(nth).next().expect("it is declared");
        let same = |variable: &Variable| std::ptr::eq(variable, first);
        self.variables.iter().position(same).expect("it is one of them")
    }

    /// Adds distributed members of structures, as variables of their own.
    pub fn add_members(&mut self, members: &[Member]) {
        self.variables.extend(members.iter().map(|member| Variable {
            name: member.joined(),
            class: member.class,
            declarator: member.field.clone(),
            scope: member.scope.clone(),
            declaration: member.declaration.clone(),
            of: Some(member.clone()),
        }));
    }

    /// The variable with this number.
    pub fn variable(&self, number: usize) -> &Variable {
        &self.variables[number]
    }

    /// All variables with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Variable)> {
        self.variables.iter().enumerate()
    }

    /// All declarations of the variable with this number: a file may declare it as `extern` first.
    pub fn declarations(&self, nth: usize) -> impl Iterator<Item = &Variable> {
        let of = &self.variables[nth];
        let is_global = matches!(of.class, Class::Global | Class::Extern | Class::FileStatic);
        self.variables.iter().enumerate().filter_map(move |(other, variable)| {
            let same = is_global
                && variable.name == of.name
                && matches!(variable.class, Class::Global | Class::Extern | Class::FileStatic);
            (same || other == nth).then_some(variable)
        })
    }
}

/// Whether a parameter belongs to a function with a body, and not to a prototype or to a parameter of its own.
fn is_defined(parameter: Node<'_>) -> bool {
    let Some(list) = parameter.parent() else { return false };
    let Some(function) = ancestor(
        list,
        &[
            "function_definition",
            "declaration",
            "parameter_declaration",
            "type_definition",
            "field_declaration",
        ],
    ) else {
        return false;
    };
    let Some(body) = function.child_by_field_name("body") else { return false };
    // The innermost declarator of a function has the parameters of the function itself.
    let mut outer = list.parent();
    while let Some(node) = outer {
        if node == function {
            break;
        }
        if node.kind() == "function_declarator"
            && node.child_by_field_name("parameters") != Some(list)
        {
            return false;
        }
        outer = node.parent();
    }
    list.end_byte() <= body.start_byte()
}

/// The variable of `type (*a)[n];` with the name of a type, which the grammar takes for a call: outside of functions, and
/// where `a` is not declared yet, it is none.
fn rows_of_a_named_type(statement: Node<'_>, text: &str, known: &[Variable]) -> Option<Variable> {
    let mut node = statement.named_child(0)?;
    let mut value = None;
    if node.kind() == "assignment_expression" {
        value = Some(node.child_by_field_name("right")?.byte_range());
        node = node.child_by_field_name("left")?;
    }
    let (array, mut sizes) = (node.byte_range(), Vec::new());
    while node.kind() == "subscript_expression" {
        sizes.insert(0, node.child_by_field_name("index")?.byte_range());
        node = node.child_by_field_name("argument")?;
    }
    let call = Some(node).filter(|node| node.kind() == "call_expression" && !sizes.is_empty())?;
    let arguments = call.child_by_field_name("arguments")?;
    let pointer = arguments.named_child(0).filter(|of| of.kind() == "pointer_expression")?;
    let name = pointer.child_by_field_name("argument")?;
    let is_declaration = call.child_by_field_name("function")?.kind() == "identifier"
        && arguments.named_child_count() == 1
        && text[pointer.byte_range()].starts_with('*')
        && name.kind() == "identifier";
    let (at, name) = (name.start_byte(), name.byte_range());
    let is_new =
        |variable: &Variable| variable.name != text[name.clone()] || !variable.scope.contains(&at);
    let is_outside = ancestor(statement, &["function_definition"]).is_none();
    if !is_declaration || !is_outside && !known.iter().all(is_new) {
        return None;
    }
    let declarator = Declarator { name, sizes, array, pointer: true, function: false, value };
    with_scope(statement, declarator, text)
}

fn variable(declaration: Node<'_>, child: Node<'_>, text: &str) -> Option<Variable> {
    let declarator = declarator(child)?;
    if declarator.function && !declarator.pointer {
        return None;
    }
    with_scope(declaration, declarator, text)
}

/// The variable of a declarator, with the class and the scope that its declaration gives it.
fn with_scope(declaration: Node<'_>, declarator: Declarator, text: &str) -> Option<Variable> {
    let mut cursor = declaration.walk();
    let storage =
        declaration.children(&mut cursor).find(|node| node.kind() == "storage_class_specifier");
    let storage = storage.map_or("", |node| &text[node.byte_range()]);
    let around =
        ancestor(declaration, &["compound_statement", "for_statement", "function_definition"]);
    let (class, scope) = match around {
        None if storage == "static" => (Class::FileStatic, declaration.start_byte()..text.len()),
        None if storage == "extern" => (Class::Extern, declaration.start_byte()..text.len()),
        None => (Class::Global, declaration.start_byte()..text.len()),
        Some(function) if function.kind() == "function_definition" => {
            let body = function.child_by_field_name("body")?;
            (Class::Parameter, declaration.start_byte()..body.end_byte())
        }
        Some(block) => {
            let class = match storage {
                "static" => Class::LocalStatic,
                "extern" => Class::Extern,
                _ => Class::Local,
            };
            (class, declaration.start_byte()..block.end_byte())
        }
    };
    let name = text[declarator.name.clone()].to_owned();
    Some(Variable {
        name,
        class,
        declarator,
        scope,
        declaration: declaration.byte_range(),
        of: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::syntax::parse;
    use super::*;

    #[test]
    fn pointers_to_rows_of_a_named_type() {
        let text =
            "row (*a)[N][3]; double x; void f(void) { row (*b)[4] = g(); call(*a)[1]; call(*x); }";
        let tree = parse(text);
        let names = Names::of(tree.root_node(), text);
        let all: Vec<(&str, usize, Class, bool)> = names
            .all()
            .map(|(_, of)| {
                (
                    of.name.as_str(),
                    of.declarator.sizes.len(),
                    of.class,
                    of.declarator.value.is_some(),
                )
            })
            .collect();
        let wanted = [
            ("a", 2, Class::Global, false),
            ("x", 0, Class::Global, false),
            ("b", 1, Class::Local, true),
        ];
        assert_eq!(all, wanted);
        assert_eq!(&text[names.variable(0).declarator.sizes[0].clone()], "N");
    }

    #[test]
    fn the_innermost_declaration_is_meant() {
        let text = "static double a[N][M], *b; void g(int a);\nvoid f(float (*c)[3]) { int i; { int a; a; } for (int b = 0; b;) ; a[i]; c; }";
        let tree = parse(text);
        let names = Names::of(tree.root_node(), text);
        let meant = |name: &str, before: &str| {
            let at = text.find(before).unwrap() + before.len();
            names.meant(name, at).map(|(_, variable)| variable.clone())
        };
        let a = meant("a", "= 0; b;) ; ").unwrap();
        assert_eq!(
            (a.class, a.declarator.sizes.len(), a.declarator.pointer),
            (Class::FileStatic, 2, false)
        );
        assert_eq!(&text[a.declarator.array.clone()], "a[N][M]");
        assert_eq!(meant("a", "{ int a; ").unwrap().class, Class::Local);
        assert_eq!(meant("b", "int b = 0; ").unwrap().class, Class::Local);
        assert!(meant("b", "a[i]; ").unwrap().declarator.pointer);
        let c = meant("c", "a[i]; ").unwrap();
        assert_eq!(
            (c.class, c.declarator.sizes.len(), c.declarator.pointer),
            (Class::Parameter, 1, true)
        );
        assert!(meant("i", "static").is_none());
    }
}
