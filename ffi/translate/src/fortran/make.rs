//! Statements that make the objects of a scope, and that end them.

use super::kept::once;
use super::objects::{ArrayObject, NodesObject, TemplateObject, class};
use super::on::{self, ranges, whole};
use super::unit::{Unit, descriptor, operand, own, wide_integer};
use super::writer::{Code, doing};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Format, NodesOf, Reference, Text, Width};
use crate::meaning::declare::check_count;
use crate::meaning::naming;
use crate::meaning::shape::{self, Bounds, fixed_formats};
use crate::meaning::{ALLOCATION, Target};

/// Flags of `xmprt_nodes_create`: all images, and the order of Fortran.
const ALL: u8 = 1;
const FORTRAN: u8 = 2;

/// The numbers that a program has of each dimension of a template: its own indices, and the bounds.
pub const TEMPLATE_ROWS: usize = 6;

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
                "integer{attributes} :: {}({TEMPLATE_ROWS}, {})",
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

    /// Statements that make the objects of a scope, of the arrays those that are there. `exposed` says whether other images get to know where the arrays are.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn makes(
        &self,
        home: usize,
        exposed: bool,
        is_there: &dyn Fn(&ArrayObject) -> bool,
    ) -> Result<Vec<Code>, Diagnostic> {
        let mut code = Vec::new();
        let kept = self.kept(home);
        let made = |name: &str, code: Vec<Code>| {
            if kept.contains(&name) { once(name, code) } else { code }
        };
        for nodes in self.objects.nodes.iter().filter(|of| of.home == home) {
            let place = nodes.declared.as_ref().map_or(0, |of| of.shape.span.start);
            code.extend(made(
                &nodes.name,
                vec![Code { at: Some(place), ..self.make_nodes(nodes)? }],
            ));
        }
        for template in self.objects.templates.iter().filter(|of| of.home == home) {
            let place = template.declared.as_ref().map_or(0, |of| of.span.start);
            let template_made = made(&template.name, self.make_template(template)?);
            code.extend(template_made.into_iter().map(|code| Code { at: Some(place), ..code }));
        }
        let arrays = self.objects.arrays.iter().filter(|of| of.home == home && !of.is_deferred);
        for array in arrays.filter(|of| is_there(of)) {
            let array_made = self.make_array(array)?.into_iter().chain(self.place(array, exposed));
            let array_made = made(&array.name, array_made.collect()).into_iter();
            code.extend(array_made.map(|code| Code { at: Some(array.place.span.start), ..code }));
        }
        Ok(code)
    }

    /// Statements that end the objects of a scope, arrays first.
    pub fn ends(&self, home: usize) -> Vec<Code> {
        // The targets of pointers may stay.
        let is_pointer =
            |of: &ArrayObject| of.variable.as_ref().is_some_and(|variable| variable.is_pointer);
        let arrays = self.objects.arrays.iter().filter(|of| of.home == home && !is_pointer(of));
        let arrays = arrays.map(|of| &of.name);
        let kept = self.kept(home);
        let templates =
            self.objects.templates.iter().filter(|of| of.home == home).map(|of| &of.name);
        let nodes = self.objects.nodes.iter().filter(|of| of.home == home).map(|of| &of.name);
        let end = |name: &String| ended(name);
        let all = arrays.chain(templates).chain(nodes);
        all.filter(|name| !kept.contains(&name.as_str())).map(end).collect()
    }

    fn make_nodes(&self, nodes: &NodesObject) -> Result<Code, Diagnostic> {
        let declared = nodes.declared.as_ref().expect("nodes of this file");
        let size =
            |size: Option<&Text>| size.map_or("0_8".to_owned(), |size| wide_integer(&size.text));
        let sizes: Vec<String> = shape::sizes(declared)?.into_iter().map(size).collect();
        let sizes = format!("{}, sizes=[integer(8) :: {}]", nodes.dims, sizes.join(", "));
        let name = descriptor(&nodes.name);
        let call = match &declared.of {
            NodesOf::All => {
                format!("xmprt_nodes_of_sizes({}, {sizes}, nodes={name})", ALL + FORTRAN)
            }
            NodesOf::Executing => format!("xmprt_nodes_of_sizes({FORTRAN}, {sizes}, nodes={name})"),
            NodesOf::Part(reference) => {
                let Target::Nodes(dims) = self.target(reference, nodes.home)? else {
                    return refuse(&reference.span, "nodes cannot be a part of a template");
                };
                let mut ranges = ranges(reference);
                ranges.resize(dims, whole());
                let (of, ranges) = (descriptor(&reference.name.text), on::list(&ranges));
                format!("xmprt_nodes_part_of_sizes({of}, {ranges}, ndims={sizes}, part={name})")
            }
        };
        Ok(doing(&naming("nodes", &nodes.name), &call))
    }

    fn make_template(&self, template: &TemplateObject) -> Result<Vec<Code>, Diagnostic> {
        let (name, dims) = (descriptor(&template.name), template.dims);
        let call = format!("xmprt_template_create({dims}, template={name})");
        let mut code = vec![doing(&naming("template", &template.name), &call)];
        if template.is_fixed() {
            let declared = template.declared.as_ref().expect("a template of this file");
            code.extend(self.fix(template, declared, &[])?);
        }
        Ok(code)
    }

    /// Statements that give a template its bounds, formats and nodes. Formats that are given there replace the formats
    /// of `distribute`.
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
        let given = fixed_formats(declared, formats, bounds)?;
        let formats = given.as_ref().unwrap_or(declared);
        let subscripts = (bounds.subscripts.len(), "bound");
        check_count(subscripts, template.dims, &template.name, &bounds.span)?;
        let extents_of = shape::bounds(bounds)?.ok_or_else(|| missing("the bounds"))?;
        let name = descriptor(&template.name);
        let (mut extents, mut manners, mut maps) = (Vec::new(), Vec::new(), Vec::new());
        for (bounds, format) in extents_of.into_iter().zip(formats) {
            let (lower, upper) = match bounds {
                Bounds::Size(size) => ("1".to_owned(), wide_integer(&size.text)),
                Bounds::Between(first, last) => {
                    (wide_integer(&first.text), wide_integer(&last.text))
                }
            };
            extents.push([lower.clone(), format!("{upper} - {} + 1", operand(&lower))]);
            manners.push(manner(format, &mut maps)?);
        }
        let mut code: Vec<Code> = Vec::new();
        if !maps.is_empty() {
            code.push("block".into());
            let declared =
                |[copy, _]: &[String; 2]| format!("integer(4), allocatable :: {copy}(:)");
            code.extend(maps.iter().map(|map| Code::from(declared(map))));
            code.extend(maps.iter().map(|[copy, map]| Code::from(format!("{copy} = {map}"))));
        }
        let (extents, manners) = (on::list(&extents), on::list(&manners));
        let (onto, own) = (descriptor(&onto.text), own(&template.name));
        let call = format!("xmprt_fortran_distribute({name}, {extents}, {manners}, {onto}, {own})");
        code.push(doing(&naming("distribute", &template.name), &call));
        if !maps.is_empty() {
            code.push("end block".into());
        }
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
        let mut code: Vec<Code> = Vec::new();
        let mut numbers = Vec::new();
        for (nth, (dim, bounds)) in array.dims.iter().zip(&variable.dims).enumerate() {
            let (axis, offset) =
                dim.with.as_ref().map_or((0, "0"), |(axis, offset)| (axis + 1, offset.as_str()));
            let lower = wide_integer(&bounds.lower);
            // Bounds that are not known end where the template does.
            let open = format!("{lower} - 1");
            let upper = match &bounds.upper {
                Some(upper) => wide_integer(upper),
                None if dim.with.is_none() && variable.has_sizes => {
                    let size = format!("{open} + size({}, {})", array.name, nth + 1);
                    if variable.is_optional {
                        let upper = format!("xmptupper_{}", nth + 1);
                        code.push(format!("{upper} = {lower}").into());
                        code.extend(if_present(array, vec![format!("{upper} = {size}").into()]));
                        upper
                    } else {
                        size
                    }
                }
                None => open,
            };
            let [before, after] = match array.shadow.get(nth) {
                None => ["0", "0"].map(str::to_owned),
                Some(Width::Full(_)) => ["-1", "-1"].map(str::to_owned),
                Some(Width::Widths { lower, upper, .. }) => {
                    [wide_integer(&lower.text), wide_integer(&upper.text)]
                }
            };
            numbers.push([lower, upper, axis.to_string(), wide_integer(offset), before, after]);
        }
        let (template, numbers) = (descriptor(&template.name), on::list(&numbers));
        let bits = format!("int(storage_size({}))", array.name);
        let call = format!(
            "xmprt_fortran_array({template}, {class}, {bits}, {rank}, {numbers}, {own}, {name})"
        );
        code.push(doing(&naming("align", &array.name), &call));
        let is_block = code.len() > 1;
        code.push(format!("call xmprt_fortran_name({name}, '{}')", array.name).into());
        if is_block {
            let dims = 1..=rank;
            let uppers: Vec<String> = dims.map(|dim| format!("xmptupper_{dim}")).collect();
            code.insert(0, "block".into());
            code.insert(1, format!("integer(4) :: {}", uppers.join(", ")).into());
            code.push("end block".into());
        }
        Ok(code)
    }
}

