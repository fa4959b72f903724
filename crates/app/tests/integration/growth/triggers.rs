//! A receiver, and what is sent to it.

use super::script::{HERE, Script, now, plainly};
use app::benefits::{self, BenefitWriteInput};
use app::session::Session;
use app::triggers::receivers::{self, RequestedReceiver, TenantActor};
use app::triggers::{
    self, DeliveryOutcome, DeliveryVerdict, LeaseHolder, PendingChangeQuery, ReplaySelection,
};
use domain::RetryPolicy;
use domain::{Entity, HistoryCode};
use std::sync::Arc;
use wire::read::read_body;

impl Script<'_> {
    /// A receiver, what is sent to it, what comes of that, and sending again.
    pub(super) async fn triggers(&self, caller: &Session) {
        let vault = app::Vault::new(&testkit::SERVER_KEY).unwrap();
        let by = TenantActor { tenant: HERE, user: Some(caller.user) };
        let wanted = RequestedReceiver {
            address: domain::ReceiverAddress::parse("https://erp.example").unwrap(),
            entities: Entity::ALL.to_vec(),
            headers: Vec::new(),
            concurrency: 8,
        };
        self.recorder.begin("a receiver is added");
        let code = now(receivers::create_receiver(self.app, &vault, by, wanted, plainly()).await).code;
        self.recorder.begin("a change for a receiver");
        let text = br#"{"cpfCnpj": "529.982.247-25", "codPlano": 2, "ativo": true}"#;
        let registers = app::register_snapshot::load_registers(self.app, HERE).await.unwrap();
        let plan = registers.plans.iter().find(|plan| plan.kind == domain::BenefitKind::Assistance).unwrap();
        let text =
            String::from_utf8_lossy(text).replace("\"codPlano\": 2", &format!("\"codPlano\": {}", plan.code));
        now(benefits::save_benefit(
            self.app,
            caller,
            BenefitWriteInput::Basic(Box::new(read_body(text.as_bytes()).unwrap())),
            plainly(),
        )
        .await);
        self.recorder.begin("receivers are read");
        receivers::list_receivers(self.app, &vault, HERE).await.unwrap();
        receivers::load_delivery_target(self.app, &vault, HERE, code).await.unwrap();
        let holder = LeaseHolder {
            process: "p".into(),
            place: "here".into(),
            lease: std::time::Duration::from_mins(1),
        };
        let policy = Arc::new(RetryPolicy {
            waits: vec![std::time::Duration::ZERO],
            probe: std::time::Duration::ZERO,
            pause_after: std::time::Duration::from_hours(24),
        });
        for verdict in [DeliveryVerdict::Failed, DeliveryVerdict::Delivered] {
            self.recorder.begin("triggers are taken in hand");
            assert_eq!(triggers::list_due_receivers(self.app).await.unwrap().len(), 1);
            triggers::free_abandoned_leases(self.app, &holder, false).await.unwrap();
            assert!(triggers::is_receiver_open(self.app, HERE, code, 1).await.unwrap());
            storage::triggers::queues::load_outbox_backlog(&self.app.db).await.unwrap();
            let lease =
                triggers::lease_receivers(self.app, &holder, HERE, [code].into()).await.unwrap()[&code];
            let after = HistoryCode::new(0);
            let room = PendingChangeQuery { receiver: code, lease, after, limit: 8, waited: 8 };
            let job = triggers::fetch_ready_jobs(self.app, HERE, vec![room]).await.unwrap().remove(0).0;
            self.recorder.begin("what came of triggers is written");
            let outcome = DeliveryOutcome {
                job,
                verdict,
                tried_at: self.app.now(),
                took: std::time::Duration::ZERO,
                status: Some(204),
                answer: None,
                failure: None,
                retry_after: None,
            };
            triggers::record_outcomes(self.app, (&holder, &policy), HERE, vec![outcome]).await.unwrap();
        }
        self.recorder.begin("deliveries are read");
        let told = triggers::list_deliveries(self.app, HERE, code, None, HistoryCode::new(0)).await.unwrap();
        let history = told[0].delivery.history;
        self.recorder.begin("receivers are looked at");
        triggers::list_performance(self.app, HERE, vec![code]).await.unwrap();
        let (entity, record) = (told[0].delivery.entity, told[0].delivery.record);
        let since = self.app.now().minus(std::time::Duration::from_hours(1));
        for wanted in [
            triggers::DeliveryQuery::default(),
            triggers::DeliveryQuery { since: Some(since), until: Some(self.app.now()), ..Default::default() },
            triggers::DeliveryQuery { entity: Some(entity), ..Default::default() },
            triggers::DeliveryQuery { entity: Some(entity), record: Some(record), ..Default::default() },
            triggers::DeliveryQuery { state: Some(domain::DeliveryState::Delivered), ..Default::default() },
        ] {
            self.recorder.begin("deliveries are looked through");
            triggers::list_newest_deliveries(self.app, HERE, code, wanted).await.unwrap();
        }
        self.recorder.begin("a delivery is looked at");
        triggers::read_delivery(self.app, caller, (code, history)).await.unwrap();
        for (what, replay) in [
            ("a delivery is sent again", ReplaySelection::HistoryRange(history, history)),
            ("what was missed is sent again", ReplaySelection::MissedSince(domain::Moment::from_millis(0))),
        ] {
            self.recorder.begin(what);
            now(triggers::replay_deliveries(self.app, by, (code, replay), plainly()).await);
        }
        self.recorder.begin("a receiver is paused and goes on");
        for paused in [true, false] {
            now(receivers::pause_or_resume_receiver(self.app, &vault, by, (code, paused, None), plainly())
                .await);
        }
        self.recorder.begin("a receiver's secret is changed");
        now(receivers::rotate_secret(self.app, &vault, by, (code, None), plainly()).await);
    }
}
