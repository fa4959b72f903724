//! The folder, the file and the neighbouring files of a database, readable only by their owner.

use std::path::{Path, PathBuf};

pub(super) fn append_extension(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The file of activity beside a database file.
pub fn build_activity_path(database: &Path) -> PathBuf {
    append_extension(database, "activity")
}

/// Creates the data folder, readable only by its owner: it holds personal data.
pub(super) fn make_folder(path: &Path) -> std::io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The same permissions for the file; files that SQLite creates next to it inherit them.
pub(super) fn make_file(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}
