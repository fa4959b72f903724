//! Search for sellers. A tenant has hundreds, a very large one a few thousand, and a query without filter returns all.
//! So they are read from the database at each call, and comparisons that ignore case and accents are done here, alike
//! for both engines. This keeps the cached registers small and free of the sellers' documents and phones.

use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{Document, fold_text, has_word_beginnings, split_name_words};
use std::sync::Arc;
pub use storage::registers::sellers::ActiveSellerDetails;
use wire::read::LenientMember;
use wire::records::PesquisaVendedorQuery;

pub struct FoundSellers {
    /// By name, then code.
    pub sellers: Vec<ActiveSellerDetails>,
    pub registers: Arc<TenantRegisters>,
}

/// The active sellers in the caller's branches that match the query.
#[boxed::future]
pub async fn search_sellers(
    app: &App,
    caller: &Session,
    query: PesquisaVendedorQuery,
) -> Result<FoundSellers, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let document = query.document.into_set().map(|text| Document::parse_searched(&text));
    // An invalid document matches nothing.
    let Ok(document) = document.transpose() else {
        return Ok(FoundSellers { sellers: Vec::new(), registers });
    };
    let kind = query.kind.into_set().map(|LenientMember(kind)| kind);
    let mut sellers =
        storage::registers::sellers::list_active_sellers(&app.db, &caller.scope, kind, document.as_ref())
            .await?;
    if let Some(name) = query.name.into_set() {
        let words = split_name_words(&name);
        // A name without any letter or digit matches nothing.
        sellers.retain(|seller| !words.is_empty() && has_word_beginnings(&words, &seller.name));
    }
    retain_equal_sellers(&mut sellers, query.district.into_set(), |seller| seller.district.as_deref());
    retain_equal_sellers(&mut sellers, query.city.into_set(), |seller| seller.city.as_deref());
    retain_equal_sellers(&mut sellers, query.state.into_set(), |seller| seller.state.as_deref());
    sellers.sort_by_cached_key(|seller| (fold_text(&seller.name), seller.code));
    Ok(FoundSellers { sellers, registers })
}

/// Filters by a value, ignoring case and accents; no filter if `requested` is absent.
fn retain_equal_sellers(
    sellers: &mut Vec<ActiveSellerDetails>,
    requested: Option<String>,
    value: impl Fn(&ActiveSellerDetails) -> Option<&str>,
) {
    if let Some(requested) = requested {
        let requested = fold_text(&requested);
        sellers.retain(|seller| value(seller).is_some_and(|actual| fold_text(actual) == requested));
    }
}
