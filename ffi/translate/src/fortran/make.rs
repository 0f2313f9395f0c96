//! Statements that make the objects of a scope, and that end them.

use super::kept::once;
use super::objects::{ArrayObject, Layout, NodesObject, TemplateObject, class};
use super::on::NOTHING;
use super::unit::{Unit, descriptor, integer, own};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Format, NodesOf, Reference, Subscript, Width};

/// A list of numbers as an array constructor.
fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

impl Unit<'_> {
    /// Declarations of the variables for the objects of a scope.
    pub fn variables(&self, home: usize, attributes: &str) -> Vec<String> {
        let mut all = Vec::new();
        for nodes in self.objects.nodes.iter().filter(|of| of.home == home) {
            all.push(format!("integer(8){attributes} :: {} = 0", descriptor(&nodes.name)));
        }
        for template in self.objects.templates.iter().filter(|of| of.home == home) {
            all.push(format!("integer(8){attributes} :: {} = 0", descriptor(&template.name)));
            all.push(format!(
                "integer{attributes} :: {}(4, {})",
                own(&template.name),
                template.dims
            ));
        }
        for array in self.objects.arrays.iter().filter(|of| of.home == home) {
            all.push(format!("integer(8){attributes} :: {} = 0", descriptor(&array.name)));
            all.push(format!(
                "integer{attributes} :: {}(5, {})",
                own(&array.name),
                array.dims.len()
            ));
        }
        all
    }

    /// Statements that make the objects of a scope. `exposed` says whether other images get to know where the arrays are.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn makes(&self, home: usize, exposed: bool) -> Result<Vec<Code>, Diagnostic> {
        let mut code = Vec::new();
        let kept = self.kept(home);
        let made = |name: &str, code: Vec<Code>| {
            if kept.contains(&name) { once(name, code) } else { code }
        };
        for nodes in self.objects.nodes.iter().filter(|of| of.home == home) {
            let place = nodes.declared.as_ref().map_or(0, |of| of.shape.span.start);
            code.extend(made(&nodes.name, vec![Code::at(self.make_nodes(nodes)?, place)]));
        }
        for template in self.objects.templates.iter().filter(|of| of.home == home) {
            let place = template.declared.as_ref().map_or(0, |of| of.span.start);
            let template_made = made(&template.name, self.make_template(template)?);
            code.extend(template_made.into_iter().map(|code| Code { at: Some(place), ..code }));
        }
        for array in self.objects.arrays.iter().filter(|of| of.home == home && !of.is_deferred) {
            let array_made = self.make_array(array)?.into_iter().chain(place(array, exposed));
            let array_made = made(&array.name, array_made.collect()).into_iter();
            code.extend(array_made.map(|code| Code { at: Some(array.place.span.start), ..code }));
        }
        Ok(code)
    }

    /// Statements that end the objects of a scope, arrays first.
    pub fn ends(&self, home: usize) -> Vec<Code> {
        // What pointers point to may stay.
        let is_pointer =
            |of: &ArrayObject| of.variable.as_ref().is_some_and(|variable| variable.is_pointer);
        let arrays = self.objects.arrays.iter().filter(|of| of.home == home && !is_pointer(of));
        let arrays = arrays.map(|of| &of.name);
        let kept = self.kept(home);
        let templates =
            self.objects.templates.iter().filter(|of| of.home == home).map(|of| &of.name);
        let nodes = self.objects.nodes.iter().filter(|of| of.home == home).map(|of| &of.name);
        let end = |name: &String| Code::from(format!("call xmptf_end({})", descriptor(name)));
        let all = arrays.chain(templates).chain(nodes);
        all.filter(|name| !kept.contains(&name.as_str())).map(end).collect()
    }

    fn make_nodes(&self, nodes: &NodesObject) -> Result<String, Diagnostic> {
        let declared = nodes.declared.as_ref().expect("nodes of this file");
        let mut sizes = Vec::new();
        for subscript in &declared.shape.subscripts {
            match subscript {
                Subscript::At(text) => sizes.push(integer(&text.text)),
                Subscript::Star(_) => sizes.push("-1".into()),
                other => {
                    return refuse(other.span().clone(), "the size of nodes is a number or `*`");
                }
            }
        }
        let (kind, part) = match &declared.of {
            NodesOf::All => (0, NOTHING.to_owned()),
            NodesOf::Executing => (1, NOTHING.to_owned()),
            NodesOf::Part(reference) => (2, self.on(reference, nodes.home)?),
        };
        Ok(format!(
            "call xmptf_nodes({}, {}, {}, {kind}, {part})",
            descriptor(&nodes.name),
            nodes.dims,
            list(sizes)
        ))
    }

    fn make_template(&self, template: &TemplateObject) -> Result<Vec<Code>, Diagnostic> {
        let mut code = vec![
            format!("call xmptf_template({}, {})", descriptor(&template.name), template.dims)
                .into(),
        ];
        if template.is_fixed() {
            let declared = template.declared.as_ref().expect("a template of this file");
            code.extend(self.fix(template, declared, &[])?);
        }
        Ok(code)
    }

    /// Statements that give a template its bounds, formats and nodes. Formats that are given there hold instead of those of
    /// `distribute`.
    ///
    /// # Errors
    /// For bounds and formats that are missing.
    pub fn fix(
        &self,
        template: &TemplateObject,
        bounds: &Reference,
        formats: &[Format],
    ) -> Result<Vec<Code>, Diagnostic> {
        let missing = |what: &str| {
            Diagnostic::new(
                bounds.span.clone(),
                format!("{what} of `{}` are not known", template.name),
            )
        };
        let Some((declared, onto)) = &template.distributed else {
            return Err(missing("the formats and nodes"));
        };
        let formats = if formats.is_empty() { declared } else { formats };
        if bounds.subscripts.len() != template.dims || formats.len() != template.dims {
            let wrong = format!("`{}` has {} dimensions", template.name, template.dims);
            return refuse(&bounds.span, wrong);
        }
        let descriptor_of = descriptor(&template.name);
        let mut code: Vec<Code> = Vec::new();
        for (dim, (subscript, format)) in bounds.subscripts.iter().zip(formats).enumerate() {
            let (lower, upper) = match subscript {
                Subscript::At(text) => ("1".to_owned(), integer(&text.text)),
                Subscript::Range { first: Some(first), second: Some(last), step: None, .. } => {
                    (integer(&first.text), integer(&last.text))
                }
                other => {
                    return refuse(
                        other.span().clone(),
                        "bounds of a template are `upper` or `lower:upper`",
                    );
                }
            };
            let (number, chunk) = match format {
                Format::Star(_) => (100, "[0]".to_owned()),
                Format::Block(None, _) => (101, "[0]".to_owned()),
                Format::Block(Some(width), _) => (101, format!("[{}]", integer(&width.text))),
                Format::Cyclic(None, _) => (102, "[1]".to_owned()),
                Format::Cyclic(Some(width), _) => (103, format!("[{}]", integer(&width.text))),
                Format::Gblock(Some(map), _) => (104, map.text.clone()),
                Format::Gblock(None, span) => {
                    return Err(Diagnostic::new(
                        span.clone(),
                        "the sizes of the blocks are not known",
                    )
                    .help("write `gblock(map)`"));
                }
            };
            code.push(
                format!(
                    "call xmptf_extent({descriptor_of}, {}, {lower}, {upper}, {number}, {chunk})",
                    dim + 1
                )
                .into(),
            );
        }
        let own = own(&template.name);
        code.push(
            format!(
                "call xmptf_distribute({descriptor_of}, {}, {}, {own})",
                template.dims,
                descriptor(&onto.text)
            )
            .into(),
        );
        Ok(code)
    }

    /// Statements that describe an array and compute the bounds of its part.
    ///
    /// # Errors
    /// For shadows of dimensions that cannot have them.
    pub fn make_array(&self, array: &ArrayObject) -> Result<Vec<Code>, Diagnostic> {
        let variable = array.variable.as_ref().expect("an array of this file");
        let template = &self.objects.templates[array.template];
        let (name, own) = (descriptor(&array.name), own(&array.name));
        let class = class(self.items, self.scopes, array.home, &array.name, &variable.type_code);
        let rank = array.dims.len();
        let mut code: Vec<Code> = vec![
            format!(
                "call xmptf_array({name}, {rank}, {class}, int(storage_size({})), {})",
                array.name,
                descriptor(&template.name)
            )
            .into(),
        ];
        for (nth, (dim, bounds)) in array.dims.iter().zip(&variable.dims).enumerate() {
            let (axis, offset) =
                dim.with.as_ref().map_or((0, "0"), |(axis, offset)| (axis + 1, offset.as_str()));
            let lower = integer(&bounds.lower);
            let align = |upper: &str| -> Code {
                let (dim, offset) = (nth + 1, integer(offset));
                format!("call xmptf_align({name}, {dim}, {lower}, {upper}, {axis}, {offset})")
                    .into()
            };
            // Bounds that are not known end where the template does.
            let open = format!("{lower} - 1");
            match &bounds.upper {
                Some(upper) => code.push(align(&integer(upper))),
                None if dim.with.is_none() && variable.has_sizes => {
                    let size = format!("{open} + size({}, {})", array.name, nth + 1);
                    code.push(if_present(array, align(&size)));
                    if variable.is_optional {
                        code.push(Code {
                            text: format!(
                                "if (.not. present({})) {}",
                                array.name,
                                align(&lower).text
                            ),
                            ..align(&lower)
                        });
                    }
                }
                None => code.push(align(&open)),
            }
        }
        for (nth, (dim, width)) in array.dims.iter().zip(&array.shadow).enumerate() {
            let (lower, upper) = match width {
                Width::Full(_) => ("-1".to_owned(), "-1".to_owned()),
                Width::Widths { lower, upper, .. } => {
                    if matches!(dim.layout, Layout::Cyclic(_))
                        && (lower.text != "0" || upper.text != "0")
                    {
                        return refuse(&lower.span, "a cyclic dimension cannot have a shadow");
                    }
                    (integer(&lower.text), integer(&upper.text))
                }
            };
            if (lower.as_str(), upper.as_str()) != ("0", "0") {
                code.push(
                    format!("call xmptf_shadow({name}, {}, {lower}, {upper})", nth + 1).into(),
                );
            }
        }
        let layouts = list(array.dims.iter().map(|dim| dim.layout.number()));
        code.push(format!("call xmptf_bounds({name}, {rank}, {layouts}, {own})").into());
        Ok(code)
    }
}

