//! The servers of an association, which are killed and started again.

use super::{Amparo, Server};
use domain::RandomSource;
use std::ops::Range;
use testkit::{Engine, SeededChance};
use tokio::sync::watch;

pub struct Servers<'a> {
    amparo: &'a Amparo,
    running: Vec<Server>,
    addresses: Vec<watch::Sender<String>>,
    /// How much happened until now.
    events: watch::Sender<u64>,
}

impl<'a> Servers<'a> {
    /// One, or two that share the work where the engine lets them.
    pub fn start(amparo: &'a Amparo, events: watch::Sender<u64>) -> Servers<'a> {
        let count = if amparo.database.engine == Engine::Postgres { 2 } else { 1 };
        let running: Vec<Server> = (0..count).map(|_| amparo.serve("127.0.0.1:0")).collect();
        let addresses = running.iter().map(|server| watch::Sender::new(server.address.clone())).collect();
        Servers { amparo, running, addresses, events }
    }

    pub fn first_address(&self) -> &str {
        &self.running[0].address
    }

    /// Where a caller finds its server, whenever that was started.
    pub fn follow_address(&self, caller: usize) -> watch::Receiver<String> {
        self.addresses[caller % self.addresses.len()].subscribe()
    }

    /// Kills a server, and now and then all of them, after so much more has happened at most.
    pub async fn kill_some(&mut self, chance: &SeededChance, patience: u16) -> Range<usize> {
        let mut bytes = [0; 3];
        chance.fill(&mut bytes);
        let until = *self.events.borrow() + u64::from(u16::from_be_bytes([bytes[0], bytes[1]]) % patience);
        self.events.subscribe().wait_for(|count| *count >= until).await.unwrap();
        let which = usize::from(bytes[2]) % self.running.len();
        let hit = if bytes[2] >= 200 { 0..self.running.len() } else { which..which + 1 };
        for server in &mut self.running[hit.clone()] {
            server.child.kill().unwrap();
            server.child.wait().unwrap();
        }
        hit
    }

    /// Starts again what was killed, at the same place if that is free.
    pub fn start_again(&mut self, killed: Range<usize>) {
        for which in killed {
            let server = self.amparo.serve(&self.running[which].address);
            self.addresses[which].send_replace(server.address.clone());
            self.running[which] = server;
        }
    }
}
