//! Claims, inspections, tickets and appointments: looked for, on their boards, worked on.

use super::sample::Sample;
use super::script::{HERE, Script, now, pairs, plainly};
use app::cases::board::{self, SituationBoardQuery};
use app::cases::{self, claims};
use app::session::Session;
use domain::{BranchCode, CaseKind, ClaimCode};
use wire::read::{read_body, read_query};

impl Script<'_> {
    pub(super) async fn claims(&self, who: &str, caller: &Session) {
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
            let asked = read_query(pairs(&criteria)).unwrap();
            let mut search = claims::search_claims(self.app, caller, asked).await.unwrap();
            let (_, total) = search.read_page(self.app, caller, 1).await.unwrap();
            if total > 100 {
                self.recorder.begin(&format!("claims by {what} / last page / {who}"));
                search.read_page(self.app, caller, i32::try_from((total + 99) / 100).unwrap()).await.unwrap();
            }
            self.recorder.begin(&format!("claims by {what} / step by step / {who}"));
            while search.next(self.app, caller).await.unwrap().is_some() {}
        }
        self.recorder.begin(&format!("a claim / {who}"));
        let _ = claims::read_full_claim(self.app, caller, ClaimCode::new(1)).await;
    }

    /// What is worked on: the lists, and the whole of one.
    pub(super) async fn cases(&self, who: &str, caller: &Session) {
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
                let asked = |text: &str| read_query(pairs(text)).unwrap();
                let page = cases::list_cases(self.app, caller, kind, asked(&criteria)).await.unwrap();
                if page.total > 100 {
                    self.recorder.begin(&format!("cases by {what} of {named} / last page / {who}"));
                    let last = format!("{criteria}&pagina={}", (page.total + 99) / 100);
                    cases::list_cases(self.app, caller, kind, asked(&last)).await.unwrap();
                }
            }
            self.recorder.begin(&format!("a case of {named} / {who}"));
            let _ = cases::read_case(self.app, caller, kind, 1).await;
            let _ = cases::read_case_history(self.app, caller, kind, 1).await;
            self.boards(who, caller, kind).await;
        }
        self.recorder.begin(&format!("what is late / page 1 / {who}"));
        let page = cases::list_overdue_cases(self.app, caller, 1).await.unwrap();
        if page.total > 100 {
            self.recorder.begin(&format!("what is late / last page / {who}"));
            let last = i32::try_from((page.total + 99) / 100).unwrap();
            cases::list_overdue_cases(self.app, caller, last).await.unwrap();
        }
    }

    /// A board of a kind: all of it, in one branch, more of each column, and what changed on it.
    pub(super) async fn boards(&self, who: &str, caller: &Session, kind: CaseKind) {
        self.recorder.begin(&format!("a board of {kind:?} / {who}"));
        let whole = board::read_board(self.app, caller, kind, SituationBoardQuery::default()).await.unwrap();
        self.recorder.begin(&format!("a board of {kind:?} in a branch / {who}"));
        let look = SituationBoardQuery { branch: Some(BranchCode::new(2)), only: None };
        board::read_board(self.app, caller, kind, look).await.unwrap();
        for column in &whole.columns {
            self.recorder.begin(&format!("a board of {kind:?}, more of {} / {who}", column.situation));
            let look = SituationBoardQuery {
                only: Some((column.situation, column.next)),
                ..SituationBoardQuery::default()
            };
            board::read_board(self.app, caller, kind, look).await.unwrap();
        }
        self.recorder.begin(&format!("a board of {kind:?}, its changes / {who}"));
        let since = self.app.now().minus(std::time::Duration::from_mins(10));
        board::read_board_changes(self.app, caller, kind, None, since).await.unwrap();
        self.recorder.begin(&format!("a board of {kind:?}, what is late / {who}"));
        board::count_late_cases(self.app, caller, kind).await.unwrap();
    }

    /// Something of each kind is opened, changed, moved and noted.
    pub(super) async fn work(&self, caller: &Session) {
        let person = self.sample.person;
        let common = format!(r#""codPessoa": {person}, "codResponsavel": 1, "versao": 1"#);
        let claim =
            format!(r#"{{{common}, "codTipoEvento": 1, "relacionados": [1], "codCondutor": {person}}}"#);
        let inspection = format!(r#"{{{common}, "codTipoVistoria": 1}}"#);
        let ticket = format!(r#"{{{common}, "codTipoHelpDesk": 1}}"#);
        let appointment = format!(r"{{{common}}}");
        let inputs = || {
            [
                cases::AnyCaseInput::Claim(Box::new(read_body(claim.as_bytes()).unwrap())),
                cases::AnyCaseInput::Inspection(Box::new(read_body(inspection.as_bytes()).unwrap())),
                cases::AnyCaseInput::Ticket(Box::new(read_body(ticket.as_bytes()).unwrap())),
                cases::AnyCaseInput::Appointment(Box::new(read_body(appointment.as_bytes()).unwrap())),
            ]
        };
        let registers = app::register_snapshot::load_registers(self.app, HERE).await.unwrap();
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
            let opened = now(cases::open_case(self.app, caller, input, plainly()).await).resolved_case.code;
            self.recorder.begin(&format!("a case of {kind:?} is changed"));
            let text = br#"{"versao": 1, "codResponsavel": null, "relacionados": []}"#;
            let changed = match kind {
                CaseKind::Claim => cases::AnyCaseInput::Claim(Box::new(read_body(text).unwrap())),
                CaseKind::Inspection => cases::AnyCaseInput::Inspection(Box::new(read_body(text).unwrap())),
                CaseKind::Ticket => cases::AnyCaseInput::Ticket(Box::new(read_body(text).unwrap())),
                CaseKind::Appointment => cases::AnyCaseInput::Appointment(Box::new(read_body(text).unwrap())),
            };
            now(cases::change_case(self.app, caller, (opened, changed), plainly()).await);
            self.recorder.begin(&format!("a case of {kind:?} is moved"));
            let moved = format!(r#"{{"situacao": "{cancelled}", "motivo": "Engano."}}"#);
            let moved = read_body(moved.as_bytes()).unwrap();
            now(cases::change_case_situation(self.app, caller, (kind, opened), moved, plainly()).await);
            self.recorder.begin(&format!("a case of {kind:?} is noted"));
            let note = read_body(br#"{"texto": "Feito."}"#).unwrap();
            now(cases::add_case_note(self.app, caller, (kind, opened), note, plainly()).await);
        }
    }
}
