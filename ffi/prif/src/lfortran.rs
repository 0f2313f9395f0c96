//! `prif_lfortran.F90`: procedures that LFortran compiles, so that they have its convention, and that call the functions
//! of this library by the C one.
//!
//! Nothing is left to what a compiler makes of optional, assumed-shape and character arguments of C functions: those
//! become addresses of local variables here.

use crate::interfaces::{Interfaces, Procedure};
use crate::lines::call;
use crate::own::{CALLBACKS, HEAD, HELPERS, OTHER_FUNCTIONS, OWN_TYPES};
use crate::passing::{Passing, passing};

/// The values of `stat` that LFortran has in its ISO_FORTRAN_ENV.
const STATS: [(&str, i32); 6] = [
    ("PRIF_STAT_FAILED_IMAGE", -1),
    ("PRIF_STAT_LOCKED", 2),
    ("PRIF_STAT_LOCKED_OTHER_IMAGE", 3),
    ("PRIF_STAT_STOPPED_IMAGE", 4),
    ("PRIF_STAT_UNLOCKED", 1),
    ("PRIF_STAT_UNLOCKED_FAILED_IMAGE", 5),
];

/// The levels of teams that it has there.
const LEVELS: [(&str, i32); 3] =
    [("PRIF_CURRENT_TEAM", 1), ("PRIF_INITIAL_TEAM", 0), ("PRIF_PARENT_TEAM", 2)];

/// Whether its arguments can be passed on: a callback has LFortran's own convention, so its procedure is [`CALLBACKS`].
fn is_passed_on(procedure: &&Procedure) -> bool {
    procedure.name != "register_stop_callback"
}

/// The module.
pub fn module(interfaces: &Interfaces) -> String {
    let mut text = String::from(HEAD);
    for procedure in interfaces.procedures() {
        text += &format!("  public :: prif_{}\n", procedure.name);
    }
    text += "  public :: prif_stop_callback_interface, prif_coarray_cleanup_interface, prif_operation_wrapper_interface\n\n";
    text += &constants(interfaces);
    text += "\n";
    text += &interfaces.types;
    text += OWN_TYPES;
    text += "\n  ! Functions of libxmprt\n  interface\n";
    let passed_on = interfaces.procedures().filter(is_passed_on);
    text += &passed_on.map(function).collect::<Vec<_>>().join("\n");
    text += OTHER_FUNCTIONS;
    text += "  end interface\n\ncontains\n";
    text += HELPERS;
    text += &translations(interfaces);
    for (subject, procedures) in &interfaces.subjects {
        text += &format!("\n  ! {subject}\n");
        text.extend(procedures.iter().filter(is_passed_on).map(subroutine));
        if !procedures.iter().all(|procedure| is_passed_on(&procedure)) {
            text += CALLBACKS;
        }
    }
    text + "end module\n"
}

/// The declarations of the constants, with the values of LFortran.
fn constants(interfaces: &Interfaces) -> String {
    let declaration = |(name, value): &(String, i32)| {
        let of_lfortran = STATS.iter().chain(&LEVELS).find(|(known, _)| known == name);
        let value = of_lfortran.map_or(*value, |(_, value)| *value);
        format!("  integer(c_int), parameter, public :: {name} = {value}\n")
    };
    interfaces.constants.iter().map(declaration).collect()
}

/// The functions that make LFortran's values of the library's, and the other way round.
fn translations(interfaces: &Interfaces) -> String {
    let own = |name: &str| interfaces.constant(name);
    let of_stat =
        STATS.iter().map(|(name, _)| format!("    case ({}); stat = {name}\n", own(name)));
    let of_level =
        LEVELS.iter().map(|(name, _)| format!("    case ({name}); own = {}\n", own(name)));
    format!(
        "
  !> A value of `stat` as LFortran has it.
  integer(c_int) function translated(own) result(stat)
    integer(c_int), intent(in) :: own

    select case (own)
{}    case default; stat = own
    end select
  end function

  !> A level of teams, which is a value of LFortran, as the library has it.
  integer(c_int) function own_level(level) result(own)
    integer(c_int), intent(in) :: level

    select case (level)
{}    case default; own = level
    end select
  end function
",
        of_stat.collect::<String>(),
        of_level.collect::<String>()
    )
}

/// The interface body of a function of the library.
fn function(procedure: &Procedure) -> String {
    let head = call(
        "    ",
        &format!("subroutine xmp_prif_{}", procedure.name),
        &procedure.arguments(),
        &format!(" bind(C, name='{}')", procedure.symbol),
    );
    let (operands, outcome) = procedure.dummies.split_at(procedure.operands().len());
    let operands = operands.iter().map(|dummy| {
        let Passing { formal, shape, .. } = passing(dummy);
        format!("      {formal} :: {}{shape}\n", dummy.name)
    });
    let outcome = outcome
        .iter()
        .map(|dummy| format!("      type(c_ptr), intent(in), value :: {}\n", dummy.name));
    let declarations: String = operands.chain(outcome).collect();
    format!("{head}      import\n      implicit none\n{declarations}    end subroutine\n")
}

/// The procedure that LFortran calls.
fn subroutine(procedure: &Procedure) -> String {
    let name = &procedure.name;
    let head = format!("{}subroutine prif_{name}", procedure.prefix);
    let head = call("  ", &head, &procedure.arguments(), "");
    let parts: Vec<Passing> = procedure.operands().iter().map(passing).collect();
    let outcome = procedure.outcome();
    let mut locals: String = parts.iter().map(|part| part.locals.as_str()).collect();
    let mut before: String = parts.iter().map(|part| part.before.as_str()).collect();
    let mut after: String = parts.iter().map(|part| part.after.as_str()).collect();
    let mut actual: Vec<&str> = parts.iter().map(|part| part.actual.as_str()).collect();
    if name == "get_team" {
        before += "    if (present(level)) level_value = own_level(level)\n";
    }
    if name == "image_status" {
        after += "    image_status = translated(image_status)\n";
    }
    if outcome > 0 {
        locals += "    integer(c_int), target :: code\n    type(c_ptr) :: code_at\n";
        before += "    code = 0\n    code_at = c_null_ptr\n    if (present(stat)) code_at = c_loc(code)\n";
        after += "    if (present(stat)) stat = translated(code)\n";
        actual.push("code_at");
    }
    if outcome > 1 {
        locals += "    character(kind=c_char), target :: text(LONGEST)\n    type(descriptor), target :: said\n";
        before += "    call describe(said, c_loc(text), LONGEST, 1)\n";
        after += "    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)\n    \
                  if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)\n";
        actual.extend(["c_loc(said)", "c_null_ptr"]);
    }
    let call = call("    ", &format!("call xmp_prif_{name}"), &actual, "");
    let declarations = procedure.dummies.iter();
    let declarations: String = declarations
        .map(|dummy| format!("    {} :: {}{}\n", dummy.before, dummy.name, dummy.after))
        .collect();
    format!("{head}{declarations}{locals}\n{before}{call}{after}  end subroutine\n\n")
}
