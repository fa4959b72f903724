//! What is done to an association of either size: everything that the interface offers, by the same names.

use super::sample::Sample;
use app::access;
use app::access::users::{self, InitialPassword, NewUserInput};
use app::audit::access_log;
use app::audit::entry_pages::{self, AuditPageQuery};
use app::benefits::equipment;
use app::benefits::{self, BenefitWriteInput};
use app::idempotency::{IdempotencyKey, IdempotentWrite, WriteOutcome};
use app::members::dependents;
use app::members::{credit_cards, validation};
use app::registers::suppliers;
use app::sales::sellers;
use app::session::Session;
use app::{App, cache, idempotency, members};
use domain::{
    BenefitCode, BranchCode, DisplayName, Email, InputField, MoneyRights, Password, Role, TenantId,
};
use std::sync::Arc;
use testkit::Recorder;
use wire::read::{read_body, read_list_body, read_query};
use wire::records::CancelamentoInput;

pub const HERE: TenantId = TenantId::new(1);

pub struct Script<'a> {
    pub app: &'a App,
    pub recorder: &'a Recorder,
    pub sample: Sample,
}

/// `a=b&c=d`
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
}

pub(super) fn plainly<T>() -> IdempotentWrite<T> {
    IdempotentWrite { ticket: None, render: Arc::new(|_| Vec::new()), is_dry_run: false }
}

pub(super) fn now<T>(done: Result<WriteOutcome<T>, app::Error>) -> T {
    match done.unwrap() {
        WriteOutcome::Fresh(value) => value,
        WriteOutcome::Replayed(_) | WriteOutcome::Checked => panic!("it was not done now"),
    }
}

