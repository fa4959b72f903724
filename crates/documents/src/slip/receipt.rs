//! The member's part: what is charged, by whom, until when, and how it is paid. It is read on a phone as often as on
//! paper, so no letters are smaller than `BODY`, and amount, due date and typed line are far larger.

use super::charge_rows::{ChargeRow, choose_charge_rows};
use super::receipt_footer::ReceiptFooter;
use super::{LEFT, WIDTH, draw_qr_picture, flow_texts};
use crate::canvas::{PAGE_WIDTH, PageCanvas, RectangleArea, TextColumn, TextSlot, TextStyle, to_points};
use crate::qr_modules::{QrPicture, build_qr_picture};
use crate::slip_document::SlipDocument;

pub(super) const BODY: f32 = 11.0;
pub(super) const LABEL: TextStyle = TextStyle::label(10.0);
const TEXT: TextStyle = TextStyle::regular(BODY);
const HEADING: TextStyle = TextStyle::bold(13.0).shrink_to(BODY);
/// From line to line.
pub(super) const LEADING: f32 = 4.9;
const QR_SIDE: f32 = 48.0;
const BOX_GRAY: f32 = 0.93;
/// Where the header ends and the three columns of facts begin.
const FACTS: f32 = 34.0;
const FACTS_HEIGHT: f32 = 60.0;

pub(super) fn draw_receipt(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    draw_colours(canvas, slip);
    draw_header(canvas, slip);
    let qr_picture = slip.pix_code.and_then(build_qr_picture);
    let width = if qr_picture.is_some() { WIDTH - QR_SIDE - 6.0 } else { WIDTH };
    draw_amount(canvas, slip, width);
    draw_payer(canvas, slip, width);
    draw_references(canvas, slip, width);
    let pix_code = slip.pix_code.filter(|_| qr_picture.is_some());
    if let Some(picture) = qr_picture {
        draw_pix(canvas, &picture);
    }
    let footer = ReceiptFooter::measure_slip(slip, pix_code);
    draw_charges(canvas, slip, FACTS + FACTS_HEIGHT, footer.message_start);
    footer.draw_on(canvas);
}

/// Stripes at the upper edge of the page.
fn draw_colours(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    if let Some(colours) = slip.colours {
        let stripe = RectangleArea { x: 0.0, y: 0.0, width: PAGE_WIDTH, height: 5.0 };
        canvas.fill_colour(stripe, colours.primary);
        canvas.fill_colour(RectangleArea { y: 5.0, height: 1.2, ..stripe }, colours.secondary);
    }
}

fn draw_header(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let association = &slip.beneficiary;
    let name = TextSlot { x: LEFT, baseline: 16.0, width: 140.0 };
    canvas.show_text(name, TextStyle::bold(17.0).shrink_to(BODY), association.name);
    let kind = TextSlot { x: LEFT + 142.0, baseline: 16.0, width: WIDTH - 142.0 };
    canvas.show_text(kind, TextStyle::regular(12.0).align_right(), "Recibo do pagador");
    let parts = std::iter::once(association.document).chain(association.address.iter().copied());
    let facts = flow_texts(parts, LABEL, WIDTH);
    let first = TextSlot { x: LEFT, baseline: 22.0, width: WIDTH };
    let lines = LABEL.weight.wrap_text(&facts, LABEL.size, to_points(WIDTH), 2);
    canvas.show_lines(TextColumn { first, leading: 4.4 }, LABEL, &lines);
    canvas.draw_horizontal(LEFT, 29.5, WIDTH, 1.0);
}

fn draw_amount(canvas: &mut PageCanvas, slip: &SlipDocument<'_>, width: f32) {
    canvas.fill_gray(RectangleArea { x: LEFT, y: FACTS, width, height: 18.0 }, BOX_GRAY);
    let amount = if slip.amount.trim().is_empty() { String::new() } else { format!("R$ {}", slip.amount) };
    let half = width / 2.0;
    for (x, label, value) in [(LEFT, "Vencimento", slip.due_on), (LEFT + half, "Valor", &amount)] {
        let slot = TextSlot { x: x + 4.0, baseline: FACTS + 5.6, width: half - 6.0 };
        canvas.show_text(slot, LABEL, label);
        let slot = TextSlot { baseline: FACTS + 14.6, ..slot };
        canvas.show_text(slot, TextStyle::bold(25.0).shrink_to(BODY), value);
    }
}

