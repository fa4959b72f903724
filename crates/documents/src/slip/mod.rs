//! The slip (boleto): above, the member's receipt with everything that a person wants to know; below the cut line, the
//! part that banks read.

mod charge_rows;
mod compensation;
mod receipt;
mod receipt_footer;

use crate::canvas::{PageCanvas, RectangleArea, TextStyle, to_points};
use crate::pdf_file::build_one_page_pdf;
use crate::qr_modules::QrPicture;
use crate::slip_document::SlipDocument;
use crate::win_ansi::WinAnsiText;

#[cfg(test)]
mod tests;

/// The margins of the page, and the room between them, in millimetres.
const LEFT: f32 = 12.0;
const WIDTH: f32 = 186.0;
/// Where the two parts are cut.
const CUT: f32 = 181.0;

/// A PDF of one page in A4: what has no room is shortened.
pub fn render_slip(slip: &SlipDocument<'_>) -> Vec<u8> {
    let mut canvas = PageCanvas::new();
    receipt::draw_receipt(&mut canvas, slip);
    compensation::draw_compensation_part(&mut canvas, slip);
    let title = format!("Boleto {} - {}", slip.document_number, slip.beneficiary.name);
    let title: String = title.chars().filter(|letter| !letter.is_control()).take(200).collect();
    build_one_page_pdf(&title, &canvas.finish())
}

/// Texts that are there, in one line.
fn join_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let shown: Vec<&str> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
    shown.join(" · ")
}

/// Texts that are there, and a new line before each that would not fit the line whole.
fn flow_texts<'t>(texts: impl IntoIterator<Item = &'t str>, style: TextStyle, width: f32) -> String {
    let mut flowed = String::new();
    let mut line = String::new();
    for text in texts.into_iter().filter(|text| !text.trim().is_empty()) {
        let longer = join_texts([line.as_str(), text]);
        let needed = style.weight.measure_text(&WinAnsiText::encode(&longer), style.size);
        if line.is_empty() || needed <= to_points(width) {
            line = longer;
        } else {
            flowed += &std::mem::replace(&mut line, text.to_owned());
            flowed.push('\n');
        }
    }
    flowed + &line
}

fn draw_qr_picture(canvas: &mut PageCanvas, picture: &QrPicture, x: f32, y: f32, side: f32) {
    let area = RectangleArea { x, y, width: side, height: side };
    let dark = picture.runs.iter().map(|run| [run.x, run.y, run.length, 1]);
    canvas.fill_modules(area, [picture.size, picture.size], dark);
}
