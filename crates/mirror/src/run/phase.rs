//! Phases that can be continued; the registers are read at every start.

pub const LIST: i32 = 1;
pub const MEMBERS: i32 = 2;
pub const DETAILS: i32 = 3;
pub const CARDS: i32 = 4;
pub const LEADS: i32 = 5;
pub const DEALS: i32 = 6;
pub const CLAIMS: i32 = 7;
pub const TITLES: i32 = 8;
