//! What creating a benefit writes, by hand: the same rows in batches of one transaction, by the driver alone, without
//! callers and without asking anything first. Making up the values is not timed.

use super::base::Holder;
use super::writes::Fresh;
use crate::executor::{BATCH, Log, connect, connection, keep_log};
use crate::measure::Side;
use domain::{
    AdditionalFieldValues, AuditedAction, AuditedChange, AuditedRecordKind, Benefit, BenefitCode,
    BenefitItem, BenefitKind, CardNumber, Chassis, Colour, Date, Entity, FieldCode, Fuel, HistoryCode,
    ItemCode, Moment, Money, PlanCode, Plate, ReceiverCode, SituationCode, TenantId, TimeZone, UserCode,
    VehicleCategory, VehicleDetails, VehicleTypeCode,
};
use futures_util::future::try_join_all;
use rusqlite::Connection;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};
use storage::benefits::items;
use storage::history::{audit, situation_changes};
use storage::search::rows;
use storage::search::rows::{MemberRowFields, OwnRowFields, SearchListingRow};
use storage::server::counters::{self, Counter};
use storage::{DatabaseOptions, SqlScalar, Statement, benefits};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config};
use wire::trigger::{BenefitTrigger, describe_benefit};

const NOW: Moment = Moment::from_millis(1_794_700_000_000);
const RECEIVER: ReceiverCode = ReceiverCode::new(1);
const ACTIVE: SituationCode = SituationCode::new(1);
const PLAN: PlanCode = PlanCode::new(1);
const COUNTERS: &str = "SELECT kind, last FROM counters WHERE tenant = $1";

/// Makes up what is written.
pub struct Units {
    pub tenant: TenantId,
    pub fresh: Rc<RefCell<Fresh>>,
}

/// One creation: the counters, whose answers the rows wait for, and the rows.
struct Unit {
    counters: [Statement; 2],
    rows: Vec<Statement>,
}

/// The last number of each kind.
type Last = HashMap<String, i64>;

impl Units {
    /// A batch whose codes follow those that were given last.
    fn batch(&self, last: &Last) -> Vec<Unit> {
        let mut fresh = self.fresh.borrow_mut();
        let unit = |number| {
            let code = |kind: &str| i32::try_from(last.get(kind).unwrap_or(&0) + number).unwrap_or(i32::MAX);
            let (plate, holder) = fresh.draw();
            let counters = [
                counters::build_reservation(self.tenant, [(Counter::Card, 1)]),
                counters::build_reservation(
                    self.tenant,
                    [
                        Counter::Benefit,
                        Counter::Sequence,
                        Counter::Slot,
                        Counter::Item,
                        Counter::History,
                        Counter::Audit,
                        Counter::Listing,
                    ]
                    .map(|counter| (counter, 1)),
                ),
            ];
            Unit { counters, rows: rows(self.tenant, code, &plate, holder) }
        };
        (1..=BATCH as i64).map(unit).collect()
    }
}

fn today() -> Date {
    Date::new(2026, 11, 15).expect("a day")
}

fn price() -> Money {
    Money::from_cents(8_990).expect("an amount")
}

/// The rows of one creation, in the order of `app::situations`.
fn rows(tenant: TenantId, code: impl Fn(&str) -> i32, plate: &str, holder: &Holder) -> Vec<Statement> {
    let benefit = benefit(tenant, &code, plate, holder);
    let number = BenefitCode::new(code("benefit"));
    let item = BenefitItem {
        code: ItemCode::new(code("item")),
        plan: PLAN,
        price: price(),
        included_on: today(),
        is_first: true,
        is_price_agreed: true,
        active: true,
    };
    let change = situation_changes::NewHistoryRow {
        tenant,
        entity: Entity::Benefit,
        record: number.get(),
        branch: benefit.branch,
        from: None,
        to: ACTIVE,
        user: Some(UserCode::new(1)),
        reason: None,
        origin: "API",
        at: NOW,
    };
    let entry = audit::AuditEntry {
        tenant,
        at: NOW,
        user: Some(UserCode::new(1)),
        operation: domain::AuditedOperation::SaveVehicleBenefit,
        person: Some(holder.person),
        change: AuditedChange::new(AuditedAction::Create, AuditedRecordKind::Benefit, number.get()),
    };
    let history_code = HistoryCode::new(code("history"));
    let mut rows = benefits::insert_benefits(tenant, [(number, &benefit)]);
    rows.extend(items::insert_items(tenant, NOW, [(number, benefit.slot, &item)]));
    rows.extend(rows::insert_listing_rows(tenant, &[listed(number, &benefit, plate, holder)]));
    rows.extend(situation_changes::insert_history_entry(
        &change,
        history_code,
        &[RECEIVER],
        trigger(history_code, number, &benefit),
    ));
    rows.push(audit::insert_audit_entry(&entry, code("audit")));
    rows
}

