//! What the two associations of the world registered: the same codes for other things. What is active here is inactive
//! there, a vehicle plan here is a health plan there, and the last code of each register exists there alone.

use domain::BenefitKind::{self, Assistance, Consortium, Health, Miscellaneous, Vehicle};
use domain::FieldKind::{self, Boolean, Date, List, Number, Text};
use domain::VehicleCategory::{self, Bus, Light, Motorcycle, Other, Truck};
use domain::{
    ClaimTypeCode, Colour, DisplayName, Document, FieldCode, FunnelCode, InputField, Moment, Money, Phone,
    PlanCode, PostalAddress, SupplierCode, TenantId, VehicleTypeCode,
};
use storage::registers::additional_fields::NewAdditionalFieldRow;
use storage::registers::claim_types;
use storage::registers::plans::NewPlanRow;
use storage::registers::suppliers::NewSupplierRow;
use storage::registers::vehicle_types::NewVehicleTypeRow;
use storage::registers::{additional_fields, due_days, funnels, plans, suppliers, vehicle_types};
use storage::server::counters::{self, Counter};
use storage::server::versions;
use storage::{Error, Tx, sql};

/// The codes of each register count from 1 in the order written here.
pub struct Registers {
    pub branches: [&'static str; 3],
    /// What the name of every seller begins with.
    pub sellers: &'static str,
    /// Name, what it protects, price in cents.
    plans: &'static [(&'static str, BenefitKind, i64)],
    vehicle_types: &'static [(&'static str, VehicleCategory)],
    due_days: &'static [i32],
    claim_types: &'static [&'static str],
    fields: &'static [OneField],
    /// Name and document. Of the second nothing else is known.
    suppliers: &'static [(&'static str, &'static str)],
    /// Behind the one that every association is born with, whose name and stages get this ending.
    funnels: &'static [(&'static str, &'static [&'static str])],
    born_ending: &'static str,
    /// No longer used: a plan, a type of vehicle, an additional field, a funnel, a stage, a supplier.
    inactive: [i32; 6],
}

struct OneField {
    name: &'static str,
    benefit: BenefitKind,
    kind: FieldKind,
    required: bool,
    longest: Option<i32>,
    options: &'static [&'static str],
}

const fn field(name: &'static str, benefit: BenefitKind, kind: FieldKind) -> OneField {
    OneField { name, benefit, kind, required: false, longest: None, options: &[] }
}

const fn text(name: &'static str, benefit: BenefitKind, longest: i32) -> OneField {
    OneField { longest: Some(longest), ..field(name, benefit, Text) }
}

