//! Tests with typical files of associations, and with malicious ones.

use super::line_collector::SpreadsheetLine;
use super::read_lines::read_lines;
use super::reading_watch::ReadingLimits;
use domain::{Clock, ImportProblem, Moment};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file
}

/// The headers, and the lines below them with their numbers.
type Sheet = (Vec<String>, Vec<(u32, Vec<String>)>);

/// Advances by a fixed step on every call, and counts the calls.
struct TickingClock {
    tick: i64,
    now: AtomicI64,
    looks: AtomicUsize,
}

impl Clock for TickingClock {
    fn now(&self) -> Moment {
        self.looks.fetch_add(1, Ordering::SeqCst);
        Moment::from_millis(self.now.fetch_add(self.tick, Ordering::SeqCst))
    }
}

fn ticking(tick: i64) -> (ReadingLimits, Arc<TickingClock>) {
    let clock = Arc::new(TickingClock { tick, now: AtomicI64::new(0), looks: AtomicUsize::new(0) });
    (ReadingLimits { clock: Arc::clone(&clock) as Arc<dyn Clock>, cancelled: Arc::default() }, clock)
}

fn read_all(bytes: &[u8]) -> Result<Sheet, ImportProblem> {
    let (mut headers, mut rows) = (Vec::new(), Vec::new());
    read_lines(file(bytes), ticking(0).0, |line| {
        match line {
            SpreadsheetLine::Headers(names) => headers = names,
            SpreadsheetLine::Cells(number, cells) => rows.push((number, cells)),
        }
        true
    })?;
    Ok((headers, rows))
}

/// A minimal workbook with one sheet of these rows.
fn workbook(sheet: &str) -> Vec<u8> {
    amplified_workbook(1, "", sheet)
}

