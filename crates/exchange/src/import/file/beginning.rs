//! The first bytes of a file.

use domain::ImportProblem;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

pub(super) fn read_beginning(file: &mut File, most: usize) -> Result<Vec<u8>, ImportProblem> {
    let mut head = vec![0; most];
    let length = fill_buffer(file, &mut head)?;
    head.truncate(length);
    file.seek(SeekFrom::Start(0)).map_err(|_| ImportProblem::Damaged)?;
    Ok(head)
}

pub(super) fn fill_buffer(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ImportProblem> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(_) => return Err(ImportProblem::Damaged),
        }
    }
    Ok(length)
}
