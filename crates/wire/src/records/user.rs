//! Management: users.

use crate::input;
use crate::read::BoundedInt;
use domain::{BranchCode, DisplayName, Email, MoneyRight, Role};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// Um usuário novo. A senha é criada pelo sistema e enviada ao e-mail dele.
    pub struct UsuarioInput = "UsuarioInputTO" {
        /// Nome da pessoa ou do programa.
        name "nome": required DisplayName = "Maria Souza",
        /// E-mail, que é o login; único no servidor.
        email "email": required Email = "maria@exemplo.com.br",
        /// O que o usuário pode fazer: `administrador`, `operador` ou `integracao`.
        role "perfil": required Role = "operador",
        /// Códigos das lojas que acessa. O administrador acessa todas.
        branches "lojas": optional Vec<BranchCode> = [1, 2],
        /// O que pode fazer com dinheiro: `VER` valores e títulos, `LIQUIDAR` (receber e estornar pagamentos), `APROVAR`
        /// a cobrança do mês, `FECHAR` e reabrir meses. Se não vier, `integracao` fica com VER e LIQUIDAR, e `operador` com nada.
        /// O administrador pode tudo.
        money_rights "permissoesFinanceiras": optional Vec<MoneyRight> = ["VER", "LIQUIDAR"],
        /// Resposta antiga da pesquisa: `GET /ext/associado` devolve a este usuário só a lista de itens, sem o objeto em volta, como
        /// esperam programas de 2023 e 2024. False onde não vem.
        gets_old_search_answer "respostaAntigaPesquisa": optional bool = false,
        /// O código a manter, se o usuário já tem um em outro sistema; o próximo livre, onde não vem.
        code "codUsuario": optional BoundedInt<1, 1_000_000_000> = 300,
    }
}

input! {
    /// O que muda de um usuário: o campo que não vem fica como está.
    pub struct UsuarioAlteracaoInput = "UsuarioAlteracaoInputTO" {
        /// A versão que se viu do usuário; se já é outra, nada muda.
        version "versao": required BoundedInt<0, { i32::MAX }> = 1,
        /// Nome da pessoa ou do programa.
        name "nome": optional DisplayName = "Maria Souza",
        /// E-mail, que é o login; único no servidor.
        email "email": optional Email = "maria@exemplo.com.br",
        /// O que o usuário pode fazer: `administrador`, `operador` ou `integracao`.
        role "perfil": optional Role = "operador",
        /// Códigos das lojas que acessa, que substituem os que havia. O administrador acessa todas.
        branches "lojas": optional Vec<BranchCode> = [1, 2],
        /// O que pode fazer com dinheiro, que substitui o que podia: `VER` valores e títulos, `LIQUIDAR` (receber e
        /// estornar pagamentos), `APROVAR` a cobrança do mês, `FECHAR` e reabrir meses. O administrador pode tudo.
        money_rights "permissoesFinanceiras": optional Vec<MoneyRight> = ["VER", "LIQUIDAR"],
        /// Resposta antiga da pesquisa: `GET /ext/associado` devolve a este usuário só a lista de itens, sem o objeto em volta, como
        /// esperam programas de 2023 e 2024.
        gets_old_search_answer "respostaAntigaPesquisa": optional bool = false,
        /// False desativa o usuário e encerra as suas sessões.
        active "ativo": optional bool = true,
    }
}

input! {
    /// Que usuários se quer ver. Nada é obrigatório.
    pub struct UsuarioQuery = "UsuarioQueryTO" {
        /// O começo de palavras do nome, ou do e-mail.
        filter "filtro": optional String = "maria",
        /// Só os ativos, ou só os desativados.
        active "ativo": optional bool = true,
        /// Só os deste perfil: `administrador`, `operador` ou `integracao`.
        role "perfil": optional Role = "operador",
        /// Só os que acessam esta loja.
        branch "codLoja": optional BranchCode = 1,
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
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
    /// O que pode fazer com dinheiro: `VER`, `LIQUIDAR`, `APROVAR` e `FECHAR`. O administrador pode tudo.
    #[schema(examples("VER"))]
    pub permissoes_financeiras: Vec<&'static str>,
    /// Se `GET /ext/associado` devolve a este usuário só a lista de itens, como esperam programas de 2023 e 2024.
    #[schema(examples(false))]
    pub resposta_antiga_pesquisa: bool,
    /// Se pode entrar.
    #[schema(examples(true))]
    pub ativo: bool,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}
