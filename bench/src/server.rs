//! A server in a process of its own, which ends with us.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Starts a program that says in one of its lines at which `http://…` it serves.
    pub fn start(command: &mut Command) -> Result<Server, Box<dyn Error>> {
        let child = command.stdout(Stdio::piped()).spawn()?;
        let mut server = Server { child, address: String::new() };
        let mut lines = BufReader::new(server.child.stdout.take().ok_or("no output")?).lines();
        let line =
            lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).ok_or("no address")?;
        server.address = line.rsplit_once("http://").ok_or("no address")?.1.to_owned();
        // What else it says is read, so that it never waits for us.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Memory that no file stands behind, in MB; `None` where the system does not tell it this way.
    pub fn anonymous_memory(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0 / 1e6)
    }
}

impl Drop for Server {
    /// Asks it to end, so that it takes leave of a shared database: the next run brings a key of its own, and is refused
    /// while another process seems to serve with its. Whoever does not listen is ended.
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
