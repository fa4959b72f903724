//! A page in A4 to draw on, in millimetres from its upper left corner. Sizes of letters are in points.

use crate::helvetica::FontWeight;
use crate::win_ansi::WinAnsiText;
use pdf_writer::{Content, Name, Str, TextStr};

pub(crate) const PAGE_WIDTH: f32 = 210.0;
pub(crate) const PAGE_HEIGHT: f32 = 297.0;
const POINTS_OF_MILLIMETRE: f32 = 72.0 / 25.4;

pub(crate) fn to_points(millimetres: f32) -> f32 {
    millimetres * POINTS_OF_MILLIMETRE
}

/// The digits that matter on paper; more would only make the file longer.
fn round_points(points: f32) -> f32 {
    (points * 100.0).round() / 100.0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextAlignment {
    Left,
    Right,
    Centre,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TextStyle {
    pub(crate) weight: FontWeight,
    pub(crate) size: f32,
    /// A text that is too long for its place becomes so small before it is shortened.
    pub(crate) smallest: f32,
    /// 0 is black.
    pub(crate) gray: f32,
    pub(crate) alignment: TextAlignment,
}

impl TextStyle {
    pub(crate) const fn regular(size: f32) -> TextStyle {
        let weight = FontWeight::Regular;
        TextStyle { weight, size, smallest: size, gray: 0.0, alignment: TextAlignment::Left }
    }

    pub(crate) const fn bold(size: f32) -> TextStyle {
        TextStyle { weight: FontWeight::Bold, ..TextStyle::regular(size) }
    }

    /// What names a value, less dark than the value.
    pub(crate) const fn label(size: f32) -> TextStyle {
        TextStyle { gray: 0.3, ..TextStyle::regular(size) }
    }

    pub(crate) const fn shrink_to(self, smallest: f32) -> TextStyle {
        TextStyle { smallest, ..self }
    }

    pub(crate) const fn align_right(self) -> TextStyle {
        TextStyle { alignment: TextAlignment::Right, ..self }
    }

    pub(crate) const fn align_centre(self) -> TextStyle {
        TextStyle { alignment: TextAlignment::Centre, ..self }
    }
}

/// The place of one line of text: where it begins, the line it stands on, and how much room it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextSlot {
    pub(crate) x: f32,
    pub(crate) baseline: f32,
    pub(crate) width: f32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RectangleArea {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// Lines of a text that needs several, each so far below the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextColumn {
    pub(crate) first: TextSlot,
    pub(crate) leading: f32,
}

pub(crate) struct PageCanvas {
    content: Content,
}

impl PageCanvas {
    pub(crate) fn new() -> PageCanvas {
        PageCanvas { content: Content::with_capacity(16 * 1024) }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.content.finish().into_vec()
    }

    fn show_at(&mut self, x: f32, baseline: f32, style: TextStyle, text: &WinAnsiText) {
        if text.as_bytes().is_empty() {
            return;
        }
        let [x, y] = [x, PAGE_HEIGHT - baseline].map(|length| round_points(to_points(length)));
        self.content
            .begin_text()
            .set_fill_gray(style.gray)
            .set_font(Name(style.weight.resource_name()), style.size);
        self.content.next_line(x, y).show(Str(text.as_bytes())).end_text();
    }

    /// The width that it takes.
    pub(crate) fn show_text(&mut self, slot: TextSlot, style: TextStyle, text: &str) -> f32 {
        let (room, text) = (to_points(slot.width), WinAnsiText::encode(text));
        let natural = style.weight.measure_text(&text, style.size);
        // In tenths, so that texts of about the same length have the same size.
        let fitting = (style.size * room / natural.max(1.0) * 10.0).floor() / 10.0;
        let size = if natural > room { fitting.max(style.smallest) } else { style.size };
        let text = style.weight.shorten_text(text, size, room);
        let width = style.weight.measure_text(&text, size) / POINTS_OF_MILLIMETRE;
        let indent = match style.alignment {
            TextAlignment::Left => 0.0,
            TextAlignment::Right => slot.width - width,
            TextAlignment::Centre => (slot.width - width) / 2.0,
        };
        self.show_at(slot.x + indent, slot.baseline, TextStyle { size, ..style }, &text);
        width
    }

    pub(crate) fn show_lines(&mut self, column: TextColumn, style: TextStyle, lines: &[WinAnsiText]) {
        let mut baseline = column.first.baseline;
        for line in lines {
            self.show_at(column.first.x, baseline, style, line);
            baseline += column.leading;
        }
    }

    /// Lines of one ASCII text that people copy: readers that know `ActualText` copy it without line breaks.
    pub(crate) fn show_copyable_lines(
        &mut self,
        column: TextColumn,
        style: TextStyle,
        lines: &[WinAnsiText],
        text: &str,
    ) {
        let mut mark = self.content.begin_marked_content_with_properties(Name(b"Span"));
        mark.properties().actual_text(TextStr(text));
        drop(mark);
        self.show_lines(column, style, lines);
        self.content.end_marked_content();
    }

    pub(crate) fn draw_horizontal(&mut self, x: f32, y: f32, width: f32, thickness: f32) {
        self.stroke_line([x, y], [x + width, y], thickness);
    }

    pub(crate) fn draw_vertical(&mut self, x: f32, y: f32, height: f32, thickness: f32) {
        self.stroke_line([x, y], [x, y + height], thickness);
    }

    pub(crate) fn draw_dashes(&mut self, x: f32, y: f32, width: f32) {
        self.content.set_dash_pattern([3.0, 3.0], 0.0);
        self.draw_horizontal(x, y, width, 0.6);
        self.content.set_dash_pattern([], 0.0);
    }

    fn stroke_line(&mut self, from: [f32; 2], to: [f32; 2], thickness: f32) {
        let [from, to] =
            [from, to].map(|[x, y]| [x, PAGE_HEIGHT - y].map(|length| round_points(to_points(length))));
        self.content.set_line_width(thickness);
        self.content.move_to(from[0], from[1]).line_to(to[0], to[1]).stroke();
    }

    pub(crate) fn fill_gray(&mut self, area: RectangleArea, gray: f32) {
        self.content.set_fill_gray(gray);
        self.fill_area(area);
    }

    pub(crate) fn fill_colour(&mut self, area: RectangleArea, colour: [u8; 3]) {
        let [red, green, blue] = colour.map(|part| (f32::from(part) / 2.55).round() / 100.0);
        self.content.set_fill_rgb(red, green, blue);
        self.fill_area(area);
    }

    fn fill_area(&mut self, area: RectangleArea) {
        let bottom = PAGE_HEIGHT - area.y - area.height;
        let [x, y, width, height] =
            [area.x, bottom, area.width, area.height].map(|length| round_points(to_points(length)));
        self.content.rect(x, y, width, height).fill_nonzero();
    }

    /// Black rectangles in whole modules from the area's upper left corner, `[x, y, width, height]`. They are one path, so
    /// that neighbours have no seam, and whole numbers, so that all modules are equally wide.
    pub(crate) fn fill_modules(
        &mut self,
        area: RectangleArea,
        modules: [u16; 2],
        dark: impl Iterator<Item = [u16; 4]>,
    ) {
        let [width, height] = [area.width, area.height].map(to_points);
        let [columns, rows] = modules.map(f32::from);
        let [left, top] = [area.x, PAGE_HEIGHT - area.y].map(|length| round_points(to_points(length)));
        self.content.save_state().set_fill_gray(0.0);
        self.content.transform([width / columns, 0.0, 0.0, -height / rows, left, top]);
        for rectangle in dark {
            let [x, y, width, height] = rectangle.map(f32::from);
            self.content.rect(x, y, width, height);
        }
        self.content.fill_nonzero().restore_state();
    }
}