fn benefit(tenant: TenantId, code: impl Fn(&str) -> i32, plate: &str, holder: &Holder) -> Benefit {
    let vehicle = VehicleDetails {
        plate: Plate::parse(plate).ok(),
        chassis: Chassis::parse(&format!("9ZZBENCH{plate}")).ok(),
        renavam: Some("01234567890".to_owned()),
        brand: Some("FIAT".to_owned()),
        model: Some("ARGO 1.0".to_owned()),
        built: Some(2025),
        model_year: Some(2026),
        colour: Some("Prata".to_owned()),
        fuel: Some(Fuel::Flex),
        category: Some(VehicleCategory::Light),
        kind: Some(VehicleTypeCode::new(1)),
        doors: Some(4),
        worth: Money::from_cents(7_850_000),
        protected: Money::from_cents(7_500_050),
        participation: Money::from_cents(300_000),
        fipe: Some("001509-1".to_owned()),
    };
    Benefit {
        person: holder.person,
        branch: holder.branch,
        kind: BenefitKind::Vehicle,
        situation: ACTIVE,
        sequence: code("sequence"),
        card: Some(CardNumber::generate(tenant, code("card"))),
        due_day: Some(10),
        consultant: None,
        representative: None,
        joined_on: Date::new(2026, 11, 14),
        activated_on: Some(today()),
        cancelled_on: None,
        integration_code: None,
        note: None,
        plans: vec![(PLAN, price())],
        fields: AdditionalFieldValues::from([(FieldCode::new(5), "Particular".to_owned())]),
        vehicle,
        slot: code("slot"),
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn listed<'r>(
    code: BenefitCode,
    benefit: &'r Benefit,
    plate: &'r str,
    holder: &'r Holder,
) -> SearchListingRow<'r> {
    SearchListingRow {
        slot: benefit.slot,
        member: MemberRowFields {
            person: holder.person,
            name: &holder.name,
            document: holder.document.as_str(),
            company_document: holder.company_document.as_deref(),
            state: holder.state.as_deref(),
            born_on: holder.born_on,
        },
        row_fields: OwnRowFields {
            branch: benefit.branch,
            benefit: Some((code, ACTIVE)),
            plate_key: Some(plate),
            chassis: benefit.vehicle.chassis.as_ref().map(Chassis::as_str),
            consultant: holder.consultant,
            representative: holder.representative,
            registered_on: today(),
            updated_on: today(),
        },
    }
}

fn trigger(history: HistoryCode, code: BenefitCode, benefit: &Benefit) -> String {
    let vehicle = &benefit.vehicle;
    let (brand, model) = (vehicle.brand.as_deref(), vehicle.model.as_deref());
    let trigger = BenefitTrigger {
        history,
        changed: NOW,
        benefit: code,
        person: benefit.person,
        branch: benefit.branch,
        branch_name: "Belo Horizonte",
        situation: "Ativo",
        colour: Colour::from_rgb(0x002E_7D32),
        description: &describe_benefit(vehicle.plate.as_ref(), brand, model, ""),
        registered: NOW,
        sequence: benefit.sequence,
        kind: BenefitKind::Vehicle,
        joined: benefit.joined_on,
    };
    trigger
        .render_body(&TimeZone::parse(TimeZone::DEFAULT).expect("a zone"))
        .expect("a trigger can be written")
}

/// One thread that writes batches in a loop.
pub fn sqlite(path: &Path, log: Log, units: Units) -> rusqlite::Result<Side<'static>> {
    let options = DatabaseOptions::default();
    let db = connection(path, &options)?;
    db.set_prepared_statement_cache_capacity(64);
    let dirty = keep_log(&db, path, &options, log)?;
    Ok(Box::new(move |span| {
        let (mut spent, mut done) = (Duration::ZERO, 0);
        while spent < span {
            spent += sqlite_batch(&db, &units).expect("a batch is committed");
            let _ = dirty.try_send(());
            done += BATCH;
        }
        done as f64 / spent.as_secs_f64()
    }))
}

