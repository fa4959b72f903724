//! `/console/sobre`: version and health of the server.

use super::mails;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::upkeep::health::{self, ServerHealth};
use askama::Template;
use axum::extract::State;
use domain::TimeZone;

/// A health indicator, with a link to the page where a problem can be handled.
struct HealthSign {
    name: &'static str,
    text: String,
    class: &'static str,
    state: &'static str,
    link: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "console/sobre.html")]
struct ServerStatusPage {
    frame: PageFrame,
    facts: Vec<(&'static str, String)>,
    signs: Vec<HealthSign>,
}

pub async fn show_about_page(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "sobre").await?;
    let registers = app::register_snapshot::load_registers(&app, user.session().scope.tenant()).await?;
    let mut facts = vec![
        ("Versão", frame.version.to_owned()),
        ("Banco de dados", app.db.describe_version().await.map_err(app::Error::from)?),
        ("Associação", user.visitor.base.clone()),
        ("Fuso horário", registers.zone.as_str().to_owned()),
        ("Interface de integração", "1.84".to_owned()),
    ];
    let mut signs = Vec::new();
    if user.is_admin() {
        let health = health::read_server_health(&app, user.session()).await?;
        facts.push(("Versão do esquema", health.schema.to_string()));
        facts
            .push(("Tamanho do banco", format_decimal_size(u64::try_from(health.bytes).unwrap_or_default())));
        facts.push(("Endereço público", app.public_url.to_string()));
        signs = list_health_signs(&app, &health, &registers.zone);
    }
    show_page(&ServerStatusPage { frame, facts, signs })
}

/// Less free disk space than this shows a warning.
const LITTLE_DISK_SPACE: u64 = 2 << 30;

fn list_health_signs(app: &App, health: &ServerHealth, zone: &TimeZone) -> Vec<HealthSign> {
    let mut signs = vec![describe_servers(health, zone)];
    if let Some(free) = health.free {
        let is_little = free < LITTLE_DISK_SPACE;
        signs.push(HealthSign {
            name: "Disco",
            text: format!("{} livres onde fica o banco de dados.", format_decimal_size(free)),
            class: if is_little { "warn" } else { "fine" },
            state: if is_little { "Pouco espaço" } else { "Em ordem" },
            link: None,
        });
    }
    signs.push(describe_deliveries(health));
    signs.push(describe_mail(app, health));
    signs.push(HealthSign {
        name: "Cópia de segurança",
        text: "O Amparo não sabe quando foi feita a última: quem cuida do servidor copia o banco de dados e, para longe \
               dele, o arquivo da chave."
            .to_owned(),
        class: "",
        state: "Não registrada",
        link: None,
    });
    signs
}

fn describe_servers(health: &ServerHealth, zone: &TimeZone) -> HealthSign {
    let each = health
        .servers
        .iter()
        .map(|(version, since)| format!("{version}, desde {}", format_moment(*since, zone)));
    let each: Vec<String> = each.collect();
    let (class, state, text) = match each.is_empty() {
        true => ("warn", "Atenção", "Nenhum deu sinal de vida no último meio minuto.".to_owned()),
        false => ("fine", "Em ordem", format!("{}.", each.join("; "))),
    };
    HealthSign { name: "Servidores no ar", text, class, state, link: None }
}

fn describe_deliveries(health: &ServerHealth) -> HealthSign {
    let receivers = health.receivers;
    let (class, state) = match (receivers.active, receivers.paused + receivers.failing) {
        (0, _) => ("", "Sem uso"),
        (_, 0) => ("fine", "Em ordem"),
        _ => ("warn", "Atenção"),
    };
    let text = match receivers.active {
        0 => "Nenhum sistema está ligado para ser avisado das mudanças.".to_owned(),
        active => {
            let plural = if active == 1 { "sistema é avisado" } else { "sistemas são avisados" };
            let mut text = format!("{active} {plural} das mudanças");
            for (number, what) in [(receivers.paused, "em pausa"), (receivers.failing, "com falhas agora")] {
                if number > 0 {
                    text.push_str(&format!("; {number} {what}"));
                }
            }
            text + "."
        }
    };
    HealthSign { name: "Entrega de gatilhos", text, class, state, link: Some("/gatilhos") }
}

fn describe_mail(app: &App, health: &ServerHealth) -> HealthSign {
    let transport = mails::describe_mail_transport(&app.environment.mail);
    let mut text = format!("{}.", transport.title);
    if health.mails_waiting > 0 {
        text.push_str(&format!(" Na fila: {}.", health.mails_waiting));
    }
    if health.mails_failed > 0 {
        text.push_str(&format!(" Não saíram: {}.", health.mails_failed));
    }
    let is_fine = transport.is_fine && health.mails_failed == 0;
    let (class, state) = if is_fine { ("fine", "Em ordem") } else { ("warn", "Atenção") };
    HealthSign { name: "E-mail", text, class, state, link: Some("/emails") }
}

/// `1,5 GB`
fn format_decimal_size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = bytes / (unit / 10);
    match tenths / 10 {
        integer @ 0..100 => format!("{integer},{} {name}", tenths % 10),
        integer => format!("{} {name}", format_count(i64::try_from(integer).unwrap_or(i64::MAX))),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/sobre.html", |with| {
    let sign = || HealthSign {
        name: "Disco",
        text: with.text(),
        class: "fine",
        state: "Em ordem",
        link: Some("/x"),
    };
    let facts = with.list_of(|| ("Fato", with.text()));
    crate::template_tests::render_template(&ServerStatusPage {
        frame: with.frame(),
        facts,
        signs: with.list_of(sign),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_write_them() {
        assert_eq!(
            ["0,0 kB", "51,2 kB", "1,5 MB", "999 MB", "12,3 GB", "1.234 GB"],
            [0, 51_200, 1_500_000, 999_900_000, 12_345_678_901, 1_234_000_000_000].map(format_decimal_size)[..]
        );
    }
}
