//! Which price a line charges: two columns of every table of lines.

use domain::finance::{PriceOrigin, PriceSource};
use storage::{Error, Row, SqlScalar};

/// The values of `price_origin` and `plan_price`.
pub(crate) fn list_origin_values(price: Option<PriceOrigin>) -> [SqlScalar; 2] {
    [price.map(|price| price.source).into(), price.and_then(|price| price.row).into()]
}

pub(crate) fn parse_price_origin(line: &Row) -> Result<Option<PriceOrigin>, Error> {
    let source: Option<PriceSource> = line.get("price_origin")?;
    let row = line.get("plan_price")?;
    Ok(source.map(|source| PriceOrigin { source, row }))
}