/// The statement that ends an object, if there is one.
pub fn ended(name: &str) -> Code {
    doing(&naming("end of an object", name), &format!("xmprt_fortran_end({})", descriptor(name)))
}

/// The bounds of the part of an array, as text for declarations and `allocate`.
pub fn part_bounds(array: &ArrayObject) -> String {
    let own = own(&array.name);
    let dims = 1..=array.dims.len();
    dims.map(|dim| format!("{own}(1, {dim}):{own}(2, {dim})")).collect::<Vec<_>>().join(", ")
}

/// The number of a format, its width, and the address of its map. A map gets a copy, which is added to the maps with the text of
/// the user.
///
/// # Errors
/// For blocks whose sizes are not known.
fn manner(format: &Format, maps: &mut Vec<[String; 2]>) -> Result<[String; 3], Diagnostic> {
    let zero = || "0".to_owned();
    let (manner, width, map) = match format {
        Format::Star(_) => (0, zero(), zero()),
        Format::Block(None, _) => (1, zero(), zero()),
        Format::Block(Some(width), _) => (1, wide_integer(&width.text), zero()),
        Format::Cyclic(None, _) => (2, zero(), zero()),
        Format::Cyclic(Some(width), _) => (2, wide_integer(&width.text), zero()),
        Format::Gblock(Some(map), _) => {
            let copy = format!("xmptmap_{}", maps.len() + 1);
            maps.push([copy.clone(), map.text.clone()]);
            (3, "4".to_owned(), format!("xmprt_fortran_address({copy})"))
        }
        Format::Gblock(None, span) => {
            let wrong = "the sizes of the blocks are not known";
            return Err(Diagnostic::new(span.clone(), wrong).help("write `gblock(map)`"));
        }
    };
    Ok([manner.to_string(), width, map])
}

/// Statements that name an array, which an optional argument must not be when it is absent.
pub fn if_present(array: &ArrayObject, code: Vec<Code>) -> Vec<Code> {
    if !array.variable.as_ref().is_some_and(|variable| variable.is_optional) {
        return code;
    }
    let first = Code::from(format!("if (present({})) then", array.name));
    std::iter::once(first).chain(code).chain(std::iter::once("end if".into())).collect()
}

/// The statement that passes the place of the part of an array to the runtime.
pub fn placed(array: &ArrayObject, exposed: bool) -> Code {
    let (handle, name) = (descriptor(&array.name), &array.name);
    let call = format!("xmprt_fortran_place({handle}, {name}, {})", u8::from(exposed));
    doing(&naming(ALLOCATION, name), &call)
}
