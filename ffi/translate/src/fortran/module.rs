//! The module `xmprt_global` for programs in Fortran that call the library themselves: constants, types and interfaces of the header
//! in C.

use std::fmt::Write;

/// The file with the constants, beside the constants of the header of the functions.
const CONSTANTS: [&str; 2] =
    [include_str!("../../../include/xmprt.h"), include_str!("../../../include/xmprt_global.h")];

/// Enumerations of the other header that the functions need.
const NEEDED: [&str; 3] = ["xmprt_status", "xmprt_type", "xmprt_op"];

/// Results that are lists, with an entry for each dimension or piece.
const LISTS: [&str; 5] = ["coordinates", "extents", "blocks", "pieces", "margins"];

/// Widest line.
const WIDTH: usize = 120;

/// The source of the module, in free form.
pub fn module() -> String {
    let [other, header] = CONSTANTS.map(without_comments);
    let mut text = String::from(
        "! The interface of XMP-RT for the global view, as xmprt_global.h has it: the comments there hold for Fortran, too.\n\
         ! Lists have an entry for each dimension; what may be null in C is optional. xmprt_object(p%id) is any object.\n\
         module xmprt_global\n  use, intrinsic :: iso_c_binding\n  implicit none\n",
    );
    let needed = |of: &Enumeration| of.name.as_deref().is_some_and(|name| NEEDED.contains(&name));
    let enumerations = enumerations(&other).into_iter().filter(needed);
    for of in enumerations.chain(self::enumerations(&header)) {
        for (name, value) in of.values {
            let _ = writeln!(text, "  integer(c_int), parameter :: {name} = {value}");
        }
    }
    for (name, value) in definitions(&header) {
        let _ = writeln!(text, "  integer(c_int), parameter :: {name} = {value}");
    }
    for (name, fields) in structures(&header) {
        let _ = writeln!(text, "  type, bind(c) :: {name}");
        for field in fields {
            let _ = writeln!(text, "    {field}");
        }
        let _ = writeln!(text, "  end type");
    }
    text += "  interface\n";
    for function in functions(&header) {
        text += &function;
    }
    text + "  end interface\nend module\n"
}

fn without_comments(header: &str) -> String {
    let mut parts = header.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.filter_map(|part| Some(part.split_once("*/")?.1)).collect::<String>()
}

/// An enumeration, which may have a name.
struct Enumeration {
    name: Option<String>,
    values: Vec<(String, i64)>,
}

fn enumerations(header: &str) -> Vec<Enumeration> {
    let header = header.replace("enum XMPRT_NODISCARD {", "enum {");
    let each = header.split("enum {").skip(1).filter_map(|rest| {
        let (inside, after) = rest.split_once('}')?;
        let name = after.split(';').next().map(str::trim).filter(|name| !name.is_empty());
        let mut next = 0;
        let values = inside.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let values = values.map(|entry| {
            let (word, value) = entry.split_once('=').unwrap_or((entry, ""));
            let value = value.trim().parse().unwrap_or(next);
            next = value + 1;
            (word.trim().to_owned(), value)
        });
        Some(Enumeration { values: values.collect(), name: name.map(str::to_owned) })
    });
    each.collect()
}

/// Macros that are numbers.
fn definitions(header: &str) -> Vec<(String, i64)> {
    let lines = header.lines().filter_map(|line| line.strip_prefix("#define "));
    let each = lines.filter_map(|line| {
        let (name, value) = line.split_once(' ')?;
        let value = value.trim().trim_matches(['(', ')']).parse().ok()?;
        Some((name.to_owned(), value))
    });
    each.collect()
}

/// Types, each with the declarations of its components.
fn structures(header: &str) -> Vec<(String, Vec<String>)> {
    let each = header.split("typedef struct {").skip(1).filter_map(|rest| {
        let (inside, after) = rest.split_once('}')?;
        let name = after.split(';').next()?.trim().to_owned();
        let fields = inside.split(';').map(str::trim).filter(|field| !field.is_empty());
        Some((name, fields.filter_map(component).collect()))
    });
    each.collect()
}

/// The declaration of components: `int64_t first, count`.
fn component(field: &str) -> Option<String> {
    let field = field.trim_start_matches("const ");
    let (kind, names) = field.split_once(' ')?;
    if names.contains('*') {
        return Some(format!("type(c_ptr) :: {}", names.replace('*', "")));
    }
    let names = names.replace('[', "(").replace(']', ")");
    Some(format!("{} :: {names}", type_of(kind)))
}

