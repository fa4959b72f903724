//! Writes a remittance: header, header of the one lot, two or three segments for each order, trailers.

use super::bank_layouts::{BankLayout, InterestForm, find_layout};
use super::record_line::{COLUMNS, RecordLine};
use super::remittance_model::{RemittanceFile, RemittanceInstruction, RemittanceOrder, RemittanceProblem};
use crate::slip_agreement::reader::AgreementParts;
use domain::{Document, Money, PostalAddress};

const LARGEST_FILE_SEQUENCE: u32 = 999_999;
/// Segments are numbered with five digits, and an order has up to three.
const MOST_ORDERS: usize = 33_333;
/// The most that the barcode of a slip holds.
const LARGEST_CENTS: i64 = 9_999_999_999;
/// An amount times basis points by a month of 30 days.
const DAILY_DIVISOR: u64 = 10_000 * 30;

/// The whole file: ASCII, lines of 240 columns that end with CRLF.
pub fn write_remittance(file: &RemittanceFile) -> Result<Vec<u8>, RemittanceProblem> {
    check_file(file)?;
    let mut writer = RemittanceWriter::new(file);
    writer.push_file_header();
    writer.push_lot_header();
    for order in &file.orders {
        writer.push_title(order);
        writer.push_payer(order);
        if order.instruction == RemittanceInstruction::Register && order.late_charges.fine > 0 {
            writer.push_charges(order);
        }
    }
    writer.push_trailers();
    Ok(writer.bytes)
}

fn check_file(file: &RemittanceFile) -> Result<(), RemittanceProblem> {
    if file.orders.is_empty() {
        return Err(RemittanceProblem::NoOrders);
    }
    if file.orders.len() > MOST_ORDERS {
        return Err(RemittanceProblem::TooManyOrders);
    }
    if !(1..=LARGEST_FILE_SEQUENCE).contains(&file.file_sequence) {
        return Err(RemittanceProblem::FileSequenceOutOfRange);
    }
    for (order, content) in file.orders.iter().enumerate() {
        let own = file.agreement.parse_our_number(content.our_number.digits());
        if own.as_ref() != Some(&content.our_number) {
            return Err(RemittanceProblem::ForeignNumber { order });
        }
        let discount = content.discount.map_or(Money::default(), |discount| discount.amount);
        if !(1..=LARGEST_CENTS).contains(&content.amount.cents()) || discount >= content.amount {
            return Err(RemittanceProblem::AmountOutOfRange { order });
        }
    }
    Ok(())
}

struct RemittanceWriter<'f> {
    file: &'f RemittanceFile,
    layout: &'static BankLayout,
    parts: &'f AgreementParts,
    bytes: Vec<u8>,
    segments: u64,
}

