//! What the association itself does: users, its members and benefits whole, the board.

use super::sample::Sample;
use super::script::{HERE, Script, now, plainly};
use app::access::users;
use app::members::saved_filters;
use app::members::search::{self, BenefitListFilter, BenefitMovement};
use app::sales::{deals, leads};
use app::session::Session;
use app::{benefits, members, tenants};
use app::{panel, quick_search};
use domain::{
    BenefitCode, BranchCode, DealCode, DealState, Entity, LeadCode, PersonCode, SituationKind, StageCode,
    UserCode,
};
use wire::read::read_body;

impl Script<'_> {
    pub async fn look_whole(&self, who: &str, caller: &Session) {
        let code = |number: i64| i32::try_from(number).unwrap();
        let Sample { person, sequence, deal, lead: (name, document, ..), .. } = &self.sample;
        self.recorder.begin(&format!("a member whole / {who}"));
        let person = PersonCode::new(code(*person));
        members::read_member(self.app, caller, person).await.unwrap();
        members::read_member_history(self.app, caller, person).await.unwrap();
        self.recorder.begin(&format!("a benefit whole / {who}"));
        let benefit = BenefitCode::new(code(*sequence));
        benefits::read_full_benefit(self.app, caller, benefit).await.unwrap();
        benefits::read_benefit_history(self.app, caller, benefit).await.unwrap();
        let wanted = || deals::DealPipelineQuery { page: 1, ..deals::DealPipelineQuery::default() };
        for (what, wanted) in [
            ("all", wanted()),
            (
                "a stage",
                deals::DealPipelineQuery {
                    stage: Some(StageCode::new(2)),
                    state: Some(DealState::Open),
                    ..wanted()
                },
            ),
            ("a sequence number", deals::DealPipelineQuery { filter: Some(deal.to_string()), ..wanted() }),
            ("cpf", deals::DealPipelineQuery { filter: Some(document.clone()), ..wanted() }),
            ("a name", deals::DealPipelineQuery { filter: Some(name.clone()), ..wanted() }),
        ] {
            self.recorder.begin(&format!("managed deals by {what} / {who}"));
            deals::list_deals(self.app, caller, wanted).await.unwrap();
        }
        self.recorder.begin(&format!("the board / {who}"));
        deals::read_funnel_board(self.app, caller, (None, None, None)).await.unwrap();
        let look = deals::board::BoardQuery::default();
        self.recorder.begin(&format!("the board, looked at / {who}"));
        let seen = deals::board::view_board(self.app, caller, look).await.unwrap();
        if let Some((stage, next)) = seen.columns.iter().find_map(|one| Some((one.stage, one.next?))) {
            self.recorder.begin(&format!("the board, more of a stage / {who}"));
            let look = deals::board::BoardQuery { only: Some((stage, Some(next))), ..look };
            deals::board::view_board(self.app, caller, look).await.unwrap();
        }
        self.recorder.begin(&format!("the board, what changed / {who}"));
        deals::board::view_board_changes(self.app, caller, look, self.app.now()).await.unwrap();
        self.recorder.begin(&format!("a deal whole / {who}"));
        deals::show_deal(self.app, caller, DealCode::new(code(*deal))).await.unwrap();
        deals::read_deal_history(self.app, caller, DealCode::new(code(*deal))).await.unwrap();
        for (what, filter) in [("all", None), ("cpf", Some(document.clone()))] {
            self.recorder.begin(&format!("managed leads by {what} / {who}"));
            let wanted = leads::LeadManagementQuery {
                filter,
                active: Some(true),
                page: 1,
                ..leads::LeadManagementQuery::default()
            };
            leads::list_leads(self.app, caller, wanted).await.unwrap();
        }
        self.recorder.begin(&format!("the deals of a member / {who}"));
        deals::list_person_deals(self.app, caller, person).await.unwrap();
        self.recorder.begin(&format!("a lead / {who}"));
        let _ = leads::read_lead(self.app, caller, LeadCode::new(10)).await;
    }

    /// What the console shows beyond the interface.
    pub async fn console(&self, who: &str, caller: &Session) {
        self.recorder.begin(&format!("the panel's figures / {who}"));
        let figures = panel::read_benefit_figures(self.app, caller).await.unwrap();
        self.recorder.begin(&format!("the panel's work / {who}"));
        panel::read_pending_work(self.app, caller).await.unwrap();
        let cancelled = figures.registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
        let month = |turn| Some((turn, "2025-06".to_owned()));
        for (what, part) in [
            (
                "a situation",
                BenefitListFilter {
                    situation: cancelled.map(|one| one.code),
                    ..BenefitListFilter::default()
                },
            ),
            (
                "a branch",
                BenefitListFilter { branch: Some(BranchCode::new(2)), ..BenefitListFilter::default() },
            ),
            (
                "a month's coming",
                BenefitListFilter {
                    month: month(BenefitMovement::Registered),
                    ..BenefitListFilter::default()
                },
            ),
            (
                "a month's going",
                BenefitListFilter {
                    month: month(BenefitMovement::Cancelled),
                    ..BenefitListFilter::default()
                },
            ),
        ] {
            self.recorder.begin(&format!("part of the benefits by {what} / {who}"));
            search::list_filtered_benefits(self.app, caller, part, 1).await.unwrap();
        }
        self.recorder.begin(&format!("kept filters / {who}"));
        let wanted =
            saved_filters::FilterDraft { name: "Um".to_owned(), query: "uf=SP".to_owned(), is_shared: true };
        let code =
            saved_filters::save_filter(self.app, caller, saved_filters::FilterableList::Members, wanted)
                .await
                .unwrap();
        saved_filters::list_filters(self.app, caller, saved_filters::FilterableList::Members).await.unwrap();
        saved_filters::save_chosen_columns(
            self.app,
            caller,
            saved_filters::FilterableList::Members,
            vec!["loja".to_owned()],
        )
        .await
        .unwrap();
        saved_filters::read_chosen_columns(self.app, caller, saved_filters::FilterableList::Members)
            .await
            .unwrap();
        saved_filters::change_filter(self.app, caller, code, ("Dois", false)).await.unwrap();
        saved_filters::delete_filter(self.app, caller, code).await.unwrap();
        self.recorder.begin(&format!("the one search / {who}"));
        for text in ["987654321", "77", "1234567890123"] {
            quick_search::search_everything(self.app, caller, text).await.unwrap();
        }
    }

    pub async fn manage(&self, caller: &Session) {
        self.recorder.begin("users are listed");
        users::list_user_page(
            self.app,
            caller,
            users::UserSearchQuery { page: 1, ..users::UserSearchQuery::default() },
        )
        .await
        .unwrap();
        self.recorder.begin("habits of users");
        users::list_account_activity(self.app, caller).await.unwrap();
        self.recorder.begin("how the server is");
        app::upkeep::health::read_server_health(self.app, caller).await.unwrap();
        self.recorder.begin("a user is changed");
        let one = users::read_user(self.app, caller, UserCode::new(2)).await.unwrap();
        let changes = users::ChangeUser {
            version: one.version,
            name: domain::DisplayName::parse(domain::InputField::Name, "Outro nome").ok(),
            email: Some(domain::Email::parse("outro@demo.example").unwrap()),
            role: None,
            branches: Some([1, 2].map(BranchCode::new).to_vec()),
            money_rights: None,
            gets_old_search_answer: None,
            active: None,
        };
        now(users::change_user(self.app, caller, one.code, changes, plainly()).await);
        self.recorder.begin("a password is sent, and sessions ended");
        now(users::send_new_password(self.app, caller, one.code, None, plainly()).await);
        now(users::end_user_sessions(self.app, caller, one.code, None, plainly()).await);
        self.recorder.begin("the base is changed");
        let own = tenants::read_own_tenant(self.app, caller).await.unwrap();
        let changes = tenants::ChangeTenant {
            second_factor_roles: wire::read::FieldPatch::Set(vec![domain::Role::Operator]),
            ..tenants::ChangeTenant::from_version(own.tenant.version)
        };
        now(tenants::change_own_tenant(self.app, caller, changes, plainly()).await);
        self.recorder.pause();
        let document = domain::Document::parse("529.982.247-25").unwrap();
        let (person, profile) =
            storage::members::find_person_by_document(&self.app.db, HERE, &document).await.unwrap().unwrap();
        self.recorder.begin("a member is changed whole");
        let text =
            format!(r#"{{"versao": {}, "conjuge": "Prova", "cpfCnpj": "390.533.447-05"}}"#, profile.version);
        let view = now(members::change_member(
            self.app,
            caller,
            person,
            read_body(text.as_bytes()).unwrap(),
            plainly(),
        )
        .await);
        let (code, kept) = view.benefits.last().unwrap();
        self.recorder.begin("a benefit is changed whole");
        let text = format!(r#"{{"versao": {}, "observacao": "Prova"}}"#, kept.version);
        now(benefits::change_benefit(
            self.app,
            caller,
            *code,
            read_body(text.as_bytes()).unwrap(),
            plainly(),
        )
        .await);
        self.recorder.begin("a benefit goes to another situation");
        let text = br#"{"situacao": "ATIVO", "motivo": "Prova."}"#;
        let view = now(benefits::change_benefit_situation(
            self.app,
            caller,
            *code,
            read_body(text).unwrap(),
            plainly(),
        )
        .await);
        self.recorder.begin("an item is changed");
        let item = view.items.iter().find(|item| item.active).unwrap().code;
        now(benefits::change_item(
            self.app,
            caller,
            (*code, item),
            read_body(br#"{"valor": 1}"#).unwrap(),
            plainly(),
        )
        .await);
        self.sell_whole(caller).await;
    }

    async fn sell_whole(&self, caller: &Session) {
        self.recorder.pause();
        let registers = app::register_snapshot::load_registers(self.app, HERE).await.unwrap();
        let plan =
            registers.plans.iter().find(|plan| plan.kind == domain::BenefitKind::Vehicle).unwrap().code;
        let text =
            r#"{"nome": "Zilda Prova", "email": "zilda@prova.example", "veiculo": {"placa": "ZZZ9Y99"}}"#;
        self.recorder.begin("a deal to be won is written down");
        let deal =
            now(deals::save_deal(self.app, caller, None, read_body(text.as_bytes()).unwrap(), plainly())
                .await);
        self.recorder.begin("a deal is moved, lost and opened again");
        let text = format!(r#"{{"codEtapa": 2, "versao": {}}}"#, deal.deal.version);
        now(deals::move_deal(self.app, caller, deal.code, read_body(text.as_bytes()).unwrap(), plainly())
            .await);
        now(deals::lose_deal(
            self.app,
            caller,
            deal.code,
            read_body(br#"{"motivo": "Prova."}"#).unwrap(),
            plainly(),
        )
        .await);
        now(deals::reopen_deal(self.app, caller, deal.code, read_body(b"{}").unwrap(), plainly()).await);
        self.recorder.begin("a deal is won");
        let text = format!(r#"{{"cpfCnpj": "153.509.460-56", "codPlano": {plan}, "ativo": true}}"#);
        now(deals::win_deal(self.app, caller, deal.code, read_body(text.as_bytes()).unwrap(), plainly())
            .await);
        self.recorder.begin("a lead is changed whole");
        let lead = leads::read_lead(self.app, caller, deal.deal.lead).await.unwrap();
        let text = format!(r#"{{"versao": {}, "cidade": "Prova"}}"#, lead.found_lead.lead.version);
        now(leads::change_lead(
            self.app,
            caller,
            deal.deal.lead,
            read_body(text.as_bytes()).unwrap(),
            plainly(),
        )
        .await);
    }
}
