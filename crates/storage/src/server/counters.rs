//! Counters for codes, sequence numbers and protocols: each kind counts from 1 per tenant. Numbers are reserved in the
//! unit of work that uses them, and the units of a tenant run one after another (its lane), so they have no gaps and
//! follow the order of the commits.

use crate::{Error, ReadSource, Row, Statement, Tx, sql};
use domain::TenantId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Tenant,
    Branch,
    User,
    Situation,
    History,
    Plan,
    VehicleType,
    Seller,
    Supplier,
    Field,
    Person,
    Mail,
    /// The position of a search row; never reused.
    Slot,
    Audit,
    /// Of accesses to personal data, in the database of activity.
    Access,
    Benefit,
    Sequence,
    Card,
    Item,
    /// Version of the search rows.
    Listing,
    Dependent,
    Installation,
    CreditCard,
    Funnel,
    Stage,
    Lead,
    Deal,
    DealSequence,
    DealDependent,
    Claim,
    ClaimType,
    ClaimProtocol,
    Inspection,
    InspectionType,
    InspectionProtocol,
    Ticket,
    TicketType,
    TicketProtocol,
    Appointment,
    AppointmentProtocol,
    Specialty,
    Clinic,
    Doctor,
    Tracker,
    /// A change of a field by a user.
    FieldChange,
    Receiver,
    /// Leases of receivers, and attempts at deliveries.
    Lease,
    SavedFilter,
    File,
    Import,
    Title,
    Settlement,
    Slip,
    CreditReceipt,
    PendingCharge,
    LedgerAccount,
    LedgerEntry,
    ClosingChange,
    ChargingRun,
    BenefitDiscount,
}

impl Counter {
    fn kind(self) -> &'static str {
        match self {
            Counter::Tenant => "tenant",
            Counter::Branch => "branch",
            Counter::User => "user",
            Counter::Situation => "situation",
            Counter::History => "history",
            Counter::Plan => "plan",
            Counter::VehicleType => "vehicle_type",
            Counter::Seller => "seller",
            Counter::Supplier => "supplier",
            Counter::Field => "field",
            Counter::Person => "person",
            Counter::Mail => "mail",
            Counter::Slot => "slot",
            Counter::Audit => "audit",
            Counter::Access => "access",
            Counter::Benefit => "benefit",
            Counter::Sequence => "sequence",
            Counter::Card => "card",
            Counter::Item => "item",
            Counter::Listing => "listing",
            Counter::Dependent => "dependent",
            Counter::Installation => "installation",
            Counter::CreditCard => "credit_card",
            Counter::Funnel => "funnel",
            Counter::Stage => "stage",
            Counter::Lead => "lead",
            Counter::Deal => "deal",
            Counter::DealSequence => "deal_sequence",
            Counter::DealDependent => "deal_dependent",
            Counter::Claim => "claim",
            Counter::ClaimType => "claim_type",
            Counter::ClaimProtocol => "claim_protocol",
            Counter::Inspection => "inspection",
            Counter::InspectionType => "inspection_type",
            Counter::InspectionProtocol => "inspection_protocol",
            Counter::Ticket => "ticket",
            Counter::TicketType => "ticket_type",
            Counter::TicketProtocol => "ticket_protocol",
            Counter::Appointment => "appointment",
            Counter::AppointmentProtocol => "appointment_protocol",
            Counter::Specialty => "specialty",
            Counter::Clinic => "clinic",
            Counter::Doctor => "doctor",
            Counter::Tracker => "tracker",
            Counter::FieldChange => "field_change",
            Counter::Receiver => "receiver",
            Counter::Lease => "lease",
            Counter::SavedFilter => "saved_filter",
            Counter::File => "file",
            Counter::Import => "import",
            Counter::Title => "title",
            Counter::Settlement => "settlement",
            Counter::Slip => "slip",
            Counter::CreditReceipt => "credit_receipt",
            Counter::PendingCharge => "pending_charge",
            Counter::LedgerAccount => "ledger_account",
            Counter::LedgerEntry => "ledger_entry",
            Counter::ClosingChange => "period_change",
            Counter::ChargingRun => "charging_run",
            Counter::BenefitDiscount => "benefit_discount",
        }
    }
}

/// Reserves the next number of a kind.
#[boxed::future]
pub async fn reserve_number(tx: &mut Tx, tenant: TenantId, counter: Counter) -> Result<i32, Error> {
    reserve_numbers(tx, tenant, counter, 1).await
}

