//! The system's requests to end: the first asks for an orderly stop, the second for one at once. Before anybody is served,
//! the first ends the process.

use api::Stopping;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Nobody is served yet: there is nothing to wait for.
    Starting,
    Running,
    /// By somebody at the terminal: nobody else is to be told first.
    Interrupted,
    Terminated,
    /// Asked a second time.
    Insisted,
}

#[derive(Clone)]
pub struct StopSignals(watch::Sender<Stage>);

impl StopSignals {
    /// Hears the signals from now on.
    pub fn listen() -> StopSignals {
        let stage = watch::Sender::new(Stage::Starting);
        let [terminate, interrupt] =
            [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
        tokio::spawn(hear(stage.clone(), terminate, interrupt));
        StopSignals(stage)
    }

    /// From now on there is something to stop in order. Before anybody is told that the server serves: a request to stop right
    /// then is heard.
    pub fn begin_serving(&self) {
        self.0.send_replace(Stage::Running);
    }

    /// Ready when the process was asked to end.
    pub async fn asked(&self) {
        self.wait_for(Stage::Interrupted).await;
    }

    /// Ready when it was asked a second time.
    pub async fn insisted(&self) {
        self.wait_for(Stage::Insisted).await;
    }

    /// Ready when the server is to accept no more. From the first signal on it says that it is not ready; a balancer gets
    /// `drain` to notice, unless somebody at the terminal waits.
    pub async fn drained(&self, stopping: &Stopping, drain: Duration) {
        self.asked().await;
        stopping.set();
        if *self.0.borrow() == Stage::Interrupted {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(drain) => {}
            () = self.insisted() => {}
        }
    }

    async fn wait_for(&self, wanted: Stage) {
        let mut seen = self.0.subscribe();
        // The other end lives as long as the process.
        if seen.wait_for(|stage| *stage >= wanted).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

async fn hear(stage: watch::Sender<Stage>, mut terminate: Option<Signal>, mut interrupt: Option<Signal>) {
    loop {
        let asked = tokio::select! {
            () = next(&mut terminate) => Stage::Terminated,
            () = next(&mut interrupt) => Stage::Interrupted,
        };
        if *stage.borrow() == Stage::Starting {
            tracing::info!("asked to stop before anybody was served");
            std::process::exit(0);
        }
        stage.send_modify(|now| *now = if *now == Stage::Running { asked } else { Stage::Insisted });
        match *stage.borrow() {
            Stage::Insisted => tracing::warn!("asked to stop again: what is under way is cut off"),
            _ => tracing::info!("asked to stop"),
        }
    }
}

async fn next(signals: &mut Option<Signal>) {
    let heard = match signals {
        Some(signals) => signals.recv().await,
        None => None,
    };
    if heard.is_none() {
        std::future::pending::<()>().await;
    }
}
