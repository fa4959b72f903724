//! What the association registers and operates by itself, through HTTP on both engines: each record's life, who may do what,
//! old versions, eight at once.

mod arquivo;
mod base;
mod benefit_life;
mod cards;
mod case_lists;
mod case_lives;
pub mod case_scene;
mod consulta;
mod equipment;
mod evento;
mod exports;
mod help_desk;
mod imports;
mod member_life;
mod registers;
mod registers_at_once;
mod registers_roles;
mod registers_rules;
mod registers_search;
mod sales_life;
mod sales_won;
mod situations;
mod user_life;
mod user_rights;
mod vistoria;
