//! Directives that communicate: barrier, bcast, reflect, post and wait.

use super::data::Data;
use super::make::doing;
use super::make_array::element;
use super::objects::{ArrayObject, unknown};
use super::on::{MAP, PREFIX, Target};
use super::unit::{Done, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Reference, Reflect, Subscript, Text, Width};

/// An async id as an argument.
pub fn id_or_null(id: Option<&Text>) -> String {
    id.map_or("NULL".to_owned(), |id| format!("&(int64_t){{{}}}", id.text))
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
                    "{{ int xmpt__in XMPRT_ENDS(xmprt_leave) = {enter}; if (xmpt__in) {{ {statements} }} }}"
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
        let on = self.objects.on(on)?;
        self.statement_on(directive, None, doing("barrier", &format!("xmprt_barrier({on})")))
    }

    /// `bcast`
    ///
    /// # Errors
    /// As [`Unit::data`]; for `from` several indices of a template.
    pub fn broadcast(
        &self,
        variables: &[Reference],
        from: Option<&Reference>,
        on: Option<&Reference>,
        id: Option<&Text>,
    ) -> Result<String, Diagnostic> {
        let (on, id) = (self.objects.on(on)?, id_or_null(id));
        let from = match from {
            Some(from) if matches!(self.objects.target(from)?, Target::Template(..)) => {
                self.index_of_template(from)?
            }
            from => self.objects.on(from)?,
        };
        let mut statements = Vec::new();
        for variable in variables {
            let Data { address, count, element } = self.data(variable)?;
            let bytes = format!("(size_t)({count}) * sizeof({element})");
            let call = format!("xmprt_broadcast({address}, {bytes}, {from}, {on}, {id})");
            statements.push(doing("bcast", &call));
        }
        Ok(statements.join(" "))
    }

    /// One index of a template, which may be any in a dimension with `*`, as two arguments.
    fn index_of_template(&self, at: &Reference) -> Result<String, Diagnostic> {
        for subscript in &at.subscripts {
            if !matches!(subscript, Subscript::At(_) | Subscript::Star(_)) {
                return Err(Diagnostic::new(
                    subscript.span().clone(),
                    "`from` is one index of a template",
                )
                .help("write an index for each dimension, or `*`"));
            }
        }
        if !at.subscripts.iter().any(|subscript| matches!(subscript, Subscript::At(_))) {
            return refuse(&at.span, "`from` a template needs an index");
        }
        Ok(self.objects.on(Some(at))?.replace("xmprt_own()", "xmprt_whole()"))
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
    pub fn reflect(&self, of: &Reflect, directive: &str) -> Result<String, Diagnostic> {
        let mut statements = Vec::new();
        let id = id_or_null(of.id.as_ref());
        for name in &of.arrays {
            let array = self.array(name)?;
            of.check_widths(name, array.dims.len())?;
            if array.shadow.is_empty() {
                let wrong = format!("`{}` has no shadow", name.text);
                let remedy = format!("write `#pragma xmp shadow {}[..]` behind `align`", name.text);
                return Err(Diagnostic::new(name.span.clone(), wrong).help(remedy));
            }
            let mut widths = Vec::new();
            for width in &of.widths {
                let Width::Widths { lower, upper, flag } = width else {
                    return refuse(&name.span, "a width of `reflect` is a number");
                };
                widths.push(format!("{{{}, {}, {}}}", lower.text, upper.text, u8::from(*flag)));
            }
            let widths = if widths.is_empty() {
                "NULL".to_owned()
            } else {
                format!("(xmprt_halo[]){{{}}}", widths.join(", "))
            };
            let of_array = format!("{MAP}{}.array, {widths}", name.text);
            let call = if directive == "reflect" {
                let corners = of.orthogonal.is_none();
                let flags = if corners { "XMPRT_CARRIED" } else { "XMPRT_ORTHOGONAL" };
                format!("xmprt_reflect({of_array}, {flags}, {id})")
            } else {
                // Of neighbours along one dimension, as Omni does.
                let kind = format!("XMPRT_TYPE({}), XMPRT_SUM", element(array));
                let flags = "XMPRT_ORTHOGONAL | XMPRT_CARRIED";
                format!("xmprt_reduce_shadow({of_array}, {kind}, {flags}, {id})")
            };
            statements.push(doing(directive, &call));
        }
        Ok(statements.join(" "))
    }

    /// `post`, and `wait` for a post of a node: the nodes and which one, as two arguments.
    ///
    /// # Errors
    /// When the node is not one.
    pub fn posting(&self, node: &Reference) -> Result<String, Diagnostic> {
        let Target::Nodes(name, dims) = self.objects.target(node)? else {
            return Err(unknown("nodes", &node.name));
        };
        for subscript in &node.subscripts {
            if !matches!(subscript, Subscript::At(_)) {
                return refuse(subscript.span().clone(), "`post` and `wait` are for one node");
            }
        }
        if node.subscripts.len() != dims {
            return refuse(&node.span, format!("`{}` has {dims} dimensions", name.text));
        }
        Ok(format!("{PREFIX}{}, {}", name.text, self.objects.ranges(node)?))
    }
}

/// Waits for the asynchronous operation of an id.
pub fn wait_async(id: &Text) -> String {
    doing("wait_async", &format!("xmprt_wait_async({})", id.text))
}
