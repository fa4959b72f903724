//! A throw-away PostgreSQL server: its own folder, a socket and no port, never root, and a collation that is not C, so
//! that a comparison left to the database shows itself.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Cluster {
    folder: tempfile::TempDir,
    binaries: PathBuf,
    owner: Option<(u32, u32)>,
}

impl Cluster {
    /// Starts a server: a durable one as docs/operations.md advises for a large association, another without the work of
    /// surviving a power cut.
    pub fn start(durable: bool) -> Cluster {
        let folder = tempfile::Builder::new().prefix("amparo-postgres-").tempdir().unwrap();
        let cluster = Cluster { folder, binaries: binaries(), owner: owner() };
        if let Some((user, group)) = cluster.owner {
            std::os::unix::fs::chown(cluster.folder.path(), Some(user), Some(group)).unwrap();
        }
        let mut initdb = cluster.command("initdb");
        initdb.args(["--username=amparo", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]);
        initdb
            .args(["--locale-provider=icu", "--icu-locale=pt-BR", "--no-sync", "--pgdata"])
            .arg(cluster.data());
        finish(initdb);
        let durability = match durable {
            true => " -c shared_buffers=1GB",
            false => " -c fsync=off -c full_page_writes=off -c synchronous_commit=off",
        };
        let options = format!(
            "-c listen_addresses='' -c unix_socket_directories='{}' -c max_connections=400{durability}",
            cluster.folder.path().display()
        );
        std::fs::write(cluster.folder.path().join("options"), options).unwrap();
        cluster.resume();
        cluster
    }

    /// Ends the server at once, as a power cut would.
    pub fn crash(&self) {
        self.stop("immediate");
    }

    /// Starts it again where it was.
    pub fn resume(&self) {
        let options = std::fs::read_to_string(self.folder.path().join("options")).unwrap();
        let mut start = self.command("pg_ctl");
        start.args(["start", "--wait", "--silent", "--log"]).arg(self.folder.path().join("log"));
        start.arg("--options").arg(options).arg("--pgdata").arg(self.data());
        finish(start);
    }

    /// The address of its first database.
    pub fn address(&self) -> String {
        self.address_of("postgres")
    }

    pub fn address_of(&self, database: &str) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://amparo@{socket}/{database}")
    }

    fn stop(&self, mode: &str) {
        let mut stop = self.command("pg_ctl");
        stop.args(["stop", "--wait", "--silent", "--mode", mode, "--pgdata"]).arg(self.data());
        finish(stop);
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.binaries.join(program));
        command.current_dir(self.folder.path());
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut stop = self.command("pg_ctl");
            let _ = stop.args(["stop", "--mode", "immediate", "--pgdata"]).arg(self.data()).status();
        } else {
            self.stop("immediate");
        }
    }
}

fn finish(mut command: Command) {
    let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()).status();
    assert!(done.as_ref().is_ok_and(std::process::ExitStatus::success), "{command:?}: {done:?}");
}

/// Debian keeps the server's programs out of PATH, by version; the newest is taken.
fn binaries() -> PathBuf {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin")))
        })
        .filter(|(_, path)| path.join("initdb").exists())
        .collect();
    versions.sort();
    versions.pop().map_or_else(|| panic!("PostgreSQL is not installed: run ./test"), |(_, path)| path)
}

/// PostgreSQL refuses to run as root: then it runs as the user that Debian made for it.
fn owner() -> Option<(u32, u32)> {
    let am_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0;
    am_root.then(|| {
        let users = std::fs::read_to_string(Path::new("/etc/passwd")).unwrap();
        let line = users.lines().find(|line| line.starts_with("postgres:")).expect("a user called postgres");
        let mut parts = line.split(':').skip(2).map(|part| part.parse().unwrap());
        (parts.next().unwrap(), parts.next().unwrap())
    })
}
