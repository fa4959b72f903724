mod pdf_reader;
mod samples;

use super::*;
use crate::canvas::{PAGE_HEIGHT, PAGE_WIDTH, to_points};
use crate::itf_bars::{ITF_MODULES, build_itf_bars};
use crate::qr_modules::build_qr_picture;
use crate::slip_document::{ChargeGroupOnSlip, ChargeLineOnSlip, SlipDocument};
use crate::win_ansi::WinAnsiText;
use pdf_reader::{ModulePicture, PageContent, read_content, read_objects, read_page};
use proptest::prelude::*;
use samples::{HOSTILE, LONG, PIX, TYPED_LINE, barcode, filled_slip, usual_slip};

fn shows(page: &PageContent, text: &str) -> bool {
    let bytes = WinAnsiText::encode(text);
    page.texts.iter().any(|shown| shown.bytes == bytes.as_bytes())
}

/// Left, bottom, right, top.
type TextBounds = [f32; 4];

fn intersect(one: TextBounds, other: TextBounds) -> bool {
    const TOUCH: f32 = 0.2;
    one[0] < other[2] - TOUCH
        && other[0] < one[2] - TOUCH
        && one[1] < other[3] - TOUCH
        && other[1] < one[3] - TOUCH
}

/// With the quiet zone, which has no other ink.
fn bound_picture(picture: &ModulePicture) -> TextBounds {
    let [width, _, _, height, left, top] = picture.matrix;
    let right = picture.rectangles.iter().map(|one| one[0] + one[2]).fold(0.0, f32::max);
    let bottom = picture.rectangles.iter().map(|one| one[1] + one[3]).fold(0.0, f32::max);
    let is_code = bottom > 1.0;
    let (quiet, margin) = if is_code { (0.0, 4.0) } else { (to_points(5.0), 0.0) };
    [left - quiet, top + height * (bottom + margin), left + width * (right + margin) + quiet, top]
}

/// Capitals reach 0.72 of the size above the baseline, and letters 0.21 below.
fn find_overlap(page: &PageContent) -> Option<String> {
    let texts = page.texts.iter().map(|text| {
        let bounds =
            [text.x, text.baseline - 0.21 * text.size, text.x + text.width, text.baseline + 0.72 * text.size];
        (String::from_utf8_lossy(&text.bytes).into_owned(), bounds)
    });
    let pictures = page.pictures.iter().map(|picture| ("picture".to_owned(), bound_picture(picture)));
    let all: Vec<_> = texts.chain(pictures).collect();
    let [right, top] = [PAGE_WIDTH - 11.9, PAGE_HEIGHT - 6.2].map(to_points);
    for (at, (text, bounds)) in all.iter().enumerate() {
        let is_inside = bounds[0] > to_points(11.9) && bounds[1] > to_points(8.0);
        if !is_inside || bounds[2] > right || bounds[3] > top {
            return Some(format!("{text} is outside: {bounds:?}"));
        }
        if let Some((other, _)) = all[at + 1..].iter().find(|(_, other)| intersect(*bounds, *other)) {
            return Some(format!("{text} | {other}"));
        }
    }
    None
}

fn check_slip(slip: &SlipDocument<'_>) -> PageContent {
    let page = read_page(&render_slip(slip));
    assert_eq!(find_overlap(&page), None);
    page
}

fn repeat_lines(count: usize) -> Vec<ChargeLineOnSlip<'static>> {
    vec![ChargeLineOnSlip { description: LONG, amount: "1.234.567,89" }; count]
}

#[test]
fn a_slip_shows_what_it_was_given() {
    let slip = usual_slip();
    let page = check_slip(&slip);
    for text in [
        slip.beneficiary.name,
        slip.payer.name,
        "R$ 101,20",
        "101,20",
        "10/12/2026",
        TYPED_LINE,
        "001-9",
        "Recibo do pagador",
        "Pague por Pix",
        "Rateio de eventos",
        "Rateio de 11/2026, cota 3",
        "31,30",
        "Pagável em qualquer banco até o vencimento",
        "Autenticação mecânica - Ficha de compensação",
        slip.instructions[1],
    ] {
        assert!(shows(&page, text), "{text}");
    }
    let is_shortened = |bytes: &[u8]| bytes.contains(&crate::win_ansi::ELLIPSIS);
    assert!(!page.texts.iter().any(|text| is_shortened(&text.bytes)));
    let typed_lines = page.texts.iter().filter(|text| text.bytes == TYPED_LINE.as_bytes());
    assert_eq!(typed_lines.count(), 2);
    assert_eq!(render_slip(&slip), render_slip(&slip));
}

