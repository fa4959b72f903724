//! Every register, by its description: listed, read, added to and changed.

use super::script::{Script, now, pairs, plainly};
use ::registers::{REGISTERS, Register};
use app::registers::{self, StoredRecord};
use app::session::Session;
use serde_json::{Value, json};
use wire::register::{read_list_query, read_record_body};

impl Script<'_> {
    /// What is read of registers.
    pub async fn read_registers(&self, who: &str, caller: &Session) {
        for register in REGISTERS {
            let by = match register.path {
                "instalacao" => format!("codBeneficio={}", self.sample.sequence),
                "cartaoCredito" => format!("codPessoa={}", self.sample.person),
                _ => "tudo=".to_owned(),
            };
            let page = async |which: &str, more: &str| {
                self.recorder.begin(&format!("register {} / {which} / {who}", register.path));
                let asked = read_list_query(register, pairs(&format!("{by}&{more}"))).unwrap();
                registers::list_records(self.app, caller, register, asked).await.unwrap()
            };
            let total = page("page 1", "pagina=1").await.total;
            page("in use", "ativo=true").await;
            page("words", "filtro=SN0000").await;
            let last = (total + 99) / 100;
            if last > 1 {
                page("last page", &format!("pagina={last}")).await;
            }
        }
        self.recorder.begin(&format!("registers are counted / {who}"));
        registers::count_records(self.app, caller).await.unwrap();
        for register in REGISTERS {
            self.recorder.begin(&format!("register {} / choices / {who}", register.path));
            registers::list_choices(self.app, caller, register).await.unwrap();
        }
        let tracker = ::registers::find_register("rastreador").unwrap();
        self.recorder.begin(&format!("register rastreador / an imei / {who}"));
        let by = read_list_query(tracker, pairs("filtro=001234567890")).unwrap();
        registers::list_records(self.app, caller, tracker, by).await.unwrap();
        self.recorder.begin(&format!("register instalacao / a tracker / {who}"));
        let installation = ::registers::find_register("instalacao").unwrap();
        let by = read_list_query(installation, pairs("codRastreador=7")).unwrap();
        registers::list_records(self.app, caller, installation, by).await.unwrap();
    }

    /// What is written of registers.
    pub async fn write_registers(&self, caller: &Session) {
        let mut tracker = 0;
        for register in REGISTERS {
            let body = self.example(register, tracker);
            self.recorder.begin(&format!("register {} / added", register.path));
            let added = registers::create_record(
                self.app,
                caller,
                register,
                read_record_body(register, body.to_string().as_bytes()).unwrap(),
                plainly(),
            );
            let StoredRecord { code, version, .. } = now(added.await).record;
            if register.path == "rastreador" {
                tracker = code;
            }
            self.recorder.begin(&format!("register {} / read", register.path));
            registers::read_record(self.app, caller, register, code).await.unwrap();
            self.recorder.begin(&format!("register {} / changed", register.path));
            let change = json!({"versao": version, "ativo": false}).to_string();
            let change = (code, read_record_body(register, change.as_bytes()).unwrap());
            let retired =
                now(registers::change_record(self.app, caller, register, change, plainly()).await).record;
            let change = json!({"versao": retired.version, "ativo": true}).to_string();
            let change = (code, read_record_body(register, change.as_bytes()).unwrap());
            now(registers::change_record(self.app, caller, register, change, plainly()).await);
        }
    }

    /// The record that the examples make, with what is there in a demonstration.
    fn example(&self, register: &Register, tracker: i32) -> Value {
        let mut body = json!({});
        for field in register.fields.iter().filter(|field| field.is_input()) {
            body[field.name] = serde_json::from_str(field.example).unwrap();
        }
        for (name, value) in [
            ("codBeneficio", self.sample.sequence),
            ("codPessoa", self.sample.person),
            ("codRastreador", tracker.into()),
            ("codEspecialidade", 1),
            ("codClinica", 1),
        ] {
            if body.get(name).is_some() {
                body[name] = json!(value);
            }
        }
        if register.counter.is_none() {
            body[register.code] = json!(register.example);
        }
        body
    }
}
