//! Sales: what is read of them, and what is sold.

use super::sample::Sample;
use super::script::{Script, now, pairs, plainly};
use app::sales::{deals, leads};
use app::session::Session;
use wire::read::{read_body, read_query};

impl Script<'_> {
    /// What the board shows: the whole of it, and what its filters lead to.
    pub(super) async fn sales(&self, who: &str, caller: &Session) {
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
            let found =
                leads::search_leads(self.app, caller, read_query(pairs(&asked)).unwrap()).await.unwrap();
            let first = &found.codes[..found.codes.len().min(100)];
            leads::load_found_leads(self.app, caller, first).await.unwrap();
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
            let found =
                deals::search_deals(self.app, caller, read_query(pairs(&asked)).unwrap()).await.unwrap();
            let first = &found.codes[..found.codes.len().min(100)];
            deals::load_found_deals(self.app, caller, first).await.unwrap();
        }
        self.recorder.begin(&format!("a deal / {who}"));
        let code = domain::DealCode::new(i32::try_from(code).unwrap());
        deals::read_deal(self.app, caller, code).await.unwrap();
    }

    /// A lead, from the form of a website to a deal that was won.
    pub(super) async fn sell(&self, caller: &Session) {
        self.recorder.begin("a lead is created");
        let form =
            r#"{"nome": "Zulmira Nova", "email": "zulmira@prova.example", "telefone": "(31)98765-9999"}"#;
        let lead =
            now(leads::save_lead(self.app, caller, read_body(form.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a lead is changed");
        let form = r#"{"nome": "Zulmira Novo", "telefone": "(31)98765-9999", "documento": "111.444.777-35"}"#;
        now(leads::save_lead(self.app, caller, read_body(form.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a lead is known by a further telephone");
        let form = r#"{"nome": "Zulmira Novo", "documento": "111.444.777-35", "telefones": [{"numero": "(31)98765-9999"}, {"numero": "(31)98765-9998"}]}"#;
        now(leads::save_lead(self.app, caller, read_body(form.as_bytes()).unwrap(), plainly()).await);
        let form = r#"{"nome": "Zulmira Novo", "telefone": "(31)98765-9998"}"#;
        let same =
            now(leads::save_lead(self.app, caller, read_body(form.as_bytes()).unwrap(), plainly()).await);
        assert_eq!(same.code, lead.code);
        self.recorder.begin("a deal is created");
        let text =
            format!(r#"{{"codLead": {}, "tipoBeneficio": "SAUDE", "codUsuarioResponsavel": 1}}"#, lead.code);
        let deal =
            now(deals::save_deal(self.app, caller, None, read_body(text.as_bytes()).unwrap(), plainly())
                .await);
        self.recorder.begin("a deal is created with its lead");
        let text =
            r#"{"nome": "Outra Zulmira", "email": "outra@prova.example", "veiculo": {"placa": "ZZZ9Z90"}}"#;
        now(deals::save_deal(self.app, caller, None, read_body(text.as_bytes()).unwrap(), plainly()).await);
        self.recorder.begin("a deal is changed");
        let text = br#"{"codEtapa": 5, "situacao": "Ganho"}"#;
        now(deals::save_deal(self.app, caller, Some(deal.code), read_body(text).unwrap(), plainly()).await);
        self.recorder.begin("a dependent of a deal is created");
        let of = |code| (deal.code, code);
        let text = br#"{"nome": "Bia", "parentesco": "FILHO"}"#;
        let save = deals::dependents::save_deal_dependent;
        let one = now(save(self.app, caller, of(None), read_body(text).unwrap(), plainly()).await);
        self.recorder.begin("a dependent of a deal is changed");
        let text = br#"{"nome": "Bia Nova"}"#;
        now(save(self.app, caller, of(Some(one.code)), read_body(text).unwrap(), plainly()).await);
    }
}
