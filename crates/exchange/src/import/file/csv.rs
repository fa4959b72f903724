//! Reads CSV files: detects the separator and normalizes line endings.

use super::beginning::fill_buffer;
use super::decode::{DecodingReader, TextEncoding};
use super::line_collector::{LineCollector, MOST_TITLES};
use crate::export::csv::unguard_text;
use domain::ImportProblem;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

pub(super) fn read_csv(
    mut file: File,
    encoding: TextEncoding,
    lines: &mut LineCollector<'_>,
) -> Result<(), ImportProblem> {
    let mut sample = vec![0; 64 * 1024];
    let length = fill_buffer(&mut DecodingReader::new(&mut file, encoding), &mut sample)?;
    sample.truncate(length);
    let (separator, skipped) = detect_separator(&String::from_utf8_lossy(&sample));
    file.seek(SeekFrom::Start(0)).map_err(|_| ImportProblem::Damaged)?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(NewlineNormalizer::new(DecodingReader::new(&mut file, encoding)).chain(&b"\n"[..]));
    let mut record = csv::StringRecord::new();
    // Rows are counted as a spreadsheet does: empty ones too, and a row with line breaks in its cells once.
    let mut line_breaks = 0;
    while reader.read_record(&mut record).map_err(|_| ImportProblem::Damaged)? {
        lines.watch.check()?;
        line_breaks +=
            record.iter().map(|cell| cell.bytes().filter(|byte| *byte == b'\n').count() as u64).sum::<u64>();
        let number =
            u32::try_from(reader.position().line().saturating_sub(1 + line_breaks)).unwrap_or(u32::MAX);
        if number <= skipped {
            continue;
        }
        let cells = record.iter().map(|cell| unguard_text(cell.trim()).to_owned()).collect();
        if !lines.push_line(number, cells)? {
            break;
        }
    }
    Ok(())
}

/// Normalizes line endings.
struct NewlineNormalizer<R> {
    inner: R,
    /// The last byte was a carriage return.
    half: bool,
}

impl<R: Read> NewlineNormalizer<R> {
    fn new(inner: R) -> NewlineNormalizer<R> {
        NewlineNormalizer { inner, half: false }
    }
}

impl<R: Read> Read for NewlineNormalizer<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let read = self.inner.read(out)?;
            let mut filled = 0;
            for at in 0..read {
                let byte = out[at];
                let is_rest = byte == b'\n' && self.half;
                self.half = byte == b'\r';
                if !is_rest {
                    out[filled] = if self.half { b'\n' } else { byte };
                    filled += 1;
                }
            }
            if filled > 0 || read == 0 {
                return Ok(filled);
            }
        }
    }
}

/// The separator, and how many lines only declare it (`sep=`).
fn detect_separator(sample: &str) -> (u8, u32) {
    let mut texts = sample.lines().filter(|line| !line.trim().is_empty());
    let first = texts.next().unwrap_or_default();
    if let Some(declared) = first.to_ascii_lowercase().strip_prefix("sep=")
        && let [byte] = declared.trim_end_matches('\r').as_bytes()[..]
    {
        return (byte, 1);
    }
    let find_separator = |line: &str| {
        let count = |separator: u8| {
            let mut quoted = false;
            let signs = line.bytes().filter(|byte| {
                quoted ^= *byte == b'"';
                !quoted && *byte == separator
            });
            signs.count()
        };
        // On a tie, the separator that Brazilian spreadsheets write.
        [b'|', b',', b'\t', b';']
            .into_iter()
            .map(|separator| (count(separator), separator))
            .max_by_key(|(count, _)| *count)
    };
    // A title above the header row contains no separator.
    let found = std::iter::once(first)
        .chain(texts.take(MOST_TITLES))
        .filter_map(find_separator)
        .max_by_key(|(count, _)| *count);
    match found {
        Some((count, separator)) if count > 0 => (separator, 0),
        _ => (b';', 0),
    }
}
