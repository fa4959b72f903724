//! Sheets that are brought in, tried and taken back.

use super::script::{HERE, Script, plainly};
use app::access::Session;
use app::importing::{self, By};
use domain::{Cpf, ImportKind};

impl Script<'_> {
    pub async fn import(&self, caller: &Session) {
        let by = By::of(caller);
        let cpf =
            |number: u8| Cpf::with_check_digits([9, 9, 9, 8, 7, 6, 5, number / 10, number % 10]).unwrap();
        let lines = |line: &dyn Fn(u8) -> String| (1..=40).map(line).collect::<String>();
        let members = lines(&|number| format!("{};Pessoa {number};2\n", cpf(number)));
        let vehicles = lines(&|number| format!("{};QZX{number:04};{}\n", cpf(number), self.sample.plan));
        let leads = lines(&|number| format!("Lead {number};119{number:08}\n"));
        for (what, kind, text) in [
            ("members", ImportKind::Members, format!("CPF;Nome;Loja\n{members}")),
            ("vehicles", ImportKind::Vehicles, format!("CPF;Placa;Plano\n{vehicles}")),
            ("leads", ImportKind::Leads, format!("Nome;Telefone\n{leads}")),
        ] {
            self.recorder.begin(&format!("{what} are received"));
            let mut spool = importing::spool(1024 * 1024).unwrap();
            spool.write(text.as_bytes()).unwrap();
            let import =
                importing::receive(self.app, &by, kind, "a.csv", spool, app::once::Once::each_time())
                    .await
                    .unwrap()
                    .now()
                    .unwrap();
            self.recorder.begin(&format!("{what} are tried"));
            importing::check(self.app, &by, import.code, plainly()).await.unwrap();
            importing::work(self.app, HERE, import.code, &mut |_| {}).await.unwrap();
            self.recorder.begin(&format!("{what} are imported"));
            importing::start(self.app, &by, import.code, false, plainly()).await.unwrap();
            importing::work(self.app, HERE, import.code, &mut |_| {}).await.unwrap();
            let done = importing::one(self.app, &by, import.code).await.unwrap();
            assert!(done.counts.done() == 40, "{:?}", done.counts);
            if kind != ImportKind::Members {
                self.recorder.begin(&format!("{what} are taken back"));
                importing::undo(self.app, &by, import.code, plainly()).await.unwrap();
                importing::work(self.app, HERE, import.code, &mut |_| {}).await.unwrap();
            }
            self.recorder.begin(&format!("what is told of imported {what}"));
            importing::page(self.app, &by, (100, 0)).await.unwrap();
            importing::problems(self.app, &by, import.code, (0, 100)).await.unwrap();
            importing::kept(self.app, &by, import.code, (0, 100)).await.unwrap();
            importing::error_file(self.app, &by, &done).await.unwrap();
        }
    }
}
