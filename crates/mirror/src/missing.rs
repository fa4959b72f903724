//! What records name that is not registered here yet.

use crate::lenient::{code, items, money, text};
use crate::lists::{Fields, colour, member, name};
use app::base::Registers;
use app::mirroring::Wanted;
use domain::{BenefitKind, BranchCode, Entity, PlanCode, SellerCode, SituationKind, VehicleCategory, fold};
use registers::Value;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What records name that is not registered here yet.
pub struct Missing<'r> {
    registers: &'r Registers,
    found: BTreeMap<(&'static str, String), Wanted>,
}

impl<'r> Missing<'r> {
    pub fn new(registers: &'r Registers) -> Missing<'r> {
        Missing { registers, found: BTreeMap::new() }
    }

    pub fn into_wanted(self) -> Vec<Wanted> {
        // What others need comes first.
        let order = |one: &Wanted| ["loja", "funil"].iter().position(|path| *path == one.path).unwrap_or(9);
        let mut all: Vec<Wanted> = self.found.into_values().collect();
        all.sort_by_key(order);
        all
    }

    fn add(&mut self, path: &'static str, code: Option<i32>, values: Fields, active: bool) {
        let key = match code {
            Some(code) => code.to_string(),
            None => format!("{:?}", values.first()),
        };
        let one = Wanted { path, code, values, active, only_new: true };
        self.found.entry((path, key)).or_insert(one);
    }

    /// Of a row of the search or of the list of benefits.
    pub fn of_benefit(&mut self, json: &Json) {
        self.branch(json);
        let kind = member::<BenefitKind>(&json["tipoBeneficio"]);
        self.seller(json, ("codConsultor", "nomeConsultor"), 1);
        self.seller(json, ("codRepresentante", "nomeRepresentante"), 2);
        self.plans(&json["planos"], kind);
        self.situation(json, Entity::Benefit);
        for field in items(&json["dadosAdicionais"]) {
            let Some(code) = code(&field["codCampo"]) else { continue };
            if !self.registers.fields.iter().any(|one| one.code.get() == code) {
                let kind = kind.unwrap_or(BenefitKind::Miscellaneous);
                let values = vec![
                    ("nome", name(field, "nome")),
                    ("tipoBeneficio", Value::Number(kind.number())),
                    ("tipo", Value::Number(1)),
                ];
                self.add("campoAdicional", Some(code), values, false);
            }
        }
        self.vehicle(&json["veiculo"]);
    }

    pub fn branch(&mut self, json: &Json) {
        let Some(code) = code(&json["codLoja"]) else { return };
        if !self.registers.branches.iter().any(|one| one.code == BranchCode::new(code)) {
            self.add("loja", Some(code), vec![("nome", name(json, "nomeLoja"))], false);
        }
    }

    fn seller(&mut self, json: &Json, (of, called): (&str, &str), kind: i64) {
        let Some(code) = code(&json[of]) else { return };
        if self.registers.sellers.contains_key(&SellerCode::new(code)) {
            return;
        }
        let mut values = vec![("nome", name(json, called)), ("tipo", Value::Number(kind))];
        let branch = crate::lenient::code(&json["codLoja"]);
        values.extend(branch.map(|branch| ("codLoja", Value::Number(branch.into()))));
        self.add("vendedor", Some(code), values, false);
    }

    /// Plans that are not sold any more; and the first price that is seen of one whose price is not known.
    pub fn plans(&mut self, json: &Json, kind: Option<BenefitKind>) {
        for plan in items(json) {
            let Some(code) = code(&plan["codPlano"]) else { continue };
            let price = money(&plan["valor"]).filter(|price| *price > 0);
            match (self.registers.plan(PlanCode::new(code)), price) {
                (None, _) => {
                    let kind = kind.unwrap_or(BenefitKind::Miscellaneous);
                    let mut values =
                        vec![("nome", name(plan, "nome")), ("tipoBeneficio", Value::Number(kind.number()))];
                    values.extend(price.map(|price| ("valor", Value::Number(price))));
                    self.add("plano", Some(code), values, false);
                }
                (Some(known), Some(price)) if known.price == 0 => self.reprice(code, known.active, price),
                _ => {}
            }
        }
    }

    /// What a plan costs, and what it protects, where that is told.
    pub fn reprice(&mut self, code: i32, active: bool, price: i64) {
        let values = vec![("valor", Value::Number(price))];
        let one = Wanted { path: "plano", code: Some(code), values, active, only_new: false };
        self.found.entry(("plano", format!("{code} valor"))).or_insert(one);
    }

    pub fn item(&mut self, json: &Json) {
        let Some(code) = code(&json["codPlano"]) else { return };
        let kind = member::<BenefitKind>(&json["tipoBeneficio"]);
        match (self.registers.plan(PlanCode::new(code)), kind) {
            (None, _) => self.plans(json, kind),
            (Some(known), Some(kind)) if known.kind != kind => {
                let values = vec![("tipoBeneficio", Value::Number(kind.number()))];
                let active = known.active;
                let one = Wanted { path: "plano", code: Some(code), values, active, only_new: false };
                self.found.entry(("plano", format!("{code} tipo"))).or_insert(one);
            }
            _ => {}
        }
    }

    pub fn situation(&mut self, json: &Json, entity: Entity) {
        let Some(called) = text(&json["situacao"]) else { return };
        if self.registers.situation_named(entity, &called).is_some() {
            return;
        }
        let of_entity = entity.kinds();
        let kind = member::<SituationKind>(&json["tipoSituacao"]).filter(|kind| of_entity.contains(kind));
        let otherwise =
            if entity == Entity::Benefit { SituationKind::Pending } else { SituationKind::Progress };
        let mut values = vec![
            ("nome", name(json, "situacao")),
            ("entidade", Value::Number(entity.number())),
            ("tipo", Value::Number(kind.unwrap_or(otherwise).number())),
        ];
        values.extend(colour(json).map(|colour| ("corDestaque", colour)));
        self.add("situacao", None, values, entity != Entity::Benefit);
    }

    pub fn vehicle(&mut self, json: &Json) {
        let Some(called) = text(&json["tipoVeiculo"]) else { return };
        let folded = fold(&called);
        if self.registers.vehicle_types.iter().any(|one| fold(&one.name) == folded) {
            return;
        }
        let category = member::<VehicleCategory>(&json["categoria"]).unwrap_or(VehicleCategory::Other);
        let values =
            vec![("nome", name(json, "tipoVeiculo")), ("categoria", Value::Number(category.number()))];
        self.add("tipoVeiculo", None, values, false);
    }

    pub fn supplier(&mut self, json: &Json, known: &[i32]) {
        let Some(code) = code(&json["codFornecedor"]) else { return };
        if !known.contains(&code) {
            self.add("fornecedor", Some(code), vec![("nome", name(json, "nomeFornecedor"))], false);
        }
    }

    /// Of an event: its type, its branch, its situation.
    pub fn of_claim(&mut self, json: &Json) {
        self.situation(json, Entity::Claim);
        self.branch(&json["associado"]);
        self.branch(&json["condutor"]);
        self.vehicle(&json["veiculo"]);
        let Some(called) = text(&json["tipoEvento"]) else { return };
        let folded = fold(&called);
        if !self.registers.claim_types.iter().any(|one| fold(&one.name) == folded) {
            self.add("tipoEvento", None, vec![("nome", name(json, "tipoEvento"))], true);
        }
    }

    /// Of a deal: its branch, funnel and stage.
    pub fn of_deal(&mut self, json: &Json) {
        self.branch(json);
        self.branch(&json["lead"]);
        self.vehicle(&json["veiculo"]);
        let Some(funnel) = code(&json["codFunil"]) else { return };
        if !self.registers.funnels.iter().any(|one| one.code.get() == funnel) {
            self.add("funil", Some(funnel), vec![("nome", name(json, "nomeFunil"))], false);
        }
        let stages = std::iter::once(json).chain(items(&json["historico"]));
        for stage in stages {
            let Some(own) = code(&stage["codEtapa"]) else { continue };
            if self.registers.stage(domain::StageCode::new(own)).is_none() {
                let values =
                    vec![("nome", name(stage, "nomeEtapa")), ("codFunil", Value::Number(funnel.into()))];
                self.add("etapa", Some(own), values, false);
            }
        }
    }
}