/// The same sheet listed `entries` times; every other time with another spelling of its path.
fn amplified_workbook(entries: usize, state: &str, sheet: &str) -> Vec<u8> {
    let numbers = 1..=entries;
    let listed: String = numbers
        .clone()
        .map(|at| format!(r#"<sheet name="Plan{at}" sheetId="{at}" {state} r:id="rId{at}"/>"#))
        .collect();
    let led: String = numbers
        .map(|at| {
            let target = if at % 2 == 0 { "/xl/worksheets/sheet1.xml" } else { "worksheets/sheet1.xml" };
            format!(r#"<Relationship Id="rId{at}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="{target}"/>"#)
        })
        .collect();
    let parts = [
        (
            "[Content_Types].xml",
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#.to_owned(),
        ),
        (
            "_rels/.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#.to_owned(),
        ),
        (
            "xl/workbook.xml",
            format!(r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>{listed}</sheets></workbook>"#),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{led}</Relationships>"#),
        ),
        ("xl/worksheets/sheet1.xml", sheet.to_owned()),
    ];
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn sheet(rows: &str) -> String {
    format!(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    )
}

#[test]
fn a_csv_is_read_in_every_encoding_and_with_every_separator() {
    let text = "CPF;Nome;Cidade\n52998224725;João D'Ávila;\"São Paulo; SP\"\n;;\n\n111;Zé;\n";
    let utf_16: Vec<u8> =
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let bare_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big_16: Vec<u8> =
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let (old, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let marked = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    let named = format!("sep=;\r\n{text}");
    for (what, bytes) in [
        ("UTF-8", text.as_bytes()),
        ("UTF-8 with a mark", &marked),
        ("UTF-16", &utf_16),
        ("UTF-16 without a mark", &bare_16),
        ("UTF-16 the other way", &big_16),
        ("Windows-1252", &old),
    ] {
        let (headers, rows) = read_all(bytes).unwrap();
        assert_eq!(headers, ["CPF", "Nome", "Cidade"], "{what}");
        assert_eq!(
            rows[0],
            (2, vec!["52998224725".into(), "João D'Ávila".into(), "São Paulo; SP".into()]),
            "{what}"
        );
        assert_eq!((rows.len(), rows[1].1[1].as_str()), (2, "Zé"), "{what}: blank lines are none");
    }
    assert_eq!(read_all(named.as_bytes()).unwrap().0, ["CPF", "Nome", "Cidade"]);
    for separator in [",", "\t", "|"] {
        let text = "CPF;Nome\n1;Ana\n".replace(';', separator);
        assert_eq!(read_all(text.as_bytes()).unwrap().0, ["CPF", "Nome"], "{separator:?}");
    }
}

#[test]
fn titles_are_skipped_and_one_column_is_enough() {
    let (headers, rows) =
        read_all("Associação Exemplo\n\nRelatório de 2026\nCPF;Nome\n1;Ana\n".as_bytes()).unwrap();
    assert_eq!((headers, rows.len()), (vec!["CPF".to_owned(), "Nome".to_owned()], 1));
    let (headers, rows) = read_all(b"Nome\nAna\nZe\n").unwrap();
    assert_eq!((headers, rows.len()), (vec!["Nome".to_owned()], 2));
    let (headers, rows) = read_all(b"CPF;;CPF\n1;2;3;4\n5\n").unwrap();
    assert_eq!(headers, ["CPF", "Coluna 2", "CPF (2)"]);
    assert_eq!(rows[0].1, ["1", "2", "3"], "what belongs to no column is left out");
    assert_eq!(rows[1].1, ["5", "", ""]);
}

#[test]
fn a_workbook_is_read_by_what_people_see() {
    let rows = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>CPF</t></is></c><c r="C1" t="inlineStr"><is><t>Nome</t></is></c></row>
        <row r="3"><c r="A3"><v>52998224725</v></c><c r="C3" t="str"><f>CMD()</f><v>Ana</v></c></row>
        <row r="4"><c r="B4" t="b"><v>1</v></c><c r="C4" t="e"><v>#N/A</v></c><c r="A4"><v>12.5</v></c></row>"#;
    let (headers, rows) = read_all(&workbook(&sheet(rows))).unwrap();
    assert_eq!(headers, ["CPF", "Coluna 2", "Nome"]);
    assert_eq!(
        rows[0],
        (3, vec!["52998224725".into(), String::new(), "Ana".into()]),
        "a formula's last value"
    );
    assert_eq!(rows[1], (4, vec!["12,5".into(), "sim".into(), String::new()]));
}

#[test]
fn what_is_no_sheet_is_refused_with_a_reason() {
    use ImportProblem as P;
    let whole = workbook(&sheet(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("foto.txt", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"x").unwrap();
    let zip = archive.finish().unwrap().into_inner();
    let wide = format!("{}\n1\n", vec!["a"; 201].join(";"));
    let long = format!("a;b\n1;{}\n", "x".repeat(4001));
    for (what, bytes, problem) in [
        ("nothing", &b""[..], P::Empty),
        ("names alone", b"CPF;Nome\n", P::Empty),
        ("blank lines", b"CPF;Nome\n;;\n ; \n", P::Empty),
        ("a picture", b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", P::UnknownFormat),
        ("an old workbook", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\x00\x00", P::UnknownFormat),
        ("a page", b"<html><table><tr><td>1</td></tr></table></html>", P::UnknownFormat),
        ("a document", b"%PDF-1.7\n", P::UnknownFormat),
        ("another archive", &zip, P::UnknownFormat),
        ("half a workbook", &whole[..whole.len() / 2], P::Damaged),
        ("the head of an archive", b"PK\x03\x04", P::Damaged),
        ("too many columns", wide.as_bytes(), P::TooManyColumns(200)),
        ("a long cell", long.as_bytes(), P::CellTooLong { row: 2, longest: 4000 }),
    ] {
        assert_eq!(read_all(bytes).map(drop), Err(problem), "{what}");
    }
    let far = sheet(r#"<row r="1"><c r="XFD1"><v>1</v></c></row>"#);
    assert_eq!(read_all(&workbook(&far)).map(drop), Err(P::TooManyColumns(200)));
}

#[test]
fn a_bomb_is_not_unpacked() {
    // A gigabyte of spaces in a megabyte.
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("[Content_Types].xml", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"<Types/>").unwrap();
    archive.start_file("xl/sharedStrings.xml", zip::write::SimpleFileOptions::default()).unwrap();
    let blanks = vec![b' '; 1024 * 1024];
    for _ in 0..200 {
        archive.write_all(&blanks).unwrap();
    }
    let bomb = archive.finish().unwrap().into_inner();
    assert!(bomb.len() < 1024 * 1024);
    assert_eq!(read_all(&bomb).map(drop), Err(ImportProblem::UnpacksTooLarge));
}

#[test]
fn nothing_in_a_workbook_is_larger_than_people_write_it() {
    use ImportProblem as P;
    let cell = |text: &str| format!(r#"<row r="1"><c r="A1" t="inlineStr"><is>{text}</is></c></row>"#);
    let long = cell(&format!("<t>{}</t>", "x".repeat(300 * 1024)));
    assert_eq!(read_all(&workbook(&sheet(&long))).map(drop), Err(P::UnpacksTooLarge));
    let many = cell(&format!("<r><t>{}</t></r>", "x".repeat(100 * 1024)).repeat(200));
    assert_eq!(read_all(&workbook(&sheet(&many))).map(drop), Err(P::UnpacksTooLarge));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("xl/sharedStrings.xml", zip::write::SimpleFileOptions::default()).unwrap();
    let texts = b"<x:si/>".repeat(1000);
    for _ in 0..4001 {
        archive.write_all(&texts).unwrap();
    }
    let bomb = archive.finish().unwrap().into_inner();
    assert_eq!(read_all(&bomb).map(drop), Err(P::UnpacksTooLarge));
}

#[test]
fn what_we_keep_from_a_sheet_comes_back_as_it_was() {
    let text = b"CPF;Nota;Telefone\n'00000000191;'=1+1;'+55 11 98888-7777\n'abc;'12;x\n";
    let (_, rows) = read_all(text).unwrap();
    assert_eq!(rows[0].1, ["00000000191", "=1+1", "+55 11 98888-7777"]);
    assert_eq!(rows[1].1, ["'abc", "'12", "x"]);
    let rows = r#"<row r="1"><c r="A1" t="str"><v>CPF</v></c><c r="B1" t="str"><v>Valor</v></c></row>
        <row r="2"><c r="A2" t="str"><v>'00000000191</v></c><c r="B2"><v>3.3000000000000003</v></c></row>"#;
    let (_, rows) = read_all(&workbook(&sheet(rows))).unwrap();
    assert_eq!(rows[0].1, ["00000000191", "3,3"]);
}

/// A line number in a message matches the row number in the spreadsheet.
#[test]
fn lines_are_counted_as_a_sheet_counts_them() {
    for end in ["\n", "\r\n", "\r"] {
        for last in ["", end] {
            let lines = ["Relação", "", "CPF;Nome", "1;Ana", "", "2;\"Rua A", "casa 2\"", "", "3;Zé"];
            let text = lines.join(end) + last;
            let (_, rows) = read_all(text.as_bytes()).unwrap();
            let numbers: Vec<u32> = rows.iter().map(|(number, _)| *number).collect();
            // The cell with two lines is one row.
            assert_eq!(numbers, [4, 6, 8], "{end:?} {last:?}");
        }
    }
}

/// How often the clock was checked: once per fixed number of cells and bytes, which measures the reading cost.
fn cost(bytes: &[u8]) -> (Result<(), ImportProblem>, usize) {
    let (limits, clock) = ticking(0);
    let read = read_lines(file(bytes), limits, |_| true);
    (read, clock.looks.load(Ordering::SeqCst))
}

#[test]
fn a_sheet_that_is_listed_many_times_is_read_once() {
    use ImportProblem as P;
    let cells = sheet(&format!("<row>{}</row>", "<c/>".repeat(200)).repeat(1000));
    let (read, once) = cost(&workbook(&cells));
    assert_eq!(read, Err(P::Empty));
    assert!(once > 500, "{once}");
    for entries in [2, 200] {
        let (read, looks) = cost(&amplified_workbook(entries, "", &cells));
        assert_eq!(read, Err(P::RepeatedSheet), "{entries} entries");
        assert!(looks < once + once / 10, "{entries} entries: {looks} instead of {once}");
    }
    let (read, looks) = cost(&amplified_workbook(201, "", &cells));
    assert_eq!(read, Err(P::TooManySheets(200)));
    assert!(looks < once, "no sheet is read at all");
    // Hidden sheets are not read.
    let hidden = amplified_workbook(100, r#"state="hidden""#, &cells);
    assert_eq!(cost(&hidden).0, Err(P::Empty));
}

#[test]
fn reading_ends_when_its_time_is_over_and_a_slow_taker_costs_it_nothing() {
    let rows: String =
        (1..=3000).map(|at| format!(r#"<row r="{at}"><c r="A{at}"><v>{at}</v></c></row>"#)).collect();
    let book = workbook(&sheet(&rows));
    let csv: String = (0..3000).map(|number| format!("{number}\n")).collect();
    for bytes in [&book[..], csv.as_bytes()] {
        let (limits, _) = ticking(1000);
        assert_eq!(read_lines(file(bytes), limits, |_| true), Err(ImportProblem::TooSlow));
        // The clock advances only while a line is consumed.
        let (limits, clock) = ticking(0);
        let slowly = |_| {
            clock.now.fetch_add(3_600_000, Ordering::SeqCst);
            true
        };
        assert_eq!(read_lines(file(bytes), limits, slowly), Ok(()));
    }
}

#[test]
fn reading_ends_when_its_sender_has_gone() {
    let rows: String =
        (1..=3000).map(|at| format!(r#"<row r="{at}"><c r="A{at}"><v>{at}</v></c></row>"#)).collect();
    let book = workbook(&sheet(&rows));
    let csv: String = (0..3000).map(|number| format!("{number}\n")).collect();
    for bytes in [&book[..], csv.as_bytes()] {
        let (limits, _) = ticking(0);
        let (gone, mut lines) = (Arc::clone(&limits.cancelled), 0);
        let read = read_lines(file(bytes), limits, |_| {
            gone.store(true, Ordering::SeqCst);
            lines += 1;
            true
        });
        assert!(read.is_err() && lines < 600, "{lines} of 3000 lines were still read");
    }
}
