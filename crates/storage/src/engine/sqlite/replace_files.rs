//! Puts a restored database in the place of another.

use super::database_file::{append_extension, make_folder};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The restored files, still under names of their own.
pub struct RestoredFiles {
    pub database: PathBuf,
    pub activity: Option<PathBuf>,
}

/// Where the files of a restore are written before they take their place: on the same disk, under a name of their own.
pub fn build_staging_path(path: &Path, ending: &str) -> io::Result<PathBuf> {
    make_folder(path)?;
    Ok(append_extension(path, &format!("restoring{ending}")))
}

/// Moves the files of the old database aside, under a name with this ending, and the restored ones into their place. If
/// it is interrupted, repeating the restore continues. The log of the old database never stands beside the new one, and
/// neither does its mark, so that the next start notices the restore.
pub fn replace_database(path: &Path, restored: &RestoredFiles, ending: &str) -> io::Result<Vec<PathBuf>> {
    let activity = append_extension(path, "activity");
    let aside = append_extension(path, ending);
    let aside_activity = append_extension(&activity, ending);
    let mut moved = Vec::new();
    for (file, target) in [(path, &aside), (activity.as_path(), &aside_activity)] {
        for suffix in ["", "-wal", "-shm"] {
            let (from, to) = (append_suffix(file, suffix), append_suffix(target, suffix));
            if from.exists() {
                std::fs::rename(&from, &to)?;
                moved.push(to);
            }
        }
    }
    let mark = append_extension(path, "mark");
    match std::fs::remove_file(&mark) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // First the activity: a database without its file of activity begins a new one.
    if let Some(file) = &restored.activity {
        std::fs::rename(file, &activity)?;
    }
    std::fs::rename(&restored.database, path)?;
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(moved)
}

fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
