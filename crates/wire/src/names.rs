//! What the fixed sets are called outside.

use domain::Role;

pub fn role(role: Role) -> &'static str {
    match role {
        Role::Administrator => "administrador",
        Role::Operator => "operador",
        Role::Integration => "integracao",
    }
}

pub fn role_from(text: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|one| role(*one) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_found_by_its_name() {
        for one in Role::ALL {
            assert_eq!(role_from(role(one)), Some(one));
        }
        assert_eq!(role_from("gerente"), None);
    }
}
