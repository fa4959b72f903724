//! Members, benefits and dependents looked for in every way, and the feed.

use super::sample::Sample;
use super::script::{HERE, Script, pairs};
use app::benefits::{self};
use app::cache;
use app::members::{dependents, search};
use app::session::Session;
use app::triggers::feed;
use domain::{BenefitCode, Entity, HistoryCode, HistoryCursor};
use wire::read::read_query;

impl Script<'_> {
    /// Every criterion of the member search alone, and typical combinations.
    pub(super) fn criteria(&self) -> Vec<(&'static str, String)> {
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

    pub(super) async fn search(&self, who: &str, caller: &Session) {
        for (what, criteria) in self.criteria() {
            // As the server does all the time, so that what it remembers is still good.
            self.recorder.pause();
            cache::refresh_versions(self.app).await.unwrap();
            let page = async |which: &str, number: i64| {
                self.recorder.begin(&format!("members by {what} / {which} / {who}"));
                let asked = read_query(pairs(&format!("{criteria}&pagina={number}"))).unwrap();
                search::search_members(self.app, caller, asked).await.unwrap()
            };
            let total = page("page 1", 1).await.total;
            let last = (total + 99) / 100;
            if last > 1 {
                page("page 2", 2).await;
                page("last page", last).await;
            }
        }
    }

    pub(super) async fn find_benefits(&self, who: &str, caller: &Session) {
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
            search::search_benefits(self.app, caller, read_query(pairs(&criteria)).unwrap()).await.unwrap();
        }
    }

    pub(super) async fn list(&self, who: &str, caller: &Session) {
        let page = async |which: &str, number: i64| {
            self.recorder.begin(&format!("list of benefits / {which} / {who}"));
            search::list_benefits(self.app, caller, i32::try_from(number).unwrap()).await.unwrap()
        };
        let last = (page("page 1", 1).await.total + 99) / 100;
        page("page in the middle", (last / 2).max(1)).await;
        page("last page", last).await;
    }

    pub(super) async fn find_dependents(&self, who: &str, caller: &Session) {
        let Sample { dependent: (benefit, name, cpf, card), .. } = &self.sample;
        for (what, criteria) in [
            ("a name", format!("nome={name}")),
            ("a common name", "nome=sil".to_owned()),
            ("cpf", format!("cpf={cpf}")),
            ("cartão", format!("numeroCartaoDesconto={card}")),
            ("cpf+cartão+nome", format!("cpf={cpf}&numeroCartaoDesconto={card}&nome={name}")),
        ] {
            self.recorder.begin(&format!("dependents by {what} / {who}"));
            let found =
                dependents::search_dependents(self.app, caller, read_query(pairs(&criteria)).unwrap())
                    .await
                    .unwrap();
            dependents::load_found_dependents(self.app, caller, &found[..found.len().min(100)])
                .await
                .unwrap();
        }
        let benefit = BenefitCode::new(i32::try_from(*benefit).unwrap());
        self.recorder.begin(&format!("dependents of a benefit / {who}"));
        dependents::list_benefit_dependents(self.app, caller, benefit).await.unwrap();
        self.recorder.begin(&format!("items of a benefit / {who}"));
        benefits::list_items(self.app, caller, benefit).await.unwrap();
    }

    pub(super) async fn feed(&self, who: &str, caller: &Session) {
        let last = storage::server::counters::load_last_number(
            &self.app.db,
            HERE,
            storage::server::counters::Counter::History,
        )
        .await
        .unwrap();
        let last = i32::try_from(last).unwrap();
        for (what, entity) in
            [("all", None), ("benefits", Some(Entity::Benefit)), ("claims", Some(Entity::Claim))]
        {
            for (which, after) in [("page 1", 0), ("page in the middle", last / 2), ("last page", last - 50)]
            {
                self.recorder.begin(&format!("feed of {what} / {which} / {who}"));
                let after = HistoryCursor::from_code(HistoryCode::new(after));
                feed::read_feed_page(self.app, caller, entity, after).await.unwrap();
            }
        }
    }
}
