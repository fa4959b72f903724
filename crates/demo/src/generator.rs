//! What every generated record is derived from. The room of each kind of record adds its functions.

use crate::sellers;
use domain::SellerCode;

/// Generates the people of a demo.
pub struct SampleGenerator {
    pub(super) seed: u64,
    pub(super) members: u32,
    /// Consultants and representatives of each branch.
    pub(super) sellers: Vec<(Vec<SellerCode>, Vec<SellerCode>)>,
}

impl SampleGenerator {
    pub fn new(seed: u64, members: u32) -> SampleGenerator {
        SampleGenerator { seed, members, sellers: sellers::group_sellers_by_branch() }
    }
}
