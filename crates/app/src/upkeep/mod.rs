//! Server upkeep: housekeeping, health, presence and the life of the database.

pub mod checkup;
pub mod database_life;
pub mod health;
pub mod housekeeping;
pub mod presence;
pub mod unfinished_restore;
