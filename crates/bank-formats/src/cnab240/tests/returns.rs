use super::{cut, day, parse_agreement};
use crate::SlipBank;
use crate::cnab240::{ReturnFileProblem, SlipMovement, SlipOccurrence, parse_return_file};
use domain::{Date, Money};
use proptest::prelude::*;

/// A record in the making: columns from 1, over blanks.
struct TestLine(Vec<u8>);

impl TestLine {
    fn new(start: &str) -> TestLine {
        let mut line = TestLine(vec![b' '; 240]);
        line.put(1, start);
        line
    }

    fn put(&mut self, first: usize, text: &str) {
        self.0[first - 1..first - 1 + text.len()].copy_from_slice(text.as_bytes());
    }

    fn put_amount(&mut self, first: usize, amount: Money) {
        self.put(first, &format!("{:015}", amount.cents()));
    }

    fn put_day(&mut self, first: usize, date: Option<Date>) {
        let digits = date.map(|date| format!("{:02}{:02}{:04}", date.day(), date.month(), date.year()));
        self.put(first, digits.as_deref().unwrap_or("00000000"));
    }

    fn finish(self) -> String {
        String::from_utf8(self.0).unwrap()
    }
}

fn write_header(bank: SlipBank) -> String {
    let mut line = TestLine::new(&format!("{:03}00000", bank.number()));
    line.put(73, "ASSOCIACAO AMPARO");
    line.put(143, "2");
    line.put_day(144, Some(day("2026-12-31")));
    line.put(158, "000042");
    line.finish()
}

/// The standard place is 74 for the due date; Santander has all four columns earlier.
fn write_pair(
    bank: SlipBank,
    number: usize,
    code: u8,
    reasons: &str,
    movement: &SlipMovement,
) -> [String; 2] {
    let start =
        |number: usize, letter: &str| format!("{:03}00013{number:05}{letter} {code:02}", bank.number());
    let mut title = TestLine::new(&start(number, "T"));
    let (our_number, document, shift) = match bank {
        SlipBank::Santander => (41, 55, 4),
        SlipBank::Caixa => (40, 59, 0),
        SlipBank::Bradesco => (46, 59, 0),
        SlipBank::Itau => (41, 59, 0),
        SlipBank::Sicoob => (40, 59, 0),
        SlipBank::BancoDoBrasil | SlipBank::Sicredi => (38, 59, 0),
    };
    title.put(38, if matches!(bank, SlipBank::Caixa | SlipBank::Sicoob) { "00" } else { "  " });
    title.put(our_number, &movement.our_number);
    title.put(document, &movement.document_number);
    title.put_day(74 - shift, movement.due_on);
    title.put_amount(82 - shift, movement.nominal);
    title.put_amount(199 - shift - usize::from(bank == SlipBank::Santander), movement.tariff);
    title.put(214 - shift - usize::from(bank == SlipBank::Santander), reasons);
    let mut amounts = TestLine::new(&start(number + 1, "U"));
    for (first, amount) in [
        (18, movement.fine_and_interest),
        (33, movement.discount),
        (48, movement.rebate),
        (78, movement.paid),
        (93, movement.credited),
        (108, movement.other_costs),
        (123, movement.other_credits),
    ] {
        amounts.put_amount(first, amount);
    }
    amounts.put_day(138, movement.event_on);
    amounts.put_day(146, movement.credited_on);
    [title.finish(), amounts.finish()]
}

fn write_return(bank: SlipBank, details: &[String]) -> Vec<String> {
    let lot = TestLine::new(&format!("{:03}00011T01", bank.number())).finish();
    let lot_end = TestLine::new(&format!("{:03}00015", bank.number())).finish();
    let end = TestLine::new(&format!("{:03}99999         000001", bank.number())).finish();
    let mut lines = vec![write_header(bank), lot];
    lines.extend_from_slice(details);
    lines.extend([lot_end, end]);
    lines
}

fn money(cents: i64) -> Money {
    Money::from_stored_cents(cents).unwrap()
}

