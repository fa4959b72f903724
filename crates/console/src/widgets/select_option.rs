//! An entry of a selection that filters a list or a board.

pub struct SelectOption {
    pub value: String,
    pub name: String,
    pub is_chosen: bool,
}
