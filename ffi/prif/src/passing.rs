//! The ways in which a procedure that LFortran compiles passes its dummy argument on to a function of the library.

use crate::interfaces::Dummy;

/// What passes a dummy argument on. `@` stands for its name.
#[derive(Clone, Debug, Default)]
pub struct Passing {
    /// How the function declares it: type and attributes, and the shape.
    pub formal: String,
    /// What follows the name there.
    pub shape: String,
    /// Variables of the procedure.
    pub locals: String,
    /// What it does before the call.
    pub before: String,
    /// What it passes.
    pub actual: String,
    /// What it does after the call.
    pub after: String,
}

impl Passing {
    /// That of the argument of this name.
    fn named(self, name: &str) -> Passing {
        let with = |text: String| text.replace('@', name);
        Passing {
            locals: with(self.locals),
            before: with(self.before),
            actual: with(self.actual),
            after: with(self.after),
            ..self
        }
    }
}

/// An address that may be null.
const ADDRESS: &str = "type(c_ptr), intent(in), value";

/// How a dummy argument is passed on.
pub fn passing(dummy: &Dummy) -> Passing {
    forms(&dummy.before, &dummy.after).named(&dummy.name)
}

/// How one with this declaration is passed on, whatever its name.
fn forms(before: &str, after: &str) -> Passing {
    let base = before.split_once(", intent").map_or(before, |(base, _)| base);
    let optional = before.contains("optional");
    match after {
        "(:)" if before.contains("allocatable") => allocated(base),
        "(:)" if optional => optional_list(base),
        "(:)" => list(base, before.contains("intent(out)")),
        "" if before.starts_with("character") => text(),
        "" if base.contains("cleanup") => cleanup(base),
        "" if base.starts_with("procedure") => procedure(base),
        "" if before == "type(c_ptr), intent(in)" => address(before),
        "" if base == HANDLE && before.ends_with("value") => handle(),
        "(..)" => anything(before),
        "" if optional => optional_scalar(base, before.contains("intent(out)")),
        shape => Passing {
            formal: before.into(),
            shape: shape.into(),
            actual: "@".into(),
            ..Passing::default()
        },
    }
}

/// The type of a coarray.
const HANDLE: &str = "type(prif_coarray_handle)";

/// Bytes of an element.
fn bytes(base: &str) -> usize {
    if base == "integer(c_int)" { 4 } else { 8 }
}

/// LFortran passes dummy arguments of this type by value, and variables by address.
fn address(before: &str) -> Passing {
    Passing {
        formal: before.into(),
        locals: "    type(c_ptr) :: @_value\n".into(),
        before: "    @_value = @\n".into(),
        actual: "@_value".into(),
        ..Passing::default()
    }
}

/// LFortran passes the address of a structure where C has the structure by value. This one holds an address only.
fn handle() -> Passing {
    Passing { formal: ADDRESS.into(), actual: "@%info".into(), ..Passing::default() }
}

/// LFortran leaves the dimensions of the C descriptor undefined, and the length of characters.
fn anything(before: &str) -> Passing {
    let character = before.starts_with("character");
    let length = if character { "    @_array%header%elem_len = len(@)\n" } else { "" };
    Passing {
        formal: "type(array), intent(in)".into(),
        locals: "    type(array) :: @_array\n".into(),
        before: format!(
            "    call copy_bytes(@_array, @, HEADER + DIMENSION * rank(@))\n{length}\
             #ifdef __LFORTRAN__\n    call xmp_prif_lfortran_dims(@_array, @)\n#endif\n"
        ),
        actual: "@_array".into(),
        ..Passing::default()
    }
}

/// Compilers differ in what they make of the address of a dummy argument that is a procedure pointer.
fn procedure(base: &str) -> Passing {
    Passing {
        formal: "type(c_funptr), intent(in)".into(),
        locals: format!("    {base} :: @_pointer\n    type(c_funptr) :: @_at\n"),
        before: "    @_at = c_null_funptr\n    @_pointer => @\n    if (associated(@_pointer)) @_at = c_funloc(@_pointer)\n".into(),
        actual: "@_at".into(),
        ..Passing::default()
    }
}

