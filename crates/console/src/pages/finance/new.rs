//! A new title for a person, or several instalments of one value.

use super::forms::{describe_others, explain_refusal, read_typed_record};
use super::label_launch_kind;
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use crate::session::notice::{add_notice, redirect_with_notice};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputKind, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::{build_form_write, generate_form_token};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use app::App;
use app::benefits::describe_stored_benefit;
use app::idempotency::WriteOutcome;
use app::members::{self, MemberView};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::finance::LaunchKind;
use domain::{MoneyRight, PersonCode, SituationKind};
use finance::{FullTitle, NewTitleInput};
use serde_json::Value;
use wire::read::BoundedInt;
use wire::records::TituloGestaoInput;

const SPECS: &[InputSpec] = &[
    InputSpec::choice("codTipoTitulo", "Tipo de título"),
    InputSpec::money("valor", "Valor total"),
    InputSpec { kind: InputKind::Number, ..InputSpec::text("parcelas", "Parcelas", 2) }
        .with_hint("Uma por mês. O valor total é dividido entre elas."),
    InputSpec::masked_text("vencimento", "Vencimento", "data")
        .with_hint("Da primeira parcela. Em branco, o próximo dia de vencimento do benefício."),
    InputSpec::text("descricao", "Descrição", 200).with_hint("Em branco, o nome do tipo de título."),
    InputSpec { kind: InputKind::Many, ..InputSpec::text("codBeneficios", "Benefícios", 400) },
    InputSpec::area("observacao", "Observação"),
    InputSpec { kind: InputKind::Flag, ..InputSpec::text("aguardarLiberacao", "Aguardar liberação", 3) }
        .with_hint("Só para débito: fica pendente até que alguém libere o pagamento."),
];

#[derive(Template)]
#[template(path = "console/titulo_novo.html")]
struct NewTitlePage {
    frame: PageFrame,
    person: i32,
    holder: String,
    inputs: Vec<FormInput>,
    others: Vec<String>,
    is_refused: bool,
    back: String,
    token: String,
}

/// `GET /console/financeiro/titulos/novo?pessoa=7`
pub async fn show_new_title_form(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SeeMoney)?;
    let Ok(person) = query.text("pessoa").parse() else {
        let mut response = redirect_to(&format!("{}/console/associados", derive_root_path(&app)));
        add_notice(&mut response, "Abra o associado e, na página dele, escolha “Novo título”.");
        return Ok(response);
    };
    let holder = members::read_member(&app, user.session(), PersonCode::new(person)).await?;
    let values = FormValues::from([
        ("parcelas", "1".to_owned()),
        ("codBeneficios", find_first_benefits(&holder, query.text("beneficio"))),
    ]);
    render_new_title_form(&app, &user, &holder, (values, FormProblems::default())).await
}

/// The benefit from which the form was opened, or the only one.
fn find_first_benefits(holder: &MemberView, asked: &str) -> String {
    match &holder.benefits[..] {
        [(only, _)] => only.to_string(),
        all => all.iter().map(|(code, _)| code.to_string()).find(|code| code == asked).unwrap_or_default(),
    }
}

async fn render_new_title_form(
    app: &App,
    user: &SignedInUser,
    holder: &MemberView,
    (values, problems): (FormValues, FormProblems),
) -> HandlerResult {
    let frame = PageFrame::load(app, user, "financeiro").await?;
    let is_refused = !problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let mut inputs = build_inputs(SPECS, &values, &problems, |name| list_choices(holder, name));
    inputs.retain(|input| input.spec.kind != InputKind::Many || !input.choices.is_empty());
    let page = NewTitlePage {
        person: holder.code.get(),
        holder: holder.profile.name.clone(),
        inputs,
        others: describe_others(&problems),
        is_refused,
        back: format!("{}/console/associados/{}", frame.root, holder.code),
        token: generate_form_token(app),
        frame,
    };
    render_page(status, &page)
}

