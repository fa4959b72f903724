//! Parses lines, and refuses a record that the file names twice, and a price that an earlier line decides.

use super::line_worker::ImportLineWorker;
use super::parsed_row::{ImportRecordDraft, ParsedImportRow};
use domain::{ImportProblem, Rejection};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Parses lines. A line with the same key as an earlier one is refused, because it is unclear which one is right.
pub(super) fn parse_lines(
    worker: &mut ImportLineWorker<'_>,
    lines: &[(i32, String)],
) -> Vec<ParsedImportRow> {
    let mut all = Vec::with_capacity(lines.len());
    for (line, cells) in lines {
        let mut parsed = worker.parser.parse_row(&worker.context.registers, *line, cells);
        if let Some(key) = &parsed.key {
            let mut hasher = DefaultHasher::new();
            key.hash(&mut hasher);
            let first = *worker.first_lines.entry(hasher.finish()).or_insert(*line);
            if first != *line {
                let duplicate = [Rejection::Import(ImportProblem::SameRecord(first))];
                parsed.problems.extend(worker.parser.names.describe_rejections(*line, &duplicate));
                parsed.row = None;
            }
        }
        if let Some(earlier) = find_overlapped_line(worker, &parsed) {
            let overlap = [Rejection::Import(ImportProblem::OverlappingLine(earlier))];
            parsed.problems.extend(worker.parser.names.describe_rejections(*line, &overlap));
            parsed.row = None;
        }
        all.push(parsed);
    }
    all
}

/// The earlier line whose price is for the same cases as that of this line.
fn find_overlapped_line(worker: &mut ImportLineWorker<'_>, parsed: &ParsedImportRow) -> Option<i32> {
    let Some(ImportRecordDraft::Register(row)) = &parsed.row else { return None };
    worker.price_bands.insert_price(parsed.line, &row.table_price()?)
}
