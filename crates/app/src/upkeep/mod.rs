//! What keeps a server going: housekeeping, health, presence, the life of its database.

pub mod checkup;
pub mod database_life;
pub mod health;
pub mod housekeeping;
pub mod presence;
pub mod unfinished_restore;