fn list_choices(holder: &MemberView, name: &str) -> Vec<(String, String)> {
    let registers = &holder.registers;
    if name == "codTipoTitulo" {
        let types = registers.money.title_types.iter();
        let usable = types.filter(|one| one.active && one.launch_kind != LaunchKind::CostSharing);
        let label = |kind, name: &str| format!("{name} · {}", label_launch_kind(kind));
        return usable.map(|one| (one.code.to_string(), label(one.launch_kind, &one.name))).collect();
    }
    let describe = |benefit: &domain::Benefit| {
        let text = describe_stored_benefit(registers, benefit);
        match registers.situation_kind(benefit.situation) {
            Some(SituationKind::Cancelled) => format!("{text} (cancelado)"),
            _ => text,
        }
    };
    holder.benefits.iter().map(|(code, benefit)| (code.to_string(), describe(benefit))).collect()
}

/// `POST /console/financeiro/titulos/novo`
pub async fn issue_new_title(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SeeMoney)?;
    let person = form.text("codPessoa").parse().map_err(|_| Refusal::Unreadable)?;
    let holder = members::read_member(&app, user.session(), PersonCode::new(person)).await?;
    let values = read_form_values(SPECS, &form);
    let further = [
        ("codPessoa", Value::from(person)),
        ("codBeneficios", form.all_texts("codBeneficios").collect::<Vec<_>>().into()),
        ("aguardarLiberacao", (!form.text("aguardarLiberacao").is_empty()).into()),
    ];
    let input = match read_typed_record::<TituloGestaoInput>(SPECS, &values, &further) {
        Ok(input) => build_new_title(input),
        Err(problems) => return render_new_title_form(&app, &user, &holder, (values, problems)).await,
    };
    // A repetition leads to the same page as the first.
    let once = build_form_write(&user, &form, |titles: &Vec<FullTitle>| find_place(titles).into_bytes());
    let issued = finance::issue_titles(&app, user.session(), input, once).await;
    let root = derive_root_path(&app);
    let place = match issued {
        Ok(WriteOutcome::Fresh(titles)) => find_place(&titles),
        Ok(WriteOutcome::Replayed(stored)) => String::from_utf8_lossy(&stored.answer).into_owned(),
        Ok(WriteOutcome::Checked) => String::new(),
        Err(error) => {
            let problems = explain_refusal(error, SPECS, &values)?;
            return render_new_title_form(&app, &user, &holder, (values, problems)).await;
        }
    };
    let notice =
        if place.starts_with('/') { "Título criado." } else { "Títulos criados, um para cada parcela." };
    Ok(redirect_with_notice(&format!("{root}/console/financeiro/titulos{place}"), notice))
}

fn build_new_title(input: TituloGestaoInput) -> NewTitleInput {
    NewTitleInput {
        person: input.person,
        benefits: input.benefits.into_set().unwrap_or_default(),
        title_type: input.title_type,
        amount: input.amount,
        description: input.description.into_set().map(|text| text.as_str().to_owned()),
        note: input.note.into_set().map(|text| text.as_str().to_owned()),
        due_on: input.due.into_set(),
        issued_on: input.issued.into_set(),
        instalments: input.instalments.into_set().map_or(1, BoundedInt::get),
        waits_for_release: input.waits.into_set().unwrap_or(false),
    }
}

/// Behind the path of the list: the one title, or all of the person.
fn find_place(titles: &[FullTitle]) -> String {
    match titles {
        [only] => format!("/{}", only.code),
        all => all.first().map(|first| format!("?pessoa={}", first.title.person)).unwrap_or_default(),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/titulo_novo.html", |with| {
    crate::template_tests::render_template(&NewTitlePage {
        frame: with.frame(),
        person: 7,
        holder: with.text(),
        inputs: with.inputs(),
        others: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        back: with.text(),
        token: with.text(),
    })
})];
