//! The route table: every operation, on one screen.

use crate::operation::{Access, Operation, Section, get, post};
use crate::{ext, gestao};
use domain::Role;
use wire::records::{
    AcessoTO, CodigoNomeTO, ListaDiaVencimentoTO, PessoaInput, PessoaOutputTO, SituacaoBeneficioTO,
    TipoVeiculoBean, UsuarioInput, UsuarioTO,
};

const ANY_ROLE: Access = Access::Roles(&Role::ALL);
const ADMINISTRATOR: Access = Access::Roles(&[Role::Administrator]);

pub fn operations() -> Vec<Operation> {
    use Section::{Administration, Benefit, Management, Member, Security};
    vec![
        post("/ext/autenticacao", Access::Login, ext::autenticacao::enter)
            .told(Security, "Entrar", "Recebe usuário (o e-mail) e senha em `Authorization: Basic` e devolve o token, que vale por 12 horas, com as lojas do usuário e os planos da base. O corpo do pedido é ignorado.")
            .answers::<AcessoTO>(),
        get("/ext/administracao/loja", ANY_ROLE, ext::administracao::branches)
            .told(Administration, "Lojas do usuário", "As lojas (unidades) que o usuário pode acessar, por nome.")
            .answers_many::<CodigoNomeTO>(),
        post("/ext/associado", ANY_ROLE, ext::associado::save)
            .told(Member, "Salvar associado", "Cria a pessoa do CPF ou CNPJ enviado ou, se ela já está na base, a atualiza: o campo que não vem fica como está, e `null` o limpa.")
            .takes::<PessoaInput>()
            .answers::<PessoaOutputTO>(),
        get("/ext/beneficio/situacaoBeneficio", Access::Open, ext::beneficio::situations)
            .told(Benefit, "Situações de benefício", "As situações que um benefício pode ter, com o tipo de cada uma.")
            .answers_many::<SituacaoBeneficioTO>(),
        get("/ext/beneficio/tipoVeiculo", Access::Open, ext::beneficio::vehicle_types)
            .told(Benefit, "Tipos de veículo", "Os tipos de veículo da associação, com a categoria de cada um.")
            .answers_many::<TipoVeiculoBean>(),
        get("/ext/beneficio/vencimento", Access::Open, ext::beneficio::due_days)
            .told(Benefit, "Dias de vencimento", "Os dias do mês que um benefício pode ter como vencimento.")
            .answers::<ListaDiaVencimentoTO>(),
        get("/gestao/usuario", ADMINISTRATOR, gestao::usuario::list)
            .told(Management, "Usuários da base", "Todos os usuários da base, ativos ou não, por código.")
            .answers_many::<UsuarioTO>(),
        post("/gestao/usuario", ADMINISTRATOR, gestao::usuario::create)
            .told(Management, "Criar usuário", "Cria um usuário. Uma senha forte é enviada ao e-mail dele; vale na hora para a API e deve ser trocada na primeira entrada no console.")
            .takes::<UsuarioInput>()
            .answers::<UsuarioTO>(),
    ]
}
