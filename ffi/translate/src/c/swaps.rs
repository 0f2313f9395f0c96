//! Assignments of distributed pointers to one another, as programs exchange the levels of time: `u = v;`, or `tmp = u; u = v; v = tmp;`,
//! where `tmp` may be any pointer. The mapping goes with the pointer.

use super::names::{Class, Variable};
use super::objects::ArrayObject;
use super::on::MAP;
use super::syntax::{descendants, function_of, in_parentheses};
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use crate::meaning::assignment::differ;
use crate::meaning::declare::same_shadow;
use std::ops::Range;
use tree_sitter::Node;

/// An assignment of one pointer to another.
#[derive(Clone, Copy, Debug)]
struct Assigned<'t> {
    /// The assignment, or the declaration with an initial value.
    node: Node<'t>,
    left: Node<'t>,
    right: Node<'t>,
}

impl<'t> Assigned<'t> {
    /// An assignment or an initial value that is a name.
    fn of(node: Node<'t>) -> Option<Self> {
        let (left, mut right) = match node.kind() {
            "assignment_expression" => {
                let is_plain =
                    node.child_by_field_name("operator").is_some_and(|of| of.kind() == "=");
                let left = node.child_by_field_name("left").filter(|_| is_plain)?;
                (left, node.child_by_field_name("right")?)
            }
            "init_declarator" => {
                let mut left = node.child_by_field_name("declarator")?;
                while left.kind() != "identifier" {
                    let inner = left.child_by_field_name("declarator");
                    left = inner.or_else(|| left.named_child(0))?;
                }
                (left, node.child_by_field_name("value")?)
            }
            _ => return None,
        };
        while let "parenthesized_expression" | "cast_expression" = right.kind() {
            right = right.child_by_field_name("value").or_else(|| right.named_child(0))?;
        }
        (left.kind() == "identifier" && right.kind() == "identifier").then_some(Self {
            node,
            left,
            right,
        })
    }
}

impl<'a> Unit<'a> {
    /// Translates assignments of distributed pointers to one another; [`Unit::swapped`] has the left sides.
    pub fn swaps(&mut self) {
        let root = self.root;
        let all: Vec<Assigned<'_>> =
            descendants(root).into_iter().filter_map(Assigned::of).collect();
        for of in &all {
            let left = self.pointer_at(of.left);
            if let Some(argument) = left.filter(|array| array.class == Class::Parameter) {
                let wrong = format!("`{}` is a distributed argument", argument.name.text);
                self.wrong.push(
                    Diagnostic::new(of.node.byte_range(), wrong)
                        .help("assign the pointers where the function is called"),
                );
                continue;
            }
            let left = left.filter(|array| array.pointer);
            let Some(left) = left.filter(|_| of.node.kind() == "assignment_expression") else {
                continue;
            };
            let done = match self.pointer_at(of.right) {
                Some(right) => self.assume(of, left, right),
                None => self.assume_by(of, left, &all),
            };
            self.wrong.extend(done.err());
        }
    }

