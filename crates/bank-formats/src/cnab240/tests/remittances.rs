use super::{cut, day, parse_agreement};
use crate::cnab240::{
    RemittanceAssociation, RemittanceFile, RemittanceInstruction, RemittanceOrder, RemittanceProblem,
    SlipDiscount, SlipPayer, write_remittance,
};
use crate::{SlipAgreement, SlipBank};
use domain::finance::LateChargeRates;
use domain::{Cep, Document, Moment, Money, PostalAddress, TimeZone};
use proptest::prelude::*;

fn order(agreement: &SlipAgreement, sequence: u64) -> RemittanceOrder {
    RemittanceOrder {
        instruction: RemittanceInstruction::Register,
        our_number: agreement.our_number(sequence, day("2026-11-19")).unwrap(),
        document_number: "MEN-2026/12-a".to_owned(),
        issued_on: day("2026-11-19"),
        due_on: day("2026-12-31"),
        amount: Money::from_cents(10_120).unwrap(),
        late_charges: LateChargeRates { fine: 200, interest: 100 },
        discount: Some(SlipDiscount { amount: Money::from_cents(500).unwrap(), until: day("2026-12-10") }),
        payer: SlipPayer {
            name: "João da Conceição".to_owned(),
            document: Document::parse("529.982.247-25").unwrap(),
            address: PostalAddress {
                street_kind: Some("Praça".to_owned()),
                street: Some("da Sé".to_owned()),
                number: Some("100".to_owned()),
                district: Some("Centro".to_owned()),
                city: Some("São José dos Campos".to_owned()),
                state: Some("SP".to_owned()),
                cep: Cep::parse("01001-000").ok(),
                ..PostalAddress::default()
            },
        },
    }
}

fn remittance(agreement: &SlipAgreement, orders: Vec<RemittanceOrder>) -> RemittanceFile {
    RemittanceFile {
        association: RemittanceAssociation {
            name: "Associação Amparo – Proteção".to_owned(),
            document: Document::parse("11.222.333/0001-81").unwrap(),
        },
        agreement: agreement.clone(),
        file_sequence: 42,
        // 2026-11-19 23:05:07 in São Paulo.
        made_at: Moment::from_millis(1_795_140_307_000),
        time_zone: TimeZone::parse("America/Sao_Paulo").unwrap(),
        orders,
    }
}

fn write_lines(file: &RemittanceFile) -> Vec<String> {
    let text = String::from_utf8(write_remittance(file).unwrap()).unwrap();
    let body = text.strip_suffix("\r\n").unwrap();
    body.split("\r\n").map(str::to_owned).collect()
}

fn check_fields(line: &str, fields: &[(usize, &str)]) {
    for (first, expected) in fields {
        assert_eq!(cut(line, *first, first + expected.len() - 1), *expected, "column {first} of {line}");
    }
}

#[test]
fn a_file_is_written_column_by_column() {
    let agreement = parse_agreement(SlipBank::BancoDoBrasil);
    let lines = write_lines(&remittance(&agreement, vec![order(&agreement, 168)]));
    let [header, lot, title, payer, charges, lot_end, end] = lines.as_slice() else { panic!("{lines:#?}") };
    check_fields(header, &[(1, "00100000         211222333000181")]);
    check_fields(header, &[(73, "ASSOCIACAO AMPARO PROTECAO    BANCO DO BRASIL S.A.          ")]);
    check_fields(header, &[(133, "          119112026230507000042084"), (167, "01600"), (172, " ")]);
    check_fields(
        lot,
        &[(1, "00100011R01  042 2011222333000181001238798001417019  "), (54, "0404280000000619000 ")],
    );
    check_fields(lot, &[(74, "ASSOCIACAO AMPARO PROTECAO    "), (184, "000000421911202600000000 ")]);
    check_fields(title, &[(1, "0010001300001P 01"), (63, "MEN-2026/12-A  31122026000000000010120")]);
    check_fields(title, &[(107, "02N19112026"), (118, "201012027000000000000100")]);
    check_fields(title, &[(142, "110122026000000000000500"), (196, "MEN-2026/12-A            300")]);
    check_fields(payer, &[(1, "0010001300002Q 011000052998224725JOAO DA CONCEICAO       ")]);
    check_fields(payer, &[(74, "PRACA DA SE 100 "), (114, "CENTRO         01001000SAO JOSE DOS CASP")]);
    check_fields(payer, &[(154, "0000000000000000"), (210, "000  ")]);
    check_fields(charges, &[(1, "0010001300003R 01000"), (66, "201012027000000000000200 ")]);
    check_fields(lot_end, &[(1, "00100015         000005 ")]);
    check_fields(end, &[(1, "00199999         000001000007000000 ")]);
}

