//! Detects the encoding of a file and decodes it to UTF-8.

use domain::ImportProblem;
use encoding_rs::{Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::fs::File;
use std::io::{Read, Result as Io, Seek, SeekFrom};

pub type TextEncoding = &'static encoding_rs::Encoding;

/// The encoding, by the byte order mark or, without one, by whether the entire file is valid UTF-8.
pub fn detect_encoding(file: &mut File, head: &[u8]) -> Result<TextEncoding, ImportProblem> {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(head) {
        return Ok(encoding);
    }
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, 0) => {}
        (0, odd) if odd * 4 > head.len() => return Ok(UTF_16LE),
        (even, 0) if even * 4 > head.len() => return Ok(UTF_16BE),
        _ => return Err(ImportProblem::UnknownFormat),
    }
    let is_control = |byte: &u8| matches!(byte, 0x01..=0x08 | 0x0E..=0x1F | 0x7F);
    // Some programs write HTML pages with a spreadsheet extension.
    let first_byte = head.trim_ascii_start().first();
    if head.iter().any(is_control) || first_byte == Some(&b'<') || head.starts_with(b"%PDF") {
        return Err(ImportProblem::UnknownFormat);
    }
    let utf_8 = is_utf_8(file).map_err(|_| ImportProblem::Damaged)?;
    file.seek(SeekFrom::Start(0)).map_err(|_| ImportProblem::Damaged)?;
    Ok(if utf_8 { UTF_8 } else { WINDOWS_1252 })
}

fn is_utf_8(file: &mut File) -> Io<bool> {
    let mut buffer = vec![0; 64 * 1024];
    let mut carried = 0;
    loop {
        let read = file.read(&mut buffer[carried..])?;
        let block = &buffer[..carried + read];
        let rest = match std::str::from_utf8(block) {
            Ok(_) => 0,
            // A character that continues in the next block.
            Err(error) if error.error_len().is_none() && read > 0 => block.len() - error.valid_up_to(),
            Err(_) => return Ok(false),
        };
        if read == 0 {
            return Ok(true);
        }
        let end = carried + read;
        buffer.copy_within(end - rest..end, 0);
        carried = rest;
    }
}

pub struct DecodingReader<R> {
    source: R,
    decoder: Decoder,
    raw: Vec<u8>,
    /// Decoded bytes that were not returned yet.
    text: Vec<u8>,
    returned: usize,
    ended: bool,
}

/// Block size for reading.
const BLOCK_BYTES: usize = 32 * 1024;

impl<R: Read> DecodingReader<R> {
    pub fn new(source: R, encoding: TextEncoding) -> DecodingReader<R> {
        let decoder = encoding.new_decoder();
        DecodingReader {
            source,
            decoder,
            raw: vec![0; BLOCK_BYTES],
            text: Vec::new(),
            returned: 0,
            ended: false,
        }
    }

    fn decode_next_block(&mut self) -> Io<()> {
        let length = self.source.read(&mut self.raw)?;
        self.ended = length == 0;
        let most = self.decoder.max_utf8_buffer_length(length).unwrap_or(BLOCK_BYTES * 4);
        self.text.resize(most, 0);
        let (_, _, written, _) = self.decoder.decode_to_utf8(&self.raw[..length], &mut self.text, self.ended);
        self.text.truncate(written);
        self.returned = 0;
        Ok(())
    }
}

impl<R: Read> Read for DecodingReader<R> {
    fn read(&mut self, out: &mut [u8]) -> Io<usize> {
        while self.returned == self.text.len() && !self.ended {
            self.decode_next_block()?;
        }
        let count = out.len().min(self.text.len() - self.returned);
        out[..count].copy_from_slice(&self.text[self.returned..self.returned + count]);
        self.returned += count;
        Ok(count)
    }
}
