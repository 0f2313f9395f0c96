//! Counting loops: the header of a `for` statement, taken apart.

use super::companions::{Companion, listed};
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use std::ops::Range;
use tree_sitter::Node;

/// A `for` statement that counts: `for (variable = first; variable < end; variable += step)`.
#[derive(Debug)]
pub struct Counted {
    /// The variable that counts.
    pub variable: String,
    /// The whole statement.
    pub statement: Range<usize>,
    /// The assignment of the first value, if the variable is declared outside of the statement.
    pub assigned: Option<usize>,
    /// The first value.
    pub first: Range<usize>,
    /// The bound that the variable is compared with.
    pub bound: Range<usize>,
    /// The comparison, as if the variable stood left.
    pub comparison: &'static str,
    /// The variable in the comparison.
    pub compared: Range<usize>,
    /// Whether the variable has no sign.
    pub unsigned: bool,
    /// The expression that changes the variable.
    pub update: Range<usize>,
    /// The step without its sign.
    pub step: String,
    /// Whether the variable grows.
    pub upwards: bool,
    /// The variables that are counted beside it.
    pub companions: Vec<Companion>,
    /// The other variables that get a value in the header.
    pub beside: Vec<String>,
}

/// The condition of a loop.
struct Comparison<'t> {
    test: Node<'t>,
    /// The variable.
    compared: Node<'t>,
    bound: Node<'t>,
    /// The operator, as if the variable stood left.
    operator: &'static str,
}

/// The error of a header that does not count towards a bound.
fn no_header(place: Node<'_>, title: &str) -> Diagnostic {
    let span = place.byte_range();
    Diagnostic::new(span.start..span.end.min(span.start + 60), title.to_owned())
        .help("write `for (i = first; i < end; i++)`, with `<`, `<=`, `>` or `>=` and a step `i += n` or `i -= n`")
}

