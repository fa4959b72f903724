//! First steps of a new tenant: a checklist that administrators see on the panel while there is no benefit.

use crate::session::signed_in_user::SignedInUser;
use app::access::users;
use app::{App, Error, mail};
use domain::Role;

pub struct FirstStep {
    pub title: &'static str,
    pub text: &'static str,
    /// Relative to the console's root.
    pub link: &'static str,
    pub doing: &'static str,
    pub is_done: bool,
}

/// `None` for users who are not administrators.
pub async fn list_first_steps(app: &App, signed_in: &SignedInUser) -> Result<Option<Vec<FirstStep>>, Error> {
    if !signed_in.is_admin() {
        return Ok(None);
    }
    let caller = signed_in.session();
    let registers = app::register_snapshot::load_registers(app, caller.scope.tenant()).await?;
    let others = users::list_users(app, &caller.scope)
        .await?
        .iter()
        .filter(|user| user.role != Role::Integration)
        .count();
    let mails = mail::list_outbox_mail(app, caller, i32::MAX).await?;
    let step = |title, text, (link, label), is_done| FirstStep { title, text, link, doing: label, is_done };
    Ok(Some(vec![
        step(
            "Associação e primeira loja",
            "Já estão aqui. O nome, as cores e outras lojas você muda quando quiser.",
            ("/cadastros/loja", "Ver as lojas"),
            true,
        ),
        step(
            "E-mail que chega",
            "Senhas novas e avisos vão por e-mail. Envie um de teste e veja se chega.",
            ("/emails", "Testar o e-mail"),
            mails.iter().any(|mail| mail.sent_at.is_some())
                && super::mails::describe_mail_transport(&app.environment.mail).is_fine,
        ),
        step(
            "Planos",
            "O que a associação oferece: proteção de veículos, assistência, saúde…",
            ("/cadastros/plano", "Cadastrar planos"),
            !registers.plans.is_empty(),
        ),
        step(
            "Situações",
            "Vêm prontas (ativo, pendente, suspenso, cancelado…). Mude nomes e cores, se quiser.",
            ("/cadastros/situacao", "Ver as situações"),
            !registers.situations.is_empty(),
        ),
        step(
            "Quem trabalha com você",
            "Cada pessoa com o seu próprio usuário, nas lojas que ela atende.",
            ("/usuarios/novo", "Criar um usuário"),
            others > 1,
        ),
        step(
            "O primeiro associado",
            "Com nome, CPF ou CNPJ e telefone já dá para começar. Tem uma planilha? Use Importar, no menu.",
            ("/associados/novo", "Cadastrar um associado"),
            app::tenants::setup::has_people(app, caller).await?,
        ),
    ]))
}
