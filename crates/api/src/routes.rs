//! The route table: every operation, on one screen.

mod cases;
mod files;
mod imports;

use crate::operation::{Access, Operation, Section, delete, get, post, put};
use crate::{ext, gestao};
use domain::Role;
use std::sync::LazyLock;
use wire::records::{
    AcessoTO, AuditoriaQuery, AuditoriaTO, BeneficioInput, BeneficioOutputTO, BeneficioVeiculoInput,
    CancelamentoInput, CodigoNomeTO, EventoListaTO, EventoTO, HistoricoQuery, HistoricoTO,
    ListaBeneficioQuery, ListaDiaVencimentoTO, Pagina, PesquisaAssociadoOutputTO, PesquisaAssociadoQuery,
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

const ANY_ROLE: Access = Access::Roles(&Role::ALL);
const WORKERS: Access = Access::Roles(&[Role::Administrator, Role::Operator]);
const ADMINISTRATOR: Access = Access::Roles(&[Role::Administrator]);

/// Every operation: those that are written here, and four for each register.
pub fn operations() -> &'static [Operation] {
    static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
        let registers = registers::REGISTERS.iter().flat_map(gestao::cadastro::operations);
        written().into_iter().chain(gestao::exportacao::operations()).chain(registers).collect()
    });
    &OPERATIONS
}

