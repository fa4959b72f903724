//! Whole slips of each bank, and what holds for all of them.

use crate::{
    FreeField, SlipAgreement, SlipAgreementField, SlipAgreementProblem, SlipAgreementRule,
    SlipAgreementTexts, SlipBank, SlipBarcode,
};
use domain::{Date, Money};
use proptest::prelude::*;

type AgreementRow<'t> = (SlipBank, &'t str, &'t str, &'t str, &'t str, &'t str);

fn texts((bank, agency, account, wallet, agreement, variation): AgreementRow<'_>) -> SlipAgreementTexts<'_> {
    SlipAgreementTexts { bank, agency, account, wallet, agreement, variation }
}

fn parse(row: AgreementRow<'_>) -> SlipAgreement {
    SlipAgreement::parse(&texts(row)).unwrap()
}

fn day(text: &str) -> Date {
    Date::from_iso(text).unwrap()
}

struct SlipVector<'t> {
    agreement: AgreementRow<'t>,
    sequence: u64,
    issued_on: &'t str,
    due_on: &'t str,
    cents: i64,
    digits: &'t str,
    printed: &'t str,
    beneficiary: &'t str,
    barcode: &'t str,
    line: &'t str,
}

fn check_vector(vector: &SlipVector<'_>) {
    let agreement = parse(vector.agreement);
    let number = agreement.our_number(vector.sequence, day(vector.issued_on)).unwrap();
    assert_eq!((number.digits(), number.printed()), (vector.digits, vector.printed));
    assert_eq!(agreement.printed_agency_and_account(), vector.beneficiary);
    assert_eq!(agreement.parse_our_number(vector.digits), Some(number.clone()));
    let amount = Money::from_cents(vector.cents).unwrap();
    let free = agreement.free_field(&number);
    let barcode = SlipBarcode::build(agreement.bank().number(), day(vector.due_on), amount, &free).unwrap();
    assert_eq!((barcode.as_str(), barcode.typed_line().as_str()), (vector.barcode, vector.line));
}

/// The vector of the project's design notes.
#[test]
fn banco_do_brasil_with_seven_digits() {
    check_vector(&SlipVector {
        agreement: (SlipBank::BancoDoBrasil, "4042-8", "61900-0", "18", "1238798", "019"),
        sequence: 777_700_168,
        issued_on: "2026-11-19",
        due_on: "2026-12-10",
        cents: 10_120,
        digits: "12387980777700168",
        printed: "12387980777700168",
        beneficiary: "4042-8 / 00061900-0",
        barcode: "00191165600000101200000001238798077770016818",
        line: "00190.00009 01238.798076 77700.168188 1 16560000010120",
    });
}

/// The numbers of barcode and line are those of brcobranca's specification.
#[test]
fn banco_do_brasil_with_six_and_four_digits() {
    check_vector(&SlipVector {
        agreement: (SlipBank::BancoDoBrasil, "4042-8", "61900-0", "18", "123879", "019"),
        sequence: 1_234,
        issued_on: "2008-02-01",
        due_on: "2008-02-01",
        cents: 13_500,
        digits: "123879012345",
        printed: "12387901234-5",
        beneficiary: "4042-8 / 00061900-0",
        barcode: "00192376900000135001238790123440420006190018",
        line: "00191.23876 90123.440423 00061.900189 2 37690000013500",
    });
    check_vector(&SlipVector {
        agreement: (SlipBank::BancoDoBrasil, "4042-8", "61900-0", "18", "1238", "019"),
        sequence: 123_456,
        issued_on: "2008-02-01",
        due_on: "2008-02-01",
        cents: 13_500,
        digits: "123801234560",
        printed: "12380123456-0",
        beneficiary: "4042-8 / 00061900-0",
        barcode: "00191376900000135001238012345640420006190018",
        line: "00191.23801 12345.640424 00061.900189 1 37690000013500",
    });
}

/// pyboleto and gerar-boletos write the same barcode and line.
#[test]
fn santander() {
    check_vector(&SlipVector {
        agreement: (SlipBank::Santander, "9804", "78306458-6", "101", "0739731", ""),
        sequence: 484_980_202,
        issued_on: "2016-11-15",
        due_on: "2016-12-15",
        cents: 730_529,
        digits: "0004849802027",
        printed: "000484980202-7",
        beneficiary: "9804 / 0739731",
        barcode: "03391700900007305299073973100048498020270101",
        line: "03399.07396 73100.048492 80202.701019 1 70090000730529",
    });
}

