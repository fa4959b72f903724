//! The part that banks read (ficha de compensação): the grid that every bank prints, and the bars.

use super::{CUT, LEFT, WIDTH, join_texts};
use crate::canvas::{PageCanvas, RectangleArea, TextColumn, TextSlot, TextStyle, to_points};
use crate::itf_bars::{ITF_MODULES, build_itf_bars};
use crate::slip_document::{PartyOnSlip, SlipDocument};

const LABEL: TextStyle = TextStyle::regular(6.5);
const VALUE: TextStyle = TextStyle::regular(9.0).shrink_to(6.5);
const STRONG_VALUE: TextStyle = TextStyle::bold(10.5).shrink_to(6.5);
const ADDRESS: TextStyle = TextStyle::regular(8.0).shrink_to(6.5);
const SHADE: f32 = 0.93;
const PADDING: f32 = 1.0;
const MOST_INSTRUCTION_LINES: usize = 7;
/// The column of amounts at the right.
const AMOUNTS: f32 = 50.0;
const FIELDS: f32 = WIDTH - AMOUNTS;
const HEADER: f32 = CUT + 3.0;
const GRID: f32 = HEADER + 8.0;
/// Of a row with one line.
const ROW: f32 = 7.0;
const INSTRUCTIONS: f32 = GRID + 3.0 * ROW + 10.0;
const AMOUNT_ROW: f32 = 6.4;
const PAYER: f32 = INSTRUCTIONS + 5.0 * AMOUNT_ROW;
const GRID_END: f32 = PAYER + 14.0;
/// What is blank beside the bars.
const QUIET_ZONE: f32 = 5.0;
const BARS: RectangleArea = RectangleArea {
    x: LEFT + QUIET_ZONE,
    // Far from the end of the page, of which printers at home leave out up to 8 mm.
    y: GRID_END + 3.0,
    width: 103.0,
    height: 13.0,
};

pub(super) fn draw_compensation_part(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let slot = TextSlot { x: LEFT, baseline: CUT - 0.8, width: WIDTH };
    canvas.show_text(slot, LABEL.align_right(), "Corte na linha pontilhada");
    canvas.draw_dashes(LEFT, CUT, WIDTH);
    draw_shades(canvas);
    draw_bank(canvas, slip);
    draw_fields(canvas, slip);
    draw_amounts(canvas, slip);
    draw_instructions(canvas, slip);
    draw_payer(canvas, slip);
    draw_bars(canvas, slip);
}

/// Below due date and amount, before lines are drawn over their edges.
fn draw_shades(canvas: &mut PageCanvas) {
    for y in [GRID, INSTRUCTIONS - ROW] {
        canvas.fill_gray(RectangleArea { x: LEFT + FIELDS, y, width: AMOUNTS, height: ROW }, SHADE);
    }
}

/// The bank's name in the place of its logo, its number, and the typed line.
fn draw_bank(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let baseline = GRID - 1.9;
    let number = LEFT + 36.0;
    let line = number + 20.0;
    let style = TextStyle::bold(12.0).shrink_to(8.0);
    canvas.show_text(TextSlot { x: LEFT, baseline, width: 34.0 }, style, slip.bank_name);
    let style = TextStyle::bold(15.0).shrink_to(8.0).align_centre();
    let slot = TextSlot { x: number + 1.0, baseline, width: 18.0 };
    canvas.show_text(slot, style, slip.printed_bank_number);
    let style = TextStyle::bold(12.5).shrink_to(8.0).align_right();
    let slot = TextSlot { x: line + 2.0, baseline, width: LEFT + WIDTH - line - 2.0 };
    canvas.show_text(slot, style, slip.typed_line);
    for x in [number, line] {
        canvas.draw_vertical(x, HEADER + 1.5, GRID - HEADER - 1.5, 1.2);
    }
    canvas.draw_horizontal(LEFT, GRID, WIDTH, 1.2);
}

fn draw_fields(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let row = |y| RectangleArea { x: LEFT, y, width: FIELDS, height: ROW };
    let place = "Pagável em qualquer banco até o vencimento";
    draw_row(canvas, row(GRID), &[(FIELDS, "Local de pagamento", place)]);
    draw_beneficiary(canvas, slip, RectangleArea { height: 10.0, ..row(GRID + ROW) });
    let accepted = if slip.accepted { "S" } else { "N" };
    let fields = [
        (27.0, "Data do documento", slip.issued_on),
        (43.0, "Nº do documento", slip.document_number),
        (20.0, "Espécie doc.", slip.kind),
        (14.0, "Aceite", accepted),
        (32.0, "Data do processamento", slip.processed_on),
    ];
    draw_row(canvas, row(GRID + ROW + 10.0), &fields);
    let fields = [
        (27.0, "Uso do banco", ""),
        (43.0, "Carteira", slip.wallet),
        (20.0, "Espécie moeda", "R$"),
        (24.0, "Quantidade", ""),
        (22.0, "(x) Valor", ""),
    ];
    draw_row(canvas, row(GRID + 2.0 * ROW + 10.0), &fields);
}

