//! Windows of Open MPI 4 over libfabric, whose puts may arrive after their flush.
//!
//! MPI_Win_flush returns when the puts are complete at the target (MPI 4.1, section 12.5.4), and this library relies on it: a
//! message that follows a flushed put must not overtake it. Open MPI 4.1.4 breaks that where its component `osc/rdma` uses the
//! layer `btl/ofi` over a provider that writes in software (`mpirun --mca btl self,tcp,ofi`): of 100 puts of a megabyte 1 to 10
//! are late. No measurement finds that reliably, so such windows are not used. Open MPI 5.0.7 is right.

use std::env;

/// Whether a window of this MPI may be one of those, by its version and the parameters that it gets from mpirun.
pub fn may_arrive_late(library: &str) -> bool {
    library.starts_with("Open MPI v4") && {
        let parameter = |name: &str| env::var(name).ok();
        let (component, layer) = (parameter("OMPI_MCA_osc"), parameter("OMPI_MCA_btl"));
        may_take(component.as_deref(), "rdma") && may_take(layer.as_deref(), "ofi")
    }
}

/// Whether Open MPI may take this component, by its list: names, or after `^` those that it may not take. Without a list it may
/// take all.
fn may_take(list: Option<&str>, component: &str) -> bool {
    let has = |names: &str| names.split(',').any(|name| name.trim() == component);
    match list.map(str::trim).filter(|list| !list.is_empty()) {
        None => true,
        Some(list) => list.strip_prefix('^').map_or_else(|| has(list), |names| !has(names)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_taken_if_the_list_allows_it() {
        for (list, expected) in [
            (None, true),
            (Some(""), true),
            (Some("self,tcp,ofi"), true),
            (Some("self,tcp"), false),
            (Some("^tcp"), true),
            (Some("^tcp,ofi"), false),
            (Some(" ^ofi"), false),
            (Some("self, ofi"), true),
        ] {
            assert_eq!(may_take(list, "ofi"), expected, "{list:?}");
        }
    }

    #[test]
    fn other_libraries_are_right() {
        assert!(!may_arrive_late("Open MPI v5.0.7, package: Debian"));
        assert!(!may_arrive_late("MPICH Version:\t4.0.2"));
    }
}
