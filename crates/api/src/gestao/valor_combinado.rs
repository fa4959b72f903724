//! `/gestao/financeiro/valorCombinado`: agreed prices, and their move to the price table.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::render_cents;
use crate::extract::{AuthenticatedCaller, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use axum::extract;
use axum::response::Response;
use finance::{AgreedPriceCriteria, PriceMove, SeenPriceMove};
use wire::read;
use wire::records::{ValorCombinadoInput, ValorCombinadoQuery, ValorCombinadoTO};

/// `GET /gestao/financeiro/valorCombinado`
pub async fn preview_move(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<ValorCombinadoQuery>,
) -> Result<JsonAnswer<ValorCombinadoTO>, RequestFailure> {
    let criteria = AgreedPriceCriteria { plan: query.plan.into_set(), branch: query.branch.into_set() };
    Ok(JsonAnswer(render_move(&finance::preview_price_move(&state.app, &caller, criteria).await?)))
}

/// `POST /gestao/financeiro/valorCombinado/tabela`
pub async fn move_to_table(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: ValorCombinadoInput, once| {
        let criteria = AgreedPriceCriteria { plan: input.plan.into_set(), branch: input.branch.into_set() };
        let seen = SeenPriceMove {
            items: input.items.get().into(),
            agreed_total: input.agreed_total.cents(),
            table_total: input.table_total.cents(),
        };
        finance::move_to_price_table(&state.app, &caller, (criteria, seen), once)
    };
    write.answer(&state, &caller, read::read_body, act, render_move).await
}

fn render_move(sums: &PriceMove) -> ValorCombinadoTO {
    ValorCombinadoTO {
        quantidade: sums.items,
        total: render_cents(sums.agreed_total),
        total_tabela: render_cents(sums.table_total),
        sem_preco: sums.without_price,
    }
}
