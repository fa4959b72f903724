//! `/gestao/financeiro/beneficio/{codBeneficio}/desconto`: the discounts of a benefit.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode, PathCodePair};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::{TenantRegisters, load_registers};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, BenefitDiscountCode, UserCode, display};
use finance::{NewDiscountGrant, StoredDiscountGrant};
use wire::read;
use wire::records::{DescontoBeneficioInput, DescontoBeneficioTO, DescontoEncerramentoInput};

/// `GET /gestao/financeiro/beneficio/{codBeneficio}/desconto`
pub async fn list_discounts(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<Vec<DescontoBeneficioTO>>, RequestFailure> {
    let found = finance::list_benefit_discounts(&state.app, &caller, code.get()?).await?;
    let records = found.grants.iter().map(|grant| render_discount(grant, &found.registers));
    Ok(JsonAnswer(records.collect()))
}

/// `POST /gestao/financeiro/beneficio/{codBeneficio}/desconto`
pub async fn grant_discount(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(benefit, input): (BenefitCode, DescontoBeneficioInput), once| {
        let input = NewDiscountGrant {
            discount: input.discount,
            from_month: input.from_month.as_iso().to_owned(),
            until_month: input.until_month.into_set().map(|month| month.as_iso().to_owned()),
            reason: input.reason.as_str().to_owned(),
        };
        finance::grant_benefit_discount(&state.app, &caller, (benefit, input), once)
    };
    let render = move |grant: &StoredDiscountGrant| render_discount(grant, &registers);
    write.answer(&state, &caller, read, act, render).await
}

/// `PUT /gestao/financeiro/beneficio/{codBeneficio}/desconto/{codConcessao}/encerrar`
pub async fn end_discount(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    PathCodePair(codes): PathCodePair<BenefitCode, BenefitDiscountCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let read = |body: &[u8]| codes.join_body(read::read_body(body));
    let act = |((benefit, grant), input): ((BenefitCode, BenefitDiscountCode), DescontoEncerramentoInput),
               once| {
        let (until_month, reason) = (input.until_month.as_iso().to_owned(), input.reason.as_str().to_owned());
        finance::end_benefit_discount(&state.app, &caller, (benefit, grant, until_month, reason), once)
    };
    let render = move |grant: &StoredDiscountGrant| render_discount(grant, &registers);
    write.answer(&state, &caller, read, act, render).await
}

fn render_discount(grant: &StoredDiscountGrant, registers: &TenantRegisters) -> DescontoBeneficioTO {
    let discount = registers.money.discount(grant.discount);
    let ending = grant.ending.as_ref();
    DescontoBeneficioTO {
        cod_concessao: grant.code.get(),
        cod_beneficio: grant.benefit.get(),
        cod_desconto: grant.discount.get(),
        nome: discount.map_or_else(String::new, |one| one.name.clone()),
        desde_mes: display::format_month(&grant.from_month),
        ate_mes: grant.until_month.as_deref().map(display::format_month),
        motivo: grant.reason.clone(),
        cod_usuario: grant.user.map(UserCode::get),
        data_hora: grant.created_at.to_offset_iso(&registers.zone),
        motivo_encerramento: ending.map(|ending| ending.reason.clone()),
        cod_usuario_encerramento: ending.and_then(|ending| ending.user).map(UserCode::get),
        data_hora_encerramento: ending.map(|ending| ending.at.to_offset_iso(&registers.zone)),
    }
}