impl Script<'_> {
    pub async fn run(&self) {
        let callers = self.enter().await;
        for (who, caller) in &callers {
            self.search(who, caller).await;
            self.find_benefits(who, caller).await;
            self.list(who, caller).await;
            self.find_dependents(who, caller).await;
            self.feed(who, caller).await;
            self.claims(who, caller).await;
            self.cases(who, caller).await;
            self.look(who, caller).await;
            self.slips(who, caller).await;
            self.sales(who, caller).await;
            self.read_registers(who, caller).await;
            self.look_whole(who, caller).await;
            Box::pin(self.console(who, caller)).await;
        }
        self.validate(&callers).await;
        let (_, administrator) = &callers[0];
        self.write(administrator).await;
        self.work(administrator).await;
        self.sell(administrator).await;
        self.issue_slip(administrator).await;
        self.write_registers(administrator).await;
        self.audit(administrator).await;
        self.triggers(administrator).await;
        Box::pin(self.manage(administrator)).await;
        self.files(administrator).await;
        Box::pin(self.import(administrator)).await;
    }

    /// The administrator, a user of one branch and one of two.
    async fn enter(&self) -> Vec<(&'static str, Arc<Session>)> {
        self.recorder.begin("a user is created");
        let two = NewUserInput {
            tenant: HERE,
            name: DisplayName::parse(InputField::Name, "Duas Lojas").unwrap(),
            email: Email::parse("duas@demo.example").unwrap(),
            role: Role::Operator,
            branches: [2, 3].map(BranchCode::new).to_vec(),
            money_rights: MoneyRights::SEE_AND_SETTLE,
            gets_old_search_answer: false,
            password: InitialPassword::Chosen(Password::parse(demo::PASSWORD).unwrap()),
        };
        users::create_user(self.app, two).await.unwrap();
        let mut callers = Vec::new();
        for (who, email) in [
            ("administrator", demo::ADMINISTRATOR),
            ("one branch", "operador@demo.example"),
            ("two branches", "duas@demo.example"),
        ] {
            self.recorder.begin("login");
            let wrong = access::log_in_program(self.app, email, "errada, sem dúvida", self.address()).await;
            assert!(wrong.is_err());
            let entered =
                access::log_in_program(self.app, email, demo::PASSWORD, self.address()).await.unwrap();
            self.recorder.begin("token");
            cache::refresh_versions(self.app).await.unwrap();
            callers.push((who, app::session::load_session(self.app, &entered.token).await.unwrap()));
        }
        callers
    }

    /// What hangs on one member, one benefit, and the registers that are read when they are asked for.
    async fn look(&self, who: &str, caller: &Session) {
        self.recorder.begin(&format!("credit cards / {who}"));
        let person = domain::PersonCode::new(i32::try_from(self.sample.person).unwrap());
        credit_cards::list_credit_cards(self.app, caller, person).await.unwrap();
        self.recorder.begin(&format!("equipment / {who}"));
        // The codes of a demonstration's benefits are also their sequence numbers.
        let benefit = BenefitCode::new(i32::try_from(self.sample.sequence).unwrap());
        equipment::list_equipment(self.app, caller, benefit).await.unwrap();
        self.recorder.begin(&format!("a supplier / {who}"));
        suppliers::read_supplier(self.app, caller, domain::SupplierCode::new(5)).await.unwrap();
        for (what, criteria) in [
            ("nothing", ""),
            ("nome+uf", "nome=sil&uf=MG"),
            ("tipo+cpfCnpj", "tipo=Consultor&cpfCnpj=529.982.247-25"),
        ] {
            self.recorder.begin(&format!("sellers by {what} / {who}"));
            sellers::search_sellers(self.app, caller, read_query(pairs(criteria)).unwrap()).await.unwrap();
        }
    }

    /// Whether somebody has a benefit, asked with and without a credential.
    async fn validate(&self, callers: &[(&'static str, Arc<Session>)]) {
        let Sample { document, card, sequence, .. } = &self.sample;
        for (what, given) in [
            ("cartão", format!(r#"{{"matricula": "{card}"}}"#)),
            ("documento", format!(r#"{{"cpfCnpj": "{document}"}}"#)),
            ("sequencial", format!(r#"{{"sequencial": {sequence}}}"#)),
            (
                "tudo",
                format!(r#"{{"matricula": "{card}", "cpfCnpj": "{document}", "sequencial": {sequence}}}"#),
            ),
            ("cartão+documento", format!(r#"{{"matricula": "{card}", "cpfCnpj": "{document}"}}"#)),
        ] {
            let input = || read_body(given.as_bytes()).unwrap();
            for (who, caller) in callers {
                self.recorder.begin(&format!("a validation by {what} / {who}"));
                now(validation::validate_benefit_as_caller(self.app, caller, input(), plainly()).await);
            }
            self.recorder.begin(&format!("a validation by {what} / nobody"));
            validation::validate_benefit_anonymously(self.app, HERE, self.address(), input()).await.unwrap();
        }
        self.recorder.begin("a validation of nothing / nobody");
        let nothing = read_body(br#"{"cpfCnpj": "529.982.247-25"}"#).unwrap();
        assert!(
            validation::validate_benefit_anonymously(self.app, HERE, self.address(), nothing).await.is_err()
        );
    }

    pub(super) fn address(&self) -> domain::CallerAddress {
        std::net::IpAddr::from([127, 0, 0, 1]).into()
    }

    async fn write(&self, caller: &Session) {
        self.recorder.pause();
        let registers = app::register_snapshot::load_registers(self.app, HERE).await.unwrap();
        let plan = |kind, nth| {
            let mut of_kind = registers.plans.iter().filter(|plan| plan.kind == kind);
            of_kind.nth(nth).unwrap().code
        };
        let [vehicle, other] = [0, 1].map(|nth| plan(domain::BenefitKind::Vehicle, nth));
        let basic = plan(domain::BenefitKind::Assistance, 0);
        let document = "529.982.247-25";
        let person = |name: &str, branch: i32| {
            let text = format!(
                r#"{{"nomePessoa": "{name}", "cpfCnpj": "{document}", "codLoja": {branch},
                    "telefones": [{{"numero": "(31)98765-4321"}}], "endereco": {{"uf": "MG"}}}}"#
            );
            read_body(text.as_bytes()).unwrap()
        };
        self.recorder.begin("a person is created");
        now(members::save_person(self.app, caller, person("Zulmira Prova", 2), plainly()).await);
        self.recorder.begin("a person is changed");
        now(members::save_person(self.app, caller, person("Zulmira de Prova", 3), plainly()).await);
        let given = |text: String| BenefitWriteInput::Basic(Box::new(read_body(text.as_bytes()).unwrap()));
        let driven = |text: String| BenefitWriteInput::Vehicle(Box::new(read_body(text.as_bytes()).unwrap()));
        self.recorder.begin("a benefit is created");
        let made = given(format!(r#"{{"cpfCnpj": "{document}", "codPlano": {basic}, "ativo": true}}"#));
        let ticket = self.ticket(caller);
        self.recorder.begin("a key is looked for");
        assert!(idempotency::find_stored_answer(self.app, &ticket).await.unwrap().is_none());
        self.recorder.begin("a benefit is created");
        let named =
            IdempotentWrite { ticket: Some(ticket), render: Arc::new(|_| Vec::new()), is_dry_run: false };
        let code = now(benefits::save_benefit(self.app, caller, made, named).await).code;
        self.recorder.begin("a benefit is changed");
        let changed =
            format!(r#"{{"codBeneficio": {code}, "cpfCnpj": "{document}", "ativo": false, "codLoja": 2}}"#);
        now(benefits::save_benefit(self.app, caller, given(changed), plainly()).await);
        self.recorder.begin("a vehicle is created");
        let made = format!(
            r#"{{"cpfCnpj": "{document}", "codPlano": {vehicle}, "placa": "ZZZ9Z99", "chassi": "9BWZZZ377VT004251",
                "ativo": true}}"#
        );
        let code = now(benefits::save_benefit(self.app, caller, driven(made), plainly()).await).code;
        self.recorder.begin("a vehicle is changed");
        let changed = format!(
            r#"{{"codBeneficio": {code}, "cpfCnpj": "{document}", "placa": "ZZZ9Z98", "codPlano": {other}}}"#
        );
        now(benefits::save_benefit(self.app, caller, driven(changed), plainly()).await);
        self.recorder.begin("an item is added");
        let item = read_body(format!(r#"{{"codPlano": {basic}}}"#).as_bytes()).unwrap();
        now(benefits::add_item(self.app, caller, code, item, plainly()).await);
        self.recorder.begin("additional fields are written");
        let field = registers.fields.iter().find(|field| {
            (field.benefit_kind, field.kind) == (domain::BenefitKind::Vehicle, domain::FieldKind::Text)
        });
        let fields = format!(r#"[{{"codCampo": {}, "valor": "Prova"}}]"#, field.unwrap().code);
        let fields = read_list_body("dadosAdicionais", fields.as_bytes()).unwrap();
        now(benefits::save_additional_fields(self.app, caller, code, fields, plainly()).await);
        for (what, more) in [
            ("a dependent is created", r#""cpf": "111.444.777-35""#),
            (
                "a dependent is overwritten",
                r#""codDependente": OWN, "numeroCartaoDesconto": "9999999999999""#,
            ),
        ] {
            self.recorder.pause();
            let counter = storage::server::counters::Counter::Dependent;
            let last =
                storage::server::counters::load_last_number(&self.app.db, HERE, counter).await.unwrap();
            let more = more.replace("OWN", &last.to_string());
            let text = format!(
                r#"{{"codBeneficio": {code}, "nome": "Zulmira {}", "parentesco": "FILHO", {more}}}"#,
                if more.contains("cpf") { "Filha" } else { "Neta" }
            );
            self.recorder.begin(what);
            now(dependents::save_dependent(self.app, caller, read_body(text.as_bytes()).unwrap(), plainly())
                .await);
        }
        self.recorder.begin("a benefit is cancelled");
        let why: CancelamentoInput = read_body(br#"{"motivo": "Prova."}"#).unwrap();
        now(benefits::cancel_benefit(self.app, caller, code, why, plainly()).await);
    }

    fn ticket(&self, caller: &Session) -> IdempotencyKey {
        let key = idempotency::StoredIdempotencyKey {
            tenant: HERE,
            user: caller.user,
            operation: "POST /ext/beneficio".to_owned(),
            key: "chave".to_owned(),
        };
        IdempotencyKey { key, body_hash: [7; 32] }
    }

    async fn audit(&self, caller: &Session) {
        self.recorder.begin("looks are written");
        access_log::flush_access_log(self.app).await.unwrap();
        let person = domain::PersonCode::new(i32::try_from(self.sample.person).unwrap());
        for (what, question) in [
            ("all", AuditPageQuery::default()),
            ("a person", AuditPageQuery { person: Some(person), ..AuditPageQuery::default() }),
            ("a user", AuditPageQuery { user: Some(caller.user), ..AuditPageQuery::default() }),
            (
                "a person and a user",
                AuditPageQuery { person: Some(person), user: Some(caller.user), ..AuditPageQuery::default() },
            ),
        ] {
            self.recorder.begin(&format!("audit of {what}"));
            entry_pages::read_audit_page(self.app, caller, question).await.unwrap();
            self.recorder.begin(&format!("audit of {what}, backwards"));
            let (person, user) = (question.person, question.user);
            let day = Some(self.app.now().minus(std::time::Duration::from_hours(1)));
            let reading = entry_pages::ReverseAuditQuery {
                person,
                user,
                since: day,
                ..entry_pages::ReverseAuditQuery::default()
            };
            entry_pages::read_newest_audit_page(self.app, caller, reading).await.unwrap();
        }
    }
}
