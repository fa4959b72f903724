//! What this process holds while it works on the lines of a leased import.

use super::parse_row::ImportRowParser;
use super::price_bands::PriceBandIndex;
use app::import_row::ImportUnitContext;
use app::{App, Error, register_snapshot};
use domain::ImportKind;
use std::collections::HashMap;
use storage::exchange::imports::leases::LeasedImport;
use storage::exchange::imports::lines::list_import_lines;

/// Lines per transaction: small enough not to disturb other requests, and no more documents than one query looks up.
const MEMBERS_PER_TRANSACTION: i64 = 256;

const OTHERS_PER_TRANSACTION: i64 = 64;

pub(super) struct ImportLineWorker<'a> {
    pub(super) app: &'a App,
    pub(super) lease: LeasedImport,
    pub(super) context: ImportUnitContext,
    pub(super) kind: ImportKind,
    pub(super) parser: ImportRowParser,
    /// The line that first used each unique key.
    pub(super) first_lines: HashMap<u64, i32>,
    pub(super) price_bands: PriceBandIndex,
}

impl ImportLineWorker<'_> {
    pub(super) async fn load_lines(&self, after: i32) -> Result<Vec<(i32, String)>, Error> {
        let size =
            if self.kind == ImportKind::Members { MEMBERS_PER_TRANSACTION } else { OTHERS_PER_TRANSACTION };
        Ok(list_import_lines(&self.app.db, self.lease.tenant, self.lease.code, (after, size)).await?)
    }

    /// Reloads the registers and drops names looked up in the old ones.
    pub(super) async fn reload_registers(&mut self) -> Result<(), Error> {
        self.context.registers = register_snapshot::reload_registers(self.app, self.lease.tenant).await?;
        self.parser.clear_name_cache();
        Ok(())
    }
}