/// pyboleto and gerar-boletos write the same barcode and line. Our number and beneficiary of the second are
/// those of brcobranca's specification.
#[test]
fn caixa() {
    check_vector(&SlipVector {
        agreement: (SlipBank::Caixa, "0376", "", "14", "773261", ""),
        sequence: 318_104_163,
        issued_on: "2014-10-06",
        due_on: "2014-11-06",
        cents: 862_123,
        digits: "14000000318104163",
        printed: "14000000318104163-4",
        beneficiary: "0376/773261-9",
        barcode: "10495623900008621237732619000100043181041638",
        line: "10497.73268 19000.100040 31810.416383 5 62390000862123",
    });
    let agreement = parse((SlipBank::Caixa, "1825", "", "14", "245274-0", ""));
    let number = agreement.our_number(1, day("2026-11-19")).unwrap();
    assert_eq!(agreement.free_field(&number).as_str(), "2452740000100040000000017");
    assert_eq!(number.printed(), "14000000000000001-4");
    assert_eq!(agreement.printed_agency_and_account(), "1825/245274-0");
}

/// A beneficiary of seven digits stands where one of six stands with its check digit.
#[test]
fn caixa_with_seven_digits() {
    let long = parse((SlipBank::Caixa, "1825", "", "14", "2452740", ""));
    let short = parse((SlipBank::Caixa, "1825", "", "14", "245274-0", ""));
    let [long_number, short_number] =
        [&long, &short].map(|agreement| agreement.our_number(1, day("2026-11-19")).unwrap());
    assert_eq!(long.free_field(&long_number), short.free_field(&short_number));
    assert_eq!(long.printed_agency_and_account(), "1825/2452740");
}

/// pyboleto and gerar-boletos write the same barcode and line.
#[test]
fn bradesco() {
    check_vector(&SlipVector {
        agreement: (SlipBank::Bradesco, "9781-0", "4034874-3", "09", "123", ""),
        sequence: 86_478_068,
        issued_on: "2021-11-19",
        due_on: "2021-12-19",
        cents: 3_449_614,
        digits: "00086478068P",
        printed: "09/00086478068-P",
        beneficiary: "9781-0 / 4034874-3",
        barcode: "23797883900034496149781090008647806840348740",
        line: "23799.78105 90008.647803 68403.487405 7 88390003449614",
    });
}

/// The check digits are those of brcobranca's specification.
#[test]
fn check_digits_of_bradesco_may_be_a_letter() {
    for (account, wallet, printed) in [
        ("0019669-P", "09", "09/00000000001-1"),
        ("0301357-P", "9", "09/00000000001-1"),
        ("0325620-0", "9", "09/00000000001-1"),
        ("0284025-1", "9", "09/00000000001-1"),
    ] {
        let agreement = parse((SlipBank::Bradesco, "0121-P", account, wallet, "123", ""));
        assert_eq!(agreement.our_number(1, day("2026-11-19")).unwrap().printed(), printed);
    }
    // Forms without letters have 0 where the digit is P.
    let agreement = parse((SlipBank::Bradesco, "0121-0", "0301357-0", "9", "123", ""));
    assert_eq!(agreement.printed_agency_and_account(), "0121-P / 0301357-P");
}

/// The numbers are those of brcobranca's specification.
#[test]
fn itau() {
    check_vector(&SlipVector {
        agreement: (SlipBank::Itau, "1248", "02124-6", "109", "", ""),
        sequence: 10_152,
        issued_on: "2029-04-20",
        due_on: "2029-05-20",
        cents: 675_787,
        digits: "000101527",
        printed: "109/00010152-7",
        beneficiary: "1248 / 02124-6",
        barcode: "34194254800006757871090001015271248021246000",
        line: "34191.09008 01015.271248 80212.460002 4 25480000675787",
    });
}