fn settlement(bank: SlipBank) -> SlipMovement {
    SlipMovement {
        line: 3,
        occurrence: SlipOccurrence::Settled,
        our_number: parse_agreement(bank).our_number(168, day("2026-11-19")).unwrap().digits().to_owned(),
        document_number: "MEN-2026".to_owned(),
        due_on: Some(day("2026-12-10")),
        nominal: money(10_120),
        paid: money(10_340),
        credited: money(10_200),
        fine_and_interest: money(220),
        discount: Money::default(),
        rebate: Money::default(),
        tariff: money(140),
        other_costs: Money::default(),
        other_credits: Money::default(),
        event_on: Some(day("2026-12-14")),
        credited_on: Some(day("2026-12-15")),
        reasons: Vec::new(),
    }
}

#[test]
fn a_settlement_of_each_bank_is_read() {
    for bank in SlipBank::ALL {
        let expected = settlement(bank);
        let lines = write_return(bank, &write_pair(bank, 1, 6, "00", &expected));
        let file = parse_return_file(lines.join("\r\n").as_bytes()).unwrap();
        assert_eq!((file.bank, file.file_sequence, file.made_on), (bank, 42, Some(day("2026-12-31"))));
        assert_eq!(file.movements, [expected], "{bank:?}");
    }
}

/// Our number as the remittance writes it; Caixa's return has it one column earlier.
#[test]
fn zeros_and_blanks_around_our_number_do_not_matter() {
    for (bank, place) in [
        (SlipBank::Sicredi, "00000000000262001685"),
        (SlipBank::Sicredi, "262001685           "),
        (SlipBank::Caixa, "00014000000000000168"),
        (SlipBank::Caixa, "0014000000000000168 "),
        (SlipBank::Sicoob, "000000168101014     "),
    ] {
        let movement = SlipMovement { our_number: String::new(), ..settlement(bank) };
        let [mut title, amounts] = write_pair(bank, 1, 6, "00", &movement);
        title.replace_range(37..57, place);
        let lines = write_return(bank, &[title, amounts]);
        let file = parse_return_file(lines.join("\n").as_bytes()).unwrap();
        let read = &file.movements[0].our_number;
        assert!(place.contains(read.as_str()), "{bank:?} {read}");
        let length = parse_agreement(bank).our_number(168, day("2026-11-19")).unwrap().digits().len();
        assert_eq!(read.len(), length, "{bank:?} {read}");
    }
}

#[test]
fn occurrences_have_their_names() {
    use SlipOccurrence as Kind;
    for (bank, code, expected) in [
        (SlipBank::Bradesco, 2, Kind::RegistrationConfirmed),
        (SlipBank::Bradesco, 3, Kind::RegistrationRejected),
        (SlipBank::Bradesco, 9, Kind::WrittenOff),
        (SlipBank::Bradesco, 14, Kind::DueDateChanged),
        (SlipBank::Bradesco, 17, Kind::SettledAfterWriteOff),
        (SlipBank::Bradesco, 26, Kind::InstructionRefused),
        (SlipBank::Bradesco, 28, Kind::TariffCharged),
        (SlipBank::Bradesco, 51, Kind::OtherOccurrence(51)),
        (SlipBank::Itau, 8, Kind::Settled),
        (SlipBank::Itau, 17, Kind::InstructionRefused),
        (SlipBank::Itau, 26, Kind::TariffCharged),
        (SlipBank::Itau, 51, Kind::OtherOccurrence(51)),
        (SlipBank::Sicredi, 36, Kind::InstructionRefused),
    ] {
        let lines = write_return(bank, &write_pair(bank, 1, code, "", &settlement(bank)));
        let file = parse_return_file(lines.join("\n").as_bytes()).unwrap();
        assert_eq!(file.movements[0].occurrence, expected);
        assert_eq!(expected.is_settlement(), matches!(expected, Kind::Settled | Kind::SettledAfterWriteOff));
    }
}

fn read_sentences(bank: SlipBank, code: u8, reasons: &str) -> Vec<String> {
    let lines = write_return(bank, &write_pair(bank, 1, code, reasons, &settlement(bank)));
    let file = parse_return_file(lines.join("\n").as_bytes()).unwrap();
    file.movements[0].reasons.iter().map(|reason| format!("{} {}", reason.code, reason.sentence)).collect()
}

