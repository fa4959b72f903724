//! The slip as a document, rendered when somebody opens it.

use super::collector::find_collector_by_code;
use super::slip_list::{ListedSlip, load_listed_slips};
use crate::booking::refuse;
use crate::full_title::{compute_title_discount, reject_unknown_title};
use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::session::Session;
use app::{App, Error};
use bank_formats::{OurNumber, SlipAgreement, SlipBank};
use documents::{
    BarcodeDigits, ChargeGroupOnSlip, ChargeLineOnSlip, PartyOnSlip, SlipDocument, render_slip as draw_slip,
};
use domain::finance::{ChargeLine, FinanceProblem, LegalNature, TitleSituation};
use domain::{
    AuditedOperation, Date, Document, InputField, Moment, MoneyRight, PersonProfile, Scope, SlipCode,
    TenantId, TitleCode, display,
};
use finance_storage::slips::find_slip;
use finance_storage::titles::{find_title, list_title_lines};
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::Tx;
use storage::members::find_person;
use wire::{set_names, slip as wording};

/// A slip as PDF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedSlip {
    pub title: TitleCode,
    pub pdf: Vec<u8>,
}

/// The slip in force of a title that the caller may see.
#[boxed::future]
pub async fn render_slip(app: &App, caller: &Session, code: TitleCode) -> Result<RenderedSlip, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let shown = load_shown_slip(app, caller.scope.clone(), code).await?;
    let shown = shown.ok_or(Error::NotFound { field: InputField::Slip, code: code.get() })?;
    record_access(app, caller, AuditedOperation::ReadSlip, std::iter::once(shown.slip.title.title.person))?;
    shown.render(code)
}

