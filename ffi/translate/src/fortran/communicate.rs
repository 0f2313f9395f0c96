//! Directives that communicate: barrier, bcast, reflect, post and wait.

use super::on::{self, NOTHING, On};
use super::reduction::with_id;
use super::unit::{TranslationResult, Unit, checked_integer, descriptor, wide_integer};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::directive::{Reference, Reflect, Subscript, Text};
use crate::meaning::Language;
use crate::meaning::communicate::{Widths, widths};
use crate::meaning::naming;

/// Flags of `xmprt_reflect`.
const ORTHOGONAL: u8 = 1;
const CARRIED: u8 = 2;

/// `XMPRT_SUM`
const SUM: u8 = 1;

impl Unit<'_> {
    /// `barrier`
    ///
    /// # Errors
    /// When `on` refers to something unknown.
    pub fn barrier(&mut self, item: usize, on: Option<&Reference>) -> TranslationResult {
        let on = self.on_or_nothing(on, self.scope_of(item))?;
        let call = format!("xmprt_barrier({})", on.arguments());
        self.instead(item, vec![doing("barrier", &call)]);
        Ok(())
    }

    /// `bcast` from a source to receivers.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn broadcast(
        &mut self,
        item: usize,
        variables: &[Reference],
        (from, on): (Option<&Reference>, Option<&Reference>),
        id: Option<&Text>,
    ) -> TranslationResult {
        let (from, on) = self.ends_of_broadcast(from, on, self.scope_of(item))?;
        let (from, on, id) = (from.named("from_at"), on.arguments(), with_id(id));
        let call = |variable: &Reference| {
            let variable = self.text(variable);
            let call = format!("xmprt_fortran_broadcast({variable}, from={from}, {on}{id})");
            doing(&naming("bcast", &variable), &call)
        };
        let code = variables.iter().map(call).collect();
        self.instead(item, code);
        Ok(())
    }

    /// The source of a broadcast, and its receivers: with a `*` in `from`, those that have the same index there.
    fn ends_of_broadcast(
        &self,
        from: Option<&Reference>,
        on: Option<&Reference>,
        scope: usize,
    ) -> Result<(On, On), Diagnostic> {
        if let Some(from) = from {
            self.target(from, scope)?.check_source(from)?;
        }
        let source = self.on_or_nothing(from, scope)?;
        let is_own = |of: &Subscript| matches!(of, Subscript::Star(_));
        let line = from.filter(|from| {
            on.is_none()
                && from.subscripts.iter().any(is_own)
                && self.objects.nodes_at(&from.name.text, scope).is_some()
        });
        let Some(line) = line else { return Ok((source, self.on_or_nothing(on, scope)?)) };
        let range = |of: &Subscript| if is_own(of) { on::own_place() } else { on::whole() };
        let ranges = line.subscripts.iter().map(range);
        let at = Some(on::list(&ranges.collect::<Vec<_>>()));
        let object = source.object.clone();
        Ok((source, On { object, at }))
    }

    /// `reflect`; `adds`: `reduce_shadow`.
    ///
    /// # Errors
    /// For arrays that are not distributed, and widths that do not fit.
    pub fn reflect(&mut self, item: usize, of: &Reflect, adds: bool) -> TranslationResult {
        let scope = self.scope_of(item);
        let mut code: Vec<Code> = Vec::new();
        for name in &of.arrays {
            let (_, array) = self.objects.array(name, scope)?;
            let descriptor = descriptor(&name.text);
            // Without widths, there is nothing to do where there is no shadow.
            let has_shadow =
                !array.shadow.is_empty() || array.variable.is_none() || of.widths.is_empty();
            let known = (name, array.dims.len());
            let widths = widths(of, known, has_shadow, Language::Fortran)?;
            let halo = |Widths { lower, upper, flag }| {
                [wide_integer(&lower.text), wide_integer(&upper.text), u8::from(flag).to_string()]
            };
            let widths: Vec<[String; 3]> = widths.into_iter().map(halo).collect();
            let halos = if widths.is_empty() {
                String::new()
            } else {
                format!(", halos={}", on::list(&widths))
            };
            let id = with_id(of.id.as_ref());
            // The added elements come from neighbours along one dimension anyway. The type is the array's own.
            code.push(match (adds, &of.orthogonal) {
                (true, _) => {
                    let flags = ORTHOGONAL + CARRIED;
                    let of = format!("{descriptor}, type=0, op={SUM}, flags={flags}{halos}{id}");
                    doing(
                        &naming("reduce_shadow", &name.text),
                        &format!("xmprt_reduce_shadow({of})"),
                    )
                }
                (false, orthogonal) => {
                    let flags = if orthogonal.is_some() { ORTHOGONAL } else { CARRIED };
                    let call = format!("xmprt_reflect({descriptor}, flags={flags}{halos}{id})");
                    doing(&naming("reflect", &name.text), &call)
                }
            });
        }
        self.instead(item, code);
        Ok(())
    }

    /// `wait_async` for these ids, on some nodes or on all.
    ///
    /// # Errors
    /// When `on` refers to something unknown.
    pub fn wait_async(
        &mut self,
        item: usize,
        ids: &[Text],
        on: Option<&Reference>,
    ) -> TranslationResult {
        let mut code: Vec<Code> = ids.iter().map(wait_async).collect();
        if let Some(on) = on {
            let scope = self.scope_of(item);
            let on = self.on(on, scope)?;
            let enter = self.entering(&on, ("xmprt_is_on", "is"), scope);
            code.splice(0..0, enter);
            code.push("end if".into());
        }
        self.instead(item, code);
        Ok(())
    }

    /// `post`
    ///
    /// # Errors
    /// When the node is not one.
    pub fn post(&mut self, item: usize, node: &Reference, tag: &Text) -> TranslationResult {
        let node = self.node(node, self.scope_of(item))?;
        let call = format!("xmprt_post({node}, tag={})", checked_integer("post: tag", &tag.text));
        self.instead(item, vec![doing("post", &call)]);
        Ok(())
    }

    /// `wait` for a post: of any node, or of one.
    ///
    /// # Errors
    /// When the node is not one.
    pub fn wait(
        &mut self,
        item: usize,
        node: Option<&Reference>,
        tag: Option<&Text>,
    ) -> TranslationResult {
        let node = match node {
            Some(node) => self.node(node, self.scope_of(item))?,
            None => NOTHING.to_owned(),
        };
        let tag = tag.map(|tag| format!(", tag={}", checked_integer("wait: tag", &tag.text)));
        let call = format!("xmprt_await({node}{})", tag.unwrap_or_default());
        self.instead(item, vec![doing("wait", &call)]);
        Ok(())
    }

    /// Nodes and the subscripts of one of them.
    fn node(&self, node: &Reference, scope: usize) -> Result<String, Diagnostic> {
        self.target(node, scope)?.check_node(node)?;
        Ok(format!("{}, at={}", descriptor(&node.name.text), on::list(&on::ranges(node))))
    }
}

/// The statement that waits for an id.
pub fn wait_async(id: &Text) -> Code {
    doing("wait_async", &format!("xmprt_wait_async(int({}, 8))", id.text))
}
