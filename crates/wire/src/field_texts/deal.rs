//! The fields of a deal.

use crate::field_texts::FieldTexts;
use crate::field_texts::benefit::{render_money, render_vehicle_fields};
use crate::set_names;
use domain::{Date, Deal};

pub fn render_deal_fields(deal: &Deal) -> FieldTexts {
    let plans: Vec<String> = deal.plans.iter().map(ToString::to_string).collect();
    let mut fields = vec![
        ("codLead", Some(deal.lead.to_string())),
        ("titulo", deal.title.clone()),
        ("codFunil", Some(deal.funnel.to_string())),
        ("codEtapa", Some(deal.stage.to_string())),
        ("codLoja", Some(deal.branch.to_string())),
        ("codUsuarioResponsavel", deal.responsible.map(|code| code.to_string())),
        ("tipoBeneficio", deal.kind.map(|kind| set_names::benefit_kind(kind).to_owned())),
        ("planos", (!plans.is_empty()).then(|| plans.join(", "))),
        ("valor", render_money(deal.price)),
        ("dataPrevisao", deal.expected_on.map(Date::to_iso)),
        ("situacao", Some(set_names::deal_state(deal.state).to_owned())),
        ("motivoPerda", deal.lost_because.clone()),
        ("observacao", deal.note.clone()),
        ("codBeneficio", deal.benefit.map(|code| code.to_string())),
    ];
    fields.extend(render_vehicle_fields(&deal.vehicle));
    fields
}