fn written() -> Vec<Operation> {
    use Section::{Administration, Benefit, Claim, Management, Member, Sales, Security};
    vec![
        post("/ext/autenticacao", Access::Login, ext::autenticacao::enter)
            .told(Security, "Entrar", "Recebe usuário (o e-mail) e senha em `Authorization: Basic` e devolve o token, que vale por 12 horas, com as lojas do usuário e os planos da base. O corpo do pedido é ignorado.")
            .answers::<AcessoTO>(),
        get("/ext/administracao/loja", ANY_ROLE, ext::administracao::branches)
            .told(Administration, "Lojas do usuário", "As lojas (unidades) que o usuário pode acessar, por nome.")
            .answers_many::<CodigoNomeTO>(),
        get("/ext/administracao/campos/{codigo}", ANY_ROLE, ext::administracao::fields)
            .told(Administration, "Campos adicionais", "Os campos que a associação acrescentou aos benefícios de um tipo, por nome: 0 Veicular, 1 Saúde, 2 Diversos, 3 Consórcio, 4 Assistência 24H.")
            .answers_many::<CampoAdicionalOutputTO>(),
        get("/ext/administracao/fornecedor/{codFornecedor}", ANY_ROLE, ext::administracao::supplier)
            .told(Administration, "Fornecedor", "Os dados de um fornecedor da associação, também de um que já não está ativo.")
            .answers::<FornecedorTO>(),
        get("/ext/administracao/vendedor", ANY_ROLE, ext::administracao::sellers)
            .told(Administration, "Pesquisar vendedores", "Os consultores e representantes ativos das lojas do usuário, por nome. Os parâmetros só restringem; sem nenhum, vêm todos.")
            .asks::<PesquisaVendedorQuery>()
            .answers_many::<PesquisaVendedorOutputTO>(),
        get("/ext/associado", ANY_ROLE, ext::associado::search)
            .told(Member, "Pesquisar associados", "Os associados com os seus benefícios, um benefício por item; quem tem vários aparece várias vezes, e quem não tem nenhum, uma. Informe ao menos um destes: `codPessoa`; `nome`; `cpf` ou `cnpj`; `dataCadastroInicial` com `dataCadastroFinal`; `dataNascimento`; `situacaoBeneficio`; `placa` ou `chassi`. Em páginas de 100, na ordem em que os itens surgiram.")
            .asks::<PesquisaAssociadoQuery>()
            .answers::<Pagina<PesquisaAssociadoOutputTO>>(),
        post("/ext/associado", ANY_ROLE, ext::associado::save)
            .told(Member, "Salvar associado", "Cria a pessoa do CPF ou CNPJ enviado ou, se ela já está na base, a atualiza: o campo que não vem fica como está, e `null` o limpa.")
            .takes::<PessoaInput>()
            .answers::<PessoaOutputTO>(),
        get("/ext/associado/{codPessoa}/cartaoCredito", ANY_ROLE, ext::associado::credit_cards)
            .told(Member, "Cartões de crédito", "Os cartões de crédito de um associado, também os que já não estão em uso, pelo nome impresso. Só a bandeira, os quatro últimos dígitos, o nome e a validade são conhecidos.")
            .answers_many::<CartaoCreditoTO>(),
        get("/ext/beneficio", ANY_ROLE, ext::beneficio::search)
            .told(Benefit, "Pesquisar benefícios", "Os benefícios de uma placa, de um chassi, de um número sequencial ou de um cartão; informe ao menos um deles. Os outros parâmetros só restringem.")
            .asks::<PesquisaBeneficioQuery>()
            .answers_many::<PesquisaBeneficioOutputTO>(),
        post("/ext/beneficio", ANY_ROLE, ext::beneficio::save)
            .told(Benefit, "Salvar benefício", "Cria um benefício que não é veicular para a pessoa do CPF ou CNPJ enviado ou, com `codBeneficio`, altera os campos comuns de um benefício de qualquer tipo: o campo que não vem fica como está, e `null` o limpa.")
            .takes::<BeneficioInput>()
            .answers::<BeneficioOutputTO>(),
        get("/ext/beneficio/lista", ANY_ROLE, ext::beneficio::list)
            .told(Benefit, "Listar benefícios", "Todos os benefícios das lojas do usuário, por código, em páginas de 100.")
            .asks::<ListaBeneficioQuery>()
            .answers::<Pagina<PesquisaBeneficioOutputTO>>(),
        post("/ext/beneficio/veicular", ANY_ROLE, ext::beneficio::save_vehicle)
            .told(Benefit, "Salvar benefício veicular", "Cria um benefício veicular, com o seu veículo, para a pessoa do CPF ou CNPJ enviado ou, com `codBeneficio`, o altera. Uma placa ou um chassi tem um só benefício em vigor por vez.")
            .takes::<BeneficioVeiculoInput>()
            .answers::<BeneficioOutputTO>(),
        get("/ext/beneficio/{codBeneficio}/equipamentos", ANY_ROLE, ext::beneficio::equipment)
            .told(Benefit, "Equipamentos do veículo", "O que está ou já esteve instalado no veículo de um benefício, pelo modelo. Sem equipamento, a lista vem vazia.")
            .answers_many::<RastreadorInstalacaoTO>(),
        post("/ext/beneficio/dependente", ANY_ROLE, ext::beneficio::dependentes::save)
            .told(Benefit, "Salvar dependente", "Cria um dependente de um benefício de qualquer tipo ou, com `codDependente`, o grava por inteiro: o que não vem se perde, menos `planos`, `email`, `numeroCartaoDesconto` e `ativo`. Quem já é dependente ativo do benefício, pelo CPF, não entra outra vez.")
            .takes::<DependenteInput>()
            .answers::<DependenteBasicoOutputTO>(),
        get("/ext/beneficio/dependente", ANY_ROLE, ext::beneficio::dependentes::search)
            .told(Benefit, "Pesquisar dependentes", "Os dependentes de um nome, de um CPF ou de um cartão, por nome; informe ao menos um deles. Vários restringem juntos.")
            .asks::<PesquisaDependenteQuery>()
            .answers_many::<PesquisaDependenteOutputTO>(),
        get("/ext/beneficio/{codBeneficio}/dependentes", ANY_ROLE, ext::beneficio::dependentes::list)
            .told(Benefit, "Dependentes do benefício", "Os dependentes do benefício, ativos ou não, por nome. Cada um pode ser enviado de volta como veio, com o que mudou.")
            .answers_many::<DependenteCompletoOutputTO>(),
        post("/ext/beneficio/{codBeneficio}/itens", ANY_ROLE, ext::beneficio::itens::add)
            .told(Benefit, "Incluir item no benefício", "Acrescenta um plano ativo, de qualquer tipo, ao benefício, que não pode já tê-lo. Devolve o item novo.")
            .takes::<ItemBeneficioInput>()
            .answers::<ItemBeneficioOutputTO>(),
        get("/ext/beneficio/{codBeneficio}/itens", ANY_ROLE, ext::beneficio::itens::list)
            .told(Benefit, "Itens do benefício", "Os planos que o benefício tem, e os que teve, por nome.")
            .answers_many::<ItemBeneficioOutputTO>(),
        put("/ext/beneficio/{codBeneficio}/dadosAdicionais", ANY_ROLE, ext::beneficio::itens::save_fields)
            .told(Benefit, "Gravar dados adicionais", "Grava os campos adicionais enviados, todos ou nenhum; os outros ficam como estão, e `null` limpa. Devolve todos os campos do benefício.")
            .takes_many::<CampoAdicionalInput>()
            .answers_many::<CampoAdicionalValorTO>(),
        put("/ext/beneficio/{codBeneficio}/cancelar", ANY_ROLE, ext::beneficio::cancel)
            .told(Benefit, "Cancelar benefício", "Leva o benefício à situação de cancelado e guarda os seus dados. Repetido, responde o mesmo. O corpo pode faltar.")
            .may_take::<CancelamentoInput>()
            .answers::<BeneficioOutputTO>(),
        get("/ext/beneficio/situacaoBeneficio", Access::Open, ext::beneficio::situations)
            .told(Benefit, "Situações de benefício", "As situações que um benefício pode ter, com o tipo de cada uma.")
            .answers_many::<SituacaoBeneficioTO>(),
        get("/ext/beneficio/tipoVeiculo", Access::Open, ext::beneficio::vehicle_types)
            .told(Benefit, "Tipos de veículo", "Os tipos de veículo da associação, com a categoria de cada um.")
            .answers_many::<TipoVeiculoBean>(),
        get("/ext/beneficio/vencimento", Access::Open, ext::beneficio::due_days)
            .told(Benefit, "Dias de vencimento", "Os dias do mês que um benefício pode ter como vencimento.")
            .answers::<ListaDiaVencimentoTO>(),
        get("/ext/evento", ANY_ROLE, ext::evento::search)
            .told(Claim, "Pesquisar eventos", "Os eventos das lojas do usuário, o de abertura mais recente primeiro. Sem `pagina` vêm todos; com ela, 100 por página, e os cabeçalhos `X-Total-Count` e `Link` dizem quantos são e onde estão as outras páginas.")
            .asks::<PesquisaEventoQuery>()
            .answers_many::<EventoListaTO>(),
        get("/ext/evento/{codEvento}", ANY_ROLE, ext::evento::whole)
            .told(Claim, "Consultar evento", "Um evento com o associado, o condutor, o local, o veículo e os eventos relacionados, até três níveis abaixo dele.")
            .answers::<EventoTO>(),
        post("/ext/beneficio/validacao", Access::Open, ext::validacao::validate)
            .told(Benefit, "Validar benefício", "Diz se um benefício está ativo e de quem é. Informe o cartão (ou o CPF ou CNPJ) em `matricula`, o documento do titular ou o número sequencial; se vierem vários, o benefício deve ter todos. De vários benefícios, vem um ativo e, entre eles, o mais novo. Sem credencial, o documento e o cartão vêm só em parte, e cada endereço de rede tem um número limitado de consultas; com o token, vêm inteiros, das lojas do usuário. Não achar nada é um 400.")
            .takes::<ValidacaoBeneficioInput>()
            .answers::<ValidacaoBeneficioOutputTO>(),
        get("/ext/crm/funil", ANY_ROLE, ext::crm::funnels)
            .told(Sales, "Funis de venda", "Os funis em uso, por nome, cada um com as suas etapas em uso, na ordem em que um negócio passa por elas.")
            .answers_many::<FunilTO>(),
        get("/ext/crm/lead", ANY_ROLE, ext::crm::leads)
            .told(Sales, "Pesquisar leads", "Os leads ativos das lojas do usuário, por nome; com `filtro`, só aqueles de quem ele fala: nome, CPF, CNPJ, telefone ou e-mail.")
            .asks::<PesquisaLeadQuery>()
            .answers_many::<LeadOutputTO>(),
        post("/ext/crm/lead", ANY_ROLE, ext::crm::save_lead)
            .told(Sales, "Salvar lead", "Cria um lead ou, se um lead ativo tem o mesmo documento, senão o mesmo e-mail, senão o mesmo telefone, o atualiza: o campo que não vem fica como está, e `null` o limpa. A pessoa de um lead não é um associado até ser salva como um ou receber um benefício.")
            .takes::<LeadInput>()
            .answers::<PessoaLeadOutputTO>(),
        get("/ext/crm/negocio", ANY_ROLE, ext::crm::deals)
            .told(Sales, "Pesquisar negócios", "Os negócios em aberto das lojas do usuário, pelo nome do lead. Nenhum parâmetro é obrigatório; o intervalo de datas inclui os dois dias.")
            .asks::<PesquisaNegocioQuery>()
            .answers_many::<PesquisaNegocioOutputTO>(),
        post("/ext/crm/negocio", ANY_ROLE, ext::crm::create_deal)
            .told(Sales, "Criar negócio", "Cria um negócio com o lead de `codLead` ou com os campos de um lead, que é criado ou atualizado no mesmo pedido.")
            .takes::<NegocioInput>()
            .answers::<NegocioOutputTO>(),
        get("/ext/crm/negocio/{codNegocio}", ANY_ROLE, ext::crm::deal)
            .told(Sales, "Ver negócio", "Um negócio em qualquer situação, com o lead, os planos, os dependentes e o histórico.")
            .answers::<NegocioTO>(),
        put("/ext/crm/negocio/{codNegocio}", ANY_ROLE, ext::crm::change_deal)
            .told(Sales, "Alterar negócio", "Altera um negócio: o campo que não vem fica como está, e `null` o limpa. Outro funil sem etapa leva à primeira etapa dele. Cada mudança de etapa ou de situação fica no histórico.")
            .takes::<NegocioInput>()
            .answers::<NegocioOutputTO>(),
        post("/ext/crm/negocio/{codNegocio}/dependente", ANY_ROLE, ext::crm::create_dependent)
            .told(Sales, "Criar dependente de negócio", "Acrescenta um dependente a um negócio de saúde; `nome` e `parentesco` são obrigatórios.")
            .takes::<NegocioDependenteTO>()
            .needs(&["nome", "parentesco"])
            .answers::<NegocioDependenteTO>(),
        put("/ext/crm/negocio/{codNegocio}/dependente/{codDependente}", ANY_ROLE, ext::crm::change_dependent)
            .told(Sales, "Alterar dependente de negócio", "Altera um dependente de um negócio de saúde: o campo que não vem fica como está, e `null` o limpa.")
            .takes::<NegocioDependenteTO>()
            .answers::<NegocioDependenteTO>(),
        post("/gestao/sessao", Access::Login, gestao::sessao::enter)
            .told(Security, "Entrar com o segundo fator", "Como `/ext/autenticacao`, para quem tem o segundo fator: com um código do aplicativo, ou de recuperação, no cabeçalho `X-Codigo`. O token vale também para `/gestao`; o de `/ext/autenticacao`, obtido só com a senha, não. Quem não tem o segundo fator não precisa do código. O corpo do pedido é ignorado.")
            .answers::<AcessoTO>(),
        delete("/gestao/sessao", Access::AnyToken, gestao::sessao::end)
            .told(Security, "Encerrar a sessão", "Encerra o token com que o pedido é feito, de qualquer perfil: a partir da resposta ele não vale mais.")
            .answers::<SessaoEncerradaTO>(),
        get("/gestao/auditoria", ADMINISTRATOR, gestao::auditoria::page)
            .told(Management, "Auditoria", "Quem alterou e quem viu os dados de quem, quem entrou ou tentou entrar, de onde e com que resultado, e por qual operação, na ordem em que foi gravado. As leituras e as entradas recusadas são gravadas em grupos, logo depois de respondidas.")
            .asks::<AuditoriaQuery>()
            .answers::<AuditoriaTO>(),
        get("/gestao/entrega", ADMINISTRATOR, gestao::entrega::list)
            .told(Management, "Entregas de gatilhos", "O que foi enviado a um receptor, e o que falta, na ordem das mudanças, com cada tentativa.")
            .asks::<EntregaQuery>()
            .answers::<EntregasTO>(),
        post("/gestao/entrega/reenviar", ADMINISTRATOR, gestao::entrega::send_again)
            .told(Management, "Reenviar gatilhos", "Envia de novo a um receptor os gatilhos de um trecho do histórico, ou tudo o que não chegou desde um dia. Cada um mantém o seu `webhook-id`.")
            .takes::<ReenvioInput>()
            .answers::<ReenvioTO>(),
        get("/gestao/receptor", ADMINISTRATOR, gestao::receptor::list)
            .told(Management, "Receptores de gatilhos", "Quem é avisado das mudanças de situação, por código, e como vai cada um.")
            .answers_many::<ReceptorTO>(),
        post("/gestao/receptor", ADMINISTRATOR, gestao::receptor::create)
            .told(Management, "Cadastrar receptor", "Cadastra quem é avisado das mudanças de situação, daqui em diante. O segredo que assina os gatilhos é mostrado só nesta resposta.")
            .takes::<ReceptorInput>()
            .answers::<ReceptorCriadoTO>(),
        get("/gestao/receptor/{codReceptor}", ADMINISTRATOR, gestao::receptor::one)
            .told(Management, "Receptor de gatilhos", "Um receptor e como ele vai.")
            .answers::<ReceptorTO>(),
        put("/gestao/receptor/{codReceptor}", ADMINISTRATOR, gestao::receptor::change)
            .told(Management, "Alterar receptor", "Altera um receptor: o campo que não vem fica como está. Envie a `versao` que você leu: se ele mudou desde então, a recusa (409) mostra o que foi enviado e o que há agora. Com `ativo` false ele é retirado, e nada mais lhe é enviado.")
            .takes::<ReceptorAlteracaoInput>()
            .answers::<ReceptorTO>(),
        post("/gestao/receptor/{codReceptor}/pausar", ADMINISTRATOR, gestao::receptor::pause)
            .told(Management, "Pausar receptor", "Pausa um receptor: o que mudar espera por ele.")
            .may_take::<MotivoInput>()
            .answers::<ReceptorTO>(),
        post("/gestao/receptor/{codReceptor}/retomar", ADMINISTRATOR, gestao::receptor::resume)
            .told(Management, "Retomar receptor", "Retoma um receptor pausado: o que esperava é enviado.")
            .may_take::<MotivoInput>()
            .answers::<ReceptorTO>(),
        post("/gestao/receptor/{codReceptor}/segredo", ADMINISTRATOR, gestao::receptor::rotate)
            .told(Management, "Trocar segredo do receptor", "Cria outro segredo, mostrado só nesta resposta. Por 24 horas os gatilhos são assinados com os dois.")
            .may_take::<MotivoInput>()
            .answers::<SegredoTO>(),
        post("/gestao/receptor/{codReceptor}/teste", ADMINISTRATOR, gestao::receptor::test)
            .told(Management, "Testar receptor", "Envia agora um gatilho de exemplo, que não fala de ninguém, e diz o que o receptor respondeu.")
            .may_take::<TesteReceptorInput>()
            .answers::<TesteReceptorTO>(),
        get("/gestao/historico", ANY_ROLE, gestao::historico::page)
            .told(Management, "Histórico de situações", "As mudanças de situação das lojas do usuário, na ordem em que aconteceram, com o gatilho de cada uma. Guarde `proximo` e envie-o em `apos`: nada é inserido antes do que já foi mostrado. Um 409 diz que a base voltou a um estado anterior, e como continuar.")
            .asks::<HistoricoQuery>()
            .answers::<HistoricoTO>(),
        get("/gestao/usuario", ADMINISTRATOR, gestao::usuario::list)
            .told(Management, "Usuários da base", "Os usuários da base, ativos ou não, por nome, em páginas de 100. Os parâmetros só restringem; sem nenhum, vêm todos.")
            .asks::<UsuarioQuery>()
            .answers::<Pagina<UsuarioTO>>(),
        post("/gestao/usuario", ADMINISTRATOR, gestao::usuario::create)
            .told(Management, "Criar usuário", "Cria um usuário. Uma senha forte é enviada ao e-mail dele; vale na hora para a API e deve ser trocada na primeira entrada no console.")
            .takes::<UsuarioInput>()
            .answers::<UsuarioTO>(),
        get("/gestao/usuario/{codUsuario}", ADMINISTRATOR, gestao::usuario::one)
            .told(Management, "Usuário", "Um usuário da base, ativo ou não.")
            .answers::<UsuarioTO>(),
        put("/gestao/usuario/{codUsuario}", ADMINISTRATOR, gestao::usuario::change)
            .told(Management, "Alterar usuário", "Altera um usuário: o campo que não vem fica como está. O que muda os direitos dele vale na hora, também nas sessões abertas; com `ativo` false elas se encerram. O último administrador ativo não é desativado nem muda de perfil, e ninguém tira o próprio perfil de administrador.")
            .takes::<UsuarioAlteracaoInput>()
            .answers::<UsuarioTO>(),
        post("/gestao/usuario/{codUsuario}/senha", ADMINISTRATOR, gestao::usuario::send_password)
            .told(Management, "Enviar outra senha", "Envia ao e-mail do usuário uma senha nova, que vale na hora; a anterior, as sessões e os links abertos deixam de valer.")
            .may_take::<MotivoInput>()
            .answers::<UsuarioTO>(),
        post("/gestao/usuario/{codUsuario}/encerrarSessoes", ADMINISTRATOR, gestao::usuario::end_sessions)
            .told(Management, "Encerrar sessões", "Encerra todas as sessões do usuário, que pode entrar de novo com a sua senha.")
            .may_take::<MotivoInput>()
            .answers::<UsuarioTO>(),
        get("/gestao/associado/{codPessoa}", WORKERS, gestao::associado::one)
            .told(Management, "Associado", "Um associado com tudo o que se sabe dele: a pessoa, os telefones, os benefícios em poucas palavras e quantos dependentes têm.")
            .answers::<AssociadoTO>(),
        put("/gestao/associado/{codPessoa}", WORKERS, gestao::associado::change)
            .told(Management, "Alterar associado", "Altera um associado, também o documento e a loja: o campo que não vem fica como está, e `null` o limpa.")
            .takes::<AssociadoInput>()
            .answers::<AssociadoTO>(),
        get("/gestao/associado/{codPessoa}/historico", WORKERS, gestao::associado::history)
            .told(Management, "Histórico do associado", "O que mudou do associado, campo a campo, e as situações dos seus benefícios: quem, quando, antes e depois.")
            .answers::<HistoricoRegistroTO>(),
        get("/gestao/beneficio/{codBeneficio}", WORKERS, gestao::beneficio::one)
            .told(Management, "Benefício", "Um benefício com tudo o que se sabe dele: o titular, a situação, os itens, o veículo e os campos adicionais.")
            .answers::<BeneficioTO>(),
        put("/gestao/beneficio/{codBeneficio}", WORKERS, gestao::beneficio::change)
            .told(Management, "Alterar benefício", "Altera um benefício de qualquer tipo, também um cancelado: o campo que não vem fica como está, e `null` o limpa. O titular fica; a situação muda em `/situacao`.")
            .takes::<BeneficioAlteracaoInput>()
            .answers::<BeneficioTO>(),
        put("/gestao/beneficio/{codBeneficio}/situacao", WORKERS, gestao::beneficio::move_to)
            .told(Management, "Mudar a situação do benefício", "Leva o benefício a outra situação, pelo código ou pelo nome. Para cancelar e para reativar, informe o motivo. Só se reativa um veículo cuja placa e cujo chassi não têm outro benefício em vigor.")
            .takes::<SituacaoBeneficioInput>()
            .answers::<BeneficioTO>(),
        put("/gestao/beneficio/{codBeneficio}/itens/{codItem}", WORKERS, gestao::beneficio::change_item)
            .told(Management, "Alterar item do benefício", "Retira um plano do benefício, devolve-o ou muda o seu valor. O benefício fica com ao menos um plano.")
            .takes::<ItemAlteracaoInput>()
            .answers::<BeneficioTO>(),
        get("/gestao/beneficio/{codBeneficio}/historico", WORKERS, gestao::beneficio::history)
            .told(Management, "Histórico do benefício", "As situações e os campos que mudaram: quem, quando, antes e depois.")
            .answers::<HistoricoRegistroTO>(),
        get("/gestao/negocio", WORKERS, gestao::negocio::list)
            .told(Management, "Negócios", "Os negócios das lojas do usuário em qualquer situação, o mais novo primeiro, em páginas de 100. Os parâmetros só restringem.")
            .asks::<NegocioQuery>()
            .answers::<Pagina<NegocioGestaoTO>>(),
        get("/gestao/negocio/quadro", WORKERS, gestao::negocio::board)
            .told(Management, "Quadro de negócios", "O quadro de um funil: cada etapa com a quantidade e a soma dos negócios em aberto, e os primeiros deles.")
            .asks::<QuadroQuery>()
            .answers::<QuadroTO>(),
        get("/gestao/negocio/{codNegocio}", WORKERS, gestao::negocio::one)
            .told(Management, "Negócio", "Um negócio em qualquer situação, com tudo o que se sabe dele e o benefício em que se tornou.")
            .answers::<NegocioCompletoTO>(),
        get("/gestao/negocio/{codNegocio}/historico", WORKERS, gestao::negocio::history)
            .told(Management, "Histórico do negócio", "O que mudou do negócio, também a etapa e a situação: quem, quando, antes e depois.")
            .answers::<HistoricoRegistroTO>(),
        put("/gestao/negocio/{codNegocio}/etapa", WORKERS, gestao::negocio::move_to)
            .told(Management, "Mover negócio", "Leva um negócio em aberto a outra etapa do quadro.")
            .takes::<EtapaInput>()
            .answers::<NegocioGestaoTO>(),
        put("/gestao/negocio/{codNegocio}/perder", WORKERS, gestao::negocio::lose)
            .told(Management, "Perder negócio", "Dá um negócio por perdido, com o motivo.")
            .takes::<PerdaInput>()
            .answers::<NegocioGestaoTO>(),
        put("/gestao/negocio/{codNegocio}/reabrir", WORKERS, gestao::negocio::reopen)
            .told(Management, "Reabrir negócio", "Reabre um negócio perdido, ou ganho sem um benefício.")
            .may_take::<ReaberturaInput>()
            .answers::<NegocioGestaoTO>(),
        put("/gestao/negocio/{codNegocio}/ganhar", WORKERS, gestao::negocio::win)
            .told(Management, "Ganhar negócio", "Ganha um negócio: de uma só vez a pessoa do lead se torna associado, recebe o benefício com o veículo e os dependentes do negócio, e o negócio mostra o `codBeneficio`. Repetido, responde o mesmo, sem um segundo benefício. O corpo pode faltar onde o negócio e o lead dizem tudo.")
            .may_take::<GanhoInput>()
            .answers::<NegocioGestaoTO>(),
        get("/gestao/lead", WORKERS, gestao::negocio::leads)
            .told(Management, "Leads", "Os leads das lojas do usuário, ativos ou não, o mais novo primeiro, em páginas de 100. Os parâmetros só restringem.")
            .asks::<LeadQuery>()
            .answers::<Pagina<LeadGestaoTO>>(),
        get("/gestao/lead/{codLead}", WORKERS, gestao::negocio::lead)
            .told(Management, "Lead", "Um lead, ativo ou não.")
            .answers::<LeadGestaoTO>(),
        put("/gestao/lead/{codLead}", WORKERS, gestao::negocio::change_lead)
            .told(Management, "Alterar lead", "Altera um lead: o campo que não vem fica como está, e `null` o limpa.")
            .takes::<LeadAlteracaoInput>()
            .answers::<LeadGestaoTO>(),
        get("/gestao/base", ADMINISTRATOR, gestao::base::own)
            .told(Management, "A base", "A própria associação: nome, fuso horário, cores, os nomes de servidor pelos quais é encontrada, quem valida sem credencial e de quem se exige o segundo fator.")
            .answers::<BaseTO>(),
        put("/gestao/base", ADMINISTRATOR, gestao::base::change)
            .told(Management, "Alterar a base", "Altera a própria associação; vale na hora. Os nomes de servidor são de quem administra o servidor, que os define por comando: um pedido com `hosts` é recusado (400).")
            .takes::<BaseInput>()
            .answers::<BaseTO>(),
    ]
    .into_iter()
    .chain(cases::operations())
    .chain(files::operations())
    .chain(imports::operations())
    .collect()
}
