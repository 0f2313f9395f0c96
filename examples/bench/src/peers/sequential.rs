//! The sequential programs: what a plain compiler makes of the sources that our translator reads.

use super::find::in_path;
use super::{Absent, Compiler, Kind, Launcher, Peer};
use crate::machine::checkout;
use crate::options::RunOptions;
use std::env;
use std::path::PathBuf;

/// The inquiries that the programs call: of one node.
const INQUIRIES: &str = "examples/bench/programs/sequential.c";

/// The compilers that ours calls, without ours.
pub fn sequential(options: &RunOptions) -> Result<Peer, Absent> {
    let (id, title, kind) = ("sequential", "sequential", Kind::Sequential);
    let found = |compiler: PathBuf| {
        let in_path = compiler.to_str().and_then(in_path);
        let missing = format!("no {}", compiler.display());
        let is_path = compiler.components().count() > 1;
        in_path.or(is_path.then_some(compiler)).ok_or(Absent { id, title, kind, missing })
    };
    let c = env::var_os("XMP_CC").map_or_else(|| "cc".into(), PathBuf::from);
    let fortran = options.fortran().unwrap_or_else(|| "gfortran".into());
    // The declarations of the inquiries.
    let include = options.our_prefix().join("include/xmprt/xmp");
    let leaked = |text: String| &*String::leak(text);
    let include = leaked(format!("-I{}", include.display()));
    let inquiries = leaked(checkout().join(INQUIRIES).display().to_string());
    Ok(Peer {
        id,
        title,
        kind,
        compiler: Some(Compiler {
            before: vec![include].leak(),
            after: vec![inquiries].leak(),
            ..Compiler::plain(found(c)?)
        }),
        fortran: Some(found(fortran)?),
        launcher: Launcher::Alone,
    })
}
