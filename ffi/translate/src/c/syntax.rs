//! The constructs that the C grammar finds: functions, blocks, statements, declarators.

use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// Parses the readable text of a C source.
pub fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar fits the parser");
    parser.parse(text, None).expect("no timeout is set")
}

/// All nodes below one, and that one, in the order of the source.
pub fn descendants(root: Node<'_>) -> Vec<Node<'_>> {
    let mut nodes = Vec::new();
    let mut cursor = root.walk();
    loop {
        nodes.push(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() || cursor.node() == root {
                return nodes;
            }
        }
    }
}

/// The nearest ancestor of one of these kinds.
pub fn ancestor<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut next = node.parent();
    while let Some(node) = next {
        if kinds.contains(&node.kind()) {
            return Some(node);
        }
        next = node.parent();
    }
    None
}

/// The innermost block around a place; none at file scope.
pub fn block_around<'t>(root: Node<'t>, at: usize) -> Option<Node<'t>> {
    let mut node = root.descendant_for_byte_range(at, at)?;
    loop {
        let inside = node.start_byte() < at && at < node.end_byte();
        if node.kind() == "compound_statement" && inside {
            return Some(node);
        }
        node = node.parent()?;
    }
}

/// Whether a subscript follows an expression.
pub fn is_subscripted(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == "subscript_expression"
            && parent.child_by_field_name("argument") == Some(node)
    })
}

/// A name with the parentheses around it alone.
pub fn in_parentheses(name: Node<'_>) -> Node<'_> {
    let mut node = name;
    while let Some(parent) =
        node.parent().filter(|parent| parent.kind() == "parenthesized_expression")
    {
        node = parent;
    }
    node
}

/// The function around a node or the node itself.
pub fn function_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut next = Some(node);
    while let Some(node) = next {
        if node.kind() == "function_definition" {
            return Some(node);
        }
        next = node.parent();
    }
    None
}

/// The statement that begins at the first code after a place.
pub fn statement_after<'t>(root: Node<'t>, text: &str, at: usize) -> Option<Node<'t>> {
    let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
    let mut node = root.descendant_for_byte_range(start, start + 1)?;
    let mut found = None;
    while node.start_byte() == start {
        if node.kind().ends_with("_statement") || node.kind() == "declaration" {
            found = Some(node);
        }
        node = node.parent()?;
    }
    found
}

/// A declared name and its shape.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name's place.
    pub name: Range<usize>,
    /// Sizes of the array, the first dimension first; an empty range for an open size.
    pub sizes: Vec<Range<usize>>,
    /// The name with its sizes, which the declaration of a pointer to the element type replaces.
    pub array: Range<usize>,
    /// Whether the name is a pointer: `*a`, or `(*a)[n]` with these sizes after it.
    pub pointer: bool,
    /// Whether it is a function.
    pub function: bool,
    /// The initial value.
    pub value: Option<Range<usize>>,
}

/// The name that a declarator declares.
pub fn declarator(node: Node<'_>) -> Option<Declarator> {
    let mut found = Declarator {
        name: 0..0,
        sizes: Vec::new(),
        array: 0..0,
        pointer: false,
        function: false,
        value: None,
    };
    let mut node = node;
    let mut outer_of_parentheses = false;
    loop {
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" => {
                found.name = node.byte_range();
                found.sizes.reverse();
                if found.array.is_empty() {
                    found.array = node.byte_range();
                }
                return Some(found);
            }
            "init_declarator" => {
                found.value = node.child_by_field_name("value").map(|value| value.byte_range());
            }
            "array_declarator" => {
                let size = node.child_by_field_name("size");
                let end = node.end_byte() - 1;
                found.sizes.push(size.map_or(end..end, |size| size.byte_range()));
                if found.array.is_empty() {
                    found.array = node.byte_range();
                }
                outer_of_parentheses = true;
            }
            "pointer_declarator" => {
                // `*a[n]` is an array of pointers, `(*a)[n]` a pointer.
                let inner = node.child_by_field_name("declarator");
                let ends = inner.is_some_and(|inner| inner.kind() != "array_declarator");
                found.pointer |= ends || outer_of_parentheses;
            }
            "function_declarator" => found.function = true,
            "parenthesized_declarator" => {
                node = node.named_child(0)?;
                continue;
            }
            _ => return None,
        }
        node = node.child_by_field_name("declarator")?;
    }
}
