//! Collects references to register records that do not exist here yet.

use crate::lenient::{read_code, read_items, read_money, read_text};
use crate::lists::{RegisterFields, read_choice, read_colour, read_name};
use crate::titles::{choose_type_name, find_title_type, read_launch_kind, read_type_name};
use app::register_snapshot::TenantRegisters;
use domain::{
    BenefitKind, BranchCode, Entity, Money, PlanCode, SellerCode, SituationKind, TitleTypeCode,
    VehicleCategory, fold_text,
};
use exchange::mirror_store::MirroredRegisterRecord;
use registers::FieldContent;
use serde_json::Value as Json;
use std::collections::BTreeMap;

pub struct UnregisteredReferences<'r> {
    registers: &'r TenantRegisters,
    records: BTreeMap<(&'static str, String), MirroredRegisterRecord>,
}

impl<'r> UnregisteredReferences<'r> {
    pub fn new(registers: &'r TenantRegisters) -> UnregisteredReferences<'r> {
        UnregisteredReferences { registers, records: BTreeMap::new() }
    }

    pub fn into_records(self) -> Vec<MirroredRegisterRecord> {
        // Records that others refer to come first.
        let order = |one: &MirroredRegisterRecord| {
            ["loja", "funil"].iter().position(|path| *path == one.path).unwrap_or(9)
        };
        let mut all: Vec<MirroredRegisterRecord> = self.records.into_values().collect();
        all.sort_by_key(order);
        all
    }

    fn add(&mut self, path: &'static str, code: Option<i32>, values: RegisterFields, active: bool) {
        let key = match code {
            Some(code) => code.to_string(),
            None => format!("{:?}", values.first()),
        };
        let one = MirroredRegisterRecord { path, code, values, active, only_new: true };
        self.records.entry((path, key)).or_insert(one);
    }

    /// From a row of the search or of the benefit list.
    pub fn collect_from_benefit(&mut self, json: &Json) {
        self.collect_branch(json);
        let kind = read_choice::<BenefitKind>(&json["tipoBeneficio"]);
        self.collect_seller(json, ("codConsultor", "nomeConsultor"), 1);
        self.collect_seller(json, ("codRepresentante", "nomeRepresentante"), 2);
        self.collect_plans(&json["planos"], kind);
        self.collect_situation(json, Entity::Benefit);
        for field in read_items(&json["dadosAdicionais"]) {
            let Some(code) = read_code(&field["codCampo"]) else { continue };
            if !self.registers.fields.iter().any(|one| one.code.get() == code) {
                let kind = kind.unwrap_or(BenefitKind::Miscellaneous);
                let values = vec![
                    ("nome", read_name(field, "nome")),
                    ("tipoBeneficio", FieldContent::Number(kind.number())),
                    ("tipo", FieldContent::Number(1)),
                ];
                self.add("campoAdicional", Some(code), values, false);
            }
        }
        self.collect_vehicle_type(&json["veiculo"]);
    }

    pub fn collect_branch(&mut self, json: &Json) {
        let Some(code) = read_code(&json["codLoja"]) else { return };
        if !self.registers.branches.iter().any(|one| one.code == BranchCode::new(code)) {
            self.add("loja", Some(code), vec![("nome", read_name(json, "nomeLoja"))], false);
        }
    }

    fn collect_seller(&mut self, json: &Json, (code_field, name_field): (&str, &str), kind: i64) {
        let Some(code) = read_code(&json[code_field]) else { return };
        if self.registers.sellers.contains_key(&SellerCode::new(code)) {
            return;
        }
        let mut values = vec![("nome", read_name(json, name_field)), ("tipo", FieldContent::Number(kind))];
        let branch = read_code(&json["codLoja"]);
        values.extend(branch.map(|branch| ("codLoja", FieldContent::Number(branch.into()))));
        self.add("vendedor", Some(code), values, false);
    }

    /// Plans that are no longer sold, and the first price seen of a plan without one.
    pub fn collect_plans(&mut self, json: &Json, kind: Option<BenefitKind>) {
        for plan in read_items(json) {
            let Some(code) = read_code(&plan["codPlano"]) else { continue };
            let price = read_money(&plan["valor"]).filter(|price| *price > Money::default());
            match (self.registers.plan(PlanCode::new(code)), price) {
                (None, _) => {
                    let kind = kind.unwrap_or(BenefitKind::Miscellaneous);
                    let mut values = vec![
                        ("nome", read_name(plan, "nome")),
                        ("tipoBeneficio", FieldContent::Number(kind.number())),
                    ];
                    values.extend(price.map(|price| ("valor", FieldContent::Money(price))));
                    self.add("plano", Some(code), values, false);
                }
                (Some(known), Some(price)) if known.price == Money::default() => {
                    self.reprice(code, known.active, price);
                }
                _ => {}
            }
        }
    }

    /// Sets the price of a known plan; the first call for a plan wins.
    pub fn reprice(&mut self, code: i32, active: bool, price: Money) {
        let values = vec![("valor", FieldContent::Money(price))];
        let one = MirroredRegisterRecord { path: "plano", code: Some(code), values, active, only_new: false };
        self.records.entry(("plano", format!("{code} valor"))).or_insert(one);
    }

    pub fn collect_item(&mut self, json: &Json) {
        let Some(code) = read_code(&json["codPlano"]) else { return };
        let kind = read_choice::<BenefitKind>(&json["tipoBeneficio"]);
        match (self.registers.plan(PlanCode::new(code)), kind) {
            (None, _) => self.collect_plans(json, kind),
            (Some(known), Some(kind)) if known.kind != kind => {
                let values = vec![("tipoBeneficio", FieldContent::Number(kind.number()))];
                let active = known.active;
                let one = MirroredRegisterRecord {
                    path: "plano",
                    code: Some(code),
                    values,
                    active,
                    only_new: false,
                };
                self.records.entry(("plano", format!("{code} tipo"))).or_insert(one);
            }
            _ => {}
        }
    }

    pub fn collect_situation(&mut self, json: &Json, entity: Entity) {
        let Some(situation_name) = read_text(&json["situacao"]) else { return };
        if self.registers.find_situation_by_name(entity, &situation_name).is_some() {
            return;
        }
        let entity_kinds = entity.situation_kinds();
        let kind =
            read_choice::<SituationKind>(&json["tipoSituacao"]).filter(|kind| entity_kinds.contains(kind));
        let otherwise =
            if entity == Entity::Benefit { SituationKind::Pending } else { SituationKind::Progress };
        let mut values = vec![
            ("nome", read_name(json, "situacao")),
            ("entidade", FieldContent::Number(entity.number())),
            ("tipo", FieldContent::Number(kind.unwrap_or(otherwise).number())),
        ];
        values.extend(read_colour(json).map(|colour| ("corDestaque", colour)));
        self.add("situacao", None, values, entity != Entity::Benefit);
    }

    pub fn collect_vehicle_type(&mut self, json: &Json) {
        let Some(type_name) = read_text(&json["tipoVeiculo"]) else { return };
        let folded = fold_text(&type_name);
        if self.registers.vehicle_types.iter().any(|one| fold_text(&one.name) == folded) {
            return;
        }
        let category = read_choice::<VehicleCategory>(&json["categoria"]).unwrap_or(VehicleCategory::Other);
        let values = vec![
            ("nome", read_name(json, "tipoVeiculo")),
            ("categoria", FieldContent::Number(category.number())),
        ];
        self.add("tipoVeiculo", None, values, false);
    }

    pub fn collect_supplier(&mut self, json: &Json, known: &[i32]) {
        let Some(code) = read_code(&json["codFornecedor"]) else { return };
        if !known.contains(&code) {
            self.add("fornecedor", Some(code), vec![("nome", read_name(json, "nomeFornecedor"))], false);
        }
    }

    /// From a claim: its type, branch and situation.
    pub fn collect_from_claim(&mut self, json: &Json) {
        self.collect_situation(json, Entity::Claim);
        self.collect_branch(&json["associado"]);
        self.collect_branch(&json["condutor"]);
        self.collect_vehicle_type(&json["veiculo"]);
        let Some(type_name) = read_text(&json["tipoEvento"]) else { return };
        let folded = fold_text(&type_name);
        if !self.registers.claim_types.iter().any(|one| fold_text(&one.name) == folded) {
            self.add("tipoEvento", None, vec![("nome", read_name(json, "tipoEvento"))], true);
        }
    }

    /// From a title: its branch and type. A type whose code means another one here gets a code of this association.
    pub fn collect_from_title(&mut self, json: &Json) {
        self.collect_branch(json);
        let Some(kind) = read_launch_kind(json) else { return };
        if find_title_type(json, self.registers).is_some() {
            return;
        }
        let money = &self.registers.money;
        let Some(alike) = money.title_types.iter().find(|one| one.launch_kind == kind) else { return };
        let code = read_code(&json["codTipoTitulo"]).filter(|_| read_type_name(json).is_some());
        let code = code.filter(|code| money.title_type(TitleTypeCode::new(*code)).is_none());
        let mut values = vec![
            ("nome", FieldContent::Text(choose_type_name(json, kind))),
            ("tipoLancamento", FieldContent::Number(kind.number())),
            ("codItemCobranca", FieldContent::Number(alike.charge_item.get().into())),
        ];
        let rule = alike.late_charge_rule.map(|rule| FieldContent::Number(rule.get().into()));
        values.extend(rule.map(|rule| ("codRegraEncargos", rule)));
        self.add("tipoTitulo", code, values, true);
    }

    /// From a deal: its branch, funnel and stage.
    pub fn collect_from_deal(&mut self, json: &Json) {
        self.collect_branch(json);
        self.collect_branch(&json["lead"]);
        self.collect_vehicle_type(&json["veiculo"]);
        let Some(funnel) = read_code(&json["codFunil"]) else { return };
        if !self.registers.funnels.iter().any(|one| one.code.get() == funnel) {
            self.add("funil", Some(funnel), vec![("nome", read_name(json, "nomeFunil"))], false);
        }
        let stages = std::iter::once(json).chain(read_items(&json["historico"]));
        for stage in stages {
            let Some(stage_code) = read_code(&stage["codEtapa"]) else { continue };
            if self.registers.stage(domain::StageCode::new(stage_code)).is_none() {
                let values = vec![
                    ("nome", read_name(stage, "nomeEtapa")),
                    ("codFunil", FieldContent::Number(funnel.into())),
                ];
                self.add("etapa", Some(stage_code), values, false);
            }
        }
    }
}
