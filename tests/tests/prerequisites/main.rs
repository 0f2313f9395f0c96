//! The prerequisites of `./x`, and its promises.

mod commands;
mod probes;
mod requirements;
mod rust;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::toolchain::{output_of, workspace};

/// A directory of commands, the only one in PATH, with what the probes themselves use.
struct Commands(TempDir);

impl Commands {
    fn new() -> Commands {
        let commands = Commands(tempfile::tempdir().expect("a directory"));
        for name in ["bash", "mktemp", "rm", "cat", "sed", "awk", "grep", "echo", "cut", "env"] {
            commands.link(name);
        }
        commands
    }

    /// Adds a command of this machine.
    fn link(&self, name: &str) -> &Commands {
        let path = output_of("sh", ["-c", &format!("command -v {name}")]);
        symlink(path.trim(), self.0.path().join(name)).expect("a link");
        self
    }

    /// Adds a command with this text.
    fn script(&self, name: &str, text: &str) -> &Commands {
        let file = self.0.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
        self
    }

    /// Runs a command of the shell with the probes of `./x`.
    fn probe(&self, command: &str, variables: &[(&str, &Path)]) -> Output {
        let sources = "again usage probes systems hwloc needs rust plugins".split(' ');
        let sources: String = sources.map(|name| format!(". .ci/{name}.sh; ")).collect();
        Command::new("bash")
            .args(["-c", &format!("set -eu; root=$PWD; {sources} {command}")])
            .current_dir(workspace())
            .env_clear()
            .env("PATH", self.0.path())
            .envs(variables.iter().copied())
            .output()
            .expect("bash")
    }

    fn have(&self, name: &str) -> bool {
        self.probe(&format!("have {name}"), &[]).status.success()
    }
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
