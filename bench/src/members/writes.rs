//! `POST /ext/beneficio/veicular`: new benefits of members that are there, each with a plate of its own.

use super::base::{Base, Holder, Plate};
use super::load::{self, Requests};
use super::{Failure, Measured, by_hand};
use crate::executor::Log;
use crate::measure::{Goal, Rounds, Side};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use storage::DatabaseAddress;
use tokio::runtime::Runtime;

pub const NAME: &str = "creating benefits";

/// Of the same inserts by hand, in percent.
const OF_INSERTS: f64 = 50.0;

pub fn measure(measured: &Measured<'_>, rounds: &mut Rounds) -> Result<(), Failure> {
    let base = measured.base;
    let fresh = Rc::new(RefCell::new(Fresh::new(base)));
    let goal = |engine, baseline| Goal { name: NAME, engine, baseline, target: Some(OF_INSERTS) };
    let ours = create(measured.load, &measured.server.address, &measured.users[0].token, &fresh);
    let source = || by_hand::Units { tenant: base.tenant, fresh: Rc::clone(&fresh) };
    let baselines = match &base.address {
        DatabaseAddress::Sqlite(path) => vec![
            (goal("sqlite", "32 by hand, one thread"), by_hand::sqlite(path, Log::Inline, source())?),
            (goal("sqlite", "the same, log moved back aside"), by_hand::sqlite(path, Log::Aside, source())?),
        ],
        DatabaseAddress::Postgres(config) => vec![(
            goal("postgres", "32 by hand, one connection"),
            by_hand::postgres(measured.load, config, source())?,
        )],
    };
    rounds.compare(ours, baselines);
    Ok(())
}

/// Plates that no vehicle has, each with somebody who gets it.
pub struct Fresh {
    taken: HashSet<Plate>,
    holders: Arc<[Holder]>,
    number: usize,
}

/// Plates there are, and a step that leads to each of them once: it shares no factor with their number.
const SPACE: usize = 26 * 26 * 26 * 26 * 1000;
const STEP: usize = 61_803_399;

impl Fresh {
    fn new(base: &Base) -> Fresh {
        Fresh { taken: base.taken.clone(), holders: Arc::clone(&base.holders), number: 0 }
    }

    pub fn draw(&mut self) -> (String, &Holder) {
        loop {
            self.number += 1;
            let plate = plate(self.number.wrapping_mul(STEP) % SPACE);
            if !self.taken.contains(&plate) {
                let holder = &self.holders[self.number % self.holders.len()];
                return (String::from_utf8_lossy(&plate).into_owned(), holder);
            }
        }
    }
}

fn plate(number: usize) -> Plate {
    let digit = |by: usize| b'0' + (number / by % 10) as u8;
    let letter = |by: usize| b'A' + (number / by % 26) as u8;
    let letters = 1000;
    [
        letter(letters),
        letter(letters * 26),
        letter(letters * 676),
        digit(1),
        letter(letters * 17_576),
        digit(10),
        digit(100),
    ]
}

struct Creations {
    token: String,
    fresh: Rc<RefCell<Fresh>>,
    text: Vec<u8>,
}

impl Requests for Creations {
    fn next(&mut self) -> &[u8] {
        let mut fresh = self.fresh.borrow_mut();
        let (plate, holder) = fresh.draw();
        let (token, body) = (&self.token, body(&plate, holder));
        self.text = format!(
            "POST /ext/beneficio/veicular HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes();
        &self.text
    }
}

/// The plan and the field are the demonstration's; `by_hand.rs` writes the same.
fn body(plate: &str, holder: &Holder) -> String {
    format!(
        "{{\"codPlano\":1,\"codLoja\":{},\"cpfCnpj\":\"{}\",\"ativo\":true,\"diaVencimento\":10,\
         \"dataAdesao\":\"14/11/2026\",\"dadosAdicionais\":[{{\"codCampo\":5,\"valor\":\"Particular\"}}],\
         \"placa\":\"{plate}\",\"chassi\":\"9ZZBENCH{plate}\",\"renavam\":\"01234567890\",\"marca\":\"FIAT\",\
         \"modelo\":\"ARGO 1.0\",\"anoFabricacao\":2025,\"anoModelo\":2026,\"cor\":\"Prata\",\"combustivel\":\"FLEX\",\
         \"categoria\":\"LEVE\",\"codTipoVeiculo\":1,\"numeroPortas\":4,\"valorVeiculo\":78500,\
         \"valorProtegido\":75000.5,\"valorParticipacao\":3000,\"codigoFipe\":\"001509-1\"}}",
        holder.branch,
        holder.document.as_str()
    )
}

fn create<'s>(runtime: &'s Runtime, address: &str, token: &str, fresh: &Rc<RefCell<Fresh>>) -> Side<'s> {
    let (address, token, fresh) = (address.to_owned(), token.to_owned(), Rc::clone(fresh));
    Box::new(move |span| {
        load::run(runtime, &address, span, |_| Creations {
            token: token.clone(),
            fresh: Rc::clone(&fresh),
            text: Vec::new(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_plate_of_its_own() {
        let drawn: HashSet<Plate> = (0..100_000).map(|number| plate(number * STEP % SPACE)).collect();
        assert_eq!(drawn.len(), 100_000);
        for plate in drawn {
            let text = String::from_utf8(plate.to_vec()).unwrap();
            assert_eq!(domain::parse_plate_key(&text), Some(text));
        }
    }
}