#[test]
fn reasons_are_sentences() {
    assert_eq!(
        read_sentences(SlipBank::Sicoob, 3, "0948ZZ0000"),
        [
            "09 O nosso número já foi usado.",
            "48 O CEP do pagador é inválido.",
            "ZZ O banco informou o código ZZ, que o sistema não conhece."
        ]
    );
    assert_eq!(read_sentences(SlipBank::Santander, 26, "60"), ["60 O título não está registrado no banco."]);
    assert_eq!(read_sentences(SlipBank::Sicoob, 9, "10"), ["10 Baixado por arquivo do beneficiário."]);
    assert_eq!(read_sentences(SlipBank::Caixa, 6, "02"), ["02 Pago em casa lotérica."]);
    assert_eq!(read_sentences(SlipBank::Bradesco, 6, "02"), ["02 Pago por conta."]);
    assert_eq!(
        read_sentences(SlipBank::Itau, 3, "14"),
        ["14 O nosso número já está registrado ou está fora da faixa."]
    );
    assert_eq!(
        read_sentences(SlipBank::Itau, 6, "04"),
        ["04 O banco informou o código 04, que o sistema não conhece."]
    );
    assert_eq!(read_sentences(SlipBank::Bradesco, 2, "A4"), ["A4 O pagador recebe seus boletos pelo DDA."]);
    assert!(read_sentences(SlipBank::Bradesco, 2, "0000000000").is_empty());
}

#[test]
fn a_file_is_read_however_it_was_stored() {
    let bank = SlipBank::BancoDoBrasil;
    let pair = write_pair(bank, 1, 6, "04", &settlement(bank));
    let lines = write_return(bank, &pair);
    let expected = parse_return_file(lines.join("\r\n").as_bytes()).unwrap();
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    for text in [lines.join("\n"), lines.concat(), trimmed.join("\r\n"), lines.join("\r\n") + "\r\n\u{1A}"] {
        assert_eq!(parse_return_file(text.as_bytes()).unwrap(), expected);
    }
    // Accents in the name of the payer, which comes before the tariff.
    let accented = |text: &str| text.replacen(&" ".repeat(20), "JOÃO DA CONCEIÇÃO   ", 3);
    let mut with_accents = lines.clone();
    with_accents[2] = format!("{}{}", cut(&lines[2], 1, 148), accented(cut(&lines[2], 149, 188)))
        + cut(&lines[2], 189, 240);
    let text = with_accents.join("\r\n");
    assert_eq!(parse_return_file(text.as_bytes()).unwrap(), expected);
    assert_eq!(parse_return_file(format!("\u{FEFF}{text}").as_bytes()).unwrap(), expected);
    let latin: Vec<u8> = text.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    assert_eq!(parse_return_file(&latin).unwrap(), expected);
}

#[test]
fn optional_segments_are_ignored() {
    let bank = SlipBank::Sicoob;
    let [title, amounts] = write_pair(bank, 1, 6, "", &settlement(bank));
    let other = TestLine::new("7560001300003Y 06").finish();
    let lines = write_return(bank, &[title, amounts, other]);
    assert_eq!(parse_return_file(lines.join("\n").as_bytes()).unwrap().movements.len(), 1);
}

