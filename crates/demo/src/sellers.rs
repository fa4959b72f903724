//! Generates demo sellers: how many of each kind each branch has, and each of them by number.

use crate::dice::SeededDice;
use crate::documents::{self, LAST_NUMBER};
use crate::names::{CompanyName, PersonName};
use crate::places::{self, BRANCHES};
use domain::{BranchCode, DisplayName, Email, InputField, SellerCode, SellerKind, Sex};
use storage::registers::sellers::NewSellerRow;

/// Consultants and representatives of each branch.
const COUNTS: [(usize, usize); 5] = [(8, 3), (6, 2), (4, 2), (3, 1), (2, 1)];

/// Members have lower numbers.
const FIRST_NUMBER: u32 = LAST_NUMBER - 1_000;

/// A seller's position. Codes start at 1, as in every new tenant.
pub struct SalesPost {
    pub code: SellerCode,
    pub kind: SellerKind,
    /// Index of the branch.
    pub branch: usize,
}

pub fn list_sales_posts() -> Vec<SalesPost> {
    let mut posts = Vec::new();
    for (branch, (consultants, representatives)) in COUNTS.into_iter().enumerate() {
        for (kind, count) in
            [(SellerKind::Consultant, consultants), (SellerKind::Representative, representatives)]
        {
            for _ in 0..count {
                posts.push(SalesPost { code: SellerCode::new(posts.len() as i32 + 1), kind, branch });
            }
        }
    }
    posts
}

/// Consultants and representatives of each branch.
pub fn group_sellers_by_branch() -> Vec<(Vec<SellerCode>, Vec<SellerCode>)> {
    let posts = list_sales_posts();
    let list_sellers = |branch: usize, kind: SellerKind| {
        posts.iter().filter(|post| (post.branch, post.kind) == (branch, kind)).map(|post| post.code).collect()
    };
    (0..BRANCHES.len())
        .map(|branch| {
            (list_sellers(branch, SellerKind::Consultant), list_sellers(branch, SellerKind::Representative))
        })
        .collect()
}

/// Every second representative is a company.
pub fn generate_seller(seed: u64, post: &SalesPost) -> NewSellerRow {
    let number = FIRST_NUMBER + post.code.get().unsigned_abs();
    let mut dice = SeededDice::new(seed, u64::from(number));
    let dice = &mut dice;
    let city = dice.pick_skewed(BRANCHES[post.branch].cities);
    let (name, document) = if post.kind == SellerKind::Representative && post.code.get() % 2 == 0 {
        let letters = dice.roll_percent(30);
        (CompanyName::generate(dice).registered, documents::generate_cnpj(seed, number, letters, dice).into())
    } else {
        let sex = if dice.roll_percent(50) { Sex::Female } else { Sex::Male };
        (PersonName::generate(dice, sex).full_name(), documents::generate_cpf(seed, number).into())
    };
    let address = format!("vendas{}@demo.example", post.code);
    NewSellerRow {
        code: post.code,
        kind: post.kind,
        name: DisplayName::parse(InputField::Name, &name).expect("made names can be kept"),
        document: Some(document),
        email: Some(Email::parse(&address).expect("it is an address")),
        mobile: Some(places::generate_mobile(dice, &city)),
        landline: dice.roll_percent(40).then(|| places::generate_landline(dice, &city)),
        district: Some(places::pick_district(dice).to_owned()),
        city: Some(city.name.to_owned()),
        state: Some(city.state.to_owned()),
        branch: BranchCode::new(post.branch as i32 + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_branch_has_sellers_of_both_kinds() {
        assert_eq!(COUNTS.len(), BRANCHES.len());
        assert!(
            group_sellers_by_branch()
                .iter()
                .all(|(consultants, representatives)| !consultants.is_empty() && !representatives.is_empty())
        );
        let codes: Vec<i32> = list_sales_posts().iter().map(|post| post.code.get()).collect();
        assert_eq!(codes, (1..=32).collect::<Vec<_>>());
    }
}