impl<'f> RemittanceWriter<'f> {
    fn new(file: &'f RemittanceFile) -> RemittanceWriter<'f> {
        let lines = file.orders.len() * 3 + 4;
        RemittanceWriter {
            file,
            layout: find_layout(file.agreement.bank()),
            parts: file.agreement.parts(),
            bytes: Vec::with_capacity(lines * (COLUMNS + 2)),
            segments: 0,
        }
    }

    fn start_line(&self, lot: u64, kind: u64) -> RecordLine {
        RecordLine::new(self.file.agreement.bank().number(), lot, kind)
    }

    fn push_file_header(&mut self) {
        let mut line = self.start_line(0, 0);
        let association = &self.file.association;
        put_holder(&mut line, self.layout.holder_column, 32, &association.document);
        put_account(&mut line, 53, self.parts);
        line.put_text(73, 102, &association.name);
        line.put_text(103, 132, self.layout.bank_name);
        line.put_number(143, 143, 1);
        line.put_date(144, self.file.made_at.date_in(&self.file.time_zone));
        line.put_digits(152, 157, &self.format_clock());
        line.put_number(158, 163, self.file.file_sequence.into());
        line.put_digits(164, 166, self.layout.file_version);
        line.put_digits(167, 171, "1600");
        (self.layout.finish_file_header)(self.parts, &mut line);
        line.push_onto(&mut self.bytes);
    }

    /// `HHMMSS` in the association's time zone.
    fn format_clock(&self) -> String {
        let iso = self.file.made_at.to_offset_iso(&self.file.time_zone);
        let clock = iso.split_once('T').map_or("", |(_, clock)| clock);
        clock.chars().take(8).filter(char::is_ascii_digit).collect()
    }

    fn push_lot_header(&mut self) {
        let mut line = self.start_line(1, 1);
        line.put_text(9, 9, "R");
        line.put_number(10, 11, 1);
        line.put_digits(14, 16, self.layout.lot_version);
        put_holder(&mut line, 18, 33, &self.file.association.document);
        put_account(&mut line, 54, self.parts);
        line.put_text(74, 103, &self.file.association.name);
        line.put_number(184, 191, self.file.file_sequence.into());
        line.put_date(192, self.file.made_at.date_in(&self.file.time_zone));
        line.put_digits(200, 207, "");
        (self.layout.finish_lot_header)(self.parts, &mut line);
        line.push_onto(&mut self.bytes);
    }

    fn start_segment(&mut self, letter: &str, order: &RemittanceOrder) -> RecordLine {
        self.segments += 1;
        let mut line = self.start_line(1, 3);
        line.put_number(9, 13, self.segments);
        line.put_text(14, 14, letter);
        line.put_digits(16, 17, find_movement(order.instruction));
        line
    }

    fn push_title(&mut self, order: &RemittanceOrder) {
        let mut line = self.start_segment("P", order);
        put_account(&mut line, 18, self.parts);
        line.put_text(63, 77, &order.document_number);
        line.put_date(78, order.due_on);
        put_money(&mut line, 86, order.amount);
        line.put_digits(101, 106, "");
        line.put_digits(107, 108, self.layout.title_kind);
        line.put_text(109, 109, "N");
        line.put_date(110, order.issued_on);
        self.put_interest(&mut line, order);
        put_discount(&mut line, order);
        line.put_digits(166, 195, "");
        line.put_text(196, 220, &order.document_number);
        line.put_number(221, 221, self.layout.no_protest);
        line.put_digits(222, 223, "");
        line.put_digits(228, 229, "9");
        line.put_digits(230, 239, "");
        (self.layout.finish_title)(self.parts, order, &mut line);
        line.push_onto(&mut self.bytes);
    }

    fn put_interest(&self, line: &mut RecordLine, order: &RemittanceOrder) {
        line.put_digits(118, 141, "");
        let rate = u64::try_from(order.late_charges.interest).unwrap_or_default();
        if rate == 0 {
            line.put_number(118, 118, self.layout.no_interest);
            return;
        }
        line.put_date(119, order.due_on.next());
        match self.layout.interest_form {
            InterestForm::MonthlyRate => {
                line.put_number(118, 118, 2);
                line.put_number(127, 141, rate);
            }
            InterestForm::DailyAmount => {
                let product = order.amount.cents().unsigned_abs().saturating_mul(rate);
                line.put_number(127, 141, product.saturating_add(DAILY_DIVISOR / 2) / DAILY_DIVISOR);
            }
        }
    }

    fn push_payer(&mut self, order: &RemittanceOrder) {
        let mut line = self.start_segment("Q", order);
        put_holder(&mut line, 18, 33, &order.payer.document);
        line.put_text(34, 73, &order.payer.name);
        put_address(&mut line, &order.payer.address);
        // No guarantor and no other bank.
        line.put_digits(154, 169, "");
        line.put_digits(210, 212, "");
        (self.layout.finish_payer)(&mut line);
        line.push_onto(&mut self.bytes);
    }

    fn push_charges(&mut self, order: &RemittanceOrder) {
        let mut line = self.start_segment("R", order);
        // No second and third discount.
        line.put_digits(18, 65, "");
        line.put_number(66, 66, 2);
        line.put_date(67, order.due_on.next());
        line.put_number(75, 89, u64::try_from(order.late_charges.fine).unwrap_or_default());
        (self.layout.finish_charges)(&mut line);
        line.push_onto(&mut self.bytes);
    }

    fn push_trailers(&mut self) {
        let mut line = self.start_line(1, 5);
        line.put_number(18, 23, self.segments + 2);
        if self.layout.has_lot_totals {
            let amounts = self.file.orders.iter().map(|order| order.amount.cents().unsigned_abs());
            line.put_digits(24, 115, "");
            line.put_number(24, 29, self.file.orders.len() as u64);
            line.put_number(30, 46, amounts.sum());
        }
        line.push_onto(&mut self.bytes);
        let mut line = self.start_line(9_999, 9);
        line.put_number(18, 23, 1);
        line.put_number(24, 29, self.segments + 4);
        line.put_digits(30, 35, "");
        line.push_onto(&mut self.bytes);
    }
}

fn find_movement(instruction: RemittanceInstruction) -> &'static str {
    match instruction {
        RemittanceInstruction::Register => "01",
        RemittanceInstruction::WriteOff => "02",
        RemittanceInstruction::ChangeDueDate => "06",
    }
}

/// 1 and a CPF, or 2 and a CNPJ, up to the last column.
fn put_holder(line: &mut RecordLine, first: usize, last: usize, document: &Document) {
    line.put_digits(first + 1, last, document.as_str());
    line.put_number(first, first, if matches!(document, Document::Cpf(_)) { 1 } else { 2 });
}

/// Agency 5, check digit, account 12, check digit, and a column for both.
fn put_account(line: &mut RecordLine, first: usize, parts: &AgreementParts) {
    line.put_digits(first, first + 4, &parts.agency.digits);
    line.put_check(first + 5, parts.agency.check);
    line.put_digits(first + 6, first + 17, &parts.account.digits);
    line.put_check(first + 18, parts.account.check);
}

fn put_money(line: &mut RecordLine, first: usize, amount: Money) {
    line.put_number(first, first + 14, amount.cents().unsigned_abs());
}

fn put_discount(line: &mut RecordLine, order: &RemittanceOrder) {
    line.put_digits(142, 165, "");
    if let Some(discount) = order.discount.filter(|discount| discount.amount.cents() > 0) {
        line.put_number(142, 142, 1);
        line.put_date(143, discount.until);
        put_money(line, 151, discount.amount);
    }
}

fn put_address(line: &mut RecordLine, address: &PostalAddress) {
    let street = [&address.street_kind, &address.street, &address.number, &address.complement];
    let street: Vec<&str> = street.into_iter().filter_map(Option::as_deref).collect();
    line.put_text(74, 113, &street.join(" "));
    line.put_text(114, 128, address.district.as_deref().unwrap_or_default());
    line.put_digits(129, 136, address.cep.as_ref().map_or("", |cep| cep.as_str()));
    line.put_text(137, 151, address.city.as_deref().unwrap_or_default());
    line.put_text(152, 153, address.state.as_deref().unwrap_or_default());
}