/// Cells beside each other: width, label, value.
fn draw_row(canvas: &mut PageCanvas, row: RectangleArea, cells: &[(f32, &str, &str)]) {
    let mut x = row.x;
    for (width, label, value) in cells {
        let cell = RectangleArea { x, width: *width, ..row };
        draw_cell(canvas, cell, label, VALUE, value);
        if x > row.x {
            canvas.draw_vertical(x, row.y, row.height, 0.5);
        }
        x += width;
    }
    canvas.draw_horizontal(row.x, row.y + row.height, row.width, 0.5);
}

fn draw_cell(canvas: &mut PageCanvas, cell: RectangleArea, label: &str, style: TextStyle, value: &str) {
    let slot = TextSlot { x: cell.x + PADDING, baseline: cell.y + 2.6, width: cell.width - 2.0 * PADDING };
    canvas.show_text(slot, LABEL, label);
    canvas.show_text(TextSlot { baseline: cell.y + cell.height - 1.0, ..slot }, style, value);
}

/// With its address, which the Central Bank requires.
fn draw_beneficiary(canvas: &mut PageCanvas, slip: &SlipDocument<'_>, cell: RectangleArea) {
    let party = &slip.beneficiary;
    let slot = TextSlot { x: cell.x + PADDING, baseline: cell.y + 2.6, width: cell.width - 2.0 * PADDING };
    canvas.show_text(slot, LABEL, "Beneficiário");
    show_party_name(canvas, TextSlot { baseline: cell.y + 6.1, ..slot }, party);
    let address = join_texts(party.address.iter().copied());
    canvas.show_text(TextSlot { baseline: cell.y + 9.1, ..slot }, ADDRESS, &address);
    canvas.draw_horizontal(cell.x, cell.y + cell.height, cell.width, 0.5);
}

/// A long name is shortened, never the document.
fn show_party_name(canvas: &mut PageCanvas, slot: TextSlot, party: &PartyOnSlip<'_>) {
    let half = TextSlot { x: slot.x + slot.width / 2.0, width: slot.width / 2.0, ..slot };
    let used = canvas.show_text(half, VALUE.align_right(), party.document);
    canvas.show_text(TextSlot { width: slot.width - used - 2.0, ..slot }, VALUE, party.name);
}

fn draw_amounts(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let x = LEFT + FIELDS;
    canvas.draw_vertical(x, GRID, PAYER - GRID, 0.5);
    let cells = [
        (ROW, "Vencimento", slip.due_on, STRONG_VALUE),
        (10.0, "Agência/Código do beneficiário", slip.agency_and_account, VALUE),
        (ROW, "Nosso número", slip.our_number, VALUE),
        (ROW, "(=) Valor do documento", slip.amount, STRONG_VALUE),
        (AMOUNT_ROW, "(-) Desconto/Abatimento", "", VALUE),
        (AMOUNT_ROW, "(-) Outras deduções", "", VALUE),
        (AMOUNT_ROW, "(+) Mora/Multa", "", VALUE),
        (AMOUNT_ROW, "(+) Outros acréscimos", "", VALUE),
        (AMOUNT_ROW, "(=) Valor cobrado", "", VALUE),
    ];
    let mut y = GRID;
    for (height, label, value, style) in cells {
        draw_cell(canvas, RectangleArea { x, y, width: AMOUNTS, height }, label, style.align_right(), value);
        y += height;
        canvas.draw_horizontal(x, y, AMOUNTS, 0.5);
    }
}

fn draw_instructions(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let slot = TextSlot { x: LEFT + PADDING, baseline: INSTRUCTIONS + 2.6, width: FIELDS - 2.0 * PADDING };
    canvas.show_text(slot, LABEL, "Instruções (texto de responsabilidade do beneficiário)");
    let text = slip.instructions.join("\n");
    let lines = VALUE.weight.wrap_text(&text, VALUE.size, to_points(slot.width), MOST_INSTRUCTION_LINES);
    let first = TextSlot { baseline: INSTRUCTIONS + 6.8, ..slot };
    canvas.show_lines(TextColumn { first, leading: 3.9 }, VALUE, &lines);
}

fn draw_payer(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    canvas.draw_horizontal(LEFT, PAYER, WIDTH, 0.5);
    let slot = TextSlot { x: LEFT + PADDING, baseline: PAYER + 2.6, width: WIDTH - 2.0 * PADDING };
    canvas.show_text(slot, LABEL, "Pagador");
    show_party_name(canvas, TextSlot { baseline: PAYER + 6.2, ..slot }, &slip.payer);
    let address = join_texts(slip.payer.address.iter().copied());
    canvas.show_text(TextSlot { baseline: PAYER + 9.6, ..slot }, ADDRESS, &address);
    canvas.show_text(TextSlot { baseline: GRID_END - 1.0, ..slot }, LABEL, "Sacador/Avalista");
    canvas.draw_horizontal(LEFT, GRID_END, WIDTH, 1.2);
    let slot = TextSlot { baseline: GRID_END + 3.2, ..slot };
    let text = "Autenticação mecânica - Ficha de compensação";
    let free = BARS.x + BARS.width + QUIET_ZONE;
    let slot = TextSlot { x: free, width: LEFT + WIDTH - free, ..slot };
    canvas.show_text(slot, LABEL.align_right(), text);
}

fn draw_bars(canvas: &mut PageCanvas, slip: &SlipDocument<'_>) {
    let bars = build_itf_bars(&slip.barcode);
    canvas.fill_modules(BARS, [ITF_MODULES, 1], bars.iter().map(|bar| [bar.start, 0, bar.width, 1]));
}
