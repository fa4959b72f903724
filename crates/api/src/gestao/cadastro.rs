//! `/gestao/plano`, `/gestao/loja` and every other register: one set of operations, made for each from its description. All who
//! work in the association read them, administrators write them.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Code, Pairs};
use crate::failure::Failure;
use crate::operation::{Access, Operation, Section, get, post, put};
use crate::write::Write;
use app::registering::{self, Record, Saved};
use axum::extract;
use axum::response::Response;
use domain::{Role, TimeZone};
use registers::{Register, Told};
use wire::records::Pagina;
use wire::register::{self, Shown};

const READERS: Access = Access::Roles(&[Role::Administrator, Role::Operator]);
const WRITERS: Access = Access::Roles(&[Role::Administrator]);

/// The operations of a register.
pub fn operations(register: &'static Register) -> [Operation; 4] {
    type S = extract::State<State>;
    let words = &register.words;
    let told =
        |operation: Operation, told: &Told| operation.told(Section::Registers, told.summary, told.text);
    let list = move |state: S, caller: Caller, pairs: Pairs| list(register, state, caller, pairs);
    let read = move |state: S, caller: Caller, code: Code<i32>| one(register, state, caller, code);
    let create = move |state: S, caller: Caller, write: Write| create(register, state, caller, write);
    let change = move |state: S, caller: Caller, code: Code<i32>, write: Write| {
        change(register, state, caller, code, write)
    };
    [
        told(get(words.all_at, READERS, list), &words.list)
            .asks_for(register::query_fields(register))
            .answers_record(vec![register::page_record(register), register::record(register)]),
        told(post(words.all_at, WRITERS, create), &words.create)
            .takes_record(register::input_record(register))
            .answers_record(vec![register::record(register)]),
        told(get(words.one_at, READERS, read), &words.read).answers_record(vec![register::record(register)]),
        told(put(words.one_at, WRITERS, change), &words.change)
            .takes_record(register::change_record(register))
            .answers_record(vec![register::record(register)]),
    ]
}

async fn list(
    register: &'static Register,
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Pairs(pairs): Pairs,
) -> Result<Answer<Pagina<Shown>>, Failure> {
    let asked = register::asked(register, pairs.into_iter())?;
    let page = registering::page(&state.app, &caller, register, asked).await?;
    let shown = page.records.iter().map(|record| shown(register, record, &page.zone)).collect();
    Ok(Answer(Pagina::new(shown, page.number, page.total)))
}

async fn one(
    register: &'static Register,
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Answer<Shown>, Failure> {
    let (record, zone) = registering::one(&state.app, &caller, register, code.get()?).await?;
    Ok(Answer(shown(register, &record, &zone)))
}

async fn create(
    register: &'static Register,
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| register::sent(register, body);
    let act = |sent, once| registering::create(&state.app, &caller, register, sent, once);
    write.answer(&state, &caller, read, act, saved(register)).await
}

async fn change(
    register: &'static Register,
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(register::sent(register, body));
    let act = |sent, once| registering::change(&state.app, &caller, register, sent, once);
    write.answer(&state, &caller, read, act, saved(register)).await
}

fn saved(register: &'static Register) -> impl Fn(&Saved) -> Shown + Send + Sync + 'static {
    move |saved| shown(register, &saved.record, &saved.zone)
}

fn shown(register: &'static Register, record: &Record, zone: &TimeZone) -> Shown {
    let moments = [record.created_at, record.updated_at].map(|at| at.to_offset_iso(zone));
    Shown::new(register, (record.code, &record.values), (record.active, record.version), moments)
}
