//! Asks the compiler of the MPI which MPI that is: its name is part of the table, one release needs mending, and the standard ABI has no
//! name of an MPI.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=MPICC");
    println!("cargo:rerun-if-changed=build.rs");
    let compiler = env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let macros = macros(&compiler).unwrap_or_else(|error| panic!("cannot ask {compiler}: {error}"));
    let text = |name: &str| {
        let mut lines = macros.lines();
        lines.find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name)?.strip_prefix(' '))
    };
    let number = |name: &str| -> Option<u64> { text(name)?.trim().parse().ok() };

    let version = number("MPI_VERSION").unwrap_or(0);
    assert!(version >= 3, "{compiler} is of MPI {version}: MPI 3.0 or newer is needed");
    let flavour = match (number("OPEN_MPI"), text("MPICH_VERSION").or(text("I_MPI_VERSION"))) {
        (Some(_), _) => "openmpi",
        (None, None) if number("MPI_ABI_VERSION").is_some() => "abi",
        _ => "mpich",
    };
    println!("cargo:rustc-env=XMP_MPI_FLAVOUR={flavour}");
    // The MPI_Finalize of MPICH 4.0 and 4.1 may wait for a neighbour for ever (pull request 6596). A plug-in serves all
    // MPIs of its ABI. Those that disconnect in MPI_Finalize do without it for the same reason, and others do not call it.
    if flavour == "mpich" {
        println!("cargo:rustc-cfg=mends_finalize");
    }
    if flavour == "abi" {
        println!("cargo:rustc-cfg=standard_abi");
    }
}

/// What the MPI's header defines.
fn macros(compiler: &str) -> Result<String, String> {
    let args = ["-E", "-dM", "-include", "mpi.h", "-x", "c", "/dev/null"];
    let output = Command::new(compiler).args(args).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
