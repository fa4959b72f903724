//! What the association itself does: users, its members and benefits whole, the board.

use super::sample::Sample;
use super::script::{HERE, Script, now, plainly};
use app::access::Session;
use app::searches::{self, Part, Turn};
use app::{benefits, deals, find, leads, panel, people, saved, tenants, users};
use domain::{
    BenefitCode, BranchCode, DealCode, DealState, Entity, LeadCode, PersonCode, SituationKind, StageCode,
    UserCode,
};
use wire::read::body;

impl Script<'_> {
    pub async fn look_whole(&self, who: &str, caller: &Session) {
        let code = |number: i64| i32::try_from(number).unwrap();
        let Sample { person, sequence, deal, lead: (name, document, ..), .. } = &self.sample;
        self.recorder.begin(&format!("a member whole / {who}"));
        let person = PersonCode::new(code(*person));
        people::member_whole(self.app, caller, person).await.unwrap();
        people::history(self.app, caller, person).await.unwrap();
        self.recorder.begin(&format!("a benefit whole / {who}"));
        let benefit = BenefitCode::new(code(*sequence));
        benefits::whole(self.app, caller, benefit).await.unwrap();
        benefits::history(self.app, caller, benefit).await.unwrap();
        let wanted = || deals::Wanted { page: 1, ..deals::Wanted::default() };
        for (what, wanted) in [
            ("all", wanted()),
            (
                "a stage",
                deals::Wanted { stage: Some(StageCode::new(2)), state: Some(DealState::Open), ..wanted() },
            ),
            ("a sequence number", deals::Wanted { filter: Some(deal.to_string()), ..wanted() }),
            ("cpf", deals::Wanted { filter: Some(document.clone()), ..wanted() }),
            ("a name", deals::Wanted { filter: Some(name.clone()), ..wanted() }),
        ] {
            self.recorder.begin(&format!("managed deals by {what} / {who}"));
            deals::page(self.app, caller, wanted).await.unwrap();
        }
        self.recorder.begin(&format!("the board / {who}"));
        deals::board(self.app, caller, (None, None, None)).await.unwrap();
        let look = deals::looked::Look::default();
        self.recorder.begin(&format!("the board, looked at / {who}"));
        let seen = deals::looked::board(self.app, caller, look).await.unwrap();
        if let Some((stage, next)) = seen.columns.iter().find_map(|one| Some((one.stage, one.next?))) {
            self.recorder.begin(&format!("the board, more of a stage / {who}"));
            let look = deals::looked::Look { only: Some((stage, Some(next))), ..look };
            deals::looked::board(self.app, caller, look).await.unwrap();
        }
        self.recorder.begin(&format!("the board, what changed / {who}"));
        deals::looked::changes(self.app, caller, look, self.app.now()).await.unwrap();
        self.recorder.begin(&format!("a deal whole / {who}"));
        deals::whole(self.app, caller, DealCode::new(code(*deal))).await.unwrap();
        deals::history(self.app, caller, DealCode::new(code(*deal))).await.unwrap();
        for (what, filter) in [("all", None), ("cpf", Some(document.clone()))] {
            self.recorder.begin(&format!("managed leads by {what} / {who}"));
            let wanted = leads::Wanted { filter, active: Some(true), page: 1, ..leads::Wanted::default() };
            leads::page(self.app, caller, wanted).await.unwrap();
        }
        self.recorder.begin(&format!("the deals of a member / {who}"));
        deals::of_person(self.app, caller, person).await.unwrap();
        self.recorder.begin(&format!("a lead / {who}"));
        let _ = leads::one(self.app, caller, LeadCode::new(10)).await;
    }

    /// What the console shows beyond the interface.
    pub async fn console(&self, who: &str, caller: &Session) {
        self.recorder.begin(&format!("the panel's figures / {who}"));
        let figures = panel::figures(self.app, caller).await.unwrap();
        self.recorder.begin(&format!("the panel's work / {who}"));
        panel::work(self.app, caller).await.unwrap();
        let cancelled = figures.registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
        let month = |turn| Some((turn, "2025-06".to_owned()));
        for (what, part) in [
            ("a situation", Part { situation: cancelled.map(|one| one.code), ..Part::default() }),
            ("a branch", Part { branch: Some(BranchCode::new(2)), ..Part::default() }),
            ("a month's coming", Part { month: month(Turn::Registered), ..Part::default() }),
            ("a month's going", Part { month: month(Turn::Cancelled), ..Part::default() }),
        ] {
            self.recorder.begin(&format!("part of the benefits by {what} / {who}"));
            searches::listed(self.app, caller, part, 1).await.unwrap();
        }
        self.recorder.begin(&format!("kept filters / {who}"));
        let wanted = saved::Wanted { name: "Um".to_owned(), query: "uf=SP".to_owned(), is_shared: true };
        let code = saved::keep(self.app, caller, saved::List::Members, wanted).await.unwrap();
        saved::all(self.app, caller, saved::List::Members).await.unwrap();
        saved::choose(self.app, caller, saved::List::Members, vec!["loja".to_owned()]).await.unwrap();
        saved::columns(self.app, caller, saved::List::Members).await.unwrap();
        saved::change(self.app, caller, code, ("Dois", false)).await.unwrap();
        saved::forget(self.app, caller, code).await.unwrap();
        self.recorder.begin(&format!("the one search / {who}"));
        for text in ["987654321", "77", "1234567890123"] {
            find::find(self.app, caller, text).await.unwrap();
        }
    }

    pub async fn manage(&self, caller: &Session) {
        self.recorder.begin("users are listed");
        users::page(self.app, caller, users::Wanted { page: 1, ..users::Wanted::default() }).await.unwrap();
        self.recorder.begin("habits of users");
        users::habits(self.app, caller).await.unwrap();
        self.recorder.begin("how the server is");
        app::health::of(self.app, caller).await.unwrap();
        self.recorder.begin("a user is changed");
        let one = users::one(self.app, caller, UserCode::new(2)).await.unwrap();
        let changes = users::Changes {
            version: one.version,
            name: domain::Name::parse(domain::Field::Name, "Outro nome").ok(),
            email: Some(domain::Email::parse("outro@demo.example").unwrap()),
            role: None,
            branches: Some([1, 2].map(BranchCode::new).to_vec()),
            active: None,
        };
        now(users::change(self.app, caller, one.code, changes, plainly()).await);
        self.recorder.begin("a password is sent, and sessions ended");
        now(users::send_password(self.app, caller, one.code, None, plainly()).await);
        now(users::end_sessions_of(self.app, caller, one.code, None, plainly()).await);
        self.recorder.begin("the base is changed");
        let own = tenants::own(self.app, caller).await.unwrap();
        let changes = tenants::Changes {
            second_factor_roles: wire::read::Given::Set(vec![domain::Role::Operator]),
            ..tenants::Changes::of_version(own.tenant.version)
        };
        now(tenants::change(self.app, caller, changes, plainly()).await);
        self.recorder.pause();
        let document = domain::Document::parse("529.982.247-25").unwrap();
        let (person, profile) =
            storage::people::by_document(&self.app.db, HERE, &document).await.unwrap().unwrap();
        self.recorder.begin("a member is changed whole");
        let text =
            format!(r#"{{"versao": {}, "conjuge": "Prova", "cpfCnpj": "390.533.447-05"}}"#, profile.version);
        let view =
            now(people::change_member(self.app, caller, person, body(text.as_bytes()).unwrap(), plainly())
                .await);
        let (code, kept) = view.benefits.last().unwrap();
        self.recorder.begin("a benefit is changed whole");
        let text = format!(r#"{{"versao": {}, "observacao": "Prova"}}"#, kept.version);
        now(benefits::change_whole(self.app, caller, *code, body(text.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a benefit goes to another situation");
        let text = br#"{"situacao": "ATIVO", "motivo": "Prova."}"#;
        let view = now(benefits::move_to(self.app, caller, *code, body(text).unwrap(), plainly()).await);
        self.recorder.begin("an item is changed");
        let item = view.items.iter().find(|item| item.active).unwrap().code;
        now(benefits::change_item(
            self.app,
            caller,
            (*code, item),
            body(br#"{"valor": 1}"#).unwrap(),
            plainly(),
        )
        .await);
        self.sell_whole(caller).await;
    }

    async fn sell_whole(&self, caller: &Session) {
        self.recorder.pause();
        let registers = app::base::registers(self.app, HERE).await.unwrap();
        let plan =
            registers.plans.iter().find(|plan| plan.kind == domain::BenefitKind::Vehicle).unwrap().code;
        let text =
            r#"{"nome": "Zilda Prova", "email": "zilda@prova.example", "veiculo": {"placa": "ZZZ9Y99"}}"#;
        self.recorder.begin("a deal to be won is written down");
        let deal = now(deals::save(self.app, caller, None, body(text.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a deal is moved, lost and opened again");
        let text = format!(r#"{{"codEtapa": 2, "versao": {}}}"#, deal.deal.version);
        now(deals::move_to(self.app, caller, deal.code, body(text.as_bytes()).unwrap(), plainly()).await);
        now(deals::lose(self.app, caller, deal.code, body(br#"{"motivo": "Prova."}"#).unwrap(), plainly())
            .await);
        now(deals::reopen(self.app, caller, deal.code, body(b"{}").unwrap(), plainly()).await);
        self.recorder.begin("a deal is won");
        let text = format!(r#"{{"cpfCnpj": "153.509.460-56", "codPlano": {plan}, "ativo": true}}"#);
        now(deals::win(self.app, caller, deal.code, body(text.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a lead is changed whole");
        let lead = leads::one(self.app, caller, deal.deal.lead).await.unwrap();
        let text = format!(r#"{{"versao": {}, "cidade": "Prova"}}"#, lead.found.lead.version);
        now(leads::change(self.app, caller, deal.deal.lead, body(text.as_bytes()).unwrap(), plainly()).await);
    }
}