/// The procedure is called by one of the module, which knows of which coarray it is.
fn cleanup(base: &str) -> Passing {
    let passing = procedure(base);
    Passing {
        before: passing.before.replace("@_at = c_funloc(@_pointer)", "@_at = c_funloc(clean_up)"),
        after: "    if (associated(@_pointer) .and. code == 0) call keep_cleanup(coarray_handle, c_funloc(@_pointer))\n".into(),
        ..passing
    }
}

fn optional_scalar(base: &str, result: bool) -> Passing {
    let value = if result { "" } else { "      @_value = @\n" };
    Passing {
        formal: ADDRESS.into(),
        locals: format!("    {base}, target :: @_value\n    type(c_ptr) :: @_at\n"),
        before: format!(
            "    @_at = c_null_ptr\n    if (present(@)) then\n{value}      @_at = c_loc(@_value)\n    end if\n"
        ),
        actual: "@_at".into(),
        after: if result { "    if (present(@)) @ = @_value\n".into() } else { String::new() },
        ..Passing::default()
    }
}

fn list(base: &str, result: bool) -> Passing {
    let describe =
        format!("    call describe(@_list, c_loc(@_values), {}, size(@))\n", bytes(base));
    let (before, after) = if result {
        (describe, "    @ = @_values\n".into())
    } else {
        (format!("    @_values = @\n{describe}"), String::new())
    };
    Passing {
        formal: "type(descriptor), intent(in)".into(),
        locals: format!(
            "    {base}, target :: @_values(size(@))\n    type(descriptor) :: @_list\n"
        ),
        before,
        actual: "@_list".into(),
        after,
        ..Passing::default()
    }
}

fn optional_list(base: &str) -> Passing {
    Passing {
        formal: ADDRESS.into(),
        locals: format!(
            "    {base}, allocatable, target :: @_values(:)\n    type(descriptor), target :: @_list\n    type(c_ptr) :: @_at\n"
        ),
        before: format!(
            "    @_at = c_null_ptr\n    if (present(@)) then\n      allocate(@_values(size(@)))\n      @_values = @\n      \
             call describe(@_list, c_loc(@_values), {}, size(@))\n      @_at = c_loc(@_list)\n    end if\n",
            bytes(base)
        ),
        actual: "@_at".into(),
        ..Passing::default()
    }
}

/// The library allocates by malloc.
fn allocated(base: &str) -> Passing {
    Passing {
        formal: "type(descriptor), intent(inout)".into(),
        locals: format!("    {base}, pointer :: @_values(:)\n    type(descriptor) :: @_list\n"),
        before: format!("    call describe(@_list, c_null_ptr, {}, 0)\n", bytes(base)),
        actual: "@_list".into(),
        after: "    call c_f_pointer(@_list%base, @_values, [int(@_list%extent)])\n    allocate(@(size(@_values)))\n    \
                @ = @_values\n    call xmp_free(@_list%base)\n"
            .into(),
        ..Passing::default()
    }
}

fn text() -> Passing {
    Passing {
        formal: ADDRESS.into(),
        locals: "    character(kind=c_char), allocatable, target :: @_text(:)\n    type(descriptor), target :: @_said\n    \
                 type(c_ptr) :: @_at\n    integer :: at\n"
            .into(),
        before: "    @_at = c_null_ptr\n    if (present(@)) then\n      allocate(@_text(len(@) + 1))\n      do at = 1, len(@)\n        \
                 @_text(at) = @(at:at)\n      end do\n      call describe(@_said, c_loc(@_text), len(@), 1)\n      \
                 @_at = c_loc(@_said)\n    end if\n"
            .into(),
        actual: "@_at".into(),
        ..Passing::default()
    }
}
