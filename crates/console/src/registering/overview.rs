//! What there is to register, and what each is for.

use super::all_of;
use crate::frame::Frame;
use crate::page::show;
use crate::show::count;
use crate::visitor::Guest;
use app::registering::{self, COUNTED};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;

pub struct Place {
    path: &'static str,
    name: String,
    about: &'static str,
    count: String,
}

#[derive(Template)]
#[template(path = "console/cadastros.html")]
struct Overview {
    frame: Frame,
    sections: Vec<(&'static str, Vec<Place>)>,
}

pub async fn page(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, made(&app, &guest).await)
}

async fn made(app: &App, guest: &Guest) -> Result<Overview, Error> {
    let frame = Frame::of(app, guest, "cadastros").await?;
    let mut sections: Vec<(&'static str, Vec<Place>)> = Vec::new();
    for (register, number) in registering::counts(app, guest.session()).await? {
        let place = Place {
            path: register.path,
            name: all_of(register),
            about: register.about,
            count: match number {
                None => String::new(),
                Some(many) if many > COUNTED => format!("mais de {}", count(COUNTED)),
                Some(number) => count(number),
            },
        };
        match sections.last_mut().filter(|(section, _)| *section == register.section) {
            Some((_, places)) => places.push(place),
            None => sections.push((register.section, vec![place])),
        }
    }
    Ok(Overview { frame, sections })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/cadastros.html", |with| {
    let place = || Place { path: "plano", name: with.text(), about: "O que se oferece.", count: with.text() };
    crate::rendered::text(&Overview {
        frame: with.frame(),
        sections: with.many(|| ("Vendas", with.many(place))),
    })
})];