/// gerar-boletos writes the same barcode and line.
#[test]
fn sicredi() {
    check_vector(&SlipVector {
        agreement: (SlipBank::Sicredi, "3518", "21304-1", "1", "83720", "3"),
        sequence: 61_909,
        issued_on: "2024-05-18",
        due_on: "2015-03-11",
        cents: 618_224,
        digits: "242619097",
        printed: "24/261909-7",
        beneficiary: "3518.03.83720",
        barcode: "74891636400006182241124261909735180383720104",
        line: "74891.12420 61909.735187 03837.201049 1 63640000618224",
    });
    let agreement = parse((SlipBank::Sicredi, "1234", "12345-1", "1", "12345", "18"));
    // The number of brcobranca's specification.
    assert_eq!(agreement.our_number(13_871, day("2012-01-19")).unwrap().printed(), "12/213871-5");
    let second_byte = agreement.our_number(100_000, day("2012-01-19")).unwrap();
    assert!(second_byte.digits().starts_with("12300001"));
    let last = agreement.our_number(agreement.highest_sequence(), day("2012-01-19")).unwrap();
    assert!(last.digits().starts_with("12999999"));
}

/// gerar-boletos writes the same barcode and line. Our number of the second is that of its specification.
#[test]
fn sicoob() {
    check_vector(&SlipVector {
        agreement: (SlipBank::Sicoob, "7462", "392622-1", "1", "557928-4", "01"),
        sequence: 2_684_609,
        issued_on: "2020-02-15",
        due_on: "2020-03-15",
        cents: 2_886_791,
        digits: "26846099",
        printed: "2684609-9",
        beneficiary: "7462 / 5579284",
        barcode: "75698819500028867911746201557928426846099001",
        line: "75691.74621 01557.928429 68460.990010 8 81950002886791",
    });
    let agreement = parse((SlipBank::Sicoob, "4155", "12345-1", "1", "101060", "1"));
    assert_eq!(agreement.our_number(515, day("2016-01-02")).unwrap().printed(), "0000515-8");
}

fn problems(row: AgreementRow<'_>) -> Vec<(SlipAgreementField, SlipAgreementRule)> {
    let problems = SlipAgreement::parse(&texts(row)).unwrap_err();
    problems.into_iter().map(|SlipAgreementProblem { field, rule }| (field, rule)).collect()
}

#[test]
fn every_problem_is_named() {
    use SlipAgreementField as Field;
    use SlipAgreementRule as Rule;
    assert_eq!(
        problems((SlipBank::BancoDoBrasil, "4042-9", "", "19", "12345", "x")),
        [
            (Field::Agency, Rule::WrongCheckDigit),
            (Field::Account, Rule::Missing),
            (Field::Wallet, Rule::OneOf(&["11", "12", "15", "16", "17", "18", "31", "51"])),
            (Field::Agreement, Rule::Digits { from: 6, to: 7 }),
            (Field::Variation, Rule::Digits { from: 1, to: 3 }),
        ]
    );
    assert_eq!(
        problems((SlipBank::Itau, "1248-1", "02124", "109", "1", "1")),
        [
            (Field::Agreement, Rule::NotUsed),
            (Field::Variation, Rule::NotUsed),
            (Field::Agency, Rule::Digits { from: 1, to: 4 }),
            (Field::Account, Rule::MissingCheckDigit),
        ]
    );
    for bank in SlipBank::ALL {
        let missing = problems((bank, "", "", "", "", ""));
        assert!(missing.iter().all(|(_, rule)| *rule == Rule::Missing), "{bank:?}: {missing:?}");
        let expected = match bank {
            SlipBank::BancoDoBrasil | SlipBank::Sicredi | SlipBank::Sicoob => 5,
            SlipBank::Santander | SlipBank::Bradesco => 4,
            SlipBank::Caixa | SlipBank::Itau => 3,
        };
        assert_eq!(missing.len(), expected, "{bank:?}");
    }
}

