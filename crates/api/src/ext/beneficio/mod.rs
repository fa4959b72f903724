//! `/ext/beneficio`: benefits, and the open lists that they use.

pub mod dependentes;
pub mod itens;

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, DeferredQuery, PathCode, QueryRecord, RequestedTenant};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::benefits::equipment;
use app::benefits::{self, BenefitWriteInput, SavedBenefit};
use app::members::search::{self, FoundBenefit};
use app::register_snapshot::{TenantRegisters, load_registers};
use axum::extract;
use axum::response::Response;
use domain::{
    AdditionalFieldValues, BenefitCode, BenefitKind, Date, Entity, Money, PlanCode, SellerCode, SupplierCode,
    VehicleDetails, display, fold_text,
};
use wire::read;
use wire::records::{
    BeneficioInput, BeneficioOutputTO, BeneficioVeiculoInput, CampoAdicionalValorTO, CancelamentoInput,
    DiaVencimentoTO, JsonAmount, ListPage, ListaBeneficioQuery, ListaDiaVencimentoTO,
    PesquisaBeneficioOutputTO, PesquisaBeneficioQuery, PlanoValorTO, RastreadorInstalacaoTO,
    SituacaoBeneficioTO, TipoVeiculoBean, VeiculoTO,
};
use wire::set_names;

/// `GET /ext/beneficio`
pub async fn search_benefits(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    unchecked: DeferredQuery<PesquisaBeneficioQuery>,
) -> Result<JsonAnswer<Vec<PesquisaBeneficioOutputTO>>, RequestFailure> {
    let query = unchecked.validate(search::require_benefit_key)?;
    let found = search::search_benefits(&state.app, &caller, query).await?;
    Ok(JsonAnswer(found.rows.into_iter().map(|row| render_found_benefit(&found.registers, row)).collect()))
}

/// `GET /ext/beneficio/lista`
pub async fn list_benefits(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<ListaBeneficioQuery>,
) -> Result<JsonAnswer<ListPage<PesquisaBeneficioOutputTO>>, RequestFailure> {
    let number = query.page.into_set().map_or(1, read::BoundedInt::get);
    let page = search::list_benefits(&state.app, &caller, number).await?;
    let items = page.rows.into_iter().map(|row| render_found_benefit(&page.registers, row)).collect();
    Ok(JsonAnswer(ListPage::new(items, page.number, page.total)))
}

/// `POST /ext/beneficio`
pub async fn save_benefit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: BeneficioInput, once| {
        benefits::save_benefit(&state.app, &caller, BenefitWriteInput::Basic(Box::new(input)), once)
    };
    write.answer(&state, &caller, read::read_body, act, render_saved_benefit).await
}

/// `POST /ext/beneficio/veicular`
pub async fn save_vehicle_benefit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: BeneficioVeiculoInput, once| {
        benefits::save_benefit(&state.app, &caller, BenefitWriteInput::Vehicle(Box::new(input)), once)
    };
    write.answer(&state, &caller, read::read_body, act, render_saved_benefit).await
}

/// `PUT /ext/beneficio/{codBeneficio}/cancelar`
pub async fn cancel_benefit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (BenefitCode, CancelamentoInput), once| {
        benefits::cancel_benefit(&state.app, &caller, code, input, once)
    };
    write.answer(&state, &caller, read, act, render_saved_benefit).await
}

/// `GET /ext/beneficio/{codBeneficio}/equipamentos`
pub async fn list_equipment(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<Vec<RastreadorInstalacaoTO>>, RequestFailure> {
    let benefit = code.get()?;
    let installed = equipment::list_equipment(&state.app, &caller, benefit).await?;
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
        data_instalacao: one.installed_on.map(Date::to_br),
        data_remocao: one.removed_on.map(Date::to_br),
        ativo: one.active,
    });
    Ok(JsonAnswer(records.collect()))
}

fn render_saved_benefit(saved: &SavedBenefit) -> BeneficioOutputTO {
    BeneficioOutputTO {
        cod_beneficio: saved.code.get(),
        sequencial: saved.benefit.sequence,
        numero_cartao_desconto: saved.benefit.card.as_ref().map(ToString::to_string),
        cod_pessoa: saved.benefit.person.get(),
        situacao: saved.situation.to_uppercase(),
        tipo_situacao: set_names::situation_kind(saved.kind),
    }
}

