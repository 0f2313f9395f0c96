//! Allgather of long contributions.

use super::{LINE, Placement, Regions, fetch, fetched, pipeline, shared_at};
use crate::host::allgather::Contribution;
use crate::host::{Host, Sources};
use xmp_core::BoxedResult;

/// Gathers all contributions. Returns `false`, on all members and before anything is written, if the members are in one
/// group or too many for staging.
pub fn allgather(host: &Host<'_>, contribution: &mut Contribution<'_>) -> BoxedResult<bool> {
    let hierarchy = host.area.hierarchy();
    let (me, members) = (host.me(), host.members());
    let last = hierarchy.levels().len();
    let longest = contribution.offsets.longest(members);
    let most = Regions::longest_piece(last, members, 1) / members / LINE * LINE;
    if last == 1 || most == 0 {
        return Ok(false);
    }
    // A piece has this many bytes of each member.
    let each = most.min(longest).max(1);
    let len = each * members;
    let regions = Regions::new(last, members, 1, len);
    let held = Placement::ByEach { members, each };
    let is_staged = host.post_address(contribution.mine.as_ptr()) == 0;
    let mut addresses = Sources::new();
    pipeline(host, longest.div_ceil(each), last, |stage, number| {
        let from = number * each;
        if (stage, number) == (1, 0) {
            addresses.extend((0..members).map(|member| host.posted_address(member)));
        }
        // SAFETY: a piece fits in a region. Contributions in segments do not change before all have executed the last stage but one,
        // and only bytes that they have are read. Staging of the last epoch is not written before the next barrier.
        unsafe {
            match stage {
                0 => {
                    if is_staged {
                        let own = contribution.own(from, each);
                        host.area.stage(regions.own(host, 0), own.as_ptr(), own.len());
                    }
                }
                _ if stage == last => {
                    let held = shared_at(hierarchy, last - 1, 1, me);
                    for member in 0..members {
                        let whole = member * each..(member + 1) * each;
                        for run in held.runs(len, &whole, me) {
                            let source = regions.of(host, stage - 1, run.holder).add(run.at);
                            let at = from + run.range.start - whole.start;
                            contribution.take(member, at, run.range.len(), source);
                        }
                    }
                }
                level => {
                    let (own, runs) = fetched(hierarchy, level, held, 1, len, me);
                    let to = regions.own(host, stage);
                    let mut staged = Vec::new();
                    for run in runs {
                        let address = addresses[run.holder];
                        if level > 1 || address.is_null() {
                            staged.push(run);
                            continue;
                        }
                        let has = contribution.offsets.len(run.holder);
                        let len = run.range.len().min(has.saturating_sub(from + run.at));
                        let at = to.wrapping_add(run.range.start - own.start);
                        crate::copy::take(at, address.wrapping_add(from + run.at), len);
                    }
                    fetch(&(own, staged), 1, to, |run| {
                        regions.of(host, stage - 1, run.holder).wrapping_add(run.at)
                    });
                }
            }
        }
        Ok(())
    })?;
    Ok(true)
}
