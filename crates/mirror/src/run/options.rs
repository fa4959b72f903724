//! What to mirror, and how.

use crate::client::RequestPace;
use domain::TenantId;

#[derive(Clone, Debug)]
pub struct MirrorOptions {
    /// `https://…`, before `/ext`.
    pub from: String,
    pub login: String,
    pub password: String,
    /// The tenant to write to, which must already mirror this source; by default the tenant of an earlier run, or a new
    /// one.
    pub into: Option<TenantId>,
    /// The name of a new tenant, if it differs from the source's.
    pub name: Option<String>,
    pub time_zone: String,
    pub pace: RequestPace,
    /// Compares everything, not only what changed.
    pub is_full: bool,
}