fn render_found_benefit(registers: &TenantRegisters, row: FoundBenefit) -> PesquisaBeneficioOutputTO {
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
        cpf_cnpj: row.document.as_deref().map(display::format_document),
        cod_loja: benefit.branch.get(),
        nome_loja: registers.branch_name(benefit.branch).to_owned(),
        tipo_beneficio: set_names::benefit_kind(benefit.kind),
        situacao: situation.map_or_else(String::new, |one| one.name.to_uppercase()),
        tipo_situacao: situation.map_or("", |one| set_names::situation_kind(one.kind)),
        cor_destaque: situation.map_or_else(String::new, |one| one.colour.to_string()),
        cor_inversa: situation.map_or_else(String::new, |one| one.colour.readable_text_colour().to_string()),
        dia_vencimento: benefit.due_day,
        data_cadastro: benefit.created_at.date_in(&registers.zone).to_br(),
        data_adesao: benefit.joined_on.map(Date::to_br),
        data_ativacao: benefit.activated_on.map(Date::to_br),
        data_cancelamento: benefit.cancelled_on.map(Date::to_br),
        planos: render_plans(registers, &benefit.plans),
        placa: plate,
        chassi: chassis,
        veiculo: (benefit.kind == BenefitKind::Vehicle).then(|| render_vehicle(registers, benefit.vehicle)),
        cod_consultor: row.consultant.map(SellerCode::get),
        nome_consultor: row.consultant.and_then(|code| registers.seller_name(code)).map(str::to_owned),
        cod_representante: row.representative.map(SellerCode::get),
        nome_representante: row
            .representative
            .and_then(|code| registers.seller_name(code))
            .map(str::to_owned),
        dados_adicionais: render_additional_fields(registers, &benefit.fields),
    }
}

/// The vehicle without its identifiers.
pub fn render_vehicle(registers: &TenantRegisters, vehicle: VehicleDetails) -> VeiculoTO {
    let money = |money: Option<Money>| money.map(JsonAmount);
    let kind = registers.vehicle_types.iter().find(|one| Some(one.code) == vehicle.kind);
    VeiculoTO {
        ano_fabricacao: vehicle.built,
        ano_modelo: vehicle.model_year,
        numero_portas: vehicle.doors,
        categoria: vehicle.category.map(set_names::category),
        combustivel: vehicle.fuel.map(set_names::fuel),
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

/// Ordered by name, then code.
pub fn render_plans(registers: &TenantRegisters, stored: &[(PlanCode, Money)]) -> Vec<PlanoValorTO> {
    let mut plans: Vec<PlanoValorTO> = stored
        .iter()
        .map(|(code, price)| PlanoValorTO {
            cod_plano: code.get(),
            nome: registers.plan(*code).map_or_else(String::new, |plan| plan.name.clone()),
            valor: Some(JsonAmount(*price)),
        })
        .collect();
    if plans.len() > 1 {
        plans.sort_by_cached_key(|plan| (fold_text(&plan.nome), plan.cod_plano));
    }
    plans
}

/// Ordered by name, then code, as in the registers.
pub fn render_additional_fields(
    registers: &TenantRegisters,
    values: &AdditionalFieldValues,
) -> Vec<CampoAdicionalValorTO> {
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
pub async fn list_benefit_situations(
    extract::State(state): extract::State<ServerState>,
    RequestedTenant(base): RequestedTenant,
) -> Result<JsonAnswer<Vec<SituacaoBeneficioTO>>, RequestFailure> {
    let registers = load_registers(&state.app, base).await?;
    let records = registers.active_situations(Entity::Benefit).map(|situation| SituacaoBeneficioTO {
        cod_situacao: situation.code.get(),
        nome: situation.name.to_uppercase(),
        tipo: set_names::situation_kind(situation.kind),
        cor_destaque: situation.colour.to_string(),
        cor_inversa: situation.colour.readable_text_colour().to_string(),
    });
    Ok(JsonAnswer(records.collect()))
}

/// `GET /ext/beneficio/tipoVeiculo`
pub async fn list_vehicle_types(
    extract::State(state): extract::State<ServerState>,
    RequestedTenant(base): RequestedTenant,
) -> Result<JsonAnswer<Vec<TipoVeiculoBean>>, RequestFailure> {
    let registers = load_registers(&state.app, base).await?;
    let records = registers.vehicle_types.iter().filter(|one| one.active).map(|one| TipoVeiculoBean {
        cod_tipo_veiculo: one.code.get(),
        nome: one.name.clone(),
        categoria: set_names::vehicle_category(one.category),
    });
    Ok(JsonAnswer(records.collect()))
}

/// `GET /ext/beneficio/vencimento`
pub async fn list_due_days(
    extract::State(state): extract::State<ServerState>,
    RequestedTenant(base): RequestedTenant,
) -> Result<JsonAnswer<ListaDiaVencimentoTO>, RequestFailure> {
    let registers = load_registers(&state.app, base).await?;
    let itens = registers.due_days.iter().map(|dia| DiaVencimentoTO { dia: *dia }).collect();
    Ok(JsonAnswer(ListaDiaVencimentoTO { itens }))
}