fn draw_payer(canvas: &mut PageCanvas, slip: &SlipDocument<'_>, width: f32) {
    let payer = &slip.payer;
    let slot = TextSlot { x: LEFT, baseline: FACTS + 24.0, width };
    canvas.show_text(slot, LABEL, "Pagador");
    canvas.show_text(TextSlot { baseline: slot.baseline + 5.4, ..slot }, HEADING, payer.name);
    canvas.show_text(TextSlot { baseline: slot.baseline + 10.6, ..slot }, TEXT, payer.document);
    let address = flow_texts(payer.address.iter().copied(), TEXT, width);
    let lines = TEXT.weight.wrap_text(&address, TEXT.size, to_points(width), 2);
    let first = TextSlot { baseline: slot.baseline + 15.5, ..slot };
    canvas.show_lines(TextColumn { first, leading: LEADING }, TEXT, &lines);
}

/// What the association asks for when a member calls.
fn draw_references(canvas: &mut PageCanvas, slip: &SlipDocument<'_>, width: f32) {
    let rows = [
        [("Nosso número", slip.our_number), ("Agência/Código", slip.agency_and_account)],
        [("Nº do documento", slip.document_number), ("Emissão", slip.issued_on)],
    ];
    for (row, baseline) in rows.into_iter().zip([FACTS + 51.0, FACTS + 56.4]) {
        for ((label, value), x) in row.into_iter().zip([LEFT, LEFT + width / 2.0]) {
            let room = width / 2.0 - 2.0;
            let used = canvas.show_text(TextSlot { x, baseline, width: room }, LABEL, label) + 1.6;
            canvas.show_text(TextSlot { x: x + used, baseline, width: room - used }, TEXT, value);
        }
    }
}

fn draw_pix(canvas: &mut PageCanvas, picture: &QrPicture) {
    let x = LEFT + WIDTH - QR_SIDE;
    let slot = TextSlot { x, baseline: FACTS + 4.2, width: QR_SIDE };
    canvas.show_text(slot, TextStyle::bold(15.0).align_centre(), "Pague por Pix");
    draw_qr_picture(canvas, picture, x, FACTS + 5.8, QR_SIDE);
    let slot = TextSlot { baseline: FACTS + 56.8, ..slot };
    canvas.show_text(slot, LABEL.align_centre(), "Leia no app do seu banco");
}

/// Between the facts and what stands at the end of this part.
fn draw_charges(canvas: &mut PageCanvas, slip: &SlipDocument<'_>, start: f32, end: f32) {
    if slip.charge_groups.is_empty() {
        return;
    }
    canvas.draw_horizontal(LEFT, start, WIDTH, 0.4);
    let slot = TextSlot { x: LEFT, baseline: start + 6.0, width: WIDTH };
    canvas.show_text(slot, HEADING, "Composição do valor");
    let first = start + 11.6;
    let rows = choose_charge_rows(slip.charge_groups, ((end - first) / LEADING).max(0.0) as usize + 1);
    for (number, row) in rows.iter().enumerate() {
        draw_charge_row(canvas, row, first + number as f32 * LEADING);
    }
}

fn draw_charge_row(canvas: &mut PageCanvas, row: &ChargeRow<'_>, baseline: f32) {
    const AMOUNT_WIDTH: f32 = 36.0;
    let indent = if matches!(row, ChargeRow::Nature { .. }) { 0.0 } else { 4.0 };
    let (text, amount, style) = match row {
        ChargeRow::Nature { text, total } => (text.as_str(), *total, TextStyle::bold(BODY)),
        ChargeRow::Line { description, amount } => (*description, *amount, TEXT),
        ChargeRow::Rest { text } => (text.as_str(), "", LABEL),
    };
    let width = WIDTH - AMOUNT_WIDTH - indent - 2.0;
    canvas.show_text(TextSlot { x: LEFT + indent, baseline, width }, style, text);
    let slot = TextSlot { x: LEFT + WIDTH - AMOUNT_WIDTH, baseline, width: AMOUNT_WIDTH };
    canvas.show_text(slot, style.align_right(), amount);
}
