//! The links that export the titles of a list, with all its filters.

use crate::widgets::export_links::{ExportLinks, borrow_pairs};
use domain::{Date, Money};
use finance::{DayRange, TitleSearch};
use wire::set_names;

pub fn build_export_links(root: &str, search: &TitleSearch) -> ExportLinks {
    let criteria = &search.criteria;
    let named = criteria.situations.iter().flatten().map(|one| set_names::title_situation(*one));
    let overdue = search.includes_overdue.then_some(set_names::OVERDUE);
    let situations: Vec<&str> = named.chain(overdue).collect();
    let late = search.lateness;
    let benefit = criteria.benefits.as_ref().and_then(|all| all.first());
    let filters: [(&str, Option<String>); 10] = [
        ("tipo", criteria.launch_kinds.first().map(|kind| set_names::launch_kind(*kind).to_owned())),
        ("situacao", (!situations.is_empty()).then(|| situations.join(","))),
        ("cpfCnpj", search.document.clone()),
        ("placa", search.plate.clone()),
        ("codPessoa", criteria.person.map(|person| person.to_string())),
        ("codBeneficio", benefit.map(ToString::to_string)),
        ("codLoja", criteria.branch.map(|branch| branch.to_string())),
        ("diasAtrasoMinimo", late.map(|late| late.at_least.to_string())),
        ("diasAtrasoMaximo", late.and_then(|late| late.at_most).map(|days| days.to_string())),
        ("valor", criteria.amount.and_then(Money::from_stored_cents).map(|amount| amount.to_string())),
    ];
    let mut pairs: Vec<(String, String)> =
        filters.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?))).collect();
    for (name, range) in [
        ("dataEmissao", criteria.issued),
        ("dataVencimento", criteria.due),
        ("dataLiquidacao", criteria.settled),
        ("dataPagamento", criteria.paid),
    ] {
        pairs.extend(list_range_pairs(name, range));
    }
    ExportLinks::new(root, "titulo", borrow_pairs(&pairs))
}

fn list_range_pairs(name: &str, range: DayRange) -> impl Iterator<Item = (String, String)> {
    let ends = [("Inicial", range.from), ("Final", range.to)];
    let pair = |(end, day): (&str, Option<Date>)| Some((format!("{name}{end}"), day?.to_br()));
    ends.map(pair).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BenefitCode;
    use domain::finance::{LaunchKind, TitleSituation};
    use finance::TitleCriteria;

    #[test]
    fn every_filter_is_in_the_link() {
        let mut search = TitleSearch {
            criteria: TitleCriteria {
                launch_kinds: vec![LaunchKind::Credit],
                situations: Some(vec![TitleSituation::Open, TitleSituation::Settled]),
                benefits: Some(vec![BenefitCode::new(7)]),
                amount: Some(10_120),
                due: DayRange { from: Date::new(2026, 11, 1), to: None },
                ..TitleCriteria::default()
            },
            ..TitleSearch::default()
        };
        let links = build_export_links("", &search);
        let query = "tipo=CREDITO&situacao=ABERTO%2CLIQUIDADO&codBeneficio=7&valor=101.2&dataVencimentoInicial=01%2F11%2F2026";
        assert_eq!(links.csv, format!("/console/exportar/titulo?formato=csv&{query}"));
        search = TitleSearch { includes_overdue: true, ..TitleSearch::default() };
        search.criteria.situations = Some(Vec::new());
        assert_eq!(
            build_export_links("", &search).csv,
            "/console/exportar/titulo?formato=csv&situacao=Vencido"
        );
    }
}