const fn list(name: &'static str, benefit: BenefitKind, options: &'static [&'static str]) -> OneField {
    OneField { options, ..field(name, benefit, List) }
}

const fn required(field: OneField) -> OneField {
    OneField { required: true, ..field }
}

pub const HERE: Registers = Registers {
    branches: ["Matriz", "Filial Norte", "Filial Sul"],
    sellers: "Vendas",
    plans: &[
        ("Proteção Ouro", Vehicle, 15_055),
        ("Saúde Família", Health, 29_900),
        ("Clube de Descontos", Miscellaneous, 1_990),
        ("Consórcio 60 meses", Consortium, 98_000),
        ("Assistência Nacional", Assistance, 2_950),
        ("Proteção Prata", Vehicle, 8_990),
        ("Proteção Antiga", Vehicle, 5_000),
    ],
    vehicle_types: &[("Automóvel de passeio", Light), ("Carroça", Other)],
    due_days: &[5, 10, 15, 20, 25, 30],
    claim_types: &["Colisão", "Roubo"],
    fields: &[
        text("Apelido", Vehicle, 10),
        field("Quilometragem", Vehicle, Number),
        field("Última vistoria", Vehicle, Date),
        field("Possui rastreador", Vehicle, Boolean),
        required(list("Uso do veículo", Vehicle, &["Particular", "Trabalho"])),
        text("Médico de confiança", Health, 80),
        list("Acomodação", Health, &["Enfermaria", "Apartamento"]),
        text("Campo antigo", Vehicle, 10),
    ],
    suppliers: &[("Oficina Boa Rota Ltda", "11.222.333/0001-81"), ("José do Guincho", "529.982.247-25")],
    funnels: &[("Empresas", &["Visita", "Contrato", "Arquivo"]), ("Antigo", &["Parado"])],
    born_ending: "",
    inactive: [7, 2, 8, 3, 8, 2],
};

pub const THERE: Registers = Registers {
    branches: ["Matriz Ali", "Filial Ali", "Posto Ali"],
    sellers: "Vendas Ali",
    plans: &[
        ("Saúde Ali", Health, 11_100),
        ("Carro Ali", Vehicle, 22_200),
        ("Socorro Ali", Assistance, 33_300),
        ("Clube Ali", Miscellaneous, 44_400),
        ("Cotas Ali", Consortium, 55_500),
        ("Dente Ali", Health, 66_600),
        ("Moto Ali", Vehicle, 77_700),
        ("Van Ali", Vehicle, 88_800),
    ],
    vehicle_types: &[("Caminhão Ali", Truck), ("Moto Ali", Motorcycle), ("Ônibus Ali", Bus)],
    due_days: &[5, 10, 15, 20, 25, 28, 30],
    claim_types: &["Consulta Ali", "Exame Ali", "Cirurgia Ali"],
    fields: &[
        list("Acomodação Ali", Health, &["Quarto Ali"]),
        text("Apelido Ali", Health, 3),
        field("Quilometragem Ali", Health, Number),
        field("Vistoria Ali", Health, Date),
        field("Rastreador Ali", Health, Boolean),
        list("Uso Ali", Vehicle, &["Frete Ali"]),
        text("Médico Ali", Vehicle, 5),
        text("Campo Ali", Vehicle, 10),
        text("Campo só Ali", Vehicle, 10),
    ],
    suppliers: &[
        ("Oficina Ali Ltda", "12.ABC.345/01DE-35"),
        ("Guincho Ali ME", "111.444.777-35"),
        ("Clínica Ali S.A.", "11.222.333/0001-81"),
    ],
    funnels: &[
        ("Frotas Ali", &["Visita Ali", "Contrato Ali", "Arquivo Ali"]),
        ("Novo Ali", &["Parado Ali"]),
        ("Só Ali", &["Etapa só Ali"]),
    ],
    born_ending: " Ali",
    inactive: [6, 1, 7, 2, 2, 1],
};

impl Registers {
    pub async fn write(&self, tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
        let all: Vec<_> = (1..).zip(self.plans).map(|(code, plan)| new_plan(code, plan)).collect();
        plans::insert_plans(tx, tenant, &all, now).await?;
        let all: Vec<_> =
            (1..).zip(self.vehicle_types).map(|(code, one)| new_vehicle_type(code, one)).collect();
        vehicle_types::insert_vehicle_types(tx, tenant, &all, now).await?;
        due_days::insert_due_days(tx, tenant, self.due_days, now).await?;
        let all: Vec<_> = (1..).zip(self.fields).map(|(code, field)| new_field(code, field)).collect();
        additional_fields::insert_additional_fields(tx, tenant, &all, now).await?;
        self.forget_born(tx, tenant).await?;
        let all = (1..).zip(self.claim_types).map(|(code, kind)| (ClaimTypeCode::new(code), name(kind)));
        claim_types::insert_claim_types(tx, tenant, &all.collect::<Vec<_>>(), now).await?;
        let all: Vec<_> = (1..).zip(self.suppliers).map(|(code, one)| new_supplier(code, one)).collect();
        suppliers::insert_suppliers(tx, tenant, &all, now).await?;
        // Whoever adds one more gets the next code.
        for (counter, count) in [
            (Counter::Plan, self.plans.len()),
            (Counter::VehicleType, self.vehicle_types.len()),
            (Counter::Field, self.fields.len()),
            (Counter::ClaimType, self.claim_types.len()),
            (Counter::Supplier, self.suppliers.len()),
        ] {
            counters::reserve_numbers(tx, tenant, counter, i32::try_from(count).unwrap()).await?;
        }
        self.write_funnels(tx, tenant, now).await?;
        let tables = ["plans", "vehicle_types", "additional_fields", "funnels", "stages", "suppliers"];
        for (table, code) in tables.into_iter().zip(self.inactive) {
            let left = sql("UPDATE").append_text(&format!(
                "{table} SET active = FALSE WHERE tenant = {tenant} AND code = {code}"
            ));
            assert_eq!(tx.execute(left).await?, 1);
        }
        versions::raise_registers_version(tx, tenant).await.map(drop)
    }

    /// Types of claims are the world's own; those of inspections and tickets get the ending of everything there.
    async fn forget_born(&self, tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
        tx.execute(sql("DELETE FROM claim_types WHERE tenant = $1").arg(tenant)).await?;
        tx.execute(sql("DELETE FROM counters WHERE tenant = $1 AND kind = 'claim_type'").arg(tenant)).await?;
        for table in ["inspection_types", "ticket_types"] {
            let text = format!("{table} SET name = name || '{}' WHERE tenant = {tenant}", self.born_ending);
            tx.execute(sql("UPDATE").append_text(&text)).await?;
        }
        Ok(())
    }

    async fn write_funnels(&self, tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
        for table in ["funnels", "stages"] {
            let text = format!("{table} SET name = name || '{}' WHERE tenant = {tenant}", self.born_ending);
            tx.execute(sql("UPDATE").append_text(&text)).await?;
        }
        for (name, stages) in self.funnels {
            let count = i32::try_from(stages.len()).unwrap();
            let wanted = [(Counter::Funnel, 1), (Counter::Stage, count)];
            let [funnel, stage] = counters::reserve_number_blocks(tx, tenant, wanted).await?;
            let stages: Vec<_> = stages.iter().map(|name| (*name, Colour::from_rgb(0x1A_73E8))).collect();
            let all = funnels::insert_funnel(tenant, FunnelCode::new(funnel), name, (stage, &stages), now);
            tx.execute_batch(all).await?;
        }
        Ok(())
    }
}

fn name(text: &str) -> DisplayName {
    DisplayName::parse(InputField::Name, text).unwrap()
}

fn new_plan(code: i32, (plan, kind, price): &(&str, BenefitKind, i64)) -> NewPlanRow {
    NewPlanRow {
        code: PlanCode::new(code),
        name: name(plan),
        kind: *kind,
        price: Money::from_cents(*price).unwrap(),
    }
}

fn new_vehicle_type(code: i32, (kind, category): &(&str, VehicleCategory)) -> NewVehicleTypeRow {
    NewVehicleTypeRow { code: VehicleTypeCode::new(code), name: name(kind), category: *category }
}

fn new_field(code: i32, field: &OneField) -> NewAdditionalFieldRow {
    NewAdditionalFieldRow {
        code: FieldCode::new(code),
        benefit_kind: field.benefit,
        name: name(field.name),
        kind: field.kind,
        required: field.required,
        longest: field.longest,
        options: field.options.iter().map(|&option| option.to_owned()).collect(),
    }
}

fn new_supplier(code: i32, (own, document): &(&str, &str)) -> NewSupplierRow {
    let is_known = code != 2;
    let known = |text: &str| is_known.then(|| text.to_owned());
    NewSupplierRow {
        code: SupplierCode::new(code),
        name: name(own),
        trade_name: known("Boa Rota"),
        document: Some(Document::parse(document).unwrap()),
        state_registration: known("110042490114"),
        email: known("contato@fornecedor.example").map(|text| domain::Email::parse(&text).unwrap()),
        mobile: known("11987654321").map(|text| Phone::parse(&text).unwrap()),
        landline: known("1133334444").map(|text| Phone::parse(&text).unwrap()),
        kind: known("Oficina"),
        address: PostalAddress {
            kind: None,
            street_kind: known("Avenida"),
            street: known("Paulista"),
            number: known("1578"),
            complement: known("Loja 2"),
            district: known("Bela Vista"),
            city: known("São Paulo"),
            state: known("SP"),
            cep: known("01310100").map(|text| domain::Cep::parse(&text).unwrap()),
        },
    }
}