/// Gives the time that the database took.
fn sqlite_batch(db: &Connection, units: &Units) -> rusqlite::Result<Duration> {
    let begun = Instant::now();
    db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let mut spent = begun.elapsed();
    let last: Last = db
        .prepare_cached(&sqlite_text(COUNTERS))?
        .query_map([units.tenant.get()], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let batch = units.batch(&last);
    let statements: Vec<(String, &Statement)> = batch
        .iter()
        .flat_map(|unit| unit.counters.iter().chain(&unit.rows))
        .map(|statement| (sqlite_text(statement.text()), statement))
        .collect();
    let begun = Instant::now();
    for (text, statement) in &statements {
        let mut prepared = db.prepare_cached(text)?;
        for (at, value) in (1..).zip(statement.values()) {
            match value {
                SqlScalar::Null => prepared.raw_bind_parameter(at, rusqlite::types::Null)?,
                SqlScalar::Int(number) => prepared.raw_bind_parameter(at, number)?,
                SqlScalar::Bool(flag) => prepared.raw_bind_parameter(at, flag)?,
                SqlScalar::Text(text) => prepared.raw_bind_parameter(at, text.as_str())?,
                SqlScalar::Bytes(bytes) => prepared.raw_bind_parameter(at, bytes.as_slice())?,
            }
        }
        let mut rows = prepared.raw_query();
        while rows.next()?.is_some() {}
    }
    drop(statements);
    db.prepare_cached("COMMIT")?.execute([])?;
    spent += begun.elapsed();
    Ok(spent)
}

/// As the executor spells it for this engine.
fn sqlite_text(text: &str) -> String {
    text.replace('$', "?").replace("NAME_KEY", "rowid").replace("NAME_WORDS", "")
}

fn postgres_text(text: &str) -> String {
    text.replace("NAME_KEY", "key").replace("NAME_WORDS", "tsvector")
}

struct Writer {
    client: Client,
    prepared: HashMap<String, tokio_postgres::Statement>,
    units: Units,
}

/// One connection that writes batches in a loop.
pub fn postgres<'s>(
    runtime: &'s Runtime,
    config: &Config,
    units: Units,
) -> Result<Side<'s>, tokio_postgres::Error> {
    let client = runtime.block_on(connect(config))?;
    let mut writer = Writer { client, prepared: HashMap::new(), units };
    Ok(Box::new(move |span| {
        runtime.block_on(async {
            let (mut spent, mut done) = (Duration::ZERO, 0);
            while spent < span {
                spent += writer.batch().await.expect("a batch is committed");
                done += BATCH;
            }
            done as f64 / spent.as_secs_f64()
        })
    }))
}

impl Writer {
    /// Gives the time that the database took.
    async fn batch(&mut self) -> Result<Duration, tokio_postgres::Error> {
        let begun = Instant::now();
        self.client.batch_execute("BEGIN").await?;
        let mut spent = begun.elapsed();
        let text = format!("{COUNTERS} FOR UPDATE");
        let rows = self.client.query(&text, &[&i64::from(self.units.tenant.get())]).await?;
        let last: Last = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let batch = self.units.batch(&last);
        for statement in batch.iter().flat_map(|unit| unit.counters.iter().chain(&unit.rows)) {
            if !self.prepared.contains_key(statement.text()) {
                let prepared = self.client.prepare(&postgres_text(statement.text())).await?;
                self.prepared.insert(statement.text().to_owned(), prepared);
            }
        }
        let begun = Instant::now();
        for unit in &batch {
            for counter in &unit.counters {
                let values: Vec<_> = counter.values().iter().map(|value| value as _).collect();
                self.client.query(&self.prepared[counter.text()], &values).await?;
            }
            let rows = unit.rows.iter();
            try_join_all(rows.map(|row| self.client.execute_raw(&self.prepared[row.text()], row.values())))
                .await?;
        }
        self.client.batch_execute("COMMIT").await?;
        spent += begun.elapsed();
        Ok(spent)
    }
}
