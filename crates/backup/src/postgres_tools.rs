//! Runs the database server's own programs. They dump and restore far more than this program knows of, such as roles'
//! comments and collations, and are kept with the server.

use crate::BackupActionError;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use storage::backup::build_client_environment;

pub type ToolEnvironment = Vec<(&'static str, String)>;

const DUMP: &str = "pg_dump";
const RESTORE: &str = "pg_restore";

/// Where Debian keeps the programs of each version of the server.
const VERSIONS_FOLDER: &str = "/usr/lib/postgresql";

/// The environment of the programs, for the server at this address.
pub fn prepare_environment(config: &tokio_postgres::Config, ca_file: Option<&Path>) -> ToolEnvironment {
    build_client_environment(config, ca_file)
}

/// Writes a dump of the whole database, of one moment, in the format of `pg_restore`. Not compressed: that comes later.
pub fn write_dump(environment: &ToolEnvironment, out: &mut dyn Write) -> Result<u64, BackupActionError> {
    let arguments = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges", "--no-password"];
    let mut child = spawn_tool(DUMP, &arguments, environment, Stdio::null(), Stdio::piped())?;
    let stderr = collect_messages(&mut child);
    let mut dump = child.stdout.take().ok_or_else(|| tool_failed(DUMP, "no output"))?;
    let copied = io::copy(&mut dump, out);
    drop(dump);
    // First its own complaint: a broken pipe only follows from it.
    finish_tool(DUMP, child, stderr)?;
    copied.map_err(|error| BackupActionError::Interrupted(error.to_string()))
}

/// Restores a dump into an empty database: all of it, or nothing.
pub fn restore_dump(environment: &ToolEnvironment, dump: &mut dyn Read) -> Result<(), BackupActionError> {
    let name = environment.iter().find(|(name, _)| *name == "PGDATABASE").map_or("", |(_, name)| name);
    let into = format!("--dbname={name}");
    let arguments =
        ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-password", &into];
    feed_tool(&arguments, environment, dump)
}

/// Reads a dump to its end without a database.
pub fn check_dump(dump: &mut dyn Read) -> Result<(), BackupActionError> {
    feed_tool(&["--file=/dev/null"], &ToolEnvironment::new(), dump)
}

fn feed_tool(
    arguments: &[&str],
    environment: &ToolEnvironment,
    content: &mut dyn Read,
) -> Result<(), BackupActionError> {
    let mut child = spawn_tool(RESTORE, arguments, environment, Stdio::piped(), Stdio::null())?;
    let stderr = collect_messages(&mut child);
    let mut input = child.stdin.take().ok_or_else(|| tool_failed(RESTORE, "no input"))?;
    let copied = io::copy(content, &mut input);
    drop(input);
    match copied {
        // It stopped reading, and says why.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => finish_tool(RESTORE, child, stderr),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(tool_failed(RESTORE, error))
        }
        Ok(_) => finish_tool(RESTORE, child, stderr),
    }
}

fn spawn_tool(
    tool: &'static str,
    arguments: &[&str],
    environment: &ToolEnvironment,
    input: Stdio,
    output: Stdio,
) -> Result<Child, BackupActionError> {
    let program = find_tool(tool).ok_or(BackupActionError::ToolMissing(tool))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(input).stdout(output).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
        command.env_remove(name);
    }
    command.envs(environment.iter().map(|(name, value)| (name, value.as_str())));
    command.spawn().map_err(|error| tool_failed(tool, error))
}

/// In the path, or where Debian keeps the newest version.
fn find_tool(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file());
    in_path.or_else(|| {
        let folders = std::fs::read_dir(VERSIONS_FOLDER).ok()?.filter_map(Result::ok);
        let mut versions: Vec<(u32, PathBuf)> = folders
            .filter_map(|entry| {
                let version = entry.file_name().to_str()?.parse().ok()?;
                Some((version, entry.path().join("bin").join(tool)))
            })
            .filter(|(_, file)| file.is_file())
            .collect();
        versions.sort();
        versions.pop().map(|(_, file)| file)
    })
}

/// Reads what the program says beside its work, so that it never waits for that.
fn collect_messages(child: &mut Child) -> std::thread::JoinHandle<String> {
    let stderr = child.stderr.take();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

fn finish_tool(
    tool: &'static str,
    mut child: Child,
    messages: std::thread::JoinHandle<String>,
) -> Result<(), BackupActionError> {
    let ended = child.wait().map_err(|error| tool_failed(tool, error))?;
    if ended.success() {
        return Ok(());
    }
    let messages = messages.join().unwrap_or_default();
    let first = messages.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(tool_failed(tool, first.trim()))
}

fn tool_failed(tool: &'static str, cause: impl ToString) -> BackupActionError {
    BackupActionError::ToolFailed { tool, cause: cause.to_string() }
}
