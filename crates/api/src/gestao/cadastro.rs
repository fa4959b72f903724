//! `/gestao/plano`, `/gestao/loja` and every other register: one set of operations, built for each from its
//! description. All users of the association read them, administrators write them.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode, RawQueryPairs};
use crate::failure::RequestFailure;
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, get, post, put};
use crate::write::IncomingWrite;
use ::registers::{OperationDescription, Register};
use app::registers::{self, SavedRecord, StoredRecord};
use axum::extract;
use axum::response::Response;
use domain::TimeZone;
use wire::records::ListPage;
use wire::register::{self, RecordOutput};

pub fn build_register_operations(register: &'static Register) -> [ApiOperation; 4] {
    type S = extract::State<ServerState>;
    let words = &register.words;
    let describe = |operation: ApiOperation, description: &OperationDescription| {
        operation.describe(DocsSection::Registers, description.summary, description.text)
    };
    let list = move |state: S, caller: AuthenticatedCaller, pairs: RawQueryPairs| {
        list_register_records(register, state, caller, pairs)
    };
    let read = move |state: S, caller: AuthenticatedCaller, code: PathCode<i32>| {
        show_register_record(register, state, caller, code)
    };
    let create = move |state: S, caller: AuthenticatedCaller, write: IncomingWrite| {
        create_register_record(register, state, caller, write)
    };
    let change = move |state: S, caller: AuthenticatedCaller, code: PathCode<i32>, write: IncomingWrite| {
        change_register_record(register, state, caller, code, write)
    };
    [
        describe(get(words.all_at, AllowedCallers::STAFF, list), &words.list)
            .with_query_fields(register::list_query_fields(register))
            .with_answer_records(vec![
                register::describe_page(register),
                register::describe_record(register),
            ]),
        describe(post(words.all_at, AllowedCallers::ADMINISTRATORS, create), &words.create)
            .with_body_record(register::describe_input(register))
            .with_answer_records(vec![register::describe_record(register)]),
        describe(get(words.one_at, AllowedCallers::STAFF, read), &words.read)
            .with_answer_records(vec![register::describe_record(register)]),
        describe(put(words.one_at, AllowedCallers::ADMINISTRATORS, change), &words.change)
            .with_body_record(register::describe_change(register))
            .with_answer_records(vec![register::describe_record(register)]),
    ]
}

async fn list_register_records(
    register: &'static Register,
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQueryPairs(pairs): RawQueryPairs,
) -> Result<JsonAnswer<ListPage<RecordOutput>>, RequestFailure> {
    let query = register::read_list_query(register, pairs.into_iter())?;
    let page = registers::list_records(&state.app, &caller, register, query).await?;
    let rendered =
        page.records.iter().map(|record| render_register_record(register, record, &page.zone)).collect();
    Ok(JsonAnswer(ListPage::new(rendered, page.number, page.total)))
}

async fn show_register_record(
    register: &'static Register,
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<JsonAnswer<RecordOutput>, RequestFailure> {
    let (record, zone) = registers::read_record(&state.app, &caller, register, code.get()?).await?;
    Ok(JsonAnswer(render_register_record(register, &record, &zone)))
}

async fn create_register_record(
    register: &'static Register,
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| register::read_record_body(register, body);
    let act = |input, once| registers::create_record(&state.app, &caller, register, input, once);
    write.answer(&state, &caller, read, act, build_saved_renderer(register)).await
}

async fn change_register_record(
    register: &'static Register,
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(register::read_record_body(register, body));
    let act = |input, once| registers::change_record(&state.app, &caller, register, input, once);
    write.answer(&state, &caller, read, act, build_saved_renderer(register)).await
}

fn build_saved_renderer(
    register: &'static Register,
) -> impl Fn(&SavedRecord) -> RecordOutput + Send + Sync + 'static {
    move |saved| render_register_record(register, &saved.record, &saved.zone)
}

fn render_register_record(
    register: &'static Register,
    record: &StoredRecord,
    zone: &TimeZone,
) -> RecordOutput {
    let moments = [record.created_at, record.updated_at].map(|at| at.to_offset_iso(zone));
    RecordOutput::new(register, (record.code, &record.values), (record.active, record.version), moments)
}
