//! Management: users.

use crate::input;
use domain::{BranchCode, Email, Name, Role};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// Um usuário novo. A senha é criada pelo sistema e enviada ao e-mail dele.
    pub struct UsuarioInput = "UsuarioInputTO" {
        /// Nome da pessoa ou do programa.
        name "nome": required Name = "Maria Souza",
        /// E-mail, que é o login; único no servidor.
        email "email": required Email = "maria@exemplo.com.br",
        /// O que o usuário pode fazer: `administrador`, `operador` ou `integracao`.
        role "perfil": required Role = "operador",
        /// Códigos das lojas que acessa. O administrador acessa todas.
        branches "lojas": optional Vec<BranchCode> = [1, 2],
    }
}

/// Um usuário da base.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsuarioTO {
    /// Código do usuário.
    #[schema(examples(3))]
    pub cod_usuario: i32,
    /// Nome da pessoa ou do programa.
    #[schema(examples("Maria Souza"))]
    pub nome: String,
    /// E-mail, que é o login.
    #[schema(examples("maria@exemplo.com.br"))]
    pub email: String,
    /// `administrador`, `operador` ou `integracao`.
    #[schema(examples("operador"))]
    pub perfil: &'static str,
    /// Códigos das lojas que acessa; vazio para o administrador, que acessa todas.
    #[schema(examples(1))]
    pub lojas: Vec<i32>,
    /// Se pode entrar.
    #[schema(examples(true))]
    pub ativo: bool,
}
