//! The grammar of parallel I/O in Fortran: `master_io`, `global_io` and `file_sync_all`.

use super::ast::{Access, Kind};
use super::scan::{ScanResult, Scanner};

/// Reads the text after `master_io`.
pub fn master_io(scan: &mut Scanner) -> Kind {
    match scan.accept_word("end") {
        Some(_) => Kind::EndIo { is_master: true },
        None => Kind::MasterIo { begins: scan.accept_word("begin").is_some() },
    }
}

/// Reads the text after `global_io`.
pub fn global_io(scan: &mut Scanner) -> Kind {
    if scan.accept_word("end").is_some() {
        return Kind::EndIo { is_master: false };
    }
    let access = if scan.accept_word("atomic").is_some() {
        Access::Atomic
    } else if scan.accept_word("direct").is_some() {
        Access::Direct
    } else {
        Access::Collective
    };
    Kind::GlobalIo { access, begins: scan.accept_word("begin").is_some() }
}

/// Reads the text after `file_sync_all`.
pub fn file_sync_all(scan: &mut Scanner) -> ScanResult<Kind> {
    scan.expect("(", "before the unit")?;
    let mut unit = scan.expression(&[')', '='], "the unit")?;
    if unit.text.trim().eq_ignore_ascii_case("unit") && scan.accept("=") {
        unit = scan.expression(&[')'], "the unit")?;
    }
    scan.expect(")", "after the unit")?;
    Ok(Kind::FileSyncAll { unit })
}