/// By hand from the layouts of the banks; `#` stands for our number.
#[test]
fn each_bank_has_account_and_our_number_in_its_own_columns() {
    for (bank, header, title) in [
        (
            SlipBank::BancoDoBrasil,
            "001238798001417019  0404280000000619000 ",
            "0404280000000619000 #   71122",
        ),
        (
            SlipBank::Santander,
            "018900000739731                         ",
            "0189000101741790010174179  #512  ",
        ),
        (SlipBank::Caixa, "0000000000000000000001825224527400000000", "01825224527400000000000#11220"),
        (
            SlipBank::Bradesco,
            "000000000000000047110142570000002380692 ",
            "0142570000002380692 00900000#11122",
        ),
        (SlipBank::Itau, "                    02545 000000002366 1", "02545 000000002366 1109#        00000"),
        (
            SlipBank::Sicredi,
            "                    01234 0000000123451 ",
            "01234 0000000123451 #           11122",
        ),
        (
            SlipBank::Sicoob,
            "                    04155200000001234510",
            "0415520000000123451 00#01014     10 22",
        ),
    ] {
        let agreement = parse_agreement(bank);
        let order = order(&agreement, 168);
        let digits = order.our_number.digits().to_owned();
        let lines = write_lines(&remittance(&agreement, vec![order]));
        assert_eq!(cut(&lines[0], 33, 72), header, "{bank:?}");
        assert_eq!(cut(&lines[2], 18, 62), title.replace('#', &digits), "{bank:?}");
    }
}

#[test]
fn each_bank_has_its_own_codes() {
    for (bank, no_interest, kind, write_off) in [
        (SlipBank::BancoDoBrasil, "3", "02", "300000009"),
        (SlipBank::Santander, "3", "02", "000200000"),
        (SlipBank::Caixa, "3", "02", "300199909"),
        (SlipBank::Bradesco, "3", "02", "300200009"),
        (SlipBank::Itau, "0", "01", "000000000"),
        (SlipBank::Sicredi, "3", "03", "300106009"),
        (SlipBank::Sicoob, "0", "02", "3000   09"),
    ] {
        let agreement = parse_agreement(bank);
        let late_charges = LateChargeRates::default();
        let plain = RemittanceOrder { late_charges, discount: None, ..order(&agreement, 168) };
        let lines = write_lines(&remittance(&agreement, vec![plain]));
        assert_eq!(lines.len(), 6, "without a fine no segment R");
        let title = &lines[2];
        assert_eq!((cut(title, 118, 118), cut(title, 107, 108)), (no_interest, kind), "{bank:?}");
        assert_eq!(cut(title, 119, 165), "0".repeat(47), "{bank:?}");
        assert_eq!(cut(title, 221, 229), write_off, "{bank:?}");
    }
}

#[test]
fn orders_have_their_codes() {
    let agreement = parse_agreement(SlipBank::Sicoob);
    for (instruction, code, lines_of_order) in [
        (RemittanceInstruction::Register, "01", 3),
        (RemittanceInstruction::WriteOff, "02", 2),
        (RemittanceInstruction::ChangeDueDate, "06", 2),
    ] {
        let order = RemittanceOrder { instruction, ..order(&agreement, 1) };
        let lines = write_lines(&remittance(&agreement, vec![order]));
        assert_eq!(lines.len(), lines_of_order + 4);
        assert!(lines[2..lines.len() - 2].iter().all(|line| cut(line, 16, 17) == code));
    }
}

#[test]
fn itau_has_interest_as_an_amount_of_a_day_and_no_code_of_a_discount() {
    let agreement = parse_agreement(SlipBank::Itau);
    let lines = write_lines(&remittance(&agreement, vec![order(&agreement, 1)]));
    // 1 % of R$ 101.20 by 30 is 3.37 cents.
    assert_eq!(cut(&lines[2], 118, 141), "001012027000000000000003");
    assert_eq!(cut(&lines[2], 142, 165), "010122026000000000000500");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let agreement = parse_agreement(SlipBank::Itau);
    let problem = |file: &RemittanceFile| write_remittance(file).unwrap_err();
    let one = order(&agreement, 1);
    assert_eq!(problem(&remittance(&agreement, Vec::new())), RemittanceProblem::NoOrders);
    assert_eq!(problem(&remittance(&agreement, vec![one.clone(); 33_334])), RemittanceProblem::TooManyOrders);
    for file_sequence in [0, 1_000_000] {
        let file = RemittanceFile { file_sequence, ..remittance(&agreement, vec![one.clone()]) };
        assert_eq!(problem(&file), RemittanceProblem::FileSequenceOutOfRange);
    }
    let foreign = order(&parse_agreement(SlipBank::Sicoob), 1);
    assert_eq!(
        problem(&remittance(&agreement, vec![one.clone(), foreign])),
        RemittanceProblem::ForeignNumber { order: 1 }
    );
    for (cents, discount) in [(0, None), (10_000_000_000, None), (500, one.discount)] {
        let amount = Money::from_stored_cents(cents).unwrap();
        let wrong = RemittanceOrder { amount, discount, ..one.clone() };
        assert_eq!(
            problem(&remittance(&agreement, vec![wrong])),
            RemittanceProblem::AmountOutOfRange { order: 0 }
        );
    }
}