#[test]
fn a_file_that_is_not_whole_is_refused() {
    let bank = SlipBank::Sicoob;
    let [title, amounts] = write_pair(bank, 1, 6, "", &settlement(bank));
    let read = |lines: &[String]| parse_return_file(lines.join("\n").as_bytes()).unwrap_err();
    let whole = write_return(bank, &[title.clone(), amounts.clone()]);
    assert_eq!(read(&whole[..5]), ReturnFileProblem::Truncated);
    assert_eq!(read(&whole[..1]), ReturnFileProblem::Truncated);
    assert_eq!(read(&[]), ReturnFileProblem::NotCnab240);
    assert_eq!(read(&["x".to_owned()]), ReturnFileProblem::NotCnab240);
    let unpaired = |line| ReturnFileProblem::UnpairedSegment { line };
    assert_eq!(read(&write_return(bank, std::slice::from_ref(&title))), unpaired(3));
    assert_eq!(read(&write_return(bank, &[title.clone(), title.clone(), amounts.clone()])), unpaired(3));
    assert_eq!(read(&write_return(bank, &[title.clone(), amounts.clone(), amounts.clone()])), unpaired(5));
    let bad = |line, column| ReturnFileProblem::BadField { line, column };
    for (at, first, text, line) in [
        (0, 82, "00000000010I200", 3),
        (0, 74, "31022026", 3),
        (1, 78, "-00000000010120", 4),
        (0, 16, "0X", 3),
    ] {
        let mut pair = [title.clone(), amounts.clone()];
        pair[at].replace_range(first - 1..first - 1 + text.len(), text);
        assert_eq!(read(&write_return(bank, &pair)), bad(line, first));
    }
    let header = |text: &str, first: usize| {
        let mut lines = whole.clone();
        lines[0].replace_range(first - 1..first - 1 + text.len(), text);
        read(&lines)
    };
    assert_eq!(header("1", 143), ReturnFileProblem::NotReturn);
    assert_eq!(header(" ", 143), ReturnFileProblem::NotCnab240);
    assert_eq!(header("999", 1), ReturnFileProblem::UnknownBank(999));
    assert_eq!(header("A", 158), bad(1, 158));
    assert_eq!(header("1", 8), ReturnFileProblem::NotCnab240);
    let long = whole.iter().map(|line| format!("{line}.")).collect::<Vec<_>>();
    assert_eq!(read(&long), ReturnFileProblem::NotCnab240);
}

prop_compose! {
    fn movements_of(bank: SlipBank)(
        sequence in 1..=parse_agreement(bank).highest_sequence(),
        document_number in "[A-Z0-9]{1,10}",
        cents in prop::array::uniform9(0..=999_999_999_999_999_i64),
        days in prop::array::uniform3(prop::option::of(0..20_000_i64)),
    ) -> SlipMovement {
        let number = parse_agreement(bank).our_number(sequence, day("2026-11-19")).unwrap();
        let [nominal, paid, credited, fine_and_interest, discount, rebate, tariff, other_costs, other_credits] =
            cents.map(money);
        let [due_on, event_on, credited_on] =
            days.map(|days| days.and_then(|days| day("2000-01-01").plus_days(days)));
        SlipMovement {
            line: 0,
            occurrence: SlipOccurrence::Settled,
            our_number: number.digits().to_owned(),
            document_number,
            nominal, paid, credited, fine_and_interest, discount, rebate, tariff, other_costs, other_credits,
            due_on, event_on, credited_on,
            reasons: Vec::new(),
        }
    }
}

fn returns() -> impl Strategy<Value = (SlipBank, Vec<SlipMovement>)> {
    prop::sample::select(SlipBank::ALL.to_vec())
        .prop_flat_map(|bank| (Just(bank), prop::collection::vec(movements_of(bank), 0..6)))
}

fn write_all(bank: SlipBank, movements: &[SlipMovement]) -> Vec<String> {
    let pairs =
        movements.iter().enumerate().flat_map(|(at, movement)| write_pair(bank, at * 2 + 1, 6, "", movement));
    write_return(bank, &pairs.collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn a_return_is_read_as_it_was_written((bank, movements) in returns()) {
        let file = parse_return_file(write_all(bank, &movements).join("\r\n").as_bytes()).unwrap();
        let numbered = |(at, movement)| SlipMovement { line: at * 2 + 3, ..movement };
        let expected: Vec<_> = movements.into_iter().enumerate().map(numbered).collect();
        prop_assert_eq!(file.movements, expected);
    }

    #[test]
    fn no_bytes_make_it_panic(
        (bank, movements) in returns(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        anything in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut bytes = write_all(bank, &movements).join("\r\n").into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = parse_return_file(&bytes);
        let _ = parse_return_file(&anything);
    }
}
