//! Directives that communicate: barrier, reduction, bcast, reflect, post and wait.

use super::objects::{ArrayObject, unknown};
use super::on::{PREFIX, Target, operand};
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{
    Brackets, Directive, Operator, Reduction, Reference, Reflect, Subscript, Text, Width,
};

/// Variables of a clause for the runtime.
#[derive(Debug)]
pub struct Data {
    /// Address of the first element.
    pub address: String,
    /// Number of elements.
    pub count: String,
    /// An element, as an operand of `sizeof`.
    pub element: String,
}

/// The runtime's number of an operator.
fn code(operator: Operator) -> u32 {
    match operator {
        Operator::Sum | Operator::Minus => 300,
        Operator::Product => 301,
        Operator::BitAnd => 302,
        Operator::And => 303,
        Operator::BitOr => 304,
        Operator::Or => 305,
        Operator::BitXor => 306,
        Operator::Max => 308,
        Operator::Min => 309,
        Operator::FirstMax => 310,
        Operator::FirstMin => 311,
        Operator::LastMax => 312,
        Operator::LastMin => 313,
        Operator::Eqv => 314,
        Operator::Neqv => 315,
    }
}

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
                    "{{ int xmp__in XMPT_ENDS(xmpt_end_task) = {enter}; if (xmp__in) {{ {statements} }} }}"
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

    /// The elements that a variable in a clause means.
    ///
    /// # Errors
    /// For pointers, of which the number of elements is not known, and distributed arrays.
    pub fn data(&self, variable: &Reference) -> Result<Data, Diagnostic> {
        let name = &variable.name.text;
        let wrong = |title: String| Diagnostic::new(variable.span.clone(), title);
        let number = self.names.meant(name, variable.span.start).map(|(number, _)| number);
        if let Some(array) = number.and_then(|number| self.objects.array_of(number))
            && variable.subscripts.is_empty()
            && !array.pointer
        {
            // All that this image stores: of use for dimensions of which several nodes have copies.
            let (map, element) = (format!("{PREFIX}{name}_map"), super::declare::element(array));
            let address = format!("(__typeof__({element}) *){map}.part");
            let count = format!("(int)_XMP_get_array_total_elmts({map}.desc)");
            return Ok(Data { address, count, element });
        }
        let plain = self.plain_name(&variable.name)?;
        let (base, shape) = match self.names.meant(name, variable.span.start) {
            Some((_, known)) => {
                let no_size = known.declarator.pointer
                    || known.class == super::names::Class::Parameter
                        && !known.declarator.sizes.is_empty();
                (plain, Some((known.declarator.sizes.len(), no_size)))
            }
            None => (plain, None),
        };
        if variable.subscripts.is_empty() {
            return match shape {
                Some((_, true)) => {
                    Err(wrong(format!("the number of elements of `{name}` is not known"))
                        .help(format!("write a section: `{name}[0:n]`")))
                }
                Some((dims, false)) if dims > 0 => {
                    let element = format!("{base}{}", "[0]".repeat(dims));
                    Ok(Data {
                        address: base.clone(),
                        count: format!("(int)(sizeof({base}) / sizeof({element}))"),
                        element,
                    })
                }
                _ => Ok(Data { address: format!("&{base}"), count: "1".into(), element: base }),
            };
        }
        if variable.brackets != Some(Brackets::Square) {
            return Err(wrong(format!("`{name}` is no variable")));
        }
        let mut element = base;
        let mut count = Vec::new();
        for subscript in &variable.subscripts {
            match subscript {
                Subscript::At(at) if count.is_empty() => element += &format!("[{}]", at.text),
                Subscript::Range { first, second: Some(len), step: None, .. }
                    if count.is_empty() =>
                {
                    count.push(format!("(int)({})", len.text));
                    element += &format!("[{}]", first.as_ref().map_or("0", |first| &first.text));
                }
                Subscript::All(_) => {
                    count.push(format!("(int)(sizeof({element}) / sizeof({element}[0]))"));
                    element += "[0]";
                }
                other => {
                    return Err(Diagnostic::new(other.span().clone(), "a section in this clause is contiguous")
                        .help("write `[first:length]` once, only `[i]` before it and only `[:]` behind it"));
                }
            }
        }
        let count = if count.is_empty() { "1".to_owned() } else { count.join(" * ") };
        if let Some((dims, _)) = shape
            && dims > variable.subscripts.len()
        {
            return Err(wrong(format!("`{name}` needs {dims} subscripts")));
        }
        Ok(Data { address: format!("&{element}"), count, element })
    }

    /// A name in a clause, as an expression: not one of a distributed array.
    fn plain_name(&self, name: &Text) -> Result<String, Diagnostic> {
        if let Some((number, _)) = self.names.meant(&name.text, name.span.start) {
            if self.objects.array_of(number).is_some() {
                let wrong =
                    format!("`{}` is distributed: each node has another part of it", name.text);
                return Err(Diagnostic::new(name.span.clone(), wrong));
            }
            if self.coarrays.of(number).is_some() {
                return Ok(format!("(*{PREFIX}{})", name.text));
            }
        }
        Ok(name.text.clone())
    }

    /// For each variable of a reduction: what prepares it before a loop, and what combines it.
    ///
    /// # Errors
    /// As [`Unit::data`].
    pub fn reduction(&self, of: &Reduction) -> Result<Vec<(String, String)>, Diagnostic> {
        let code = code(of.operator);
        let mut all = Vec::new();
        for (variable, locations) in &of.variables {
            let Data { address, count, element } = self.data(variable)?;
            let what = format!("{address}, {count}, XMPT_TYPE({element}), {code}");
            let with_locations = matches!(
                of.operator,
                Operator::FirstMax | Operator::FirstMin | Operator::LastMax | Operator::LastMin
            );
            let max_or_min = matches!(of.operator, Operator::Max | Operator::Min);
            all.push(if with_locations {
                let mut arguments = String::new();
                for location in locations {
                    let Data { address, element, .. } = self.data(location)?;
                    arguments += &format!(", {address}, XMPT_TYPE({element})");
                }
                (
                    String::new(),
                    format!("_XMP_reduce_FLMM_CLAUSE({what}, {}{arguments});", locations.len()),
                )
            } else if locations.is_empty() {
                (format!(" xmpt_identity({what});"), format!("_XMP_reduce_CLAUSE({what});"))
            } else if max_or_min {
                let mut text = format!(
                    "xmp_reduce_loc_init({}, 0, {address}, XMPT_TYPE({element}));",
                    locations.len()
                );
                for location in locations {
                    let Data { address, count, element } = self.data(location)?;
                    text += &format!(" xmp_reduce_loc_set({address}, {count}, sizeof({element}));");
                }
                text += &format!(
                    " xmp_reduce_loc_execute({});",
                    if of.operator == Operator::Max { 317 } else { 318 }
                );
                (String::new(), text)
            } else {
                return Err(Diagnostic::new(
                    of.span.clone(),
                    "this operator has no location variables",
                ));
            });
        }
        Ok(all)
    }

    /// `bcast`
    ///
    /// # Errors
    /// As [`Unit::data`]; for `from` a template.
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
                        let triplets = self.objects.triplets(from)?;
                        format!(
                            "_XMP_bcast_NODES_ENTIRE_NODES({what}, {PREFIX}{}, {triplets});",
                            name.text
                        )
                    }
                    Target::Template(..) => {
                        return Err(Diagnostic::new(
                            from.span.clone(),
                            "`from` a template is not supported",
                        )
                        .help("name the node that has the index: `from p(..)`"));
                    }
                },
            });
        }
        Ok(statements.join(" "))
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
            let map = format!("{PREFIX}{}_map", name.text);
            if !of.widths.is_empty() && of.widths.len() != array.dims.len() {
                let wrong = format!(
                    "{} widths for {} dimensions of `{}`",
                    of.widths.len(),
                    array.dims.len(),
                    name.text
                );
                return Err(Diagnostic::new(name.span.clone(), wrong));
            }
            if array.shadow.is_empty() {
                let wrong = format!("`{}` has no shadow", name.text);
                let remedy = format!("write `#pragma xmp shadow {}[..]` behind `align`", name.text);
                return Err(Diagnostic::new(name.span.clone(), wrong).help(remedy));
            }
            for (dim, width) in of.widths.iter().enumerate() {
                let Width::Widths { lower, upper, flag } = width else {
                    return Err(Diagnostic::new(
                        name.span.clone(),
                        "a width of `reflect` is a number",
                    ));
                };
                let (lower, upper, flag) = (&lower.text, &upper.text, u8::from(*flag));
                statements.push(format!(
                    "_XMP_set_{call}__({map}.desc, {dim}, {lower}, {upper}, {flag});"
                ));
            }
            statements.push(match (&of.id, call) {
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
                return Err(Diagnostic::new(
                    subscript.span().clone(),
                    "`post` and `wait` are for one node",
                ));
            };
            let plus = if node.brackets == Some(Brackets::Square) { " + 1" } else { "" };
            indices.push(format!("{}{plus}", operand(at)));
        }
        if indices.len() != dims {
            return Err(Diagnostic::new(
                node.span.clone(),
                format!("`{}` has {dims} dimensions", name.text),
            ));
        }
        if node.brackets == Some(Brackets::Square) {
            indices.reverse();
        }
        let tag = tag.map_or(String::new(), |tag| format!(", {}", operand(tag)));
        Ok(format!("{call}_{dims}({PREFIX}{}, {}{tag});", name.text, indices.join(", ")))
    }
}