#[test]
fn the_file_names_its_title_and_language_and_no_date() {
    let pdf = render_slip(&usual_slip());
    let text = read_objects(&pdf).concat();
    let has = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
    let title: String = "Boleto 48213 - Associação Amparo de Proteção Veicular"
        .encode_utf16()
        .map(|unit| format!("{unit:04X}"))
        .collect();
    assert!(has(format!("/Title <FEFF{title}>").as_bytes()));
    assert!(has(b"/Lang (pt-BR)") && has(b"/DisplayDocTitle true"));
    assert!(!has(b"Date") && !has(b"/ID"));
}

#[test]
fn bars_and_code_are_those_of_the_texts() {
    let page = check_slip(&usual_slip());
    let [code, bars] = page.pictures.as_slice() else { panic!("{:?}", page.pictures.len()) };
    let drawn: Vec<[f32; 4]> = build_itf_bars(&barcode())
        .iter()
        .map(|bar| [f32::from(bar.start), 0.0, f32::from(bar.width), 1.0])
        .collect();
    assert_eq!(bars.rectangles, drawn);
    let [width, _, _, height, left, top] = bars.matrix;
    assert!((width * f32::from(ITF_MODULES) - to_points(103.0)).abs() < 0.01, "{width}");
    assert!((height + to_points(13.0)).abs() < 0.01 && left > to_points(16.9) && top > to_points(20.0));
    assert_eq!(code.rectangles.len(), build_qr_picture(PIX).unwrap().runs.len());
}

#[test]
fn the_pix_code_is_copied_as_one_text() {
    let content = read_content(&render_slip(&usual_slip()));
    let mark = format!("/ActualText ({PIX})");
    assert!(content.windows(mark.len()).any(|window| window == mark.as_bytes()));
    let page = check_slip(&usual_slip());
    let lines: Vec<u8> = page
        .texts
        .iter()
        .skip_while(|text| !text.bytes.starts_with(b"000201"))
        .take_while(|text| !text.bytes.starts_with(b"Corte"))
        .flat_map(|text| text.bytes.clone())
        .collect();
    assert_eq!(lines, PIX.as_bytes());
}

#[test]
fn without_pix_there_is_nothing_of_pix() {
    let too_long = "x".repeat(3_000);
    for pix_code in [None, Some(too_long.as_str())] {
        let page = check_slip(&SlipDocument { pix_code, message: "", colours: None, ..usual_slip() });
        assert_eq!(page.pictures.len(), 1);
        let all = page.texts.iter().map(|text| String::from_utf8_lossy(&text.bytes).into_owned());
        assert!(!all.collect::<String>().contains("Pix"));
    }
}

#[test]
fn extremes_have_their_place() {
    for text in [LONG, HOSTILE, "", "W", &"W".repeat(5_000), &"i\n".repeat(5_000)] {
        for count in [0, 1, 8, 60, 400] {
            let lines = repeat_lines(count);
            let groups = vec![ChargeGroupOnSlip { nature: text, total: text, lines: &lines }; count.min(40)];
            check_slip(&filled_slip(text, &vec![text; count], &groups));
        }
    }
}

#[test]
fn the_member_part_has_no_small_letters() {
    let page = check_slip(&filled_slip(LONG, &[LONG; 9], &[]));
    let cut = to_points(PAGE_HEIGHT - CUT + 2.0);
    let above: Vec<_> = page.texts.iter().filter(|text| text.baseline > cut).collect();
    assert!(above.len() > 20 && above.iter().all(|text| text.size >= 10.0), "{above:?}");
    let page = check_slip(&usual_slip());
    for (text, size) in [("R$ 101,20", 25.0), ("10/12/2026", 25.0), (TYPED_LINE, 18.0)] {
        let largest = page.texts.iter().filter(|shown| shown.bytes == text.as_bytes());
        assert!(largest.map(|shown| shown.size).fold(0.0, f32::max) >= size, "{text}");
    }
}

/// How far it is compressed depends on the backend that other packages ask of `flate2`.
#[test]
fn a_file_is_small() {
    let length = render_slip(&usual_slip()).len();
    assert!(length < 10_000, "{length}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_text_gives_one_page_on_which_nothing_overlaps(
        text in prop_oneof![any::<String>(), "[ -~à-ü\n]{0,300}", "[()\\\\<>%/]{0,60}"],
        other in prop_oneof![any::<String>(), "[ -~]{0,200}"],
        lines in 0..30_usize,
        groups in 0..8_usize,
    ) {
        let line = ChargeLineOnSlip { description: &other, amount: &text };
        let lines = vec![line; lines];
        let groups = vec![ChargeGroupOnSlip { nature: &text, total: &other, lines: &lines }; groups];
        let texts = [text.as_str(), &other];
        for one in texts {
            let page = read_page(&render_slip(&filled_slip(one, &texts, &groups)));
            prop_assert_eq!(find_overlap(&page), None);
        }
    }
}
