//! Deals: create and change. A request is validated completely before anything is written, and every stage move is
//! stored. Search is in `search.rs`, dependents are in `dependents.rs`.

pub mod board;
pub mod dependents;
mod list;
mod move_stage;
mod save;
mod search;
mod validate;
mod win;

pub use list::{
    DealPipelineQuery, FunnelBoard, FunnelBoardStage, list_deals, list_person_deals, read_deal_history,
    read_funnel_board, show_deal,
};
pub use move_stage::{CurrentDeal, lose_deal, move_deal, reopen_deal};
pub use save::{SavedDeal, change_deal, save_deal};
pub use search::{DealDetailView, load_found_deals, read_deal, search_deals};
pub use storage::sales::deals::FoundDeal;
pub use win::win_deal;

use storage::sales::deals;
