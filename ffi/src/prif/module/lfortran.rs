//! `prif_lfortran.F90`: procedures that LFortran compiles, so that they have its convention, and that call the functions
//! of this library by the C one.
//!
//! Nothing is left to what a compiler makes of optional, assumed-shape and character arguments of C functions: those
//! become addresses of local variables here.

use super::super::outcome::stat;
use super::super::table::Row;
use super::super::teams::level;
use super::fortran::{self, TYPES};
use super::own::{CALLBACKS, HEAD, HELPERS, OTHER_FUNCTIONS, OWN_TYPES};
use super::passing::{Passing, passing};
use super::{SUBJECTS, procedures};

/// A constant, the value that the library has for it, and the one that LFortran has in its ISO_FORTRAN_ENV.
type Constant = (&'static str, i32, i32);

const STATS: [Constant; 6] = [
    ("STAT_FAILED_IMAGE", stat::FAILED_IMAGE, -1),
    ("STAT_LOCKED", stat::LOCKED, 2),
    ("STAT_LOCKED_OTHER_IMAGE", stat::LOCKED_OTHER_IMAGE, 3),
    ("STAT_STOPPED_IMAGE", stat::STOPPED_IMAGE, 4),
    ("STAT_UNLOCKED", stat::UNLOCKED, 1),
    ("STAT_UNLOCKED_FAILED_IMAGE", stat::UNLOCKED_FAILED_IMAGE, 5),
];

const LEVELS: [Constant; 3] = [
    ("CURRENT_TEAM", level::CURRENT, 1),
    ("INITIAL_TEAM", level::INITIAL, 0),
    ("PARENT_TEAM", level::PARENT, 2),
];

/// Whether its arguments can be passed on: a callback has LFortran's own convention, so its procedure is [`CALLBACKS`].
fn is_passed_on(row: &&Row) -> bool {
    row.name != "register_stop_callback"
}

/// The module.
pub fn module() -> String {
    let mut text = String::from(HEAD);
    text += &fortran::public(procedures());
    text += "  public :: prif_stop_callback_interface, prif_coarray_cleanup_interface, prif_operation_wrapper_interface\n\n";
    text += &constants();
    text += "\n";
    text += TYPES;
    text += OWN_TYPES;
    text += "\n  ! Functions of libxmprt\n  interface\n";
    let functions: Vec<String> = procedures().filter(is_passed_on).map(function).collect();
    text += &functions.join("\n");
    text += OTHER_FUNCTIONS;
    text += "  end interface\n\ncontains\n";
    text += HELPERS;
    text += &translations();
    for (subject, rows) in SUBJECTS {
        text += &format!("\n  ! {subject}\n");
        let ours = rows.iter().filter(is_passed_on);
        text.extend(ours.map(subroutine));
        if !rows.iter().all(|row| is_passed_on(&row)) {
            text += CALLBACKS;
        }
    }
    text + "end module\n"
}

fn constants() -> String {
    let of_lfortran = |line: &str| {
        let mut all = STATS.iter().chain(&LEVELS);
        let known = all.find(|(name, ..)| line.contains(&format!("PRIF_{name} ")));
        match (known, line.split_once(" = ")) {
            (Some((_, _, value)), Some((before, _))) => format!("{before} = {value}\n"),
            _ => format!("{line}\n"),
        }
    };
    fortran::constants().lines().map(of_lfortran).collect()
}

/// The functions that make LFortran's values of the library's, and the other way round.
fn translations() -> String {
    let of_stat =
        STATS.iter().map(|(name, own, _)| format!("    case ({own}); stat = PRIF_{name}\n"));
    let of_level =
        LEVELS.iter().map(|(name, own, _)| format!("    case (PRIF_{name}); own = {own}\n"));
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
fn function(row: &Row) -> String {
    let symbol = match row.kind {
        "plain" => format!("prif_{}", row.name),
        "external" => format!("xmp_prif_{}_", row.name),
        _ => format!("xmp_prif_{}", row.name),
    };
    let head = fortran::call(
        "    ",
        &format!("subroutine xmp_prif_{}", row.name),
        &fortran::arguments(row),
        &format!(" bind(C, name='{symbol}')"),
    );
    let own = row.dummies.iter().map(|(name, declaration)| {
        format!("      {} :: {name}{}\n", passing(declaration).formal, passing(declaration).shape)
    });
    let of_outcome = fortran::status(row)
        .iter()
        .map(|(name, _)| format!("      type(c_ptr), intent(in), value :: {name}\n"));
    let declarations: String = own.chain(of_outcome).collect();
    format!("{head}      import\n      implicit none\n{declarations}    end subroutine\n")
}

/// The procedure that LFortran calls.
fn subroutine(row: &Row) -> String {
    let prefix = if row.name == "image_status" { "impure elemental " } else { "" };
    let names = fortran::arguments(row);
    let head = fortran::call("  ", &format!("{prefix}subroutine prif_{}", row.name), &names, "");
    let parts: Vec<Passing> =
        row.dummies.iter().map(|(name, declaration)| passing(declaration).named(name)).collect();
    let outcome = fortran::status(row).len();
    let mut locals: String = parts.iter().map(|part| part.locals.as_str()).collect();
    let mut before: String = parts.iter().map(|part| part.before.as_str()).collect();
    let mut after: String = parts.iter().map(|part| part.after.as_str()).collect();
    let mut actual: Vec<&str> = parts.iter().map(|part| part.actual.as_str()).collect();
    if row.name == "get_team" {
        before += "    if (present(level)) level_value = own_level(level)\n";
    }
    if row.name == "image_status" {
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
    let call = fortran::call("    ", &format!("call xmp_prif_{}", row.name), &actual, "");
    let declarations = fortran::declarations(row, "    ");
    format!("{head}{declarations}{locals}\n{before}{call}{after}  end subroutine\n\n")
}
