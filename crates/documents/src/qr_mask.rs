//! Which of the eight masks of a QR code leaves the fewest patterns that mislead a camera. The rules are those of the
//! standard; a line of modules is the bits of a number, so that a rule looks at all of a line at once.

use qrcode::Color;
use qrcode::canvas::{Canvas, MaskPattern};

const MASKS: [MaskPattern; 8] = [
    MaskPattern::Checkerboard,
    MaskPattern::HorizontalLines,
    MaskPattern::VerticalLines,
    MaskPattern::DiagonalLines,
    MaskPattern::LargeCheckerboard,
    MaskPattern::Fields,
    MaskPattern::Diamonds,
    MaskPattern::Meadow,
];

/// For a code of at most 128 modules a side.
pub(crate) fn choose_mask(canvas: &Canvas) -> MaskPattern {
    let rate_mask = |mask: &MaskPattern| {
        let mut masked = canvas.clone();
        masked.apply_mask(*mask);
        rate_modules(&masked.into_colors())
    };
    MASKS.into_iter().min_by_key(rate_mask).unwrap_or(MaskPattern::Checkerboard)
}

/// The more points, the worse.
fn rate_modules(modules: &[Color]) -> u32 {
    let width = modules.len().isqrt();
    let (mut rows, mut columns) = (vec![0_u128; width], vec![0_u128; width]);
    for (y, row) in modules.chunks(width).enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, module)| **module == Color::Dark) {
            rows[y] |= 1 << x;
            columns[x] |= 1 << y;
        }
    }
    let width = width as u32;
    let lines = rows.iter().chain(&columns).map(|line| rate_runs(*line, width) + rate_finders(*line, width));
    let blocks = rows.windows(2).map(|pair| rate_blocks(pair[0], pair[1], width));
    lines.chain(blocks).sum::<u32>() + rate_balance(&rows, width)
}

/// Bits that are one where a module is as the next.
fn find_equal_neighbours(line: u128, width: u32) -> u128 {
    !(line ^ (line >> 1)) & (u128::MAX >> (129 - width))
}

/// A run of five or more has two points less than modules.
fn rate_runs(line: u128, width: u32) -> u32 {
    let equal = find_equal_neighbours(line, width);
    let fifths = equal & (equal >> 1) & (equal >> 2) & (equal >> 3);
    let runs = fifths & !(fifths << 1);
    fifths.count_ones() + 2 * runs.count_ones()
}

/// Squares of four equal modules.
fn rate_blocks(row: u128, next: u128, width: u32) -> u32 {
    let [upper, lower] = [row, next].map(|line| find_equal_neighbours(line, width));
    3 * (upper & lower & !(row ^ next)).count_ones()
}

/// Lines through the large squares in the corners, wherever else they may be, with four light modules at an end. What is
/// beyond the edge is light.
fn rate_finders(line: u128, width: u32) -> u32 {
    let dark = line & (line >> 2) & (line >> 3) & (line >> 4) & (line >> 6);
    let finders = dark & !(line >> 1) & !(line >> 5) & (u128::MAX >> (134 - width));
    let before = (line << 1) | (line << 2) | (line << 3) | (line << 4);
    let after = (line >> 7) | (line >> 8) | (line >> 9) | (line >> 10);
    40 * (finders & !(before & after)).count_ones()
}

/// How far from half of the modules are dark, in halves of a per cent.
fn rate_balance(rows: &[u128], width: u32) -> u32 {
    let dark: u32 = rows.iter().map(|row| row.count_ones()).sum();
    (dark * 200 / (width * width)).abs_diff(100)
}
