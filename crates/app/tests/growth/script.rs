//! What is done to an association of either size: everything that the interface offers, by the same names.

use super::sample::Sample;
use app::access::{self, Session};
use app::audit::{self, Question};
use app::benefits::{self, Input};
use app::cases::board::{self, Look};
use app::once::{Done, Once, Ticket};
use app::receivers::{self, By, Wanted};
use app::triggers::{self, Holder, Outcome, Policy, Replay, Room, Verdict};
use app::users::{self, Initial, NewUser};
use app::{App, cases, claims, deals, demo, dependents, feed, leads, memory, once, people, searches};
use app::{credit_cards, equipment, sellers, suppliers, validations};
use domain::{
    BenefitCode, BranchCode, CaseKind, ClaimCode, Email, Entity, Field, HistoryCode, Name, Password, Role,
    TenantId,
};
use std::sync::Arc;
use testkit::Recorder;
use wire::read::{body, list_body, query};
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

pub(super) fn plainly<T>() -> Once<T> {
    Once { ticket: None, render: Arc::new(|_| Vec::new()), trial: false }
}

pub(super) fn now<T>(done: Result<Done<T>, app::Error>) -> T {
    match done.unwrap() {
        Done::Now(value) => value,
        Done::Before(_) => panic!("it was done before"),
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
        self.write_registers(administrator).await;
        self.audit(administrator).await;
        self.triggers(administrator).await;
        Box::pin(self.manage(administrator)).await;
        self.files(administrator).await;
        Box::pin(self.import(administrator)).await;
    }

    /// A receiver, what is sent to it, what comes of that, and sending again.
    async fn triggers(&self, caller: &Session) {
        let vault = app::Vault::new(&testkit::SERVER_KEY).unwrap();
        let by = By { tenant: HERE, user: Some(caller.user) };
        let wanted = Wanted {
            address: domain::ReceiverAddress::parse("https://erp.example").unwrap(),
            entities: Entity::ALL.to_vec(),
            headers: Vec::new(),
            concurrency: 8,
        };
        self.recorder.begin("a receiver is added");
        let code = now(receivers::add(self.app, &vault, by, wanted, plainly()).await).code;
        self.recorder.begin("a change for a receiver");
        let text = br#"{"cpfCnpj": "529.982.247-25", "codPlano": 2, "ativo": true}"#;
        let registers = app::base::registers(self.app, HERE).await.unwrap();
        let plan = registers.plans.iter().find(|plan| plan.kind == domain::BenefitKind::Assistance).unwrap();
        let text =
            String::from_utf8_lossy(text).replace("\"codPlano\": 2", &format!("\"codPlano\": {}", plan.code));
        now(benefits::save(
            self.app,
            caller,
            Input::Basic(Box::new(body(text.as_bytes()).unwrap())),
            plainly(),
        )
        .await);
        self.recorder.begin("receivers are read");
        receivers::all(self.app, &vault, HERE).await.unwrap();
        receivers::keys(self.app, &vault, HERE, code).await.unwrap();
        let holder =
            Holder { process: "p".into(), place: "here".into(), lease: std::time::Duration::from_secs(60) };
        let policy = Arc::new(Policy {
            waits: vec![std::time::Duration::ZERO],
            probe: std::time::Duration::ZERO,
            pause_after: std::time::Duration::from_secs(86_400),
        });
        for verdict in [Verdict::Failed, Verdict::Delivered] {
            self.recorder.begin("triggers are taken in hand");
            assert_eq!(triggers::due(self.app).await.unwrap().len(), 1);
            triggers::free(self.app, &holder, false).await.unwrap();
            assert!(triggers::is_open(self.app, HERE, code, 1).await.unwrap());
            storage::queues::waiting(&self.app.db).await.unwrap();
            let room = Room { receiver: code, limit: 8, probe: None };
            let job = triggers::take(self.app, &holder, HERE, vec![room]).await.unwrap().remove(0);
            self.recorder.begin("what came of triggers is written");
            let outcome = Outcome {
                job,
                verdict,
                tried_at: self.app.now(),
                took: std::time::Duration::ZERO,
                status: Some(204),
                answer: None,
                failure: None,
                patience: None,
            };
            triggers::conclude(self.app, &policy, HERE, vec![outcome]).await.unwrap();
        }
        self.recorder.begin("deliveries are read");
        let told = triggers::page(self.app, HERE, code, None, HistoryCode::new(0)).await.unwrap();
        let history = told[0].delivery.history;
        self.recorder.begin("receivers are looked at");
        triggers::fares(self.app, HERE, vec![code]).await.unwrap();
        let (entity, record) = (told[0].delivery.entity, told[0].delivery.record);
        let since = self.app.now().minus(std::time::Duration::from_secs(3600));
        for wanted in [
            triggers::Wanted::default(),
            triggers::Wanted { since: Some(since), until: Some(self.app.now()), ..Default::default() },
            triggers::Wanted { entity: Some(entity), ..Default::default() },
            triggers::Wanted { entity: Some(entity), record: Some(record), ..Default::default() },
            triggers::Wanted { state: Some(domain::DeliveryState::Delivered), ..Default::default() },
        ] {
            self.recorder.begin("deliveries are looked through");
            triggers::newest(self.app, HERE, code, wanted).await.unwrap();
        }
        self.recorder.begin("a delivery is looked at");
        triggers::one(self.app, caller, (code, history)).await.unwrap();
        for (what, replay) in [
            ("a delivery is sent again", Replay::Stretch(history, history)),
            ("what was missed is sent again", Replay::MissedSince(domain::Moment::from_millis(0))),
        ] {
            self.recorder.begin(what);
            now(triggers::replay(self.app, by, (code, replay), plainly()).await);
        }
        self.recorder.begin("a receiver is paused and goes on");
        for paused in [true, false] {
            now(receivers::pause(self.app, &vault, by, (code, paused, None), plainly()).await);
        }
        self.recorder.begin("a receiver's secret is changed");
        now(receivers::rotate(self.app, &vault, by, (code, None), plainly()).await);
    }

    /// The administrator, a user of one branch and one of two.
    async fn enter(&self) -> Vec<(&'static str, Arc<Session>)> {
        self.recorder.begin("a user is created");
        let two = NewUser {
            tenant: HERE,
            name: Name::parse(Field::Name, "Duas Lojas").unwrap(),
            email: Email::parse("duas@demo.example").unwrap(),
            role: Role::Operator,
            branches: [2, 3].map(BranchCode::new).to_vec(),
            password: Initial::Chosen(Password::parse(demo::PASSWORD).unwrap()),
        };
        users::create(self.app, two).await.unwrap();
        let mut callers = Vec::new();
        for (who, email) in [
            ("administrator", demo::ADMINISTRATOR),
            ("one branch", "operador@demo.example"),
            ("two branches", "duas@demo.example"),
        ] {
            self.recorder.begin("login");
            let wrong = access::login(self.app, email, "errada, sem dúvida", self.address()).await;
            assert!(wrong.is_err());
            let entered = access::login(self.app, email, demo::PASSWORD, self.address()).await.unwrap();
            self.recorder.begin("token");
            memory::renew(self.app).await.unwrap();
            callers.push((who, access::enter(self.app, &entered.token).await.unwrap()));
        }
        callers
    }

    /// Every criterion of the member search alone, and typical combinations.
    fn criteria(&self) -> Vec<(&'static str, String)> {
        let Sample { person, name, document, company, employer, birth, plate, chassis, .. } = &self.sample;
        let Sample { consultant, representative, plan, state, registered: (from, to), changed, .. } =
            &self.sample;
        let registered = format!("dataCadastroInicial={from}&dataCadastroFinal={to}");
        let everybody = "dataCadastroInicial=01/01/2016&dataCadastroFinal=31/12/2026";
        let long_ago = "01/01/2018";
        vec![
            ("a name", format!("nome={name}")),
            ("a common name", "nome=sil".to_owned()),
            ("a name and a word of many", format!("nome={name} zz")),
            ("a name and a word of many+uf", format!("nome={name} zz&uf={state}")),
            ("a name that nobody has", "nome=sil qqq".to_owned()),
            ("cpf", format!("cpf={document}")),
            ("cnpj", format!("cnpj={company}")),
            ("Todos+cnpjEmpresa", format!("situacaoBeneficio=Todos&cnpjEmpresa={employer}")),
            ("codPessoa", format!("codPessoa={person}")),
            ("Todos+codLoja", "situacaoBeneficio=Todos&codLoja=2".to_owned()),
            ("Todos+codConsultor", format!("situacaoBeneficio=Todos&codConsultor={consultant}")),
            ("Todos+codRepresentante", format!("situacaoBeneficio=Todos&codRepresentante={representative}")),
            ("dataCadastro of few", registered.clone()),
            ("dataCadastro of all", everybody.to_owned()),
            ("dataCadastro+uf", format!("{registered}&uf={state}")),
            ("dataNascimento", format!("dataNascimento={birth}")),
            ("Todos", "situacaoBeneficio=Todos".to_owned()),
            ("ATIVO", "situacaoBeneficio=ATIVO".to_owned()),
            ("CANCELADO", "situacaoBeneficio=CANCELADO".to_owned()),
            ("placa", format!("placa={plate}")),
            ("chassi", format!("chassi={chassis}")),
            ("Todos+dataAtualizacao of few", format!("situacaoBeneficio=Todos&dataAtualizacao={changed}")),
            ("Todos+dataAtualizacao of many", format!("situacaoBeneficio=Todos&dataAtualizacao={long_ago}")),
            ("ATIVO+dataAtualizacao of few", format!("situacaoBeneficio=ATIVO&dataAtualizacao={changed}")),
            ("Todos+codPlano", format!("situacaoBeneficio=Todos&codPlano={plan}")),
            ("ATIVO+codPlano", format!("situacaoBeneficio=ATIVO&codPlano={plan}")),
            ("Todos+uf", format!("situacaoBeneficio=Todos&uf={state}")),
            ("ATIVO+uf", format!("situacaoBeneficio=ATIVO&uf={state}")),
            ("ATIVO+codPlano+uf", format!("situacaoBeneficio=ATIVO&codPlano={plan}&uf={state}")),
            ("nome+uf", format!("nome=sil&uf={state}")),
            ("nome+codLoja", "nome=sil&codLoja=2".to_owned()),
            ("nome+ATIVO", "nome=sil&situacaoBeneficio=ATIVO".to_owned()),
            ("nome+codPlano", format!("nome=sil&codPlano={plan}")),
            ("nome+codConsultor", format!("nome=sil&codConsultor={consultant}")),
            ("nome+dataAtualizacao", format!("nome=sil&dataAtualizacao={long_ago}")),
            ("placa+ATIVO+codPlano", format!("placa={plate}&situacaoBeneficio=ATIVO&codPlano={plan}")),
        ]
    }

    async fn search(&self, who: &str, caller: &Session) {
        for (what, criteria) in self.criteria() {
            // As the server does all the time, so that what it remembers is still good.
            self.recorder.pause();
            memory::renew(self.app).await.unwrap();
            let page = async |which: &str, number: i64| {
                self.recorder.begin(&format!("members by {what} / {which} / {who}"));
                let asked = query(pairs(&format!("{criteria}&pagina={number}"))).unwrap();
                searches::members(self.app, caller, asked).await.unwrap()
            };
            let total = page("page 1", 1).await.total;
            let last = (total + 99) / 100;
            if last > 1 {
                page("page 2", 2).await;
                page("last page", last).await;
            }
        }
    }

    async fn find_benefits(&self, who: &str, caller: &Session) {
        let Sample { plate, chassis, sequence, card, document, plan, .. } = &self.sample;
        for (what, criteria) in [
            ("placa", format!("placa={plate}")),
            ("chassi", format!("chassi={chassis}")),
            ("sequencial", format!("sequencial={sequence}")),
            ("cartão", format!("numeroCartaoDesconto={card}")),
            ("placa+chassi", format!("placa={plate}&chassi={chassis}")),
            ("sequencial+placa", format!("sequencial={sequence}&placa={plate}")),
            (
                "placa+cpf+ATIVO+codPlano",
                format!("placa={plate}&cpf={document}&situacaoBeneficio=ATIVO&codPlano={plan}"),
            ),
        ] {
            self.recorder.begin(&format!("benefits by {what} / {who}"));
            searches::benefits(self.app, caller, query(pairs(&criteria)).unwrap()).await.unwrap();
        }
    }

    async fn list(&self, who: &str, caller: &Session) {
        let page = async |which: &str, number: i64| {
            self.recorder.begin(&format!("list of benefits / {which} / {who}"));
            searches::list(self.app, caller, i32::try_from(number).unwrap()).await.unwrap()
        };
        let last = (page("page 1", 1).await.total + 99) / 100;
        page("page in the middle", (last / 2).max(1)).await;
        page("last page", last).await;
    }

    async fn find_dependents(&self, who: &str, caller: &Session) {
        let Sample { dependent: (benefit, name, cpf, card), .. } = &self.sample;
        for (what, criteria) in [
            ("a name", format!("nome={name}")),
            ("a common name", "nome=sil".to_owned()),
            ("cpf", format!("cpf={cpf}")),
            ("cartão", format!("numeroCartaoDesconto={card}")),
            ("cpf+cartão+nome", format!("cpf={cpf}&numeroCartaoDesconto={card}&nome={name}")),
        ] {
            self.recorder.begin(&format!("dependents by {what} / {who}"));
            let found = dependents::search(self.app, caller, query(pairs(&criteria)).unwrap()).await.unwrap();
            dependents::some(self.app, caller, &found[..found.len().min(100)]).await.unwrap();
        }
        let benefit = BenefitCode::new(i32::try_from(*benefit).unwrap());
        self.recorder.begin(&format!("dependents of a benefit / {who}"));
        dependents::list(self.app, caller, benefit).await.unwrap();
        self.recorder.begin(&format!("items of a benefit / {who}"));
        benefits::list_items(self.app, caller, benefit).await.unwrap();
    }

    async fn feed(&self, who: &str, caller: &Session) {
        let last =
            storage::counters::last(&self.app.db, HERE, storage::counters::Counter::History).await.unwrap();
        let last = i32::try_from(last).unwrap();
        for (what, entity) in
            [("all", None), ("benefits", Some(Entity::Benefit)), ("claims", Some(Entity::Claim))]
        {
            for (which, after) in [("page 1", 0), ("page in the middle", last / 2), ("last page", last - 50)]
            {
                self.recorder.begin(&format!("feed of {what} / {which} / {who}"));
                feed::page(self.app, caller, entity, HistoryCode::new(after)).await.unwrap();
            }
        }
    }

    async fn claims(&self, who: &str, caller: &Session) {
        let Sample { person, document, registered: (from, to), .. } = &self.sample;
        for (what, criteria) in [
            ("nothing", String::new()),
            ("envolvido", "envolvido=Terceiro".to_owned()),
            ("dataAbertura", format!("dataAberturaInicial={from}&dataAberturaFinal={to}")),
            ("dataEvento of few", format!("dataEventoInicial={from}&dataEventoFinal={to}")),
            ("dataEvento of all", "dataEventoFinal=31/12/2026".to_owned()),
            ("protocolo", "protocolo=7".to_owned()),
            ("codPessoa", format!("codPessoa={person}")),
            ("cpfCnpj", format!("cpfCnpj={document}")),
        ] {
            self.recorder.begin(&format!("claims by {what} / page 1 / {who}"));
            let asked = query(pairs(&criteria)).unwrap();
            let mut search = claims::search(self.app, caller, asked).await.unwrap();
            let (_, total) = search.page(self.app, caller, 1).await.unwrap();
            if total > 100 {
                self.recorder.begin(&format!("claims by {what} / last page / {who}"));
                search.page(self.app, caller, i32::try_from((total + 99) / 100).unwrap()).await.unwrap();
            }
            self.recorder.begin(&format!("claims by {what} / step by step / {who}"));
            while search.next(self.app, caller).await.unwrap().is_some() {}
        }
        self.recorder.begin(&format!("a claim / {who}"));
        let _ = claims::whole(self.app, caller, ClaimCode::new(1)).await;
    }

    /// What is worked on: the lists, and the whole of one.
    async fn cases(&self, who: &str, caller: &Session) {
        let Sample { person, document, name, plate, sequence, registered: (from, to), .. } = &self.sample;
        for kind in CaseKind::ALL {
            let named = format!("{kind:?}");
            for (what, criteria) in [
                ("nothing", String::new()),
                ("tipoSituacao", "tipoSituacao=CONCLUIDO".to_owned()),
                ("aberto", "aberto=true".to_owned()),
                ("atrasado", "atrasado=true".to_owned()),
                ("codTipo", "codTipo=1".to_owned()),
                ("codLoja", "codLoja=2".to_owned()),
                ("codResponsavel", "codResponsavel=2".to_owned()),
                ("prioridade", "prioridade=Urgente".to_owned()),
                ("dataAbertura", format!("dataAberturaInicial={from}&dataAberturaFinal={to}")),
                ("protocolo", "protocolo=7".to_owned()),
                ("codPessoa", format!("codPessoa={person}")),
                // The codes of a demonstration's benefits are also their sequence numbers.
                ("codBeneficio", format!("codBeneficio={sequence}")),
                ("filtro of a document", format!("filtro={document}")),
                ("filtro of a plate", format!("filtro={plate}")),
                ("filtro of a name", format!("filtro={name}")),
            ] {
                self.recorder.begin(&format!("cases by {what} of {named} / page 1 / {who}"));
                let asked = |text: &str| query(pairs(text)).unwrap();
                let page = cases::list(self.app, caller, kind, asked(&criteria)).await.unwrap();
                if page.total > 100 {
                    self.recorder.begin(&format!("cases by {what} of {named} / last page / {who}"));
                    let last = format!("{criteria}&pagina={}", (page.total + 99) / 100);
                    cases::list(self.app, caller, kind, asked(&last)).await.unwrap();
                }
            }
            self.recorder.begin(&format!("a case of {named} / {who}"));
            let _ = cases::one(self.app, caller, kind, 1).await;
            let _ = cases::history(self.app, caller, kind, 1).await;
            self.boards(who, caller, kind).await;
        }
        self.recorder.begin(&format!("what is late / page 1 / {who}"));
        let page = cases::overdue(self.app, caller, 1).await.unwrap();
        if page.total > 100 {
            self.recorder.begin(&format!("what is late / last page / {who}"));
            let last = i32::try_from((page.total + 99) / 100).unwrap();
            cases::overdue(self.app, caller, last).await.unwrap();
        }
    }

    /// A board of a kind: all of it, in one branch, more of each column, and what changed on it.
    async fn boards(&self, who: &str, caller: &Session, kind: CaseKind) {
        self.recorder.begin(&format!("a board of {kind:?} / {who}"));
        let whole = board::board(self.app, caller, kind, Look::default()).await.unwrap();
        self.recorder.begin(&format!("a board of {kind:?} in a branch / {who}"));
        let look = Look { branch: Some(BranchCode::new(2)), only: None };
        board::board(self.app, caller, kind, look).await.unwrap();
        for column in &whole.columns {
            self.recorder.begin(&format!("a board of {kind:?}, more of {} / {who}", column.situation));
            let look = Look { only: Some((column.situation, column.next)), ..Look::default() };
            board::board(self.app, caller, kind, look).await.unwrap();
        }
        self.recorder.begin(&format!("a board of {kind:?}, its changes / {who}"));
        let since = self.app.now().minus(std::time::Duration::from_secs(600));
        board::changes(self.app, caller, kind, None, since).await.unwrap();
        self.recorder.begin(&format!("a board of {kind:?}, what is late / {who}"));
        board::late(self.app, caller, kind).await.unwrap();
    }

    /// Something of each kind is opened, changed, moved and noted.
    async fn work(&self, caller: &Session) {
        let person = self.sample.person;
        let common = format!(r#""codPessoa": {person}, "codResponsavel": 1, "versao": 1"#);
        let claim =
            format!(r#"{{{common}, "codTipoEvento": 1, "relacionados": [1], "codCondutor": {person}}}"#);
        let inspection = format!(r#"{{{common}, "codTipoVistoria": 1}}"#);
        let ticket = format!(r#"{{{common}, "codTipoHelpDesk": 1}}"#);
        let appointment = format!(r#"{{{common}}}"#);
        let inputs = || {
            [
                cases::Input::Claim(Box::new(body(claim.as_bytes()).unwrap())),
                cases::Input::Inspection(Box::new(body(inspection.as_bytes()).unwrap())),
                cases::Input::Ticket(Box::new(body(ticket.as_bytes()).unwrap())),
                cases::Input::Appointment(Box::new(body(appointment.as_bytes()).unwrap())),
            ]
        };
        let registers = app::base::registers(self.app, HERE).await.unwrap();
        let has_types = |kind| match kind {
            CaseKind::Inspection => !registers.inspection_types.is_empty(),
            CaseKind::Ticket => !registers.ticket_types.is_empty(),
            CaseKind::Claim | CaseKind::Appointment => true,
        };
        let cancelled = ["CANCELADO", "CANCELADA", "CANCELADO", "CANCELADA"];
        for (input, cancelled) in inputs().into_iter().zip(cancelled) {
            let kind = input.kind();
            if !has_types(kind) {
                continue;
            }
            self.recorder.begin(&format!("a case of {kind:?} is opened"));
            let opened = now(cases::open(self.app, caller, input, plainly()).await).told.code;
            self.recorder.begin(&format!("a case of {kind:?} is changed"));
            let text = br#"{"versao": 1, "codResponsavel": null, "relacionados": []}"#;
            let changed = match kind {
                CaseKind::Claim => cases::Input::Claim(Box::new(body(text).unwrap())),
                CaseKind::Inspection => cases::Input::Inspection(Box::new(body(text).unwrap())),
                CaseKind::Ticket => cases::Input::Ticket(Box::new(body(text).unwrap())),
                CaseKind::Appointment => cases::Input::Appointment(Box::new(body(text).unwrap())),
            };
            now(cases::change(self.app, caller, (opened, changed), plainly()).await);
            self.recorder.begin(&format!("a case of {kind:?} is moved"));
            let moved = format!(r#"{{"situacao": "{cancelled}", "motivo": "Engano."}}"#);
            let moved = body(moved.as_bytes()).unwrap();
            now(cases::move_to(self.app, caller, (kind, opened), moved, plainly()).await);
            self.recorder.begin(&format!("a case of {kind:?} is noted"));
            let note = body(br#"{"texto": "Feito."}"#).unwrap();
            now(cases::note(self.app, caller, (kind, opened), note, plainly()).await);
        }
    }

    /// What hangs on one member, one benefit, and the registers that are read when they are asked for.
    async fn look(&self, who: &str, caller: &Session) {
        self.recorder.begin(&format!("credit cards / {who}"));
        let person = domain::PersonCode::new(i32::try_from(self.sample.person).unwrap());
        credit_cards::of(self.app, caller, person).await.unwrap();
        self.recorder.begin(&format!("equipment / {who}"));
        // The codes of a demonstration's benefits are also their sequence numbers.
        let benefit = BenefitCode::new(i32::try_from(self.sample.sequence).unwrap());
        equipment::of(self.app, caller, benefit).await.unwrap();
        self.recorder.begin(&format!("a supplier / {who}"));
        suppliers::find(self.app, caller, domain::SupplierCode::new(5)).await.unwrap();
        for (what, criteria) in [
            ("nothing", ""),
            ("nome+uf", "nome=sil&uf=MG"),
            ("tipo+cpfCnpj", "tipo=Consultor&cpfCnpj=529.982.247-25"),
        ] {
            self.recorder.begin(&format!("sellers by {what} / {who}"));
            sellers::search(self.app, caller, query(pairs(criteria)).unwrap()).await.unwrap();
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
            let input = || body(given.as_bytes()).unwrap();
            for (who, caller) in callers {
                self.recorder.begin(&format!("a validation by {what} / {who}"));
                now(validations::of_caller(self.app, caller, input(), plainly()).await);
            }
            self.recorder.begin(&format!("a validation by {what} / nobody"));
            validations::of_anybody(self.app, HERE, self.address(), input()).await.unwrap();
        }
        self.recorder.begin("a validation of nothing / nobody");
        let nothing = body(br#"{"cpfCnpj": "529.982.247-25"}"#).unwrap();
        assert!(validations::of_anybody(self.app, HERE, self.address(), nothing).await.is_err());
    }

    fn address(&self) -> domain::CallerAddress {
        std::net::IpAddr::from([127, 0, 0, 1]).into()
    }

    /// What the board shows: the whole of it, and what its filters lead to.
    async fn sales(&self, who: &str, caller: &Session) {
        let Sample { lead: (name, document, phone, email), .. } = &self.sample;
        for (what, asked) in [
            ("all", String::new()),
            ("a common name", "filtro=sil".to_owned()),
            ("a name", format!("filtro={name}")),
            ("cpf", format!("filtro={document}")),
            ("a phone", format!("filtro={phone}")),
            ("an e-mail", format!("filtro={email}")),
        ] {
            self.recorder.begin(&format!("leads by {what} / {who}"));
            let found = leads::search(self.app, caller, query(pairs(&asked)).unwrap()).await.unwrap();
            let first = &found.codes[..found.codes.len().min(100)];
            leads::some(self.app, caller, first).await.unwrap();
        }
        let code = self.sample.deal;
        for (what, asked) in [
            ("many deals: all", String::new()),
            ("many deals: a common name", "filtro=sil".to_owned()),
            ("many deals: a branch", "codLoja=2".to_owned()),
            ("many deals: a responsible", "codUsuarioResponsavel=2".to_owned()),
            ("many deals: a responsible and a name", "codUsuarioResponsavel=2&filtro=sil".to_owned()),
            ("deals by a sequence number", format!("filtro={code}")),
            ("deals by cpf", format!("filtro={document}")),
            ("deals by a lead", "codLead=10".to_owned()),
            ("deals by a lead and much of a name", "codLead=10&filtro=sil".to_owned()),
            ("deals by an idle responsible", "codUsuarioResponsavel=3".to_owned()),
            ("deals by few days", "dataInicial=2026-06-29".to_owned()),
            ("deals by few days of a lead", "dataInicial=2026-06-29&codLead=10".to_owned()),
        ] {
            self.recorder.begin(&format!("{what} / {who}"));
            let found = deals::search(self.app, caller, query(pairs(&asked)).unwrap()).await.unwrap();
            let first = &found.codes[..found.codes.len().min(100)];
            deals::some(self.app, caller, first).await.unwrap();
        }
        self.recorder.begin(&format!("a deal / {who}"));
        let code = domain::DealCode::new(i32::try_from(code).unwrap());
        deals::one(self.app, caller, code).await.unwrap();
    }

    /// A lead, from the form of a website to a deal that was won.
    async fn sell(&self, caller: &Session) {
        self.recorder.begin("a lead is created");
        let form =
            r#"{"nome": "Zulmira Nova", "email": "zulmira@prova.example", "telefone": "(31)98765-9999"}"#;
        let lead = now(leads::save(self.app, caller, body(form.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a lead is changed");
        let form = r#"{"nome": "Zulmira Novo", "telefone": "(31)98765-9999", "documento": "111.444.777-35"}"#;
        now(leads::save(self.app, caller, body(form.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a lead is known by a further telephone");
        let form = r#"{"nome": "Zulmira Novo", "documento": "111.444.777-35", "telefones": [{"numero": "(31)98765-9999"}, {"numero": "(31)98765-9998"}]}"#;
        now(leads::save(self.app, caller, body(form.as_bytes()).unwrap(), plainly()).await);
        let form = r#"{"nome": "Zulmira Novo", "telefone": "(31)98765-9998"}"#;
        let same = now(leads::save(self.app, caller, body(form.as_bytes()).unwrap(), plainly()).await);
        assert_eq!(same.code, lead.code);
        self.recorder.begin("a deal is created");
        let text =
            format!(r#"{{"codLead": {}, "tipoBeneficio": "SAUDE", "codUsuarioResponsavel": 1}}"#, lead.code);
        let deal = now(deals::save(self.app, caller, None, body(text.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a deal is created with its lead");
        let text =
            r#"{"nome": "Outra Zulmira", "email": "outra@prova.example", "veiculo": {"placa": "ZZZ9Z90"}}"#;
        now(deals::save(self.app, caller, None, body(text.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a deal is changed");
        let text = br#"{"codEtapa": 5, "situacao": "Ganho"}"#;
        now(deals::save(self.app, caller, Some(deal.code), body(text).unwrap(), plainly()).await);
        self.recorder.begin("a dependent of a deal is created");
        let of = |code| (deal.code, code);
        let text = br#"{"nome": "Bia", "parentesco": "FILHO"}"#;
        let save = deals::dependents::save;
        let one = now(save(self.app, caller, of(None), body(text).unwrap(), plainly()).await);
        self.recorder.begin("a dependent of a deal is changed");
        let text = br#"{"nome": "Bia Nova"}"#;
        now(save(self.app, caller, of(Some(one.code)), body(text).unwrap(), plainly()).await);
    }

    async fn write(&self, caller: &Session) {
        self.recorder.pause();
        let registers = app::base::registers(self.app, HERE).await.unwrap();
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
            body(text.as_bytes()).unwrap()
        };
        self.recorder.begin("a person is created");
        now(people::save(self.app, caller, person("Zulmira Prova", 2), plainly()).await);
        self.recorder.begin("a person is changed");
        now(people::save(self.app, caller, person("Zulmira de Prova", 3), plainly()).await);
        let given = |text: String| Input::Basic(Box::new(body(text.as_bytes()).unwrap()));
        let driven = |text: String| Input::Vehicle(Box::new(body(text.as_bytes()).unwrap()));
        self.recorder.begin("a benefit is created");
        let made = given(format!(r#"{{"cpfCnpj": "{document}", "codPlano": {basic}, "ativo": true}}"#));
        let ticket = self.ticket(caller);
        self.recorder.begin("a key is looked for");
        assert!(once::before(self.app, &ticket).await.unwrap().is_none());
        self.recorder.begin("a benefit is created");
        let named = Once { ticket: Some(ticket), render: Arc::new(|_| Vec::new()), trial: false };
        let code = now(benefits::save(self.app, caller, made, named).await).code;
        self.recorder.begin("a benefit is changed");
        let changed =
            format!(r#"{{"codBeneficio": {code}, "cpfCnpj": "{document}", "ativo": false, "codLoja": 2}}"#);
        now(benefits::save(self.app, caller, given(changed), plainly()).await);
        self.recorder.begin("a vehicle is created");
        let made = format!(
            r#"{{"cpfCnpj": "{document}", "codPlano": {vehicle}, "placa": "ZZZ9Z99", "chassi": "9BWZZZ377VT004251",
                "ativo": true}}"#
        );
        let code = now(benefits::save(self.app, caller, driven(made), plainly()).await).code;
        self.recorder.begin("a vehicle is changed");
        let changed = format!(
            r#"{{"codBeneficio": {code}, "cpfCnpj": "{document}", "placa": "ZZZ9Z98", "codPlano": {other}}}"#
        );
        now(benefits::save(self.app, caller, driven(changed), plainly()).await);
        self.recorder.begin("an item is added");
        let item = body(format!(r#"{{"codPlano": {basic}}}"#).as_bytes()).unwrap();
        now(benefits::add_item(self.app, caller, code, item, plainly()).await);
        self.recorder.begin("additional fields are written");
        let field = registers.fields.iter().find(|field| {
            (field.benefit_kind, field.kind) == (domain::BenefitKind::Vehicle, domain::FieldKind::Text)
        });
        let fields = format!(r#"[{{"codCampo": {}, "valor": "Prova"}}]"#, field.unwrap().code);
        let fields = list_body("dadosAdicionais", fields.as_bytes()).unwrap();
        now(benefits::save_fields(self.app, caller, code, fields, plainly()).await);
        for (what, more) in [
            ("a dependent is created", r#""cpf": "111.444.777-35""#),
            (
                "a dependent is overwritten",
                r#""codDependente": OWN, "numeroCartaoDesconto": "9999999999999""#,
            ),
        ] {
            self.recorder.pause();
            let counter = storage::counters::Counter::Dependent;
            let last = storage::counters::last(&self.app.db, HERE, counter).await.unwrap();
            let more = more.replace("OWN", &last.to_string());
            let text = format!(
                r#"{{"codBeneficio": {code}, "nome": "Zulmira {}", "parentesco": "FILHO", {more}}}"#,
                if more.contains("cpf") { "Filha" } else { "Neta" }
            );
            self.recorder.begin(what);
            now(dependents::save(self.app, caller, body(text.as_bytes()).unwrap(), plainly()).await);
        }
        self.recorder.begin("a benefit is cancelled");
        let why: CancelamentoInput = body(br#"{"motivo": "Prova."}"#).unwrap();
        now(benefits::cancel(self.app, caller, code, why, plainly()).await);
    }

    fn ticket(&self, caller: &Session) -> Ticket {
        let key = once::Key {
            tenant: HERE,
            user: caller.user,
            operation: "POST /ext/beneficio".to_owned(),
            key: "chave".to_owned(),
        };
        Ticket { key, body_hash: [7; 32] }
    }

    async fn audit(&self, caller: &Session) {
        self.recorder.begin("looks are written");
        audit::flush(self.app).await.unwrap();
        let person = domain::PersonCode::new(i32::try_from(self.sample.person).unwrap());
        for (what, question) in [
            ("all", Question::default()),
            ("a person", Question { person: Some(person), ..Question::default() }),
            ("a user", Question { user: Some(caller.user), ..Question::default() }),
            ("a person and a user", Question { person: Some(person), user: Some(caller.user), after: 0 }),
        ] {
            self.recorder.begin(&format!("audit of {what}"));
            audit::page(self.app, caller, question).await.unwrap();
            self.recorder.begin(&format!("audit of {what}, backwards"));
            let (person, user) = (question.person, question.user);
            let day = Some(self.app.now().minus(std::time::Duration::from_secs(3600)));
            let reading = audit::Reading { person, user, since: day, ..audit::Reading::default() };
            audit::newest_first(self.app, caller, reading).await.unwrap();
        }
    }
}