prop_compose! {
    fn orders_of(agreement: SlipAgreement)(
        sequence in 1..=agreement.highest_sequence(),
        instruction in prop::sample::select(vec![
            RemittanceInstruction::Register, RemittanceInstruction::WriteOff, RemittanceInstruction::ChangeDueDate,
        ]),
        cents in 2..=9_999_999_999_i64,
        fine in 0..1_000_i64,
        interest in 0..1_000_i64,
        has_discount: bool,
        texts in prop::array::uniform4("\\PC{0,60}"),
    ) -> RemittanceOrder {
        let [name, street, city, document_number] = texts;
        let usual = order(&agreement, sequence);
        let address = PostalAddress { street: Some(street), city: Some(city), ..PostalAddress::default() };
        let discount = SlipDiscount { amount: Money::from_cents(cents / 2).unwrap(), until: day("2026-12-10") };
        RemittanceOrder {
            instruction,
            document_number,
            amount: Money::from_cents(cents).unwrap(),
            late_charges: LateChargeRates { fine, interest },
            discount: has_discount.then_some(discount),
            payer: SlipPayer { name, address, ..usual.payer.clone() },
            ..usual
        }
    }
}

fn files() -> impl Strategy<Value = RemittanceFile> {
    prop::sample::select(SlipBank::ALL.to_vec()).prop_flat_map(|bank| {
        let agreement = parse_agreement(bank);
        let orders = prop::collection::vec(orders_of(agreement.clone()), 1..6);
        orders.prop_map(move |orders| remittance(&agreement, orders))
    })
}

proptest! {
    #[test]
    fn every_file_is_whole(file in files()) {
        let bytes = write_remittance(&file).unwrap();
        prop_assert!(bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\r' | b'\n')));
        prop_assert!(!bytes.iter().any(u8::is_ascii_lowercase));
        let lines = write_lines(&file);
        prop_assert!(lines.iter().all(|line| line.len() == 240));
        let bank = format!("{:03}", file.agreement.bank().number());
        prop_assert!(lines.iter().all(|line| line.starts_with(&bank)));
        let kinds: String = lines.iter().map(|line| cut(line, 8, 8)).collect();
        prop_assert_eq!(&kinds, &format!("01{}59", "3".repeat(lines.len() - 4)));
        // Segments are numbered in turn.
        for (number, line) in (1..).zip(&lines[2..lines.len() - 2]) {
            prop_assert_eq!(cut(line, 9, 13), format!("{number:05}"));
        }
        let details = &lines[2..lines.len() - 2];
        let titles: Vec<&String> = details.iter().filter(|line| cut(line, 14, 14) == "P").collect();
        prop_assert_eq!(titles.len(), file.orders.len());
        for (title, order) in titles.iter().zip(&file.orders) {
            prop_assert!(cut(title, 38, 57).contains(order.our_number.digits()));
            prop_assert_eq!(cut(title, 86, 100), format!("{:015}", order.amount.cents()));
        }
        let [.., lot_end, end] = lines.as_slice() else { panic!() };
        prop_assert_eq!(cut(lot_end, 18, 23), format!("{:06}", lines.len() - 2));
        prop_assert_eq!(cut(end, 18, 29), format!("000001{:06}", lines.len()));
        let total: i64 = titles.iter().map(|title| cut(title, 86, 100).parse::<i64>().unwrap()).sum();
        if cut(lot_end, 24, 46).trim().is_empty() {
            prop_assert!(matches!(file.agreement.bank(), SlipBank::BancoDoBrasil | SlipBank::Santander));
        } else {
            prop_assert_eq!(cut(lot_end, 24, 46), format!("{:06}{total:017}", titles.len()));
        }
    }
}
