//! Files of an association in which everybody has one, and every tenth was removed.

use super::script::{HERE, Script, now};
use app::attachments::{self, FileOwnerRecord, UploadBuffer};
use app::idempotency::IdempotentWrite;
use app::session::Session;
use domain::FileOwner;
use storage::{Db, WriteLane, sql};

/// As many as there are people.
pub async fn add_files(db: &Db) {
    let write = db.write(WriteLane::foreground(HERE), (), |tx, ()| {
        Box::pin(async move {
            let all = sql("INSERT INTO files (tenant, code, owner, record, name, kind, size, sha256, has_preview, storage_key,
                 created_at, removed_at) SELECT tenant, code, 4, code, 'a.pdf', 4, 1, $1, FALSE, 'k', 1,
                 CASE WHEN code % 10 = 0 THEN code ELSE NULL END FROM people WHERE tenant = $2");
            tx.execute(all.arg(&[7_u8; 32][..]).arg(HERE)).await?;
            let count = sql("INSERT INTO counters (tenant, kind, last) VALUES ($1, 'file', 1000000)");
            tx.execute(count.arg(HERE)).await
        })
    });
    let written: Result<u64, storage::Error> = write.await;
    written.unwrap();
}

impl Script<'_> {
    pub async fn files(&self, caller: &Session) {
        let record = i32::try_from(self.sample.person).unwrap();
        let owner = FileOwnerRecord { of: FileOwner::Member, record };
        let mut incoming = UploadBuffer::new(&self.app.files);
        incoming.push(&testkit::pictures::pdf()).await.unwrap();
        self.recorder.begin("a file is attached");
        let code = now(attachments::attach_file(
            self.app,
            caller,
            owner,
            ("a.pdf", incoming),
            IdempotentWrite::without_key(),
        )
        .await)
        .file
        .code;
        self.recorder.begin("the files of a member");
        attachments::list_owner_files(self.app, caller, owner).await.unwrap();
        self.recorder.begin("a file");
        attachments::read_file(self.app, caller, code).await.unwrap();
        self.recorder.begin("a file is removed and taken back");
        now(attachments::remove_file(self.app, caller, code, None, IdempotentWrite::without_key()).await);
        now(attachments::restore_file(self.app, caller, code, None, IdempotentWrite::without_key()).await);
        self.recorder.begin("old files are looked for");
        let tx = self.app.db.read((), |tx, ()| {
            Box::pin(async move {
                storage::attachments::list_files_removed_before(tx, HERE, domain::Moment::from_millis(50), 50)
                    .await
            })
        });
        let found: Result<Vec<_>, storage::Error> = tx.await;
        assert!(!found.unwrap().is_empty());
        storage::attachments::list_orphan_keys_before(&self.app.db, HERE, self.app.now(), 50).await.unwrap();
    }
}
