//! The end of the member's part, down to the cut line: the association's message, and the texts that people copy.

use super::receipt::{BODY, LABEL, LEADING};
use super::{CUT, LEFT, WIDTH};
use crate::canvas::{PageCanvas, TextColumn, TextSlot, TextStyle, to_points};
use crate::slip_document::SlipDocument;
use crate::win_ansi::WinAnsiText;

const MESSAGE: TextStyle = TextStyle::regular(BODY);
const MESSAGE_INDENT: f32 = 4.0;
const MOST_MESSAGE_LINES: usize = 4;
const TYPED_LINE_HEIGHT: f32 = 14.0;
const CODE: TextStyle = TextStyle::regular(10.0);
const CODE_LEADING: f32 = 4.2;
const MOST_CODE_LINES: usize = 3;

/// It stands at the end of its part and is as high as its texts need, so it is measured before it is drawn.
pub(super) struct ReceiptFooter<'t> {
    /// Where each part begins; one that is empty begins where the next does.
    pub(super) message_start: f32,
    typed_line_start: f32,
    code_start: f32,
    message: Vec<WinAnsiText>,
    typed_line: &'t str,
    code: Option<(&'t str, Vec<WinAnsiText>)>,
}

impl<'t> ReceiptFooter<'t> {
    /// The code is one that is drawn, too.
    pub(super) fn measure_slip(slip: &SlipDocument<'t>, pix_code: Option<&'t str>) -> ReceiptFooter<'t> {
        let code = pix_code.and_then(break_pix_code);
        let code_height = code.as_ref().map_or(0.0, |(_, lines)| lines.len() as f32 * CODE_LEADING + 6.0);
        let code_start = CUT - 4.5 - code_height;
        let typed_line = slip.typed_line.trim();
        let typed_line_start = code_start - if typed_line.is_empty() { 0.0 } else { TYPED_LINE_HEIGHT };
        let width = to_points(WIDTH - MESSAGE_INDENT);
        let message = MESSAGE.weight.wrap_text(slip.message, MESSAGE.size, width, MOST_MESSAGE_LINES);
        let height = if message.is_empty() { 0.0 } else { message.len() as f32 * LEADING + 3.0 };
        let message_start = typed_line_start - height;
        ReceiptFooter { message_start, typed_line_start, code_start, message, typed_line, code }
    }

    pub(super) fn draw_on(&self, canvas: &mut PageCanvas) {
        self.draw_message(canvas);
        self.draw_typed_line(canvas);
        self.draw_code(canvas);
    }

    fn draw_message(&self, canvas: &mut PageCanvas) {
        if self.message.is_empty() {
            return;
        }
        let start = self.message_start + 3.0;
        canvas.draw_vertical(LEFT + 1.0, start, self.message.len() as f32 * LEADING, 2.0);
        let baseline = start + LEADING - 1.2;
        let first = TextSlot { x: LEFT + MESSAGE_INDENT, baseline, width: WIDTH - MESSAGE_INDENT };
        canvas.show_lines(TextColumn { first, leading: LEADING }, MESSAGE, &self.message);
    }

    fn draw_typed_line(&self, canvas: &mut PageCanvas) {
        if self.typed_line.is_empty() {
            return;
        }
        let slot = TextSlot { x: LEFT, baseline: self.typed_line_start + 5.6, width: WIDTH };
        canvas.show_text(slot, LABEL, "Linha digitável, para pagar no aplicativo do banco");
        let slot = TextSlot { baseline: self.typed_line_start + 12.8, ..slot };
        canvas.show_text(slot, TextStyle::bold(18.0).shrink_to(BODY), self.typed_line);
    }

    /// The code as a text, for whoever holds the phone that a code would be scanned with.
    fn draw_code(&self, canvas: &mut PageCanvas) {
        let Some((code, lines)) = &self.code else { return };
        let slot = TextSlot { x: LEFT, baseline: self.code_start + 5.0, width: WIDTH };
        canvas.show_text(slot, LABEL, "Pix copia e cola");
        let first = TextSlot { baseline: self.code_start + 9.2, ..slot };
        canvas.show_copyable_lines(TextColumn { first, leading: CODE_LEADING }, CODE, lines, code);
    }
}

/// Whole or not at all: a part of a code, or one with other characters, cannot be paid.
fn break_pix_code(code: &str) -> Option<(&str, Vec<WinAnsiText>)> {
    let text = WinAnsiText::encode(code);
    if text.as_bytes() != code.as_bytes() {
        return None;
    }
    let lines = CODE.weight.break_anywhere(&text, CODE.size, to_points(WIDTH));
    (lines.len() <= MOST_CODE_LINES).then_some((code, lines))
}
