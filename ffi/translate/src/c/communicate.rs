//! Directives that communicate: barrier, bcast, reflect, post and wait.

use super::data::Data;
use super::objects::{ArrayObject, unknown};
use super::on::{MAP, PREFIX, Target, operand};
use super::unit::{Done, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Brackets, Directive, Reference, Reflect, Subscript, Text, Width};

/// Begins statements with an async id and ends them, if there is one.
pub fn with_id(id: Option<&Text>, statements: String) -> String {
    match id {
        Some(id) => {
            format!("xmpc_init_async({0}); {statements} xmpc_start_async({0});", operand(id))
        }
        None => statements,
    }
}

impl Unit<'_> {
    /// Replaces a directive by a statement, which the nodes of `on` execute.
    ///
    /// # Errors
    /// When `on` refers to something unknown.
    pub fn statement_on(
        &mut self,
        directive: &Directive,
        on: Option<&Reference>,
        statements: String,
    ) -> Done {
        let text = match on {
            Some(on) => {
                let enter = self.objects.entering(on, false)?;
                format!(
                    "{{ int xmpt__in XMPT_ENDS(xmpt_end_task) = {enter}; if (xmpt__in) {{ {statements} }} }}"
                )
            }
            None if statements.matches(';').count() == 1 => statements,
            None => format!("{{ {statements} }}"),
        };
        self.edits.replace(directive.span.clone(), text);
        Ok(())
    }

    /// `barrier`. One `on p` is of all of p, also in a task of some of them.
    ///
    /// # Errors
    /// When `on` refers to something unknown.
    pub fn barrier(&mut self, directive: &Directive, on: Option<&Reference>) -> Done {
        if let Some(on) = on.filter(|on| on.brackets.is_none())
            && let Target::Nodes(name, _) = self.objects.target(on)?
        {
            let text = format!("_XMP_barrier_NODES_ENTIRE({PREFIX}{});", name.text);
            return self.statement_on(directive, None, text);
        }
        self.statement_on(directive, on, "_XMP_barrier_EXEC();".to_owned())
    }

    /// `bcast`
    ///
    /// # Errors
    /// As [`Unit::data`]; for `from` several indices of a template.
    pub fn broadcast(
        &self,
        variables: &[Reference],
        from: Option<&Reference>,
    ) -> Result<String, Diagnostic> {
        let mut statements = Vec::new();
        for variable in variables {
            let Data { address, count, element } = self.data(variable)?;
            let what = format!("_XMP_get_execution_nodes(), {address}, {count}, sizeof({element})");
            statements.push(match from {
                None => format!("_XMP_bcast_NODES_ENTIRE_OMITTED({what});"),
                Some(from) => match self.objects.target(from)? {
                    Target::Nodes(name, _) => {
                        let nodes = format!("{PREFIX}{}", name.text);
                        match self.objects.number(from) {
                            Some(number) => format!(
                                "xmprt_omni_bcast_from_node({address}, {count}, sizeof({element}), {nodes}, {number});"
                            ),
                            None => {
                                let triplets = self.objects.triplets(from)?;
                                format!("_XMP_bcast_NODES_ENTIRE_NODES({what}, {nodes}, {triplets});")
                            }
                        }
                    }
                    Target::Template(number, dims) => {
                        let owns = self.owns(number, dims, from)?;
                        format!("xmpt_bcast({owns}, {address}, {count}, sizeof({element}));")
                    }
                },
            });
        }
        Ok(statements.join(" "))
    }

    /// The condition that this image has an index of a template.
    fn owns(&self, number: usize, dims: usize, at: &Reference) -> Result<String, Diagnostic> {
        let template = &self.objects.templates[number].declared.name.text;
        let mut conditions = Vec::new();
        for (written, subscript) in at.subscripts.iter().enumerate() {
            let square = at.brackets == Some(Brackets::Square);
            let dim = if square { dims - 1 - written } else { written };
            match subscript {
                Subscript::Star(_) => {}
                Subscript::At(index) => {
                    conditions
                        .push(format!("xmpt_has(&{PREFIX}{template}, {dim}, {})", index.text));
                }
                other => {
                    return Err(Diagnostic::new(
                        other.span().clone(),
                        "`from` is one index of a template",
                    )
                    .help("write an index for each dimension, or `*`"));
                }
            }
        }
        if conditions.is_empty() {
            return refuse(&at.span, "`from` a template needs an index");
        }
        Ok(conditions.join(" && "))
    }

    /// The array that a name means at a place.
    ///
    /// # Errors
    /// When it is not distributed.
    pub fn array(&self, name: &Text) -> Result<&ArrayObject, Diagnostic> {
        let meant = self.names.meant(&name.text, name.span.start);
        meant.and_then(|(number, _)| self.objects.array_of(number)).ok_or_else(|| {
            Diagnostic::new(name.span.clone(), format!("`{}` is no distributed array", name.text))
                .help("write the directive `align` behind its declaration")
        })
    }

    /// `reflect`, or `reduce_shadow` by its name.
    ///
    /// # Errors
    /// For arrays that are not distributed, and widths that do not fit.
    pub fn reflect(&self, of: &Reflect, call: &str) -> Result<String, Diagnostic> {
        let mut statements = Vec::new();
        for name in &of.arrays {
            let array = self.array(name)?;
            let map = format!("{MAP}{}", name.text);
            of.check_widths(name, array.dims.len())?;
            if array.shadow.is_empty() {
                let wrong = format!("`{}` has no shadow", name.text);
                let remedy = format!("write `#pragma xmp shadow {}[..]` behind `align`", name.text);
                return Err(Diagnostic::new(name.span.clone(), wrong).help(remedy));
            }
            for (dim, width) in of.widths.iter().enumerate() {
                let Width::Widths { lower, upper, flag } = width else {
                    return refuse(&name.span, "a width of `reflect` is a number");
                };
                let (lower, upper, flag) = (&lower.text, &upper.text, u8::from(*flag));
                statements.push(format!(
                    "_XMP_set_{call}__({map}.desc, {dim}, {lower}, {upper}, {flag});"
                ));
            }
            statements.push(match (&of.id, call) {
                (id, "reflect") if of.orthogonal.is_some() => {
                    with_id(id.as_ref(), format!("xmprt_omni_reflect_orthogonal({map}.desc);"))
                }
                (Some(id), "reflect") => {
                    format!("_XMP_reflect_async__({map}.desc, {});", operand(id))
                }
                _ => with_id(of.id.as_ref(), format!("_XMP_{call}__({map}.desc);")),
            });
        }
        Ok(statements.join(" "))
    }

    /// `post` and `wait`: name of the call without its number, and the arguments.
    ///
    /// # Errors
    /// When the node is not one.
    pub fn posting(
        &self,
        call: &str,
        node: &Reference,
        tag: Option<&Text>,
    ) -> Result<String, Diagnostic> {
        let Target::Nodes(name, dims) = self.objects.target(node)? else {
            return Err(unknown("nodes", &node.name));
        };
        let mut indices: Vec<String> = Vec::new();
        for subscript in &node.subscripts {
            let Subscript::At(at) = subscript else {
                return refuse(subscript.span().clone(), "`post` and `wait` are for one node");
            };
            let plus = if node.brackets == Some(Brackets::Square) { " + 1" } else { "" };
            indices.push(format!("{}{plus}", operand(at)));
        }
        if indices.len() != dims {
            return refuse(&node.span, format!("`{}` has {dims} dimensions", name.text));
        }
        if node.brackets == Some(Brackets::Square) {
            indices.reverse();
        }
        let tag = tag.map_or(String::new(), |tag| format!(", {}", operand(tag)));
        Ok(format!("{call}_{dims}({PREFIX}{}, {}{tag});", name.text, indices.join(", ")))
    }
}

/// Waits for the asynchronous operation of an id.
pub fn wait_async(id: &Text) -> String {
    format!("_XMP_wait_async__({0}); xmpc_end_async({0});", operand(id))
}
