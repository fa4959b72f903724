//! `/ext/beneficio`: benefits, and the open lists that they depend on.

pub mod dependentes;
pub mod itens;

use crate::State;
use crate::answer::Answer;
use crate::extract::{Asked, Base, Caller, Code, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::base::{Registers, registers};
use app::benefits::{self, Input, Saved};
use app::equipment;
use app::searches::{self, FieldValues, FoundBenefit, Vehicle};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, BenefitKind, Entity, Money, PlanCode, SellerCode, SupplierCode, fold, shown};
use wire::names;
use wire::read;
use wire::records::{
    BeneficioInput, BeneficioOutputTO, BeneficioVeiculoInput, CampoAdicionalValorTO, CancelamentoInput,
    DiaVencimentoTO, ListaBeneficioQuery, ListaDiaVencimentoTO, Pagina, PesquisaBeneficioOutputTO,
    PesquisaBeneficioQuery, PlanoValorTO, RastreadorInstalacaoTO, SituacaoBeneficioTO, TipoVeiculoBean,
    Valor, VeiculoTO,
};

/// `GET /ext/beneficio`
pub async fn search(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    asked: Asked<PesquisaBeneficioQuery>,
) -> Result<Answer<Vec<PesquisaBeneficioOutputTO>>, Failure> {
    let query = asked.get(searches::has_key)?;
    let found = searches::benefits(&state.app, &caller, query).await?;
    Ok(Answer(found.rows.into_iter().map(|row| item(&found.registers, row)).collect()))
}

/// `GET /ext/beneficio/lista`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<ListaBeneficioQuery>,
) -> Result<Answer<Pagina<PesquisaBeneficioOutputTO>>, Failure> {
    let number = query.page.set().map_or(1, read::Between::get);
    let page = searches::list(&state.app, &caller, number).await?;
    let items = page.rows.into_iter().map(|row| item(&page.registers, row)).collect();
    Ok(Answer(Pagina::new(items, page.number, page.total)))
}

/// `POST /ext/beneficio`
pub async fn save(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: BeneficioInput, once| {
        benefits::save(&state.app, &caller, Input::Basic(Box::new(input)), once)
    };
    write.answer(&state, &caller, read::body, act, record).await
}

/// `POST /ext/beneficio/veicular`
pub async fn save_vehicle(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: BeneficioVeiculoInput, once| {
        benefits::save(&state.app, &caller, Input::Vehicle(Box::new(input)), once)
    };
    write.answer(&state, &caller, read::body, act, record).await
}

