//! The stand-in for `ssh`: `AGENT [OPTIONS] HOST COMMAND...` runs a command line on a host of a network.

use crate::host::Host;
use std::fmt::Write;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes the program into `directory`. It is to be started on the first host. Like `ssh` it takes nothing along of
/// the environment but what `kept` names.
pub fn write(directory: &Path, hosts: &[Host], kept: &[&str]) -> io::Result<PathBuf> {
    let mut script = String::from(
        "#!/bin/sh\n\
         # ssh as launchers call it: options, a host, a command line for its shell.\n\
         while :; do\n  case $1 in\n    -l | -p | -o) shift 2 ;;\n    -*) shift ;;\n    *) break ;;\n  esac\ndone\n\
         host=$1\nshift\ncase $host in\n",
    );
    for host in hosts {
        let _ = writeln!(
            script,
            "  {} | {}) set -- \"$*\" {}; temporary={} ;;",
            host.name(),
            host.address(),
            host.entrance_from(&hosts[0]).join(" "),
            host.temporary_files().display()
        );
    }
    script.push_str("  *) echo \"$0: no host $host\" >&2; exit 255 ;;\nesac\n");
    script.push_str("line=$1\nshift\nexec nsenter \"$@\" env -i PATH=\"$PATH\" HOME=/root TMPDIR=\"$temporary\"");
    for name in kept {
        let _ = write!(script, " ${{{name}+{name}=\"${name}\"}}");
    }
    script.push_str(" /bin/sh -c \"$line\"\n");
    let path = directory.join("agent");
    fs::write(&path, script)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}
