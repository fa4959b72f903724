//! `/ext/beneficio`: the open lists that a benefit depends on.

use crate::State;
use crate::answer::Answer;
use crate::extract::Base;
use crate::failure::Failure;
use app::base::registers;
use axum::extract;
use domain::Entity;
use wire::names;
use wire::records::{DiaVencimentoTO, ListaDiaVencimentoTO, SituacaoBeneficioTO, TipoVeiculoBean};

/// `GET /ext/beneficio/situacaoBeneficio`
pub async fn situations(
    extract::State(state): extract::State<State>,
    Base(base): Base,
) -> Result<Answer<Vec<SituacaoBeneficioTO>>, Failure> {
    let registers = registers(&state.app, base).await?;
    let of_benefits = registers.situations.iter().filter(|one| one.active && one.entity == Entity::Benefit);
    let records = of_benefits.map(|situation| SituacaoBeneficioTO {
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
