//! The tarball in a system with an older C library, which `./x test --all` fetches: that of Debian 10, with glibc 2.28, or of Debian 11,
//! with 2.31, where the archive of old releases is out of reach.

use super::{package_file, tarball_name};
use std::fs;
use std::path::Path;
use std::process::Command;
use xmp_hosts::{Requirement, noted, skipped};
use xmp_tests::processes::is_root;
use xmp_tests::toolchain::{output_of, target_dir, workspace};

/// The commands that are executed there. Its gfortran is too old for coarrays, as on RHEL 8: the object file in Fortran comes from a newer one, and
/// is linked with the Fortran library of the system, as with a toolset of gcc.
const SCRIPT: &str = r#"cd /tried
ldd --version | sed -n 's/.* /glibc: /;1p'
xmprun --info >info
xmpcc -O2 power_iteration.c -o power -lm
xmprun -n 4 ./power
xmpcc -O2 heat.c -o heat -lm
xmprun -n 4 ./heat
gcc hello.o -o shared -L/xmprt/lib -lxmprt -Wl,-rpath,/xmprt/lib -l:libgfortran.so.5 -lm
xmprun -n 2 ./shared
gcc hello.o -o static /xmprt/lib/libxmprt.a -l:libgfortran.so.5 -lm -ldl -lpthread -lrt
xmprun -n 3 ./static
for plugin in /xmprt/lib/xmprt/libxmprt_mpi_*.so; do ldd -r $plugin 2>&1 | grep -E 'GLIBC|not found' | grep -v libmp || true; done
"#;

/// Enters the system whose directory is the first argument.
const ENTER: &str = r#"mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" || exit 77
exec chroot "$0" /usr/bin/env -i LC_ALL=C PATH=/xmprt/bin:/usr/bin:/usr/sbin sh -e -x /tried/script"#;

#[test]
fn the_tarball_compiles_and_runs_programs_with_an_older_c_library() {
    let Some(tarball) = package_file(&format!("{}.tar.gz", tarball_name())) else { return };
    let root = target_dir().join("older-system/root");
    if !root.join("complete").exists() {
        return noted(format_args!("the tarball is not tried: there is no {}", root.display()));
    }
    for directory in ["proc", "dev", "sys", "tried", "xmprt"] {
        let directory = root.join(directory);
        // An earlier run has left files. (`/proc` and the like are mounted in the namespace of the command only.)
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).expect("a directory");
    }
    let (installation, tried) = (root.join("xmprt"), root.join("tried"));
    let unpack: [&Path; 5] =
        ["--strip-components=1".as_ref(), "-xzf".as_ref(), &tarball, "-C".as_ref(), &installation];
    output_of("tar", unpack);
    let examples = workspace().join("examples");
    let hello = examples.join("fortran/hello.f90");
    let object = tried.join("hello.o");
    let compile: [&Path; 4] = ["-c".as_ref(), &hello, "-o".as_ref(), &object];
    output_of(installation.join("bin/xmpfc"), compile);
    for source in ["c/power_iteration.c", "xmp/heat.c"] {
        let source = examples.join(source);
        fs::copy(&source, tried.join(source.file_name().expect("a name"))).expect("a copy");
    }
    fs::write(tried.join("script"), SCRIPT).expect("a script");

    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork"]);
    if !is_root() {
        command.arg("--map-root-user");
    }
    let output = command.args(["sh", "-c", ENTER]).arg(&root).output().expect("unshare");
    let (lines, log) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if matches!(output.status.code(), Some(1 | 77)) && !log.contains("+ cd /tried") {
        return skipped(Requirement::Mount, format_args!("the system cannot be entered: {log}"));
    }
    assert!(output.status.success(), "{lines}{log}");
    let version = lines.lines().find_map(|line| line.strip_prefix("glibc: ")).expect("a version");
    if version != "2.28" {
        noted(format_args!("the tarball ran with glibc {version}: Debian 10 is out of reach"));
    }
    for line in ["largest eigenvalue", "500 steps"] {
        assert!(lines.contains(line), "{lines}{log}");
    }
    assert_eq!(lines.matches("PASS").count(), 2, "{lines}{log}");
    let mut hello: Vec<&str> = lines.lines().filter(|line| line.starts_with("hello")).collect();
    hello.sort_unstable();
    let expected = ["1 of 2", "1 of 3", "2 of 2", "2 of 3", "3 of 3"];
    assert_eq!(hello, expected.map(|image| format!("hello from image {image}")), "{lines}{log}");
    assert!(!lines.contains("GLIBC") && !lines.contains("not found"), "{lines}{log}");
}
