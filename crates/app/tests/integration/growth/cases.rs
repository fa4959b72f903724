//! Claims, inspections, tickets and appointments: looked for, on their boards, worked on.

use super::sample::Sample;
use super::script::{HERE, Script, now, pairs, plainly};
use app::access::Session;
use app::cases::board::{self, Look};
use app::{cases, claims};
use domain::{BranchCode, CaseKind, ClaimCode};
use wire::read::{body, query};

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
    pub(super) async fn boards(&self, who: &str, caller: &Session, kind: CaseKind) {
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
    pub(super) async fn work(&self, caller: &Session) {
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
}
