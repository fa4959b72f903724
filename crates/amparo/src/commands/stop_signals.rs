//! The system's requests to end: the first asks for an orderly stop, the second for one at once. Before anybody is served,
//! the first ends the process.

use api::StopFlag;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ShutdownStage {
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
pub struct StopSignals(watch::Sender<ShutdownStage>);

impl StopSignals {
    /// Hears the signals from now on.
    pub fn listen() -> StopSignals {
        let stage = watch::Sender::new(ShutdownStage::Starting);
        let [terminate, interrupt] =
            [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
        tokio::spawn(watch_signals(stage.clone(), terminate, interrupt));
        StopSignals(stage)
    }

    /// From now on there is something to stop in order. Before anybody is told that the server serves: a request to stop right
    /// then is heard.
    pub fn begin_serving(&self) {
        self.0.send_replace(ShutdownStage::Running);
    }

    /// Ready when the process was asked to end.
    pub async fn wait_for_stop(&self) {
        self.wait_for_stage(ShutdownStage::Interrupted).await;
    }

    /// Ready when it was asked a second time.
    pub async fn wait_for_insistence(&self) {
        self.wait_for_stage(ShutdownStage::Insisted).await;
    }

    /// Ready when the server is to accept no more. From the first signal on it says that it is not ready; a balancer gets
    /// `drain` to notice, unless somebody at the terminal waits.
    pub async fn wait_for_drain(&self, stopping: &StopFlag, drain: Duration) {
        self.wait_for_stop().await;
        stopping.set();
        if *self.0.borrow() == ShutdownStage::Interrupted {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(drain) => {}
            () = self.wait_for_insistence() => {}
        }
    }

    async fn wait_for_stage(&self, wanted: ShutdownStage) {
        let mut seen = self.0.subscribe();
        // The other end lives as long as the process.
        if seen.wait_for(|stage| *stage >= wanted).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

async fn watch_signals(
    stage: watch::Sender<ShutdownStage>,
    mut terminate: Option<Signal>,
    mut interrupt: Option<Signal>,
) {
    loop {
        let asked = tokio::select! {
            () = wait_for_signal(&mut terminate) => ShutdownStage::Terminated,
            () = wait_for_signal(&mut interrupt) => ShutdownStage::Interrupted,
        };
        if *stage.borrow() == ShutdownStage::Starting {
            tracing::info!("asked to stop before anybody was served");
            std::process::exit(0);
        }
        stage.send_modify(|now| {
            *now = if *now == ShutdownStage::Running { asked } else { ShutdownStage::Insisted }
        });
        match *stage.borrow() {
            ShutdownStage::Insisted => tracing::warn!("asked to stop again: what is under way is cut off"),
            _ => tracing::info!("asked to stop"),
        }
    }
}

async fn wait_for_signal(signals: &mut Option<Signal>) {
    let heard = match signals {
        Some(signals) => signals.recv().await,
        None => None,
    };
    if heard.is_none() {
        std::future::pending::<()>().await;
    }
}
