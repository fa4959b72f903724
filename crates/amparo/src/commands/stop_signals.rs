//! Stop signals: the first requests an orderly stop, the second an immediate one. Before the server is serving, the
//! first ends the process.

use api::StopFlag;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ShutdownStage {
    /// Not serving yet: there is nothing to wait for.
    Starting,
    Running,
    /// Ctrl+C at the terminal: no load balancer has to notice first.
    Interrupted,
    Terminated,
    /// A second signal.
    Insisted,
}

#[derive(Clone)]
pub struct StopSignals(watch::Sender<ShutdownStage>);

impl StopSignals {
    /// Starts listening for the signals.
    pub fn listen() -> StopSignals {
        let stage = watch::Sender::new(ShutdownStage::Starting);
        let [terminate, interrupt] =
            [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
        tokio::spawn(watch_signals(stage.clone(), terminate, interrupt));
        StopSignals(stage)
    }

    /// From now on a signal leads to an orderly stop. Called before the server announces itself, so that a signal right
    /// after that is handled.
    pub fn begin_serving(&self) {
        self.0.send_replace(ShutdownStage::Running);
    }

    /// Completes at the first signal.
    pub async fn wait_for_stop(&self) {
        self.wait_for_stage(ShutdownStage::Interrupted).await;
    }

    /// Completes at the second signal.
    pub async fn wait_for_insistence(&self) {
        self.wait_for_stage(ShutdownStage::Insisted).await;
    }

    /// Completes when the server should accept no more connections. From the first signal on it reports that it is not
    /// ready; load balancers get `drain` (`http.drain`) to notice, except after Ctrl+C at the terminal.
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

    async fn wait_for_stage(&self, target: ShutdownStage) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as the process.
        if receiver.wait_for(|stage| *stage >= target).await.is_err() {
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
        let requested = tokio::select! {
            () = wait_for_signal(&mut terminate) => ShutdownStage::Terminated,
            () = wait_for_signal(&mut interrupt) => ShutdownStage::Interrupted,
        };
        if *stage.borrow() == ShutdownStage::Starting {
            tracing::info!("stop requested before the server was ready");
            std::process::exit(0);
        }
        stage.send_modify(|now| {
            *now = if *now == ShutdownStage::Running { requested } else { ShutdownStage::Insisted }
        });
        match *stage.borrow() {
            ShutdownStage::Insisted => {
                tracing::warn!("stop requested again: requests in progress are aborted");
            }
            _ => tracing::info!("stop requested"),
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