/// The slip that a link leads to, which is the permission to see it. `None` if it is no longer in force.
#[boxed::future]
pub async fn render_linked_slip(
    app: &App,
    tenant: TenantId,
    code: SlipCode,
) -> Result<Option<RenderedSlip>, Error> {
    let Some(slip) = find_slip(&app.db, tenant, code).await? else { return Ok(None) };
    let title = slip.title;
    match load_shown_slip(app, Scope::for_tenant(tenant), title).await {
        Ok(Some(shown)) if shown.slip.slip.code == code => shown.render(title).map(Some),
        // Paid, cancelled, or replaced by a second copy.
        Ok(_) | Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A slip with all that it shows.
struct ShownSlip {
    slip: ListedSlip,
    person: PersonProfile,
    lines: Vec<ChargeLine>,
    today: Date,
    registers: Arc<TenantRegisters>,
}

async fn load_shown_slip(app: &App, scope: Scope, code: TitleCode) -> Result<Option<ShownSlip>, Error> {
    let registers = load_registers(app, scope.tenant()).await?;
    let input = (scope, code, registers, app.now());
    app.db
        .read(input, |tx, (scope, code, registers, now)| {
            Box::pin(read_shown_slip(tx, scope, *code, (registers, *now)))
        })
        .await
}

async fn read_shown_slip(
    tx: &mut Tx,
    scope: &Scope,
    code: TitleCode,
    (registers, now): (&Arc<TenantRegisters>, Moment),
) -> Result<Option<ShownSlip>, Error> {
    let tenant = scope.tenant();
    let title = find_title(&mut *tx, scope, code).await?.ok_or_else(|| reject_unknown_title(code))?;
    if title.situation != TitleSituation::Open {
        return Err(refuse(FinanceProblem::NotOpen(title.situation)));
    }
    let listed = load_listed_slips(tx, tenant, (registers, now), &[code]).await?;
    let Some(slip) = listed.into_iter().next() else { return Ok(None) };
    let missing = || storage::Error::Broken(format!("the person of title {code} is gone"));
    let person = find_person(&mut *tx, tenant, title.person).await?.ok_or_else(missing)?;
    let lines = list_title_lines(&mut *tx, tenant, code).await?;
    let today = now.date_in(&registers.zone);
    Ok(Some(ShownSlip { slip, person, lines, today, registers: Arc::clone(registers) }))
}

impl ShownSlip {
    fn render(&self, title: TitleCode) -> Result<RenderedSlip, Error> {
        let slip = &self.slip.slip;
        let broken = |what: &str| Error::Defect(format!("slip {} has no {what}", slip.code));
        let collector = find_collector_by_code(&self.registers, slip.account);
        let bank = slip.barcode.get(..3).and_then(|number| number.parse().ok());
        let bank = bank.and_then(SlipBank::from_number).ok_or_else(|| broken("known bank"))?;
        let agreement = collector.as_ref().map(|one| &one.agreement);
        let our_number = agreement.and_then(|one| one.parse_our_number(&slip.our_number));
        let groups = self.group_lines();
        let lines: Vec<Vec<ChargeLineOnSlip<'_>>> = groups.iter().map(PrintedGroup::list_lines).collect();
        let groups: Vec<ChargeGroupOnSlip<'_>> = groups
            .iter()
            .zip(&lines)
            .map(|(group, lines)| ChargeGroupOnSlip { nature: group.nature, total: &group.total, lines })
            .collect();
        let instructions = self.list_instructions();
        let instructions: Vec<&str> = instructions.iter().map(String::as_str).collect();
        let account = self.registers.money.money_account(slip.account).map(|one| &one.slips);
        let text = |field: Option<&Option<String>>| field.cloned().flatten().unwrap_or_default();
        let beneficiary_document = text(account.map(|one| &one.document));
        let beneficiary_document = describe_stored_document(&beneficiary_document);
        let beneficiary_address = text(account.map(|one| &one.address));
        let payer_address = list_address_lines(&self.person);
        let payer_address: Vec<&str> = payer_address.iter().map(String::as_str).collect();
        let payer_document = self.person.document.as_ref().map(wording::describe_document);
        let document = SlipDocument {
            bank_name: bank.name(),
            printed_bank_number: bank.printed_number(),
            typed_line: &self.slip.typed_line,
            barcode: BarcodeDigits::parse(&slip.barcode).ok_or_else(|| broken("barcode"))?,
            beneficiary: PartyOnSlip {
                name: &text(account.map(|one| &one.beneficiary)),
                document: &beneficiary_document,
                address: &[beneficiary_address.as_str()],
            },
            agency_and_account: &agreement.map(SlipAgreement::printed_agency_and_account).unwrap_or_default(),
            our_number: our_number.as_ref().map_or(slip.our_number.as_str(), OurNumber::printed),
            wallet: &agreement.map(SlipAgreement::printed_wallet).unwrap_or_default(),
            payer: PartyOnSlip {
                name: &self.person.name,
                document: payer_document.as_deref().unwrap_or_default(),
                address: &payer_address,
            },
            document_number: &title.to_string(),
            issued_on: &self.slip.title.title.issued_on.to_br(),
            processed_on: &slip.issued_on.to_br(),
            due_on: &slip.due_on.to_br(),
            amount: &format_plain_cents(slip.amount),
            kind: "DS",
            accepted: false,
            charge_groups: &groups,
            instructions: &instructions,
            message: &text(account.map(|one| &one.message)),
            pix_code: self.slip.pix.as_deref(),
            colours: None,
        };
        Ok(RenderedSlip { title, pdf: draw_slip(&document) })
    }

    /// Whether it holds fine and interest already.
    fn is_second_copy(&self) -> bool {
        let title = &self.slip.title.title;
        self.slip.slip.due_on > title.effective_due_on
    }

    fn list_instructions(&self) -> Vec<String> {
        let title = &self.slip.title.title;
        if self.is_second_copy() {
            return vec![wording::SECOND_COPY.to_owned()];
        }
        let discount = compute_title_discount(title, &self.lines, self.today).zip(title.early_discount_until);
        let discount = discount.map(|(discount, until)| wording::describe_discount(discount.amount, until));
        discount.into_iter().chain(wording::describe_late_charges(title.rates)).collect()
    }

    /// The lines by nature, in its order. What was paid of the title before is no line, nor are fine and interest of a second
    /// copy.
    fn group_lines(&self) -> Vec<PrintedGroup> {
        let mut groups: BTreeMap<LegalNature, Vec<&ChargeLine>> = BTreeMap::new();
        for line in &self.lines {
            groups.entry(line.nature).or_default().push(line);
        }
        let describe = |line: &ChargeLine| {
            let item = self.registers.money.charge_item(line.item);
            let text = line.description.clone().or(item.map(|item| item.name.clone())).unwrap_or_default();
            (text, format_plain_cents(line.amount))
        };
        let build = |(nature, lines): (LegalNature, Vec<&ChargeLine>)| PrintedGroup {
            nature: set_names::legal_nature_label(nature),
            total: format_plain_cents(lines.iter().map(|line| line.amount).sum()),
            lines: lines.into_iter().map(describe).collect(),
        };
        groups.into_iter().map(build).chain(self.list_adjustments()).collect()
    }

    /// What the slip asks for besides the lines of the title.
    fn list_adjustments(&self) -> Vec<PrintedGroup> {
        let title = &self.slip.title.title;
        let amounts = (title.amount, title.open_amount, self.slip.slip.amount);
        let AmountAdjustments { paid, late_charges } = compute_adjustments(amounts, self.is_second_copy());
        let build =
            |nature, cents| PrintedGroup { nature, total: format_plain_cents(cents), lines: Vec::new() };
        let paid = (paid > 0).then(|| build(wording::PAID_BEFORE, -paid));
        let late_charges = (late_charges > 0).then(|| build(wording::LATE_CHARGES, late_charges));
        paid.into_iter().chain(late_charges).collect()
    }
}

/// In cents.
#[derive(Debug, PartialEq, Eq)]
struct AmountAdjustments {
    paid: i64,
    late_charges: i64,
}

/// What makes the value of a slip of the lines of its title: what was paid before, and what a second copy adds.
fn compute_adjustments(
    (title_amount, open_amount, slip_amount): (i64, i64, i64),
    is_second_copy: bool,
) -> AmountAdjustments {
    let principal = if is_second_copy { open_amount.min(slip_amount) } else { slip_amount };
    AmountAdjustments { paid: title_amount - principal, late_charges: slip_amount - principal }
}

struct PrintedGroup {
    nature: &'static str,
    total: String,
    /// Description and amount.
    lines: Vec<(String, String)>,
}

impl PrintedGroup {
    fn list_lines(&self) -> Vec<ChargeLineOnSlip<'_>> {
        self.lines.iter().map(|(description, amount)| ChargeLineOnSlip { description, amount }).collect()
    }
}

fn describe_stored_document(text: &str) -> String {
    Document::parse(text).map(|document| wording::describe_document(&document)).unwrap_or_default()
}

/// Street and district; CEP, city and state.
fn list_address_lines(person: &PersonProfile) -> Vec<String> {
    let cep = person.address.cep.as_ref().map(|cep| format!("CEP {cep}"));
    person.address.format_line().into_iter().chain(cep).collect()
}

/// `1.234,56`
fn format_plain_cents(cents: i64) -> String {
    display::format_cents(&cents.to_string()).trim_start_matches("R$ ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_adjustments_make_the_value_of_the_slip() {
        let compute = |amounts, is_second_copy| {
            let AmountAdjustments { paid, late_charges } = compute_adjustments(amounts, is_second_copy);
            (paid, late_charges)
        };
        assert_eq!(compute((10_120, 10_120, 10_120), false), (0, 0));
        assert_eq!(compute((10_120, 10_000, 10_000), false), (120, 0));
        assert_eq!(compute((10_120, 10_120, 10_386), true), (0, 266));
        assert_eq!(compute((10_120, 5_000, 5_130), true), (5_120, 130));
        // A part was paid after the slip was issued, which still asks for all.
        assert_eq!(compute((10_120, 10_000, 10_120), false), (0, 0));
    }
}