/// Reserves the next code of a register.
#[boxed::future]
pub async fn reserve_register_code(tx: &mut Tx, tenant: TenantId, kind: &'static str) -> Result<i32, Error> {
    let statement = sql("INSERT INTO counters (tenant, kind, last) VALUES ($1, $2, 1)
         ON CONFLICT (tenant, kind) DO UPDATE SET last = counters.last + 1 RETURNING last");
    let row = tx.fetch_optional(statement.arg(tenant).arg(kind)).await?;
    row.map_or_else(|| Err(Error::Broken("a counter gave nothing".to_owned())), |row| row.get("last"))
}

/// Chosen codes from here on do not move the counter, so that a very large chosen code leaves room for the next ones.
pub const FIRST_UNCOUNTED_CODE: i32 = 2_000_000_000;

/// Moves the counter of a register past a chosen code.
#[boxed::future]
pub async fn advance_register_counter(
    tx: &mut Tx,
    tenant: TenantId,
    kind: &'static str,
    code: i32,
) -> Result<(), Error> {
    if code >= FIRST_UNCOUNTED_CODE {
        return Ok(());
    }
    let statement = sql("INSERT INTO counters (tenant, kind, last) VALUES ($1, $2, $3)
         ON CONFLICT (tenant, kind) DO UPDATE SET last = excluded.last WHERE counters.last < excluded.last");
    tx.execute(statement.arg(tenant).arg(kind).arg(code)).await.map(drop)
}

/// Reserves `count` consecutive numbers; returns the first.
#[boxed::future]
pub async fn reserve_numbers(
    tx: &mut Tx,
    tenant: TenantId,
    counter: Counter,
    count: i32,
) -> Result<i32, Error> {
    let [first] = reserve_number_blocks(tx, tenant, [(counter, count)]).await?;
    Ok(first)
}

/// Reserves the next number of a kind that is not a code and may exceed 32 bits.
#[boxed::future]
pub async fn reserve_long_number(tx: &mut Tx, tenant: TenantId, counter: Counter) -> Result<i64, Error> {
    let row = tx.fetch_optional(build_reservation(tenant, [(counter, 1)])).await?;
    row.map_or_else(|| Err(Error::Broken("a counter gave nothing".to_owned())), |row| row.get("last"))
}

/// Reserves consecutive numbers of several kinds at once; returns the first of each, or 0 if none is wanted.
pub async fn reserve_number_blocks<const KINDS: usize>(
    tx: &mut Tx,
    tenant: TenantId,
    requested: [(Counter, i32); KINDS],
) -> Result<[i32; KINDS], Error> {
    if requested.iter().all(|(_, count)| *count == 0) {
        return Ok([0; KINDS]);
    }
    parse_first_numbers(requested, &tx.fetch_all(build_reservation(tenant, requested)).await?)
}

/// The same, with an additional query in the same round trip.
pub(crate) async fn reserve_blocks_and_query<const KINDS: usize>(
    tx: &mut Tx,
    tenant: TenantId,
    requested: [(Counter, i32); KINDS],
    also: Statement,
) -> Result<([i32; KINDS], Vec<Row>), Error> {
    let [rows, answer] = tx.fetch_several([build_reservation(tenant, requested), also]).await?;
    Ok((parse_first_numbers(requested, &rows)?, answer))
}

fn parse_first_numbers<const KINDS: usize>(
    requested: [(Counter, i32); KINDS],
    rows: &[Row],
) -> Result<[i32; KINDS], Error> {
    let mut firsts = [0; KINDS];
    for row in rows {
        let (kind, last): (String, i64) = (row.get("kind")?, row.get("last")?);
        for (first, (counter, count)) in firsts.iter_mut().zip(requested) {
            if counter.kind() == kind && count > 0 {
                *first = i32::try_from(last - i64::from(count) + 1)
                    .map_err(|_| Error::Broken(format!("the counter {kind} is past int32")))?;
            }
        }
    }
    match firsts.iter().zip(requested).any(|(first, (_, count))| *first == 0 && count > 0) {
        true => Err(Error::Broken("a counter gave nothing".to_owned())),
        false => Ok(firsts),
    }
}

/// The query of [`reserve_number_blocks`]; public for benchmarks.
pub fn build_reservation<const KINDS: usize>(
    tenant: TenantId,
    requested: [(Counter, i32); KINDS],
) -> Statement {
    let requested = requested.into_iter().filter(|(_, count)| *count > 0);
    let rows = requested.map(|(counter, count)| [tenant.into(), counter.kind().into(), count.into()]);
    sql("INSERT INTO counters (tenant, kind, last) VALUES").append_rows(rows).append_text(
        "ON CONFLICT (tenant, kind) DO UPDATE SET last = counters.last + excluded.last RETURNING kind, last",
    )
}

/// Moves a counter past a chosen number; does nothing if it is already past it.
#[boxed::future]
pub async fn advance_counter(
    tx: &mut Tx,
    tenant: TenantId,
    counter: Counter,
    number: i32,
) -> Result<(), Error> {
    advance_register_counter(tx, tenant, counter.kind(), number).await
}

/// The last number assigned; 0 if there is none.
#[boxed::future]
pub async fn load_last_number(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    counter: Counter,
) -> Result<i64, Error> {
    let row = source.fetch_optional(select_last_number(tenant, counter)).await?;
    row.map_or(Ok(0), |row| row.get("last"))
}

/// The query of [`load_last_number`].
pub(crate) fn select_last_number(tenant: TenantId, counter: Counter) -> Statement {
    sql("SELECT last FROM counters WHERE tenant = $1 AND kind = $2").arg(tenant).arg(counter.kind())
}
