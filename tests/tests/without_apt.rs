//! Systems without apt-get and dpkg, on which the user may install nothing: this machine as Rocky Linux, with a layer over `/usr` that
//! hides them, the headers of hwloc and gfortran, for a user without rights.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use xmp_hosts::{Requirement, noted, skipped};
use xmp_tests::toolchain::{toolchain, workspace};

/// The status of [`ENTER`] where the system permits no layer.
const NO_LAYER: i32 = 77;

/// Executes `$5...` there. `$1`: an empty directory; `$2`: the workspace, `$3`: the installation, `$4`: the directory of Rust's toolchains.
/// With `TOOLSET` in the environment, gfortran is where RHEL has newer ones, beside an old one.
const ENTER: &str = r#"
layer=$1
rustup=$4
cargo=$(dirname -- "$(command -v cargo)")
real=$(readlink -f -- "$(command -v gfortran)")
mount -t tmpfs tmpfs "$layer" || exit 77
chmod 755 "$layer"
cd "$layer"
mkdir changes work usr source prefix rustup cargo opt
mkdir -m 777 home
mount -t overlay overlay -o "lowerdir=/usr,upperdir=$layer/changes,workdir=$layer/work" usr || exit 77
set -e
mount --bind "$2" source
mount --bind "$3" prefix
mount --bind "$cargo" cargo
[ ! -d "$rustup" ] || mount --bind "$rustup" rustup
rm -rf usr/bin/apt* usr/bin/dpkg* usr/sbin/dpkg* usr/include/hwloc* usr/lib/*/pkgconfig/hwloc.pc usr/lib/*/libhwloc.so usr/lib/*/libhwloc.a
rm -f usr/bin/gfortran usr/bin/gfortran-*
if [ -n "$TOOLSET" ]; then
  toolset=opt/rh/gcc-toolset-14/root/usr/bin
  mkdir -p "$toolset"
  ln -s "$real" "$toolset/gfortran"
  printf '#!/bin/sh\nif [ "$1" = -dumpversion ]; then echo 8.5.0; else exec "%s" "$@"; fi\n' "$real" >usr/bin/gfortran
  chmod 755 usr/bin/gfortran
fi
printf 'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n' >os-release
mount --bind opt /opt
mount --bind usr /usr
mount --bind os-release "$(readlink -f /etc/os-release)"
shift 4
cd source
exec setpriv --reuid=65534 --regid=65534 --clear-groups env -i HOME="$layer/home" PATH="$layer/cargo:/usr/bin:/bin" \
  RUSTUP_HOME="$layer/rustup" CARGO_HOME="$layer/home/.cargo" CARGO_TARGET_DIR="$layer/home/target" PREFIX="$layer/prefix" "$@"
"#;

/// What a command prints there, and its exit status; `None`, and a message, where there is no such system.
fn there(toolset: bool, command: &str) -> Option<(String, Option<i32>)> {
    // SAFETY: has no arguments.
    if unsafe { libc::getuid() } != 0 {
        skipped(Requirement::Root, "only root can lay something over /usr");
        return None;
    }
    let place = tempfile::tempdir().expect("a directory");
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).expect("permissions");
    let home = std::env::var("HOME").unwrap_or_default();
    let rustup = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup"));
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"]);
    unshare.arg(place.path()).arg(workspace()).arg(toolchain().prefix()).arg(rustup);
    unshare.args(["bash", "-c", command]);
    if toolset {
        unshare.env("TOOLSET", "1");
    }
    let output = unshare.output().expect("unshare");
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let text = text.concat();
    if output.status.code() == Some(NO_LAYER) {
        skipped(Requirement::Mount, format_args!("nothing can be laid over /usr: {text}"));
        return None;
    }
    Some((text, output.status.code()))
}

#[test]
fn the_doctor_of_a_system_without_apt_names_its_own_packages() {
    let Some((text, status)) = there(false, "./x doctor") else { return };
    assert_eq!(status, Some(1), "{text}");
    for words in [
        &["to build", "hwloc", "from its sources"][..],
        &["MISSING", "fortran"],
        &["sudo dnf install gcc-gfortran"],
    ] {
        let is_found = |line: &str| words.iter().all(|word| line.contains(word));
        assert!(text.lines().any(is_found), "{words:?}: {text}");
    }
    assert!(!text.contains("apt-get"), "{text}");
    let Some((text, status)) = there(false, "./x install --prefix ~/here") else { return };
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("sudo dnf install gcc-gfortran\n") && !text.contains("apt"), "{text}");
    assert!(!text.contains("building hwloc"), "it is of no use yet: {text}");
}

#[test]
fn a_user_without_rights_compiles_with_the_gfortran_of_a_toolset() {
    let hello = "cd && $PREFIX/bin/xmpfc $OLDPWD/examples/fortran/hello.f90 -o hello && $PREFIX/bin/xmprun -n 2 ./hello";
    let Some((text, status)) = there(true, hello) else { return };
    assert_eq!((&*text, status), ("hello from image 1 of 2\nhello from image 2 of 2\n", Some(0)));
    let Some((text, _)) = there(true, "./x doctor --prefix $PREFIX") else { return };
    assert!(!text.contains("MISSING") && !text.contains("apt-get"), "{text}");
    assert!(text.lines().any(|line| line.contains("ok") && line.contains("fortran")), "{text}");
}

/// It is a library of the launcher: the machine may have no package of it, and its user may not install one.
#[test]
fn hwloc_is_built_from_its_sources_where_no_package_can_be_installed() {
    let build = "root=$PWD; target=$CARGO_TARGET_DIR; say() { echo \"$*\"; }; die() { say \"$*\"; exit 1; }; mkdir -p $target; \
                 for part in again usage probes systems hwloc needs; do . .ci/$part.sh; done; \
                 ! have hwloc && require_packages && have hwloc && pkg-config --modversion hwloc";
    let Some((text, status)) = there(true, build) else { return };
    if text.contains("cannot be fetched") {
        return noted(format_args!("hwloc is not built: {text}"));
    }
    assert_eq!(status, Some(0), "{text}");
    assert!(text.trim_end().ends_with("\n2.9.0"), "{text}");
}
