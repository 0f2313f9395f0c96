//! Directives that communicate: barrier, bcast, reflect, post and wait.

use super::data::Data;
use super::make::doing;
use super::make_array::element;
use super::objects::ArrayObject;
use super::on::{MAP, PREFIX};
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Reference, Reflect, Text};
use crate::meaning::communicate::{Widths, widths};
use crate::meaning::declare::not_distributed;
use crate::meaning::naming;
use crate::meaning::{Language, Target};

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
    ) -> TranslationResult {
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
    pub fn barrier(&mut self, directive: &Directive, on: Option<&Reference>) -> TranslationResult {
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
            Some(from) => {
                let target = self.objects.target(from)?;
                target.check_source(from)?;
                let on = self.objects.on(Some(from))?;
                match target {
                    Target::Nodes(_) => on,
                    // It may be any index in a dimension with `*`.
                    Target::Template(..) => on.replace("xmprt_own()", "xmprt_whole()"),
                }
            }
            None => self.objects.on(None)?,
        };
        let mut statements = Vec::new();
        for variable in variables {
            let Data { address, count, element } = self.data(variable)?;
            let bytes = format!("(size_t)({count}) * sizeof({element})");
            let call = format!("xmprt_broadcast({address}, {bytes}, {from}, {on}, {id})");
            statements.push(doing(&naming("bcast", &self.source[variable.span.clone()]), &call));
        }
        Ok(statements.join(" "))
    }

    /// The array that a name means at a place.
    ///
    /// # Errors
    /// When it is not distributed.
    pub fn array(&self, name: &Text) -> Result<&ArrayObject, Diagnostic> {
        let meant = self.names.meant(&name.text, name.span.start);
        meant
            .and_then(|(number, _)| self.objects.array_of(number))
            .ok_or_else(|| not_distributed(name))
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
            let known = (name, array.dims.len());
            let widths = widths(of, known, !array.shadow.is_empty(), Language::C)?;
            let halo = |Widths { lower, upper, flag }| {
                format!("{{{}, {}, {}}}", lower.text, upper.text, u8::from(flag))
            };
            let widths: Vec<String> = widths.into_iter().map(halo).collect();
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
                let kind = format!("XMPRT_ELEMENT_TYPE({}), XMPRT_SUM", element(array));
                let flags = "XMPRT_ORTHOGONAL | XMPRT_CARRIED";
                format!("xmprt_reduce_shadow({of_array}, {kind}, {flags}, {id})")
            };
            statements.push(doing(&naming(directive, &name.text), &call));
        }
        Ok(statements.join(" "))
    }

    /// `post`
    ///
    /// # Errors
    /// When the node is not one.
    pub fn post(
        &mut self,
        directive: &Directive,
        node: &Reference,
        tag: &Text,
    ) -> TranslationResult {
        let call = format!("xmprt_post({}, {})", self.node(node)?, of_tag("post", tag));
        self.statement_on(directive, None, doing("post", &call))
    }

    /// `wait` for a post: of any node, or of one.
    ///
    /// # Errors
    /// When the node is not one.
    pub fn wait(
        &mut self,
        directive: &Directive,
        node: Option<&Reference>,
        tag: Option<&Text>,
    ) -> TranslationResult {
        let posting = match node {
            Some(node) => self.node(node)?,
            None => "(xmprt_nodes){0}, NULL".to_owned(),
        };
        let tag = tag.map_or("NULL".to_owned(), |tag| format!("&(int){{{}}}", of_tag("wait", tag)));
        let call = format!("xmprt_await({posting}, {tag})");
        self.statement_on(directive, None, doing("wait", &call))
    }

    /// One node as two arguments: its nodes, and which of them it is.
    fn node(&self, node: &Reference) -> Result<String, Diagnostic> {
        self.objects.target(node)?.check_node(node)?;
        Ok(format!("{PREFIX}{}, {}", node.name.text, self.objects.ranges(node)?))
    }
}

/// The tag of a `post` or `wait` as an `int`.
fn of_tag(directive: &str, tag: &Text) -> String {
    format!("XMPRT_AS_INT(\"{directive}: tag\", {})", tag.text)
}

/// Waits for the asynchronous operation of an id.
pub fn wait_async(id: &Text) -> String {
    doing("wait_async", &format!("xmprt_wait_async({})", id.text))
}