impl Unit<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        &self.normal.text[node.byte_range()]
    }

    /// The name and the first value of the variable that a `for` statement sets.
    fn initializer<'t>(&self, statement: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let first = statement.child_by_field_name("initializer")?;
        let first = listed(first)[0];
        let set = match first.kind() {
            "declaration" => {
                // Other variables may be declared after it: `int i = 0, n = N`.
                let declared = first.child_by_field_name("declarator")?;
                return if declared.kind() == "init_declarator" {
                    Some((
                        declared.child_by_field_name("declarator")?,
                        declared.child_by_field_name("value")?,
                    ))
                } else {
                    None
                };
            }
            "assignment_expression" => first,
            _ => return None,
        };
        let is_plain =
            set.child_by_field_name("operator").is_none_or(|operator| self.text(operator) == "=");
        is_plain.then_some((set.child_by_field_name("left")?, set.child_by_field_name("right")?))
    }

    /// The variable that a `for` statement sets first.
    pub fn loop_variable(&self, statement: Node<'_>) -> Option<String> {
        self.initializer(statement).map(|(variable, _)| self.text(variable).to_owned())
    }

    /// Takes the header of a `for` statement apart.
    ///
    /// # Errors
    /// For a header that does not count towards a bound.
    pub fn counted(&self, statement: Node<'_>) -> Result<Counted, Diagnostic> {
        let (variable, first) = self.initializer(statement).expect("it has a variable");
        let set = variable.parent().filter(|node| node.kind() == "assignment_expression");
        let assigned = set.map(|set| set.start_byte());
        let variable = self.text(variable).to_owned();
        let Comparison { test, compared, bound, operator } =
            self.comparison(statement, &variable)?;
        let companions = self.companions(statement)?;
        let update = statement.child_by_field_name("update").map(|update| listed(update)[0]);
        let not_understood = || {
            no_header(
                update.unwrap_or(statement),
                "the step of a distributed loop is not understood",
            )
        };
        let (step, upwards) =
            update.and_then(|update| self.step(update, &variable)).ok_or_else(not_understood)?;
        let update = update.expect("it has a step").byte_range();
        let fits = match operator {
            "<" | "<=" => upwards,
            ">" | ">=" => !upwards,
            _ => step == "1",
        };
        if !fits {
            return Err(no_header(test, "the loop counts away from its bound"));
        }
        let comparison = match (operator, upwards) {
            ("!=", true) => "<",
            ("!=", false) => ">",
            (other, _) => other,
        };
        let beside = self.values(statement).into_iter().skip(1);
        let beside = beside.map(|(variable, _)| self.text(variable).to_owned()).collect();
        let statement = statement.byte_range();
        Ok(Counted {
            unsigned: self.is_unsigned(&variable, compared.start_byte()),
            compared: compared.byte_range(),
            variable,
            statement,
            assigned,
            first: first.byte_range(),
            bound: bound.byte_range(),
            comparison,
            update,
            step,
            upwards,
            companions,
            beside,
        })
    }

    /// The comparison of the variable in the header of a `for` statement.
    fn comparison<'t>(
        &self,
        statement: Node<'t>,
        variable: &str,
    ) -> Result<Comparison<'t>, Diagnostic> {
        let no_comparison = "the condition of a distributed loop compares its variable";
        let condition = statement.child_by_field_name("condition");
        let test = condition.filter(|condition| condition.kind() == "binary_expression");
        let test = test.ok_or_else(|| no_header(condition.unwrap_or(statement), no_comparison))?;
        let part = |name| test.child_by_field_name(name).expect("the grammar has it");
        let (left, right) = (part("left"), part("right"));
        let written = self.text(part("operator"));
        let mut known =
            [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="), ("!=", "!=")].into_iter();
        let known = known.find(|(operator, _)| *operator == written);
        let (compared, bound, operator) = if self.text(left) == variable {
            (left, right, known.map(|(operator, _)| operator))
        } else if self.text(right) == variable {
            (right, left, known.map(|(_, turned)| turned))
        } else {
            return Err(no_header(test, no_comparison));
        };
        let operator = operator.ok_or_else(|| no_header(test, "this comparison has no bounds"))?;
        Ok(Comparison { test, compared, bound, operator })
    }

    /// Whether the type of a variable is unsigned.
    fn is_unsigned(&self, variable: &str, at: usize) -> bool {
        let Some((_, known)) = self.names.meant(variable, at) else { return false };
        let declared = &self.normal.text[known.declaration.start..known.declarator.name.start];
        ["unsigned", "size_t", "uint"].iter().any(|word| declared.contains(word))
    }

    /// The step of an update without its sign, and whether it counts upwards.
    pub fn step(&self, update: Node<'_>, variable: &str) -> Option<(String, bool)> {
        match update.kind() {
            "update_expression" => {
                let argument = update.child_by_field_name("argument")?;
                let upwards = self.text(update.child_by_field_name("operator")?) == "++";
                (self.text(argument) == variable).then(|| ("1".to_owned(), upwards))
            }
            "assignment_expression" => {
                let left = update.child_by_field_name("left")?;
                let right = update.child_by_field_name("right")?;
                if self.text(left) != variable {
                    return None;
                }
                match self.text(update.child_by_field_name("operator")?) {
                    "+=" => self.signed(right, true),
                    "-=" => self.signed(right, false),
                    "=" if right.kind() == "binary_expression" => {
                        let added = right.child_by_field_name("right")?;
                        let is_variable = self.text(right.child_by_field_name("left")?) == variable;
                        match self.text(right.child_by_field_name("operator")?) {
                            "+" if is_variable => self.signed(added, true),
                            "-" if is_variable => self.signed(added, false),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A step with its sign: `-n` and `-n * 2` count the other way. Of any other expression the sign is that which is written.
    fn signed(&self, step: Node<'_>, upwards: bool) -> Option<(String, bool)> {
        let text = self.text(step).trim();
        let operator = step.child_by_field_name("operator").map(|operator| self.text(operator));
        // The sign of `-n + 1` belongs to `n` alone.
        let is_signed = match step.kind() {
            "unary_expression" | "number_literal" => true,
            "binary_expression" => matches!(operator, Some("*" | "/" | "%")),
            _ => false,
        };
        let is_signed = is_signed && !text.starts_with("--");
        Some(match text.strip_prefix('-').filter(|_| is_signed) {
            Some(rest) => (format!("({})", rest.trim()), !upwards),
            None if step.kind() == "identifier" || step.kind() == "number_literal" => {
                (text.to_owned(), upwards)
            }
            None => (format!("({text})"), upwards),
        })
    }
}
