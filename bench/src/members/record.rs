//! The record of the member search, made without the server: from the columns that its statement reads, and from an
//! answer that was given before.

use super::Failure;
use domain::{
    BenefitKind, Cep, CivilState, Entity, Money, PostalAddress, Scope, Sex, SituationKind, TenantId, display,
    fold_text,
};
use rusqlite::Row;
use rusqlite::types::FromSql;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use storage::registers::{additional_fields, branches, plans, sellers, situations};
use storage::{Db, Tx, members};
use wire::records::{
    CampoAdicionalValorTO, EnderecoTO, JsonAmount, ListPage, PesquisaAssociadoOutputTO, PlanoValorTO,
};
use wire::set_names;

/// What a record tells by name of what its row holds by code.
#[derive(Clone, Default)]
pub struct Names {
    branches: HashMap<i32, String>,
    plans: HashMap<i32, String>,
    sellers: HashMap<i32, String>,
    situations: HashMap<i32, (String, SituationKind)>,
    /// By name.
    fields: Vec<(i32, String)>,
}

impl Names {
    pub async fn read(db: &Db, tenant: TenantId) -> Result<Names, storage::Error> {
        db.read(tenant, |tx, tenant| Box::pin(Names::read_in(tx, *tenant))).await
    }

    async fn read_in(tx: &mut Tx, tenant: TenantId) -> Result<Names, storage::Error> {
        let branches = branches::list_visible_branches(&mut *tx, &Scope::for_tenant(tenant)).await?;
        let plans = plans::list_plans(&mut *tx, tenant).await?;
        let sellers = sellers::list_sellers(&mut *tx, tenant).await?;
        let situations = situations::list_situations(&mut *tx, tenant).await?;
        let mut fields = additional_fields::list_additional_fields(&mut *tx, tenant).await?;
        fields.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
        let of_benefits = situations.into_iter().filter(|one| one.entity == Entity::Benefit);
        Ok(Names {
            branches: branches.into_iter().map(|one| (one.code.get(), one.name)).collect(),
            plans: plans.into_iter().map(|one| (one.code.get(), one.name)).collect(),
            sellers: sellers.into_iter().map(|one| (one.code.get(), one.name)).collect(),
            situations: of_benefits
                .map(|one| (one.code.get(), (one.name.to_uppercase(), one.kind)))
                .collect(),
            fields: fields.into_iter().map(|one| (one.code.get(), one.name)).collect(),
        })
    }

    fn plans(&self, kept: &str) -> Vec<PlanoValorTO> {
        let one = |part: &str| {
            let (code, cents) = part.split_once(':')?;
            let code = code.parse().ok()?;
            let valor = Money::from_cents(cents.parse().ok()?).map(JsonAmount);
            Some(PlanoValorTO { cod_plano: code, nome: self.plans.get(&code)?.clone(), valor })
        };
        let mut plans: Vec<PlanoValorTO> = kept.split_whitespace().filter_map(one).collect();
        if plans.len() > 1 {
            plans.sort_by_cached_key(|plan| (fold_text(&plan.nome), plan.cod_plano));
        }
        plans
    }

    fn fields(&self, kept: Option<&str>) -> Vec<CampoAdicionalValorTO> {
        let Some(kept) = kept else { return Vec::new() };
        let mut values: BTreeMap<String, String> = serde_json::from_str(kept).unwrap_or_default();
        let mut value = |(code, name): &(i32, String)| {
            let valor = Some(values.remove(&code.to_string())?);
            Some(CampoAdicionalValorTO { cod_campo: *code, nome: name.clone(), valor })
        };
        self.fields.iter().filter_map(&mut value).collect()
    }
}

/// Reads the columns of a row in their order.
struct Cells<'r, 's> {
    row: &'r Row<'s>,
    at: usize,
}

impl Cells<'_, '_> {
    fn next<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.at += 1;
        self.row.get(self.at - 1)
    }

    fn text(&mut self) -> rusqlite::Result<Option<String>> {
        self.next()
    }

    fn shown(&mut self, dress: fn(&str) -> String) -> rusqlite::Result<Option<String>> {
        let kept = self.row.get_ref(self.at)?.as_str_or_null()?;
        self.at += 1;
        Ok(kept.map(dress))
    }

    fn named<T>(
        &mut self,
        from: fn(i64) -> Option<T>,
        name: fn(T) -> &'static str,
    ) -> rusqlite::Result<Option<&'static str>> {
        Ok(self.next::<Option<i64>>()?.and_then(from).map(name))
    }
}

