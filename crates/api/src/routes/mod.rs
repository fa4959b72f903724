//! The route table: every operation of the API.

mod cases;
mod charging;
mod files;
mod finance;
mod imports;

use crate::operation::{AllowedCallers, ApiOperation, DocsSection, delete, get, post, put};
use crate::{ext, gestao};
use std::sync::LazyLock;
use wire::records::{
    AcessoTO, AuditoriaQuery, AuditoriaTO, BeneficioInput, BeneficioOutputTO, BeneficioVeiculoInput,
    CancelamentoInput, CodigoNomeTO, EventoListaTO, EventoTO, HistoricoQuery, HistoricoTO, ListPage,
    ListaBeneficioQuery, ListaDiaVencimentoTO, PesquisaAssociadoOutputTO, PesquisaAssociadoQuery,
    PesquisaBeneficioOutputTO, PesquisaBeneficioQuery, PesquisaEventoQuery, PessoaInput, PessoaOutputTO,
    SituacaoBeneficioTO, TipoVeiculoBean, UsuarioInput, UsuarioTO,
};
use wire::records::{
    CampoAdicionalInput, CampoAdicionalValorTO, DependenteBasicoOutputTO, DependenteCompletoOutputTO,
    DependenteInput, ItemBeneficioInput, ItemBeneficioOutputTO, PesquisaDependenteOutputTO,
    PesquisaDependenteQuery,
};
use wire::records::{
    CampoAdicionalOutputTO, CartaoCreditoTO, FornecedorTO, PesquisaVendedorOutputTO, PesquisaVendedorQuery,
    RastreadorInstalacaoTO, ValidacaoBeneficioInput, ValidacaoBeneficioOutputTO,
};
use wire::records::{
    FunilTO, LeadInput, LeadOutputTO, NegocioDependenteTO, NegocioInput, NegocioOutputTO, NegocioTO,
    PesquisaLeadQuery, PesquisaNegocioOutputTO, PesquisaNegocioQuery, PessoaLeadOutputTO,
};

use wire::records::{
    AssociadoInput, AssociadoTO, BaseInput, BaseTO, BeneficioAlteracaoInput, BeneficioTO, EtapaInput,
    GanhoInput, HistoricoRegistroTO, ItemAlteracaoInput, LeadAlteracaoInput, LeadGestaoTO, LeadQuery,
    NegocioCompletoTO, NegocioGestaoTO, NegocioQuery, PerdaInput, QuadroQuery, QuadroTO, ReaberturaInput,
    SessaoEncerradaTO, SituacaoBeneficioInput, UsuarioAlteracaoInput, UsuarioQuery,
};
use wire::records::{
    EntregaQuery, EntregasTO, MotivoInput, ReceptorAlteracaoInput, ReceptorCriadoTO, ReceptorInput,
    ReceptorTO, ReenvioInput, ReenvioTO, SegredoTO, TesteReceptorInput, TesteReceptorTO,
};

/// Every operation: those listed here, and four for each register.
pub fn list_operations() -> &'static [ApiOperation] {
    static OPERATIONS: LazyLock<Vec<ApiOperation>> = LazyLock::new(|| {
        let registers = registers::REGISTERS.iter().flat_map(gestao::cadastro::build_register_operations);
        list_fixed_operations()
            .into_iter()
            .chain(gestao::exportacao::list_export_operations())
            .chain(registers)
            .collect()
    });
    &OPERATIONS
}