/// The bounds of the part of an array, as they stand in declarations and in `allocate`.
pub fn part_bounds(array: &ArrayObject) -> String {
    let own = own(&array.name);
    let dims = 1..=array.dims.len();
    dims.map(|dim| format!("{own}(1, {dim}):{own}(2, {dim})")).collect::<Vec<_>>().join(", ")
}

/// Statements that allocate the part of an array that is no argument, and tell the runtime where it is.
fn place(array: &ArrayObject, exposed: bool) -> Vec<Code> {
    let mut code: Vec<Code> = Vec::new();
    if array.variable.as_ref().is_some_and(|variable| variable.is_common) {
        code.extend(associated(array));
    } else if !array.is_dummy {
        match &array.alias {
            Some(alias) if alias.is_coarray => code.extend(alias.before(array)),
            _ => code.push(memory(array)),
        }
        code.push(format!("allocate({}({}))", array.name, part_bounds(array)).into());
        if let Some(initial) =
            array.variable.as_ref().and_then(|variable| variable.initial.as_ref())
        {
            code.push(format!("{} = {initial}", array.name).into());
        }
    }
    code.push(if_present(array, placed(array, exposed)));
    code.extend(array.alias.as_ref().and_then(|alias| alias.behind(array)));
    code
}

/// Statements by which the part of an array is the memory that all units have for it.
fn associated(array: &ArrayObject) -> Vec<Code> {
    let (name, own) = (&array.name, own(&array.name));
    let rank = array.dims.len();
    let other =
        format!("any(shape({name}) /= max({own}(2, 1:{rank}) - {own}(1, 1:{rank}) + 1, 0))");
    vec![
        format!("if (.not. associated({name})) then").into(),
        memory(array),
        format!("allocate({name}({}))", part_bounds(array)).into(),
        format!("else if ({other}) then").into(),
        format!("error stop '{name}: another unit has aligned it otherwise in COMMON'").into(),
        "end if".into(),
    ]
}

/// A statement that names an array, which an optional argument must not be when it is absent.
pub fn if_present(array: &ArrayObject, code: Code) -> Code {
    if !array.variable.as_ref().is_some_and(|variable| variable.is_optional) {
        return code;
    }
    Code { text: format!("if (present({})) {}", array.name, code.text), ..code }
}

/// The statement that has the next `allocate` get memory for the part of an array from the runtime.
pub fn memory(array: &ArrayObject) -> Code {
    format!("call xmptf_memory({})", descriptor(&array.name)).into()
}

/// The statement that tells the runtime where the part of an array is.
pub fn placed(array: &ArrayObject, exposed: bool) -> Code {
    format!("call xmptf_place({}, {}, {})", descriptor(&array.name), array.name, u8::from(exposed))
        .into()
}
