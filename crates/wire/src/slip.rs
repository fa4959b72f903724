//! The sentences that a slip shows.

use domain::finance::LateChargeRates;
use domain::{Date, Document, display};

/// What is charged of who pays late, or nothing.
pub fn describe_late_charges(rates: LateChargeRates) -> Option<String> {
    let fine = (rates.fine > 0).then(|| format!("multa de {}", display::format_percent(rates.fine)));
    let interest =
        (rates.interest > 0).then(|| format!("juros de {} ao mês", display::format_percent(rates.interest)));
    let charges: Vec<String> = fine.into_iter().chain(interest).collect();
    (!charges.is_empty()).then(|| format!("Depois do vencimento: {}.", charges.join(" e ")))
}

/// `amount` is in cents.
pub fn describe_discount(amount: i64, until: Date) -> String {
    format!("Até {}, desconto de {}.", until.to_br(), display::format_cents(&amount.to_string()))
}

/// Of a second copy, which holds fine and interest until its due day.
pub const SECOND_COPY: &str = "Segunda via, já com multa e juros até o vencimento. Não receber depois dele.";

/// Of what a slip does not ask for again.
pub const PAID_BEFORE: &str = "Já pago";

/// Of what a second copy asks for besides the title.
pub const LATE_CHARGES: &str = "Multa e juros até o vencimento";

/// `CPF 529.982.247-25`
pub fn describe_document(document: &Document) -> String {
    let kind = if matches!(document, Document::Cpf(_)) { "CPF" } else { "CNPJ" };
    format!("{kind} {document}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_charges_are_told_as_they_are() {
        let describe = |fine, interest| describe_late_charges(LateChargeRates { fine, interest });
        let both = "Depois do vencimento: multa de 2,00% e juros de 1,00% ao mês.";
        assert_eq!(describe(200, 100).as_deref(), Some(both));
        assert_eq!(describe(0, 100).as_deref(), Some("Depois do vencimento: juros de 1,00% ao mês."));
        assert_eq!(describe(0, 0), None);
    }

    #[test]
    fn a_discount_names_its_day() {
        let until = Date::parse("05/12/2026").unwrap();
        assert_eq!(describe_discount(506, until), "Até 05/12/2026, desconto de R$ 5,06.");
    }
}