fn type_of(kind: &str) -> String {
    match kind {
        "int" | "xmprt_type" | "xmprt_op" => "integer(c_int)".into(),
        "int64_t" => "integer(c_int64_t)".into(),
        "size_t" => "integer(c_size_t)".into(),
        other => format!("type({other})"),
    }
}

/// The interfaces of all functions.
fn functions(header: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    // Text in braces is a function in C, or a type.
    let mut text = String::new();
    let is_code = |line: &&str| !line.starts_with('#') && !line.starts_with("extern ");
    let lines = header.lines().filter(is_code).flat_map(|line| [line, " "]);
    for c in lines.flat_map(str::chars) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                found.extend(function(text.trim()));
                text.clear();
            }
            c if depth == 0 => text.push(c),
            _ => {}
        }
    }
    found
}

/// The interface of the function at the end of a text.
fn function(text: &str) -> Option<String> {
    let (head, parameters) = text.strip_suffix(')')?.rsplit_once('(')?;
    let mut words = head.split_whitespace().rev();
    let (name, result) = (words.next()?, words.next()?);
    let is_pointer = name.starts_with('*');
    let name = name.trim_start_matches('*');
    if !name.starts_with("xmprt_") {
        return None;
    }
    let parameters: Vec<(String, String)> = parameters.split(',').filter_map(parameter).collect();
    let list: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let result = if is_pointer {
        "type(c_ptr)".into()
    } else if result == "xmprt_status" {
        "integer(c_int)".into()
    } else {
        type_of(result)
    };
    let mut lines = wrapped(&format!("    function {name}({}) bind(c)", list.join(", ")));
    lines += "      import\n";
    for (_, declared) in &parameters {
        let _ = writeln!(lines, "      {declared}");
    }
    let _ = writeln!(lines, "      {result} :: {name}\n    end function");
    Some(lines)
}

/// A parameter: its name and its declaration.
fn parameter(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let is_const = text.starts_with("const ");
    let text = text.trim_start_matches("const ");
    let (kind, name) = text.rsplit_once(' ')?;
    let stars = text.matches('*').count() + text.matches('[').count();
    let name = name.trim_start_matches('*').split('[').next()?.trim_end_matches('_').to_owned();
    let kind = kind.trim();
    let declared = match (kind, stars) {
        ("void", 1) => "type(c_ptr), value".to_owned(),
        ("void", _) => "type(c_ptr), intent(out)".into(),
        (kind, 0) => format!("{}, value", type_of(kind)),
        (kind, _) if is_const => format!("{}, intent(in), optional", type_of(kind)),
        (kind, _) if LISTS.contains(&name.as_str()) => {
            format!("{}, intent(inout), optional", type_of(kind))
        }
        (kind, _) => format!("{}, intent(inout)", type_of(kind)),
    };
    let is_one = ["async", "to", "from"].contains(&name.as_str());
    let is_list =
        kind != "void" && stars > 0 && !is_one && (is_const || LISTS.contains(&name.as_str()));
    let shape = if is_list { "(*)" } else { "" };
    Some((name.clone(), format!("{declared} :: {name}{shape}")))
}

/// A statement, continued where it is long.
fn wrapped(statement: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in statement.split_inclusive(", ") {
        if line.len() + word.len() > WIDTH {
            lines += &format!("{}&\n", line);
            line = "      ".into();
        }
        line += word;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_has_the_constants_types_and_functions_of_the_header() {
        let text = module();
        for part in [
            "parameter :: XMPRT_OK = 0\n",
            "parameter :: XMPRT_BAD_ARGUMENT = 1\n",
            "parameter :: XMPRT_ORTHOGONAL = 1\n",
            "parameter :: XMPRT_DOUBLE = 10\n",
            "parameter :: XMPRT_WHOLE = -1\n",
            "  type, bind(c) :: xmprt_range\n    integer(c_int64_t) :: first, count, step\n  end type\n",
            "      type(xmprt_halo), intent(in), optional :: halos(*)\n",
            "      integer(c_int64_t), intent(in), optional :: async\n",
            "      type(c_ptr), intent(out) :: data\n",
            "      type(xmprt_range), value :: iterations\n",
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(text.lines().all(|line| line.len() <= 132) && !text.contains("xmprt_by"));
    }
}
