//! The test whether this process may make hosts.

use std::process::{Command, Stdio};

/// Why no hosts can be made here.
pub fn check() -> Result<(), String> {
    // SAFETY: geteuid only returns a number and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        return Err("namespaces and network links need root".into());
    }
    for (program, package) in
        [("ip", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")]
    {
        let mut command = Command::new(program);
        command.arg("-V").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Err(error) = command.status() {
            return Err(format!("{program} cannot be run ({error}); it comes with {package}"));
        }
    }
    Ok(())
}