/// The record of a row of `storage::searches::few_statement`, its columns in the order of that statement.
pub fn from_row(names: &Names, row: &Row<'_>) -> rusqlite::Result<PesquisaAssociadoOutputTO> {
    // The first column is the slot, which nobody is shown.
    let mut cells = Cells { row, at: 1 };
    let (cod_pessoa, cod_loja) = (cells.next()?, cells.next()?);
    let (cod_consultor, cod_representante): (Option<i32>, Option<i32>) = (cells.next()?, cells.next()?);
    let (data_cadastro, data_atualizacao) =
        (cells.shown(display::format_day)?, cells.shown(display::format_day)?);
    let seller = |code: Option<i32>| code.and_then(|code| names.sellers.get(&code)).cloned();
    let record = PesquisaAssociadoOutputTO {
        cod_pessoa,
        nome_pessoa: cells.next()?,
        cpf_cnpj: cells.shown(display::format_document)?,
        data_nascimento: cells.shown(display::format_day)?,
        sexo: cells.named(Sex::from_number, set_names::sex_letter)?,
        email: cells.text()?,
        telefone_celular: cells.shown(display::format_phone)?,
        telefone_fixo: cells.shown(display::format_phone)?,
        endereco: Some(EnderecoTO::from(PostalAddress {
            kind: cells.text()?,
            street_kind: cells.text()?,
            street: cells.text()?,
            number: cells.text()?,
            complement: cells.text()?,
            district: cells.text()?,
            city: cells.text()?,
            state: cells.text()?,
            cep: cells.text()?.and_then(|cep| Cep::parse(&cep).ok()),
        })),
        nome_mae: cells.text()?,
        estado_civil: cells.named(CivilState::from_number, set_names::civil_state)?,
        nome_empresa: cells.text()?,
        identidade: cells.text()?,
        numero_cnh: cells.text()?,
        categoria_cnh: cells.text()?,
        conjuge: cells.text()?,
        cpf_cnpj_responsavel_financeiro: cells.shown(display::format_document)?,
        endereco_responsavel_financeiro: cells
            .text()?
            .and_then(|kept| members::parse_payer_address(Some(kept)).ok())
            .map(EnderecoTO::from),
        data_cadastro: data_cadastro.unwrap_or_default(),
        data_atualizacao: data_atualizacao.unwrap_or_default(),
        cod_loja,
        nome_loja: names.branches.get(&cod_loja).cloned().unwrap_or_default(),
        cod_consultor,
        nome_consultor: seller(cod_consultor),
        cod_representante,
        nome_representante: seller(cod_representante),
        ..PesquisaAssociadoOutputTO::default()
    };
    with_benefit(names, record, &mut cells)
}

fn with_benefit(
    names: &Names,
    record: PesquisaAssociadoOutputTO,
    cells: &mut Cells<'_, '_>,
) -> rusqlite::Result<PesquisaAssociadoOutputTO> {
    let Some(code) = cells.next::<Option<i32>>()? else { return Ok(record) };
    let situation = names.situations.get(&cells.next()?);
    Ok(PesquisaAssociadoOutputTO {
        cod_beneficio: Some(code),
        situacao: situation.map(|(name, _)| name.clone()),
        tipo_situacao: situation.map(|(_, kind)| set_names::situation_kind(*kind)),
        tipo_beneficio: cells.named(BenefitKind::from_number, set_names::benefit_kind)?,
        sequencial: cells.next()?,
        numero_cartao_desconto: cells.shown(display::format_card)?,
        data_adesao: cells.shown(display::format_day)?,
        data_ativacao: cells.shown(display::format_day)?,
        planos: names.plans(&cells.next::<String>()?),
        dados_adicionais: names.fields(cells.text()?.as_deref()),
        placa: cells.text()?,
        chassi: cells.text()?,
        ..record
    })
}