/// `PUT /ext/beneficio/{codBeneficio}/cancelar`
pub async fn cancel(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (BenefitCode, CancelamentoInput), once| {
        benefits::cancel(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, record).await
}

/// `GET /ext/beneficio/{codBeneficio}/equipamentos`
pub async fn equipment(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<BenefitCode>,
) -> Result<Answer<Vec<RastreadorInstalacaoTO>>, Failure> {
    let benefit = code.get()?;
    let installed = equipment::of(&state.app, &caller, benefit).await?;
    let records = installed.into_iter().map(|(one, supplier)| RastreadorInstalacaoTO {
        cod_instalacao: one.code.get(),
        cod_beneficio: benefit.get(),
        numero_serie: one.serial_number,
        imei: one.imei,
        modelo: one.model,
        fabricante: one.maker,
        cod_fornecedor: one.supplier.map(SupplierCode::get),
        nome_fornecedor: supplier,
        local_instalacao: one.place,
        data_instalacao: one.installed_on.as_deref().map(shown::day),
        data_remocao: one.removed_on.as_deref().map(shown::day),
        ativo: one.active,
    });
    Ok(Answer(records.collect()))
}

fn record(saved: &Saved) -> BeneficioOutputTO {
    BeneficioOutputTO {
        cod_beneficio: saved.code.get(),
        sequencial: saved.benefit.sequence,
        numero_cartao_desconto: saved.benefit.card.as_ref().map(ToString::to_string),
        cod_pessoa: saved.benefit.person.get(),
        situacao: saved.situation.to_uppercase(),
        tipo_situacao: names::situation_kind(saved.kind),
    }
}

fn item(registers: &Registers, row: FoundBenefit) -> PesquisaBeneficioOutputTO {
    let benefit = row.benefit;
    let situation = registers.situation(benefit.situation);
    let plate = benefit.vehicle.plate.as_ref().map(ToString::to_string);
    let chassis = benefit.vehicle.chassis.as_ref().map(ToString::to_string);
    PesquisaBeneficioOutputTO {
        cod_beneficio: row.code.get(),
        sequencial: benefit.sequence,
        numero_cartao_desconto: benefit.card.as_ref().map(ToString::to_string),
        cod_pessoa: benefit.person.get(),
        nome_pessoa: row.name,
        cpf_cnpj: row.document.as_deref().map(shown::document),
        cod_loja: benefit.branch.get(),
        nome_loja: registers.branch_name(benefit.branch).to_owned(),
        tipo_beneficio: names::benefit_kind(benefit.kind),
        situacao: situation.map_or_else(String::new, |one| one.name.to_uppercase()),
        tipo_situacao: situation.map_or("", |one| names::situation_kind(one.kind)),
        cor_destaque: situation.map_or_else(String::new, |one| one.colour.to_string()),
        cor_inversa: situation.map_or_else(String::new, |one| one.colour.readable_on().to_string()),
        dia_vencimento: benefit.due_day,
        data_cadastro: benefit.created_at.date_in(&registers.zone).to_br(),
        data_adesao: benefit.joined_on.as_deref().map(shown::day),
        data_ativacao: benefit.activated_on.as_deref().map(shown::day),
        data_cancelamento: benefit.cancelled_on.as_deref().map(shown::day),
        planos: plans(registers, &benefit.plans),
        placa: plate,
        chassi: chassis,
        veiculo: (benefit.kind == BenefitKind::Vehicle).then(|| vehicle(registers, benefit.vehicle)),
        cod_consultor: row.consultant.map(SellerCode::get),
        nome_consultor: row.consultant.and_then(|code| registers.seller_name(code)).map(str::to_owned),
        cod_representante: row.representative.map(SellerCode::get),
        nome_representante: row
            .representative
            .and_then(|code| registers.seller_name(code))
            .map(str::to_owned),
        dados_adicionais: fields(registers, &benefit.fields),
    }
}

/// A vehicle, but for what it is known by.
pub fn vehicle(registers: &Registers, vehicle: Vehicle) -> VeiculoTO {
    let money = |cents: Option<i64>| cents.and_then(Money::from_cents).map(Valor);
    let kind = registers.vehicle_types.iter().find(|one| Some(one.code) == vehicle.kind);
    VeiculoTO {
        ano_fabricacao: vehicle.built,
        ano_modelo: vehicle.model_year,
        numero_portas: vehicle.doors,
        categoria: vehicle.category.map(names::category),
        combustivel: vehicle.fuel.map(names::fuel),
        cor: vehicle.colour,
        marca: vehicle.brand,
        modelo: vehicle.model,
        renavam: vehicle.renavam,
        tipo_veiculo: kind.map(|one| one.name.clone()),
        valor_participacao: money(vehicle.participation),
        valor_protegido: money(vehicle.protected),
        valor_veiculo: money(vehicle.worth),
        placa: vehicle.plate.as_ref().map(ToString::to_string),
        chassi: vehicle.chassis.as_ref().map(ToString::to_string),
    }
}

/// By name, then code.
pub fn plans(registers: &Registers, kept: &[(PlanCode, i64)]) -> Vec<PlanoValorTO> {
    let mut plans: Vec<PlanoValorTO> = kept
        .iter()
        .map(|(code, price)| PlanoValorTO {
            cod_plano: code.get(),
            nome: registers.plan(*code).map_or_else(String::new, |plan| plan.name.clone()),
            valor: Money::from_cents(*price).map(Valor),
        })
        .collect();
    if plans.len() > 1 {
        plans.sort_by_cached_key(|plan| (fold(&plan.nome), plan.cod_plano));
    }
    plans
}

/// By name, then code, which is how the registers are ordered.
pub fn fields(registers: &Registers, values: &FieldValues) -> Vec<CampoAdicionalValorTO> {
    if values.is_empty() {
        return Vec::new();
    }
    let known = registers.fields.iter().filter_map(|field| Some((field, values.get(&field.code)?)));
    known
        .map(|(field, value)| CampoAdicionalValorTO {
            cod_campo: field.code.get(),
            nome: field.name.clone(),
            valor: Some(value.clone()),
        })
        .collect()
}

/// `GET /ext/beneficio/situacaoBeneficio`
pub async fn situations(
    extract::State(state): extract::State<State>,
    Base(base): Base,
) -> Result<Answer<Vec<SituacaoBeneficioTO>>, Failure> {
    let registers = registers(&state.app, base).await?;
    let records = registers.situations_of(Entity::Benefit).map(|situation| SituacaoBeneficioTO {
        cod_situacao: situation.code.get(),
        nome: situation.name.to_uppercase(),
        tipo: names::situation_kind(situation.kind),
        cor_destaque: situation.colour.to_string(),
        cor_inversa: situation.colour.readable_on().to_string(),
    });
    Ok(Answer(records.collect()))
}

/// `GET /ext/beneficio/tipoVeiculo`
pub async fn vehicle_types(
    extract::State(state): extract::State<State>,
    Base(base): Base,
) -> Result<Answer<Vec<TipoVeiculoBean>>, Failure> {
    let registers = registers(&state.app, base).await?;
    let records = registers.vehicle_types.iter().filter(|one| one.active).map(|one| TipoVeiculoBean {
        cod_tipo_veiculo: one.code.get(),
        nome: one.name.clone(),
        categoria: names::vehicle_category(one.category),
    });
    Ok(Answer(records.collect()))
}

/// `GET /ext/beneficio/vencimento`
pub async fn due_days(
    extract::State(state): extract::State<State>,
    Base(base): Base,
) -> Result<Answer<ListaDiaVencimentoTO>, Failure> {
    let registers = registers(&state.app, base).await?;
    let itens = registers.due_days.iter().map(|dia| DiaVencimentoTO { dia: *dia }).collect();
    Ok(Answer(ListaDiaVencimentoTO { itens }))
}