fn list_fixed_operations() -> Vec<ApiOperation> {
    use DocsSection::{Administration, Benefit, Claim, Management, Member, Sales, Security};
    vec![
        post("/ext/autenticacao", AllowedCallers::Login, ext::autenticacao::sign_in)
            .describe(Security, "Entrar", "Recebe usuário (o e-mail) e senha em `Authorization: Basic` e devolve o token, que vale por 12 horas, com as lojas do usuário e os planos da base. O corpo do pedido é ignorado.")
            .with_answer::<AcessoTO>(),
        get("/ext/administracao/loja", AllowedCallers::ANY_ROLE, ext::administracao::list_branches)
            .describe(Administration, "Lojas do usuário", "As lojas (unidades) que o usuário pode acessar, por nome.")
            .with_answer_list::<CodigoNomeTO>(),
        get("/ext/administracao/campos/{codigo}", AllowedCallers::ANY_ROLE, ext::administracao::list_additional_fields)
            .describe(Administration, "Campos adicionais", "Os campos que a associação acrescentou aos benefícios de um tipo, por nome: 0 Veicular, 1 Saúde, 2 Diversos, 3 Consórcio, 4 Assistência 24H.")
            .with_answer_list::<CampoAdicionalOutputTO>(),
        get("/ext/administracao/fornecedor/{codFornecedor}", AllowedCallers::ANY_ROLE, ext::administracao::show_supplier)
            .describe(Administration, "Fornecedor", "Os dados de um fornecedor da associação, também de um que já não está ativo.")
            .with_answer::<FornecedorTO>(),
        get("/ext/administracao/vendedor", AllowedCallers::ANY_ROLE, ext::administracao::search_sellers)
            .describe(Administration, "Pesquisar vendedores", "Os consultores e representantes ativos das lojas do usuário, por nome. Os parâmetros só restringem; sem nenhum, vêm todos.")
            .with_query::<PesquisaVendedorQuery>()
            .with_answer_list::<PesquisaVendedorOutputTO>(),
        get("/ext/associado", AllowedCallers::ANY_ROLE, ext::associado::search_members)
            .describe(Member, "Pesquisar associados", "Os associados com os seus benefícios, um benefício por item; quem tem vários aparece várias vezes, e quem não tem nenhum, uma. Informe ao menos um destes: `codPessoa`; `nome`; `cpf` ou `cnpj`; `dataCadastroInicial` com `dataCadastroFinal`; `dataNascimento`; `situacaoBeneficio`; `placa` ou `chassi`. Em páginas de 100, na ordem em que os itens surgiram. A um usuário com a resposta antiga da pesquisa (`respostaAntigaPesquisa` em `/gestao/usuario`) vem só a lista de itens da página.")
            .with_query::<PesquisaAssociadoQuery>()
            .with_answer::<ListPage<PesquisaAssociadoOutputTO>>(),
        post("/ext/associado", AllowedCallers::ANY_ROLE, ext::associado::save_member)
            .describe(Member, "Salvar associado", "Cria a pessoa do CPF ou CNPJ enviado ou, se ela já está na base, a atualiza: o campo que não vem fica como está, e `null` o limpa.")
            .with_body::<PessoaInput>()
            .with_answer::<PessoaOutputTO>(),
        get("/ext/associado/{codPessoa}/cartaoCredito", AllowedCallers::ANY_ROLE, ext::associado::list_credit_cards)
            .describe(Member, "Cartões de crédito", "Os cartões de crédito de um associado, também os que já não estão em uso, pelo nome impresso. Só a bandeira, os quatro últimos dígitos, o nome e a validade são conhecidos.")
            .with_answer_list::<CartaoCreditoTO>(),
        get("/ext/beneficio", AllowedCallers::ANY_ROLE, ext::beneficio::search_benefits)
            .describe(Benefit, "Pesquisar benefícios", "Os benefícios de uma placa, de um chassi, de um número sequencial ou de um cartão; informe ao menos um deles. Os outros parâmetros só restringem.")
            .with_query::<PesquisaBeneficioQuery>()
            .with_answer_list::<PesquisaBeneficioOutputTO>(),
        post("/ext/beneficio", AllowedCallers::ANY_ROLE, ext::beneficio::save_benefit)
            .describe(Benefit, "Salvar benefício", "Cria um benefício que não é veicular para a pessoa do CPF ou CNPJ enviado ou, com `codBeneficio`, altera os campos comuns de um benefício de qualquer tipo: o campo que não vem fica como está, e `null` o limpa.")
            .with_body::<BeneficioInput>()
            .with_answer::<BeneficioOutputTO>(),
        get("/ext/beneficio/lista", AllowedCallers::ANY_ROLE, ext::beneficio::list_benefits)
            .describe(Benefit, "Listar benefícios", "Todos os benefícios das lojas do usuário, por código, em páginas de 100.")
            .with_query::<ListaBeneficioQuery>()
            .with_answer::<ListPage<PesquisaBeneficioOutputTO>>(),
        post("/ext/beneficio/veicular", AllowedCallers::ANY_ROLE, ext::beneficio::save_vehicle_benefit)
            .describe(Benefit, "Salvar benefício veicular", "Cria um benefício veicular, com o seu veículo, para a pessoa do CPF ou CNPJ enviado ou, com `codBeneficio`, o altera. Uma placa ou um chassi tem um só benefício em vigor por vez.")
            .with_body::<BeneficioVeiculoInput>()
            .with_answer::<BeneficioOutputTO>(),
        get("/ext/beneficio/{codBeneficio}/equipamentos", AllowedCallers::ANY_ROLE, ext::beneficio::list_equipment)
            .describe(Benefit, "Equipamentos do veículo", "O que está ou já esteve instalado no veículo de um benefício, pelo modelo. Sem equipamento, a lista vem vazia.")
            .with_answer_list::<RastreadorInstalacaoTO>(),
        post("/ext/beneficio/dependente", AllowedCallers::ANY_ROLE, ext::beneficio::dependentes::save_dependent)
            .describe(Benefit, "Salvar dependente", "Cria um dependente de um benefício de qualquer tipo ou, com `codDependente`, o grava por inteiro: o que não vem se perde, menos `planos`, `email`, `numeroCartaoDesconto` e `ativo`. Quem já é dependente ativo do benefício, pelo CPF, não entra outra vez.")
            .with_body::<DependenteInput>()
            .with_answer::<DependenteBasicoOutputTO>(),
        get("/ext/beneficio/dependente", AllowedCallers::ANY_ROLE, ext::beneficio::dependentes::search_dependents)
            .describe(Benefit, "Pesquisar dependentes", "Os dependentes de um nome, de um CPF ou de um cartão, por nome; informe ao menos um deles. Vários restringem juntos.")
            .with_query::<PesquisaDependenteQuery>()
            .with_answer_list::<PesquisaDependenteOutputTO>(),
        get("/ext/beneficio/{codBeneficio}/dependentes", AllowedCallers::ANY_ROLE, ext::beneficio::dependentes::list_dependents)
            .describe(Benefit, "Dependentes do benefício", "Os dependentes do benefício, ativos ou não, por nome. Cada um pode ser enviado de volta como veio, com o que mudou.")
            .with_answer_list::<DependenteCompletoOutputTO>(),
        post("/ext/beneficio/{codBeneficio}/itens", AllowedCallers::ANY_ROLE, ext::beneficio::itens::add_benefit_item)
            .describe(Benefit, "Incluir item no benefício", "Acrescenta um plano ativo, de qualquer tipo, ao benefício, que não pode já tê-lo. Devolve o item novo.")
            .with_body::<ItemBeneficioInput>()
            .with_answer::<ItemBeneficioOutputTO>(),
        get("/ext/beneficio/{codBeneficio}/itens", AllowedCallers::ANY_ROLE, ext::beneficio::itens::list_benefit_items)
            .describe(Benefit, "Itens do benefício", "Os planos que o benefício tem, e os que teve, por nome.")
            .with_answer_list::<ItemBeneficioOutputTO>(),
        put("/ext/beneficio/{codBeneficio}/dadosAdicionais", AllowedCallers::ANY_ROLE, ext::beneficio::itens::save_additional_fields)
            .describe(Benefit, "Gravar dados adicionais", "Grava os campos adicionais enviados, todos ou nenhum; os outros ficam como estão, e `null` limpa. Devolve todos os campos do benefício.")
            .with_body_list::<CampoAdicionalInput>()
            .with_answer_list::<CampoAdicionalValorTO>(),
        put("/ext/beneficio/{codBeneficio}/cancelar", AllowedCallers::ANY_ROLE, ext::beneficio::cancel_benefit)
            .describe(Benefit, "Cancelar benefício", "Leva o benefício à situação de cancelado e guarda os seus dados. Repetido, responde o mesmo. O corpo pode faltar.")
            .with_optional_body::<CancelamentoInput>()
            .with_answer::<BeneficioOutputTO>(),
        get("/ext/beneficio/situacaoBeneficio", AllowedCallers::Open, ext::beneficio::list_benefit_situations)
            .describe(Benefit, "Situações de benefício", "As situações que um benefício pode ter, com o tipo de cada uma.")
            .with_answer_list::<SituacaoBeneficioTO>(),
        get("/ext/beneficio/tipoVeiculo", AllowedCallers::Open, ext::beneficio::list_vehicle_types)
            .describe(Benefit, "Tipos de veículo", "Os tipos de veículo da associação, com a categoria de cada um.")
            .with_answer_list::<TipoVeiculoBean>(),
        get("/ext/beneficio/vencimento", AllowedCallers::Open, ext::beneficio::list_due_days)
            .describe(Benefit, "Dias de vencimento", "Os dias do mês que um benefício pode ter como vencimento.")
            .with_answer::<ListaDiaVencimentoTO>(),
        get("/ext/evento", AllowedCallers::ANY_ROLE, ext::evento::search_claims)
            .describe(Claim, "Pesquisar eventos", "Os eventos das lojas do usuário, o de abertura mais recente primeiro. Sem `pagina` vêm todos; com ela, 100 por página, e os cabeçalhos `X-Total-Count` e `Link` dizem quantos são e onde estão as outras páginas.")
            .with_query::<PesquisaEventoQuery>()
            .with_answer_list::<EventoListaTO>(),
        get("/ext/evento/{codEvento}", AllowedCallers::ANY_ROLE, ext::evento::show_claim)
            .describe(Claim, "Consultar evento", "Um evento com o associado, o condutor, o local, o veículo e os eventos relacionados, até três níveis abaixo dele.")
            .with_answer::<EventoTO>(),
        post("/ext/beneficio/validacao", AllowedCallers::Open, ext::validacao::validate_benefit)
            .describe(Benefit, "Validar benefício", "Diz se um benefício está ativo e de quem é. Informe o cartão (ou o CPF ou CNPJ) em `matricula`, o documento do titular ou o número sequencial; se vierem vários, o benefício deve ter todos. De vários benefícios, vem um ativo e, entre eles, o mais novo. Sem credencial, o documento e o cartão vêm só em parte, e cada endereço de rede tem um número limitado de consultas; com o token, vêm inteiros, das lojas do usuário. Não achar nada é um 400.")
            .with_body::<ValidacaoBeneficioInput>()
            .with_answer::<ValidacaoBeneficioOutputTO>(),
        get("/ext/crm/funil", AllowedCallers::ANY_ROLE, ext::crm::list_funnels)
            .describe(Sales, "Funis de venda", "Os funis em uso, por nome, cada um com as suas etapas em uso, na ordem em que um negócio passa por elas.")
            .with_answer_list::<FunilTO>(),
        get("/ext/crm/lead", AllowedCallers::ANY_ROLE, ext::crm::search_leads)
            .describe(Sales, "Pesquisar leads", "Os leads ativos das lojas do usuário, por nome; com `filtro`, só aqueles de quem ele fala: nome, CPF, CNPJ, telefone ou e-mail.")
            .with_query::<PesquisaLeadQuery>()
            .with_answer_list::<LeadOutputTO>(),
        post("/ext/crm/lead", AllowedCallers::ANY_ROLE, ext::crm::save_lead)
            .describe(Sales, "Salvar lead", "Cria um lead ou, se um lead ativo tem o mesmo documento, senão o mesmo e-mail, senão o mesmo telefone, o atualiza: o campo que não vem fica como está, e `null` o limpa. A pessoa de um lead não é um associado até ser salva como um ou receber um benefício.")
            .with_body::<LeadInput>()
            .with_answer::<PessoaLeadOutputTO>(),
        get("/ext/crm/negocio", AllowedCallers::ANY_ROLE, ext::crm::search_deals)
            .describe(Sales, "Pesquisar negócios", "Os negócios em aberto das lojas do usuário, pelo nome do lead. Nenhum parâmetro é obrigatório; o intervalo de datas inclui os dois dias.")
            .with_query::<PesquisaNegocioQuery>()
            .with_answer_list::<PesquisaNegocioOutputTO>(),
        post("/ext/crm/negocio", AllowedCallers::ANY_ROLE, ext::crm::create_deal)
            .describe(Sales, "Criar negócio", "Cria um negócio com o lead de `codLead` ou com os campos de um lead, que é criado ou atualizado no mesmo pedido.")
            .with_body::<NegocioInput>()
            .with_answer::<NegocioOutputTO>(),
        get("/ext/crm/negocio/{codNegocio}", AllowedCallers::ANY_ROLE, ext::crm::show_deal)
            .describe(Sales, "Ver negócio", "Um negócio em qualquer situação, com o lead, os planos, os dependentes e o histórico.")
            .with_answer::<NegocioTO>(),
        put("/ext/crm/negocio/{codNegocio}", AllowedCallers::ANY_ROLE, ext::crm::change_deal)
            .describe(Sales, "Alterar negócio", "Altera um negócio: o campo que não vem fica como está, e `null` o limpa. Outro funil sem etapa leva à primeira etapa dele. Cada mudança de etapa ou de situação fica no histórico.")
            .with_body::<NegocioInput>()
            .with_answer::<NegocioOutputTO>(),
        post("/ext/crm/negocio/{codNegocio}/dependente", AllowedCallers::ANY_ROLE, ext::crm::create_dependent)
            .describe(Sales, "Criar dependente de negócio", "Acrescenta um dependente a um negócio de saúde; `nome` e `parentesco` são obrigatórios.")
            .with_body::<NegocioDependenteTO>()
            .require_fields(&["nome", "parentesco"])
            .with_answer::<NegocioDependenteTO>(),
        put("/ext/crm/negocio/{codNegocio}/dependente/{codDependente}", AllowedCallers::ANY_ROLE, ext::crm::change_dependent)
            .describe(Sales, "Alterar dependente de negócio", "Altera um dependente de um negócio de saúde: o campo que não vem fica como está, e `null` o limpa.")
            .with_body::<NegocioDependenteTO>()
            .with_answer::<NegocioDependenteTO>(),
        post("/gestao/sessao", AllowedCallers::Login, gestao::sessao::sign_in_with_code)
            .describe(Security, "Entrar com o segundo fator", "Como `/ext/autenticacao`, para quem tem o segundo fator: com um código do aplicativo, ou de recuperação, no cabeçalho `X-Codigo`. O token vale também para `/gestao`; o de `/ext/autenticacao`, obtido só com a senha, não. Quem não tem o segundo fator não precisa do código. O corpo do pedido é ignorado.")
            .with_answer::<AcessoTO>(),
        delete("/gestao/sessao", AllowedCallers::AnyToken, gestao::sessao::end_session)
            .describe(Security, "Encerrar a sessão", "Encerra o token com que o pedido é feito, de qualquer perfil: a partir da resposta ele não vale mais.")
            .with_answer::<SessaoEncerradaTO>(),
        get("/gestao/auditoria", AllowedCallers::ADMINISTRATORS, gestao::auditoria::list_audit_entries)
            .describe(Management, "Auditoria", "Quem alterou e quem viu os dados de quem, quem entrou ou tentou entrar, de onde e com que resultado, e por qual operação, na ordem em que foi gravado. As leituras e as entradas recusadas são gravadas em grupos, logo depois de respondidas.")
            .with_query::<AuditoriaQuery>()
            .with_answer::<AuditoriaTO>(),
        get("/gestao/entrega", AllowedCallers::ADMINISTRATORS, gestao::entrega::list_deliveries)
            .describe(Management, "Entregas de gatilhos", "O que foi enviado a um receptor, e o que falta, na ordem das mudanças, com cada tentativa.")
            .with_query::<EntregaQuery>()
            .with_answer::<EntregasTO>(),
        post("/gestao/entrega/reenviar", AllowedCallers::ADMINISTRATORS, gestao::entrega::replay_deliveries)
            .describe(Management, "Reenviar gatilhos", "Envia de novo a um receptor os gatilhos de um trecho do histórico, ou tudo o que não chegou desde um dia. Cada um mantém o seu `webhook-id`.")
            .with_body::<ReenvioInput>()
            .with_answer::<ReenvioTO>(),
        get("/gestao/receptor", AllowedCallers::ADMINISTRATORS, gestao::receptor::list_receivers)
            .describe(Management, "Receptores de gatilhos", "Quem é avisado das mudanças de situação, por código, e como vai cada um.")
            .with_answer_list::<ReceptorTO>(),
        post("/gestao/receptor", AllowedCallers::ADMINISTRATORS, gestao::receptor::create_receiver)
            .describe(Management, "Cadastrar receptor", "Cadastra quem é avisado das mudanças de situação, daqui em diante. O segredo que assina os gatilhos é mostrado só nesta resposta.")
            .with_body::<ReceptorInput>()
            .with_answer::<ReceptorCriadoTO>(),
        get("/gestao/receptor/{codReceptor}", AllowedCallers::ADMINISTRATORS, gestao::receptor::show_receiver)
            .describe(Management, "Receptor de gatilhos", "Um receptor e como ele vai.")
            .with_answer::<ReceptorTO>(),
        put("/gestao/receptor/{codReceptor}", AllowedCallers::ADMINISTRATORS, gestao::receptor::change_receiver)
            .describe(Management, "Alterar receptor", "Altera um receptor: o campo que não vem fica como está. Envie a `versao` que você leu: se ele mudou desde então, a recusa (409) mostra o que foi enviado e o que há agora. Com `ativo` false ele é retirado, e nada mais lhe é enviado.")
            .with_body::<ReceptorAlteracaoInput>()
            .with_answer::<ReceptorTO>(),
        post("/gestao/receptor/{codReceptor}/pausar", AllowedCallers::ADMINISTRATORS, gestao::receptor::pause_receiver)
            .describe(Management, "Pausar receptor", "Pausa um receptor: o que mudar espera por ele.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<ReceptorTO>(),
        post("/gestao/receptor/{codReceptor}/retomar", AllowedCallers::ADMINISTRATORS, gestao::receptor::resume_receiver)
            .describe(Management, "Retomar receptor", "Retoma um receptor pausado: o que esperava é enviado.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<ReceptorTO>(),
        post("/gestao/receptor/{codReceptor}/segredo", AllowedCallers::ADMINISTRATORS, gestao::receptor::rotate_receiver_secret)
            .describe(Management, "Trocar segredo do receptor", "Cria outro segredo, mostrado só nesta resposta. Por 24 horas os gatilhos são assinados com os dois.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<SegredoTO>(),
        post("/gestao/receptor/{codReceptor}/teste", AllowedCallers::ADMINISTRATORS, gestao::receptor::test_receiver)
            .describe(Management, "Testar receptor", "Envia agora um gatilho de exemplo, que não fala de ninguém, e diz o que o receptor respondeu.")
            .with_optional_body::<TesteReceptorInput>()
            .with_answer::<TesteReceptorTO>(),
        get("/gestao/historico", AllowedCallers::ANY_ROLE, gestao::historico::list_situation_changes)
            .describe(Management, "Histórico de situações", "As mudanças de situação das lojas do usuário, na ordem em que aconteceram, com o gatilho de cada uma. Guarde `proximo` e envie-o em `apos`: nada é inserido antes do que já foi mostrado. Um 409 diz que a base voltou a um estado anterior, e como continuar.")
            .with_query::<HistoricoQuery>()
            .with_answer::<HistoricoTO>(),
        get("/gestao/usuario", AllowedCallers::ADMINISTRATORS, gestao::usuario::list_users)
            .describe(Management, "Usuários da base", "Os usuários da base, ativos ou não, por nome, em páginas de 100. Os parâmetros só restringem; sem nenhum, vêm todos.")
            .with_query::<UsuarioQuery>()
            .with_answer::<ListPage<UsuarioTO>>(),
        post("/gestao/usuario", AllowedCallers::ADMINISTRATORS, gestao::usuario::create_user)
            .describe(Management, "Criar usuário", "Cria um usuário. Uma senha forte é enviada ao e-mail dele; vale na hora para a API e deve ser trocada na primeira entrada no console.")
            .with_body::<UsuarioInput>()
            .with_answer::<UsuarioTO>(),
        get("/gestao/usuario/{codUsuario}", AllowedCallers::ADMINISTRATORS, gestao::usuario::show_user)
            .describe(Management, "Usuário", "Um usuário da base, ativo ou não.")
            .with_answer::<UsuarioTO>(),
        put("/gestao/usuario/{codUsuario}", AllowedCallers::ADMINISTRATORS, gestao::usuario::change_user)
            .describe(Management, "Alterar usuário", "Altera um usuário: o campo que não vem fica como está. O que muda os direitos dele vale na hora, também nas sessões abertas; com `ativo` false elas se encerram. O último administrador ativo não é desativado nem muda de perfil, e ninguém tira o próprio perfil de administrador.")
            .with_body::<UsuarioAlteracaoInput>()
            .with_answer::<UsuarioTO>(),
        post("/gestao/usuario/{codUsuario}/senha", AllowedCallers::ADMINISTRATORS, gestao::usuario::send_password)
            .describe(Management, "Enviar outra senha", "Envia ao e-mail do usuário uma senha nova, que vale na hora; a anterior, as sessões e os links abertos deixam de valer.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<UsuarioTO>(),
        post("/gestao/usuario/{codUsuario}/encerrarSessoes", AllowedCallers::ADMINISTRATORS, gestao::usuario::end_sessions)
            .describe(Management, "Encerrar sessões", "Encerra todas as sessões do usuário, que pode entrar de novo com a sua senha.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<UsuarioTO>(),
        get("/gestao/associado/{codPessoa}", AllowedCallers::STAFF, gestao::associado::show_member)
            .describe(Management, "Associado", "Um associado com tudo o que se sabe dele: a pessoa, os telefones, os benefícios em poucas palavras e quantos dependentes têm.")
            .with_answer::<AssociadoTO>(),
        put("/gestao/associado/{codPessoa}", AllowedCallers::STAFF, gestao::associado::change_member)
            .describe(Management, "Alterar associado", "Altera um associado, também o documento e a loja: o campo que não vem fica como está, e `null` o limpa.")
            .with_body::<AssociadoInput>()
            .with_answer::<AssociadoTO>(),
        get("/gestao/associado/{codPessoa}/historico", AllowedCallers::STAFF, gestao::associado::show_member_history)
            .describe(Management, "Histórico do associado", "O que mudou do associado, campo a campo, e as situações dos seus benefícios: quem, quando, antes e depois.")
            .with_answer::<HistoricoRegistroTO>(),
        get("/gestao/beneficio/{codBeneficio}", AllowedCallers::STAFF, gestao::beneficio::show_benefit)
            .describe(Management, "Benefício", "Um benefício com tudo o que se sabe dele: o titular, a situação, os itens, o veículo e os campos adicionais.")
            .with_answer::<BeneficioTO>(),
        put("/gestao/beneficio/{codBeneficio}", AllowedCallers::STAFF, gestao::beneficio::change_benefit)
            .describe(Management, "Alterar benefício", "Altera um benefício de qualquer tipo, também um cancelado: o campo que não vem fica como está, e `null` o limpa. O titular fica; a situação muda em `/situacao`.")
            .with_body::<BeneficioAlteracaoInput>()
            .with_answer::<BeneficioTO>(),
        put("/gestao/beneficio/{codBeneficio}/situacao", AllowedCallers::STAFF, gestao::beneficio::change_benefit_situation)
            .describe(Management, "Mudar a situação do benefício", "Leva o benefício a outra situação, pelo código ou pelo nome. Para cancelar e para reativar, informe o motivo. Só se reativa um veículo cuja placa e cujo chassi não têm outro benefício em vigor.")
            .with_body::<SituacaoBeneficioInput>()
            .with_answer::<BeneficioTO>(),
        put("/gestao/beneficio/{codBeneficio}/itens/{codItem}", AllowedCallers::STAFF, gestao::beneficio::change_benefit_item)
            .describe(Management, "Alterar item do benefício", "Retira um plano do benefício, devolve-o ou muda o seu valor. O benefício fica com ao menos um plano.")
            .with_body::<ItemAlteracaoInput>()
            .with_answer::<BeneficioTO>(),
        get("/gestao/beneficio/{codBeneficio}/historico", AllowedCallers::STAFF, gestao::beneficio::show_benefit_history)
            .describe(Management, "Histórico do benefício", "As situações e os campos que mudaram: quem, quando, antes e depois.")
            .with_answer::<HistoricoRegistroTO>(),
        get("/gestao/negocio", AllowedCallers::STAFF, gestao::negocio::list_deals)
            .describe(Management, "Negócios", "Os negócios das lojas do usuário em qualquer situação, o mais novo primeiro, em páginas de 100. Os parâmetros só restringem.")
            .with_query::<NegocioQuery>()
            .with_answer::<ListPage<NegocioGestaoTO>>(),
        get("/gestao/negocio/quadro", AllowedCallers::STAFF, gestao::negocio::show_deal_board)
            .describe(Management, "Quadro de negócios", "O quadro de um funil: cada etapa com a quantidade e a soma dos negócios em aberto, e os primeiros deles.")
            .with_query::<QuadroQuery>()
            .with_answer::<QuadroTO>(),
        get("/gestao/negocio/{codNegocio}", AllowedCallers::STAFF, gestao::negocio::show_deal)
            .describe(Management, "Negócio", "Um negócio em qualquer situação, com tudo o que se sabe dele e o benefício em que se tornou.")
            .with_answer::<NegocioCompletoTO>(),
        get("/gestao/negocio/{codNegocio}/historico", AllowedCallers::STAFF, gestao::negocio::show_deal_history)
            .describe(Management, "Histórico do negócio", "O que mudou do negócio, também a etapa e a situação: quem, quando, antes e depois.")
            .with_answer::<HistoricoRegistroTO>(),
        put("/gestao/negocio/{codNegocio}/etapa", AllowedCallers::STAFF, gestao::negocio::move_deal)
            .describe(Management, "Mover negócio", "Leva um negócio em aberto a outra etapa do quadro.")
            .with_body::<EtapaInput>()
            .with_answer::<NegocioGestaoTO>(),
        put("/gestao/negocio/{codNegocio}/perder", AllowedCallers::STAFF, gestao::negocio::lose_deal)
            .describe(Management, "Perder negócio", "Dá um negócio por perdido, com o motivo.")
            .with_body::<PerdaInput>()
            .with_answer::<NegocioGestaoTO>(),
        put("/gestao/negocio/{codNegocio}/reabrir", AllowedCallers::STAFF, gestao::negocio::reopen_deal)
            .describe(Management, "Reabrir negócio", "Reabre um negócio perdido, ou ganho sem um benefício.")
            .with_optional_body::<ReaberturaInput>()
            .with_answer::<NegocioGestaoTO>(),
        put("/gestao/negocio/{codNegocio}/ganhar", AllowedCallers::STAFF, gestao::negocio::win_deal)
            .describe(Management, "Ganhar negócio", "Ganha um negócio: de uma só vez a pessoa do lead se torna associado, recebe o benefício com o veículo e os dependentes do negócio, e o negócio mostra o `codBeneficio`. Repetido, responde o mesmo, sem um segundo benefício. O corpo pode faltar onde o negócio e o lead dizem tudo.")
            .with_optional_body::<GanhoInput>()
            .with_answer::<NegocioGestaoTO>(),
        get("/gestao/lead", AllowedCallers::STAFF, gestao::negocio::list_leads)
            .describe(Management, "Leads", "Os leads das lojas do usuário, ativos ou não, o mais novo primeiro, em páginas de 100. Os parâmetros só restringem.")
            .with_query::<LeadQuery>()
            .with_answer::<ListPage<LeadGestaoTO>>(),
        get("/gestao/lead/{codLead}", AllowedCallers::STAFF, gestao::negocio::show_lead)
            .describe(Management, "Lead", "Um lead, ativo ou não.")
            .with_answer::<LeadGestaoTO>(),
        put("/gestao/lead/{codLead}", AllowedCallers::STAFF, gestao::negocio::change_lead)
            .describe(Management, "Alterar lead", "Altera um lead: o campo que não vem fica como está, e `null` o limpa.")
            .with_body::<LeadAlteracaoInput>()
            .with_answer::<LeadGestaoTO>(),
        get("/gestao/base", AllowedCallers::ADMINISTRATORS, gestao::base::show_tenant)
            .describe(Management, "A base", "A própria associação: nome, fuso horário, cores, os nomes de servidor pelos quais é encontrada, quem valida sem credencial e de quem se exige o segundo fator.")
            .with_answer::<BaseTO>(),
        put("/gestao/base", AllowedCallers::ADMINISTRATORS, gestao::base::change_tenant)
            .describe(Management, "Alterar a base", "Altera a própria associação; vale na hora. Os nomes de servidor são de quem administra o servidor, que os define por comando: um pedido com `hosts` é recusado (400).")
            .with_body::<BaseInput>()
            .with_answer::<BaseTO>(),
    ]
    .into_iter()
    .chain(cases::list_case_operations())
    .chain(finance::list_finance_operations())
        .chain(charging::list_charging_operations())
    .chain(files::list_file_operations())
    .chain(imports::list_import_operations())
    .collect()
}
