//! Heavy files: what reading them costs is shared between associations, and ends with whoever sent them.

use crate::importing::{by, receive};
use app::App;
use app::idempotency::IdempotentWrite;
use domain::{Clock, ImportKind, ImportState, Moment};
use exchange::import::{self, ImportCaller, StoredImportRun};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use testkit::{World, both_engines, until};

/// A clock that keeps whoever looks at it waiting until it is opened. The first to look is the thread that reads a file.
#[derive(Default)]
struct GateClock {
    is_open: Mutex<bool>,
    opened: Condvar,
    looks: AtomicUsize,
}

impl GateClock {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

impl Clock for GateClock {
    fn now(&self) -> Moment {
        self.looks.fetch_add(1, Ordering::SeqCst);
        let is_open = self.is_open.lock().unwrap();
        drop(self.opened.wait_while(is_open, |is_open| !*is_open).unwrap());
        Moment::from_millis(1_794_663_125_000)
    }
}

fn workbook() -> Vec<u8> {
    let parts = [
        ("[Content_Types].xml", "<Types/>"),
        (
            "_rels/.rels",
            r#"<Relationships><Relationship Id="rId1" Type="x/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
        ),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns:r="r"><sheets><sheet name="Plan1" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
        (
            "xl/worksheets/sheet1.xml",
            r#"<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>Nome</v></c><c r="B1" t="str"><v>Celular</v></c></row>
            <row r="2"><c r="A2" t="str"><v>Ana</v></c><c r="B2"><v>31999990000</v></c></row></sheetData></worksheet>"#,
        ),
    ];
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

async fn send(app: App, by: ImportCaller) -> Result<StoredImportRun, app::Error> {
    let mut spool = import::create_upload_spool(1024 * 1024)?;
    spool.write(&workbook())?;
    import::receive_upload(&app, &by, ImportKind::Leads, "a.xlsx", spool, IdempotentWrite::without_key())
        .await?
        .into_fresh()
}

#[both_engines]
async fn two_workbooks_of_one_association_keep_no_other_waiting_and_end_with_their_senders(world: World) {
    let gate = Arc::new(GateClock::default());
    // One process: the places are its own.
    let app = world.processes()[0].clone();
    let slow = App { clock: Arc::clone(&gate) as Arc<dyn Clock>, ..app.clone() };
    let places = Arc::clone(&app.heavy_work);
    let here = by(&world.administrator);
    let senders: Vec<_> = (0..2).map(|_| tokio::spawn(send(slow.clone(), here.clone()))).collect();
    until("one of them is read", async || gate.looks.load(Ordering::SeqCst) == 1).await;

    let there = ImportCaller::for_command(world.there);
    let other = send(app.clone(), there).await.unwrap();
    assert_eq!(
        (other.state, other.total),
        (ImportState::Ready, 1),
        "another association's is read meanwhile"
    );
    until("theirs share one place", async || places.workbook_readings.held_count() == 1).await;

    for sender in senders {
        sender.abort();
        // On a slow machine the one that waited may have been told that no place is free.
        assert!(sender.await.map_or_else(|error| error.is_cancelled(), |sent| sent.is_err()));
    }
    gate.open();
    until("the place is free", async || places.workbook_readings.held_count() == 0).await;
    assert_eq!(gate.looks.load(Ordering::SeqCst), 1, "nothing more was read for nobody");
    let own = send(app.clone(), here).await.unwrap();
    assert_eq!(own.total, 1, "and the next of the same association is read");
}

#[both_engines]
async fn files_that_nobody_confirms_make_room_for_the_next(world: World) {
    let (admin, operator) = (by(&world.administrator), by(&world.operator));
    let csv = "Nome;Celular\nAna;31999990000\n";
    let sent = async |by: &ImportCaller| receive(&world, by, ImportKind::Leads, csv).await.unwrap().code;
    let first_of_operator = sent(&operator).await;
    let started = sent(&admin).await;
    import::start_import(world.app(), &admin, started, false, IdempotentWrite::without_key()).await.unwrap();
    let mut codes = Vec::new();
    for _ in 0..25 {
        world.clock.pass(std::time::Duration::from_secs(1));
        codes.push(sent(&admin).await);
    }
    let (all, total) = import::list_imports(world.app(), &admin, (100, 0)).await.unwrap();
    let waiting: Vec<_> =
        all.iter().filter(|one| one.state == ImportState::Ready).map(|one| one.code).collect();
    assert_eq!((waiting.len(), total), (20, 21), "as many as may wait, and the one that runs");
    assert!(waiting.contains(&first_of_operator), "another user's stay as long as there are own ones");
    assert!(!waiting.contains(&codes[0]) && waiting.contains(&codes[24]), "the oldest have gone");
    let lines = crate::importing::count(&world, "SELECT COUNT(*) AS n FROM import_lines").await;
    assert_eq!(lines, 21, "with their lines");
}
