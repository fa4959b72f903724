//! Notes on records that could not be read.

use exchange::mirror_store::{self, NewMirrorNote};

/// Marks a record that could not be read, so that the next run asks for it again.
pub(crate) fn build_unread_note(kind: &'static str, record: i32, reason: String) -> NewMirrorNote {
    NewMirrorNote { kind, record, field: mirror_store::UNREAD_FIELD.to_owned(), reason }
}

pub(crate) fn build_absent_note(kind: &'static str, record: i32) -> NewMirrorNote {
    NewMirrorNote {
        kind,
        record,
        field: "acesso".to_owned(),
        reason: "a origem diz que não existe".to_owned(),
    }
}

pub(crate) fn build_refused_note(kind: &'static str, record: i32, status: u16) -> NewMirrorNote {
    let reason = format!("a origem recusou a leitura ({status})");
    NewMirrorNote { kind, record, field: "acesso".to_owned(), reason }
}

/// On a record that is no longer in a list, while nothing tells what became of it.
pub(crate) fn build_vanished_note(kind: &'static str, record: i32) -> NewMirrorNote {
    NewMirrorNote {
        kind,
        record,
        field: "acesso".to_owned(),
        reason: "a origem já não o lista, nem mostra o que houve; ficou como estava".to_owned(),
    }
}
