//! Sheets that are brought in, tried and taken back.

use super::script::{HERE, Script, plainly};
use app::session::Session;
use domain::{Cpf, ImportKind};
use exchange::import::{self, ImportCaller};

impl Script<'_> {
    pub async fn import(&self, caller: &Session) {
        let by = ImportCaller::from_session(caller);
        let cpf =
            |number: u8| Cpf::with_check_digits([9, 9, 9, 8, 7, 6, 5, number / 10, number % 10]).unwrap();
        let lines = |line: &dyn Fn(u8) -> String| (1..=40).map(line).collect::<String>();
        let members = lines(&|number| format!("{};Pessoa {number};2\n", cpf(number)));
        let vehicles = lines(&|number| format!("{};QZX{number:04};{}\n", cpf(number), self.sample.plan));
        let leads = lines(&|number| format!("Lead {number};119{number:08}\n"));
        let prices = lines(&|number| {
            format!("{};01/12/2026;{number}000,01;{}000,00;10\n", self.sample.plan, u16::from(number) + 1)
        });
        for (what, kind, text) in [
            ("members", ImportKind::Members, format!("CPF;Nome;Loja\n{members}")),
            ("vehicles", ImportKind::Vehicles, format!("CPF;Placa;Plano\n{vehicles}")),
            ("leads", ImportKind::Leads, format!("Nome;Telefone\n{leads}")),
            ("prices", ImportKind::PlanPrices, format!("Plano;Vale desde;De;Até;Preço\n{prices}")),
        ] {
            self.recorder.begin(&format!("{what} are received"));
            let mut spool = import::create_upload_spool(1024 * 1024).unwrap();
            spool.write(text.as_bytes()).unwrap();
            let import = import::receive_upload(
                self.app,
                &by,
                kind,
                "a.csv",
                spool,
                app::idempotency::IdempotentWrite::without_key(),
            )
            .await
            .unwrap()
            .into_fresh()
            .unwrap();
            self.recorder.begin(&format!("{what} are tried"));
            import::start_dry_run(self.app, &by, import.code, plainly()).await.unwrap();
            import::run_import(self.app, HERE, import.code, &mut |_| {}).await.unwrap();
            self.recorder.begin(&format!("{what} are imported"));
            import::start_import(self.app, &by, import.code, false, plainly()).await.unwrap();
            import::run_import(self.app, HERE, import.code, &mut |_| {}).await.unwrap();
            let done = import::load_import(self.app, &by, import.code).await.unwrap();
            assert!(done.counts.processed_lines() == 40, "{:?}", done.counts);
            if kind != ImportKind::Members {
                self.recorder.begin(&format!("{what} are taken back"));
                import::undo_import(self.app, &by, import.code, plainly()).await.unwrap();
                import::run_import(self.app, HERE, import.code, &mut |_| {}).await.unwrap();
            }
            self.recorder.begin(&format!("what is told of imported {what}"));
            import::list_imports(self.app, &by, (100, 0)).await.unwrap();
            import::list_import_problems(self.app, &by, import.code, (0, 100)).await.unwrap();
            import::list_kept_rows(self.app, &by, import.code, (0, 100)).await.unwrap();
            import::open_error_file(self.app, &by, &done).await.unwrap();
        }
    }
}
