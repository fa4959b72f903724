//! The search for sellers. An association has hundreds of them, a very large one a few thousand, and whoever asks without
//! a filter is given all: so they are read from the database at each call, and what must ignore case and accents is
//! compared here, in one way for both engines. What is remembered of the registers stays small, and free of the sellers'
//! documents and telephones.

use crate::access::Session;
use crate::base::{Registers, registers};
use crate::{App, Error};
use domain::{Document, begins_words, fold, name_words};
use std::sync::Arc;
pub use storage::sellers::SellerDetails;
use wire::read::Loosely;
use wire::records::PesquisaVendedorQuery;

pub struct Found {
    /// By name, then code.
    pub sellers: Vec<SellerDetails>,
    pub registers: Arc<Registers>,
}

/// Those who sell now where the caller works, as far as the query asks for them.
#[boxed::future]
pub async fn search(app: &App, caller: &Session, query: PesquisaVendedorQuery) -> Result<Found, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let document = query.document.set().map(|text| Document::parse(&text));
    // A wrong number is nobody's.
    let Ok(document) = document.transpose() else { return Ok(Found { sellers: Vec::new(), registers }) };
    let kind = query.kind.set().map(|Loosely(kind)| kind);
    let mut sellers = storage::sellers::active(&app.db, &caller.scope, kind, document.as_ref()).await?;
    if let Some(name) = query.name.set() {
        let words = name_words(&name);
        // Signs without a letter begin no word.
        sellers.retain(|seller| !words.is_empty() && begins_words(&words, &seller.name));
    }
    keep_equal(&mut sellers, query.district.set(), |seller| seller.district.as_deref());
    keep_equal(&mut sellers, query.city.set(), |seller| seller.city.as_deref());
    keep_equal(&mut sellers, query.state.set(), |seller| seller.state.as_deref());
    sellers.sort_by_cached_key(|seller| (fold(&seller.name), seller.code));
    Ok(Found { sellers, registers })
}

/// Keeps those of whom a value is the same but for case and accents, where one is asked for.
fn keep_equal(
    sellers: &mut Vec<SellerDetails>,
    asked: Option<String>,
    value: impl Fn(&SellerDetails) -> Option<&str>,
) {
    if let Some(asked) = asked {
        let asked = fold(&asked);
        sellers.retain(|seller| value(seller).is_some_and(|own| fold(own) == asked));
    }
}