    /// The distributed array that an identifier is.
    fn pointer_at(&self, node: Node<'_>) -> Option<&'a ArrayObject> {
        let (number, _) = self.names.meant(&self.source[node.byte_range()], node.start_byte())?;
        self.objects.array_of(number)
    }

    /// A pointer gets the mapping of another one.
    fn assume(
        &mut self,
        of: &Assigned<'_>,
        left: &ArrayObject,
        right: &ArrayObject,
    ) -> Result<(), Diagnostic> {
        self.check_alike(of, left, right)?;
        let (to, from) = (&left.name.text, &right.name.text);
        self.edits.wrap(&of.node.byte_range(), format!("({MAP}{to} = {MAP}{from}, "), ")");
        self.swapped.extend([of.left.start_byte(), of.right.start_byte()]);
        if !right.pointer {
            self.edits.replace(of.right.byte_range(), format!("{MAP}{from}.base"));
        }
        Ok(())
    }

    /// A pointer gets the mapping that another pointer, which is not distributed, has from a distributed one. Others that it may point to
    /// are refused where a pointer without memory is.
    fn assume_by(
        &mut self,
        of: &Assigned<'_>,
        left: &ArrayObject,
        all: &[Assigned<'_>],
    ) -> Result<(), Diagnostic> {
        let name = &self.source[of.right.byte_range()];
        let Some((number, variable)) = self.names.meant(name, of.right.start_byte()) else {
            return Ok(());
        };
        let Some(sources) = self.sources(number, variable, all) else { return Ok(()) };
        for source in &sources {
            let array = self.pointer_at(source.right).expect("it is distributed");
            self.check_alike(of, left, array)?;
        }
        let (to, name) = (&left.name.text, name.to_owned());
        let declared = variable.declaration.clone();
        let is_new = self.followers.insert(number);
        self.edits.wrap(&of.node.byte_range(), format!("({MAP}{to} = {MAP}{name}, "), ")");
        self.edits.replace(of.right.byte_range(), format!("((void){name}, {MAP}{name}.base)"));
        self.swapped.extend([of.left.start_byte(), of.right.start_byte()]);
        if is_new {
            self.follow(&name, declared, &sources);
        }
        Ok(())
    }

    /// Declares the mapping of a pointer that is not distributed, and has it follow the pointer.
    fn follow(&mut self, name: &str, declared: Range<usize>, sources: &[Assigned<'_>]) {
        let mut value = "{.array = {0}}".to_owned();
        for source in sources {
            let from = &self.source[source.right.byte_range()];
            if source.node.kind() == "init_declarator" {
                value = format!("{MAP}{from}");
            } else {
                let before = format!("({MAP}{name} = {MAP}{from}, ");
                self.edits.wrap(&source.node.byte_range(), before, ")");
            }
        }
        let text = format!("xmprt_part {MAP}{name} = {value};");
        let declaration = self.root.descendant_for_byte_range(declared.start, declared.end - 1);
        let around = declaration.and_then(|declaration| declaration.parent());
        match around.filter(|around| around.kind() == "for_statement") {
            // The header of a loop declares variables of one type.
            Some(whole) => self.edits.wrap(&whole.byte_range(), format!("{{ {text} "), " }"),
            None => self.edits.insert(declared.end, format!(" {text}")),
        }
    }

    /// The assignments of distributed pointers to another local pointer; none if it gets other values as well, or no such.
    fn sources<'t>(
        &self,
        number: usize,
        variable: &Variable,
        all: &[Assigned<'t>],
    ) -> Option<Vec<Assigned<'t>>> {
        if variable.class != Class::Local || !variable.declarator.pointer {
            return None;
        }
        let is_it = |node: Node<'_>| {
            let meant = self.names.meant(&self.source[node.byte_range()], node.start_byte());
            node.kind() == "identifier" && meant.is_some_and(|(of, _)| of == number)
        };
        let sources: Vec<Assigned<'t>> = all.iter().filter(|of| is_it(of.left)).copied().collect();
        let are_distributed = sources.iter().all(|of| self.pointer_at(of.right).is_some());
        let is_source = |node: Node<'_>| sources.iter().any(|of| of.node == node);
        let changes = |node: &Node<'_>| {
            let node = in_parentheses(*node);
            let Some(parent) = node.parent() else { return false };
            let is_left = parent.child_by_field_name("left") == Some(node);
            match parent.kind() {
                "assignment_expression" => is_left && !is_source(parent),
                "init_declarator" => !is_source(parent) && is_left,
                "update_expression" => true,
                "pointer_expression" => self.source[parent.start_byte()..].starts_with('&'),
                _ => false,
            }
        };
        let function = function_of(sources.first()?.node)?;
        let uses: Vec<Node<'_>> =
            descendants(function).into_iter().filter(|of| is_it(*of)).collect();
        let has_other_value = variable.declarator.value.is_some()
            && !sources.iter().any(|of| of.node.kind() == "init_declarator");
        (are_distributed && !has_other_value && !uses.iter().any(changes)).then_some(sources)
    }

    /// Checks that two pointers are to elements of one type and distributed in one way.
    fn check_alike(
        &self,
        of: &Assigned<'_>,
        left: &ArrayObject,
        right: &ArrayObject,
    ) -> Result<(), Diagnostic> {
        let sizes = |array: &ArrayObject| array.sizes.get(1..).map(<[_]>::to_vec);
        let is_alike = left.template == right.template
            && left.dims == right.dims
            && sizes(left) == sizes(right)
            && same_shadow(left.dims.len(), &left.shadow, &right.shadow);
        let (left_name, right_name) = (&left.name.text, &right.name.text);
        let place = of.node.byte_range();
        if !is_alike {
            return Err(Diagnostic::new(place, differ(left_name, right_name))
                .help("a pointer has the alignment and the shadow of what it points to"));
        }
        if self.type_of(left) != self.type_of(right) {
            let wrong =
                format!("`{left_name}` and `{right_name}` have elements of different types");
            return Err(Diagnostic::new(place, wrong).help("declare them with the same words"));
        }
        Ok(())
    }

    /// The type of the elements of an array, as its declaration spells it.
    fn type_of(&self, array: &ArrayObject) -> Option<String> {
        let declared = self.names.variable(array.variable).declaration.clone();
        let node = self.root.descendant_for_byte_range(declared.start, declared.end)?;
        let spelled = &self.source[node.child_by_field_name("type")?.byte_range()];
        Some(spelled.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