#[test]
fn a_wrong_check_digit_is_refused() {
    for row in [
        (SlipBank::BancoDoBrasil, "1584-8", "00210169-6", "17", "1238798", "19"),
        (SlipBank::BancoDoBrasil, "1584-9", "00210169-5", "17", "1238798", "19"),
        (SlipBank::Santander, "0189", "01017417-8", "101", "0739731", ""),
        (SlipBank::Bradesco, "1425-6", "0238069-2", "09", "1", ""),
        (SlipBank::Bradesco, "1425-7", "0238069-P", "09", "1", ""),
        (SlipBank::Itau, "2545", "02366-2", "109", "", ""),
        (SlipBank::Caixa, "1825", "", "14", "245274-1", ""),
        (SlipBank::Caixa, "1825", "", "14", "1000000", ""),
    ] {
        let found = problems(row);
        assert_eq!(found.len(), 1, "{row:?} {found:?}");
        assert_eq!(found[0].1, SlipAgreementRule::WrongCheckDigit, "{row:?}");
    }
    for row in [
        (SlipBank::BancoDoBrasil, "1584-9", "00210169-6", "17", "1238798", "19"),
        (SlipBank::BancoDoBrasil, "15849", "002101696", "17", "1.238.798", "19"),
        (SlipBank::Santander, "0189", "01.017417-9", "101", "0739731", ""),
        (SlipBank::Bradesco, "1425-7", "238069-2", "9", "1", ""),
        (SlipBank::Itau, "2545", "02366-1", "109", "", ""),
        (SlipBank::Caixa, "1825", "", "14", "245274", ""),
    ] {
        assert!(SlipAgreement::parse(&texts(row)).is_ok(), "{row:?}");
    }
}

const AGREEMENTS: [AgreementRow<'static>; 10] = [
    (SlipBank::BancoDoBrasil, "4042-8", "61900-0", "18", "1238798", "019"),
    (SlipBank::BancoDoBrasil, "4042-8", "61900-0", "17", "123879", "019"),
    (SlipBank::BancoDoBrasil, "4042-8", "61900-0", "11", "1238", "019"),
    (SlipBank::Santander, "0189", "01017417-9", "101", "739731", ""),
    (SlipBank::Caixa, "1825", "", "14", "245274-0", ""),
    (SlipBank::Caixa, "1825", "", "24", "1245274", ""),
    (SlipBank::Bradesco, "1425-7", "238069-2", "09", "1", ""),
    (SlipBank::Itau, "2545", "02366-1", "109", "", ""),
    (SlipBank::Sicredi, "1234", "12345-1", "1", "12345", "18"),
    (SlipBank::Sicoob, "4155", "12345-1", "1", "101060", "1"),
];

#[test]
fn sequences_end_where_the_digits_end() {
    for row in AGREEMENTS {
        let agreement = parse(row);
        let (highest, today) = (agreement.highest_sequence(), day("2026-11-19"));
        assert!(agreement.our_number(highest, today).is_some(), "{row:?}");
        assert_eq!((agreement.our_number(0, today), agreement.our_number(highest + 1, today)), (None, None));
        assert_eq!(agreement.parse_our_number(""), None);
        assert!(!agreement.printed_wallet().is_empty());
    }
}

proptest! {
    #[test]
    fn every_sequence_has_a_number_of_its_own(at in 0..AGREEMENTS.len(), first: u64, second: u64) {
        let (agreement, today) = (parse(AGREEMENTS[at]), day("2026-11-19"));
        let [first, second] = [first, second].map(|any| any % agreement.highest_sequence() + 1);
        let [one, other] = [first, second].map(|sequence| agreement.our_number(sequence, today).unwrap());
        for number in [&one, &other] {
            prop_assert_eq!(agreement.free_field(number).as_str().len(), FreeField::LENGTH);
            prop_assert_eq!(agreement.parse_our_number(number.digits()), Some(number.clone()));
        }
        prop_assert_eq!(first == second, one.digits() == other.digits());
        prop_assert_eq!(first == second, one.printed() == other.printed());
        prop_assert_eq!(first == second, agreement.free_field(&one) == agreement.free_field(&other));
    }

    #[test]
    fn no_text_makes_it_panic(
        at in 0..SlipBank::ALL.len(),
        agency in "[0-9]{0,5}-?[0-9XP]?|\\PC{0,8}",
        account in "[0-9]{0,13}-?[0-9XP]?|\\PC{0,8}",
        wallet in "[0-9]{0,3}|\\PC{0,3}",
        agreement in "[0-9]{0,8}-?[0-9]?|\\PC{0,8}",
        variation in "[0-9]{0,3}|\\PC{0,3}",
    ) {
        let [agency, account, wallet] = [&agency, &account, &wallet].map(String::as_str);
        let row = (SlipBank::ALL[at], agency, account, wallet, agreement.as_str(), variation.as_str());
        if let Ok(agreement) = SlipAgreement::parse(&texts(row)) {
            let number = agreement.our_number(1, day("2026-11-19")).unwrap();
            prop_assert_eq!(agreement.parse_our_number(number.digits()), Some(number));
        }
        let _ = parse(AGREEMENTS[at]).parse_our_number(account);
    }
}