/// The page that was answered before, as the server had it before it wrote it out.
pub fn from_answer(answer: &str) -> Result<ListPage<PesquisaAssociadoOutputTO>, Failure> {
    let page: Value = serde_json::from_str(answer)?;
    let item = &page["itens"][0];
    let text = |name: &str| item[name].as_str().map(str::to_owned);
    let int = |name: &str| item[name].as_i64().and_then(|number| i32::try_from(number).ok());
    let fixed = |name: &str| text(name).map(|text| -> &'static str { text.leak() });
    let record = PesquisaAssociadoOutputTO {
        cod_pessoa: int("codPessoa").ok_or("nobody was found")?,
        cod_beneficio: int("codBeneficio"),
        sequencial: int("sequencial"),
        nome_pessoa: text("nomePessoa").unwrap_or_default(),
        cpf_cnpj: text("cpfCnpj"),
        data_nascimento: text("dataNascimento"),
        sexo: fixed("sexo"),
        email: text("email"),
        telefone_celular: text("telefoneCelular"),
        telefone_fixo: text("telefoneFixo"),
        endereco: Some(address(&item["endereco"])),
        planos: item["planos"].as_array().into_iter().flatten().filter_map(plan).collect(),
        situacao: text("situacao"),
        tipo_situacao: fixed("tipoSituacao"),
        tipo_beneficio: fixed("tipoBeneficio"),
        data_cadastro: text("dataCadastro").unwrap_or_default(),
        data_adesao: text("dataAdesao"),
        data_ativacao: text("dataAtivacao"),
        data_atualizacao: text("dataAtualizacao").unwrap_or_default(),
        placa: text("placa"),
        chassi: text("chassi"),
        numero_cartao_desconto: text("numeroCartaoDesconto"),
        nome_mae: text("nomeMae"),
        estado_civil: fixed("estadoCivil"),
        nome_empresa: text("nomeEmpresa"),
        identidade: text("identidade"),
        numero_cnh: text("numeroCnh"),
        categoria_cnh: text("categoriaCnh"),
        conjuge: text("conjuge"),
        cpf_cnpj_responsavel_financeiro: text("cpfCnpjResponsavelFinanceiro"),
        endereco_responsavel_financeiro: item["enderecoResponsavelFinanceiro"]
            .as_object()
            .map(|_| address(&item["enderecoResponsavelFinanceiro"])),
        dados_adicionais: item["dadosAdicionais"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(field)
            .collect(),
        cod_loja: int("codLoja").unwrap_or_default(),
        nome_loja: text("nomeLoja").unwrap_or_default(),
        cod_consultor: int("codConsultor"),
        nome_consultor: text("nomeConsultor"),
        cod_representante: int("codRepresentante"),
        nome_representante: text("nomeRepresentante"),
    };
    let page = ListPage::new(vec![record], 1, 1);
    // Whatever was forgotten here would make the comparison easier than it is.
    if serde_json::to_string(&page)? == answer { Ok(page) } else { Err("another record was made".into()) }
}

fn address(value: &Value) -> EnderecoTO {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    EnderecoTO {
        bairro: text("bairro"),
        cep: text("cep"),
        cidade: text("cidade"),
        complemento: text("complemento"),
        logradouro: text("logradouro"),
        logradouro_com_tipo: text("logradouroComTipo"),
        numero: text("numero"),
        tipo_endereco: text("tipoEndereco"),
        tipo_logradouro: text("tipoLogradouro"),
        uf: text("uf"),
    }
}

fn plan(value: &Value) -> Option<PlanoValorTO> {
    Some(PlanoValorTO {
        cod_plano: i32::try_from(value["codPlano"].as_i64()?).ok()?,
        nome: value["nome"].as_str()?.to_owned(),
        valor: Money::parse(&value["valor"].to_string()).ok().map(JsonAmount),
    })
}

fn field(value: &Value) -> Option<CampoAdicionalValorTO> {
    Some(CampoAdicionalValorTO {
        cod_campo: i32::try_from(value["codCampo"].as_i64()?).ok()?,
        nome: value["nome"].as_str()?.to_owned(),
        valor: value["valor"].as_str().map(str::to_owned),
    })
}
