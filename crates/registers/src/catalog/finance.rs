//! Registers of money: what is charged, how it is paid, and where the money goes.

use super::sets::{
    CHARGE_ITEM_KIND, LAUNCH_KIND, LEGAL_NATURE, MONEY_ACCOUNT_KIND, SHORTFALL_TREATMENT, SLIP_BANK,
};
use super::{build_name_field, build_plain_register, build_text_field};
use crate::describe::{
    FieldDefault, FieldSpec, FieldType, Register, require_unique, require_unique_name, words,
};
use domain::finance::EarlyDiscountRule;

const SECTION: &str = "Financeiro";
const EARLY_DISCOUNT_DAYS: FieldType = FieldType::Integer { least: 0, most: EarlyDiscountRule::MOST_DAYS };

pub const PROTECTION_GROUP: Register = Register {
    about: "Só para quem tem mais de um grupo: cada grupo divide as suas próprias despesas. Com um só, não mexa aqui.",
    section: SECTION,
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("grupoProtecao", "codGrupo", "grupo de proteção", "grupos de proteção", "o", "um"),
        ("grupoProtecao", "codGrupo", "protection_group"),
        "protection_groups",
        &[build_name_field("O nome do grupo.", r#""Grupo de motocicletas""#)],
    )
};

pub const CHARGE_ITEM: Register = Register {
    about: "O que pode vir em uma cobrança: taxas, rateio, adicionais, multa e juros.",
    section: SECTION,
    columns: &["tipo", "natureza"],
    unique: &[require_unique_name(&["nome"])],
    filters: &["tipo", "natureza"],
    ..build_plain_register(
        words!("itemCobranca", "codItemCobranca", "item de cobrança", "itens de cobrança", "o", "um"),
        ("itemCobranca", "codItemCobranca", "charge_item"),
        "charge_items",
        &[
            build_name_field("O nome do item, como o associado o lê na cobrança.", r#""Carro reserva""#),
            FieldSpec::new("tipo", "kind", FieldType::Choice(CHARGE_ITEM_KIND))
                .make_required()
                .make_fixed()
                .with_texts("Tipo", "O que o item cobra; não muda depois de cadastrado.", r#""ADICIONAL""#)
                .with_hint("Não muda depois de cadastrado."),
            FieldSpec::new("natureza", "nature", FieldType::Choice(LEGAL_NATURE))
                .make_required()
                .make_fixed()
                .with_texts(
                    "Natureza",
                    "Em qual das quatro naturezas da Lei Complementar 213/2025 o item entra: I, indenizações e despesas de \
                     eventos; II, reembolso de despesas adiantadas pela administradora; III, taxa de administração; IV, outras \
                     despesas da operação. Não muda depois de cadastrado.",
                    r#""INDENIZACAO""#,
                )
                .with_hint("As quatro que a lei prevê. Não muda depois de cadastrado."),
        ],
    )
};

pub const LATE_CHARGE_RULE: Register = Register {
    about: "Quanto se cobra de quem paga depois do vencimento, e o desconto de quem paga antes.",
    section: SECTION,
    columns: &["multa", "jurosMes", "diferenca"],
    ..build_plain_register(
        words!(
            "regraEncargos",
            "codRegraEncargos",
            "regra de multa e juros",
            "regras de multa e juros",
            "a",
            "uma"
        ),
        ("regraEncargos", "codRegraEncargos", "late_charge_rule"),
        "late_charge_rules",
        &[
            build_name_field("O nome da regra.", r#""Juros de 1,5% ao mês""#),
            FieldSpec::new("multa", "fine", FieldType::Percent)
                .with_default(FieldDefault::Number(200))
                .with_texts(
                    "Multa",
                    "A multa, em percentual do valor em aberto, cobrada uma vez; 2 onde não vem.",
                    "2",
                )
                .with_hint("Cobrada uma vez, a partir do primeiro dia de atraso."),
            FieldSpec::new("jurosMes", "monthly_interest", FieldType::Percent)
                .with_default(FieldDefault::Number(100))
                .with_texts(
                    "Juros ao mês",
                    "Os juros ao mês, em percentual do valor em aberto, contados por dia de atraso; 1 onde não vem.",
                    "1.5",
                )
                .with_hint("Contados por dia de atraso: um mês tem 30 dias."),
            FieldSpec::new("diferenca", "shortfall", FieldType::Choice(SHORTFALL_TREATMENT))
                .with_default(FieldDefault::Number(1))
                .with_texts(
                    "Multa e juros não pagos",
                    "O que acontece com a multa e os juros de quem paga em atraso só o valor do título: entram na próxima \
                     cobrança ou são dispensados.",
                    r#""PROXIMA_COBRANCA""#,
                )
                .with_hint("Quando alguém paga em atraso só o valor do título."),
            FieldSpec::new("descontoPontualidade", "early_discount", FieldType::Percent)
                .with_default(FieldDefault::Number(0))
                .with_texts(
                    "Desconto de pontualidade",
                    "O desconto de quem paga o título inteiro antes do vencimento, em percentual do que a natureza escolhida \
                     cobra; 0, nenhum, onde não vem.",
                    "5",
                )
                .with_hint("Para quem paga o título inteiro alguns dias antes. Em branco, não há."),
            FieldSpec::new("diasDesconto", "early_discount_days", EARLY_DISCOUNT_DAYS)
                .with_default(FieldDefault::Number(0))
                .with_texts(
                    "Dias antes do vencimento",
                    "Quantos dias antes do vencimento é o último dia do desconto; se os bancos não abrem nele, vale o próximo \
                     dia útil.",
                    "6",
                ),
            FieldSpec::new("naturezaDesconto", "early_discount_nature", FieldType::Choice(LEGAL_NATURE))
                .with_default(FieldDefault::Number(3))
                .with_texts(
                    "Natureza do desconto",
                    "De qual das quatro naturezas sai o desconto; a lei só o permite onde o plano o prevê, e a taxa de \
                     administração é a que vale onde não vem.",
                    r#""ADMINISTRACAO""#,
                ),
        ],
    )
};

pub const TITLE_TYPE: Register = Register {
    about: "Os tipos de título: mensalidade, adesão, conta a pagar e outros.",
    section: SECTION,
    columns: &["tipoLancamento", "codItemCobranca", "codRegraEncargos"],
    unique: &[require_unique_name(&["nome"])],
    filters: &["tipoLancamento"],
    ..build_plain_register(
        words!("tipoTitulo", "codTipoTitulo", "tipo de título", "tipos de título", "o", "um"),
        ("tipoTitulo", "codTipoTitulo", "title_type"),
        "title_types",
        &[
            build_name_field("O nome do tipo.", r#""Segunda via de carteirinha""#),
            FieldSpec::new("tipoLancamento", "launch_kind", FieldType::Choice(LAUNCH_KIND))
                .make_required()
                .make_fixed()
                .with_texts(
                    "Lançamento",
                    "CREDITO, o que a associação tem a receber; DEBITO, o que ela tem a pagar; RATEIO, o total que um rateio \
                     divide. Não muda depois de cadastrado.",
                    r#""CREDITO""#,
                )
                .with_hint("Crédito se recebe, débito se paga. Não muda depois de cadastrado."),
            FieldSpec::new("codItemCobranca", "charge_item", FieldType::Reference("itemCobranca"))
                .make_required()
                .with_texts(
                    "Item de cobrança",
                    "O item em que entra o valor de um título lançado com este tipo.",
                    "1",
                ),
            FieldSpec::new("codRegraEncargos", "late_charge_rule", FieldType::Reference("regraEncargos"))
                .with_texts(
                    "Multa e juros",
                    "A regra de multa e juros dos títulos deste tipo; sem ela, não há multa nem juros.",
                    "1",
                )
                .with_hint("Em branco, quem paga em atraso não paga multa nem juros."),
        ],
    )
};

pub const PAYMENT_FORM: Register = Register {
    about: "Como o associado escolhe pagar: boleto, Pix, cartão e outras formas.",
    section: SECTION,
    ..build_plain_register(
        words!(
            "formaPagamento",
            "codFormaPagamento",
            "forma de pagamento",
            "formas de pagamento",
            "a",
            "uma"
        ),
        ("formaPagamento", "codFormaPagamento", "payment_form"),
        "payment_forms",
        &[build_name_field("O nome da forma de pagamento.", r#""Desconto em folha""#)],
    )
};

pub const MONEY_ACCOUNT: Register = Register {
    about: "Onde o dinheiro fica: as contas bancárias e os caixas da associação.",
    section: SECTION,
    columns: &["tipo", "banco", "agencia", "conta", "codGrupo"],
    ..build_plain_register(
        words!("contaFinanceira", "codContaFinanceira", "conta financeira", "contas financeiras", "a", "uma"),
        ("contaFinanceira", "codContaFinanceira", "money_account"),
        "money_accounts",
        &[
            build_name_field("O nome da conta ou do caixa.", r#""Conta de arrecadação""#),
            FieldSpec::new("tipo", "kind", FieldType::Choice(MONEY_ACCOUNT_KIND))
                .make_required()
                .make_fixed()
                .with_texts(
                    "Tipo",
                    "BANCO, uma conta em um banco; CAIXA, dinheiro em espécie.",
                    r#""BANCO""#,
                ),
            build_text_field("banco", "bank", 100, "Banco", "O banco, de uma conta bancária.", r#""Sicoob""#)
                .make_searchable(),
            build_text_field("agencia", "agency", 20, "Agência", "A agência, com o dígito.", r#""3171-2""#),
            build_text_field(
                "conta",
                "account_number",
                30,
                "Conta",
                "O número da conta, com o dígito.",
                r#""12345-6""#,
            ),
            FieldSpec::new("codGrupo", "protection_group", FieldType::Reference("grupoProtecao"))
                .make_fixed()
                .with_texts(
                    "Grupo de proteção",
                    "O grupo de proteção a que a conta pertence; sem ele, todos os grupos a usam.",
                    "1",
                )
                .with_hint("Em branco, todos os grupos usam a conta."),
            build_text_field(
                "chavePix",
                "pix_key",
                77,
                "Chave Pix",
                "A chave Pix da conta, pela qual os associados pagam os títulos sem que um banco esteja ligado: CPF, CNPJ, \
                 e-mail, telefone com +55 ou a chave aleatória. É guardada sem máscara.",
                r#""123e4567-e12b-12d1-a456-426655440000""#,
            )
            .with_hint(
                "CPF, CNPJ, e-mail, telefone com +55 ou a chave aleatória. Gere um código e pague um valor pequeno antes de usar.",
            ),
            build_text_field(
                "nomeRecebedor",
                "pix_name",
                25,
                "Nome de quem recebe",
                "O nome de quem recebe, como o código Pix o traz; obrigatório com a chave.",
                r#""Associação Amparo""#,
            )
            .with_hint("Até 25 letras, sem acentos; abrevie se precisar."),
            build_text_field(
                "cidadeRecebedor",
                "pix_city",
                15,
                "Cidade de quem recebe",
                "A cidade de quem recebe, como o código Pix a traz; obrigatória com a chave.",
                r#""Goiânia""#,
            )
            .with_hint("Até 15 letras, sem acentos; abrevie se precisar."),
            FieldSpec::new("mandaIdentificador", "pix_sends_txid", FieldType::Flag)
                .with_default(FieldDefault::Flag(true))
                .with_texts(
                    "Mandar o identificador no código Pix",
                    "Se o código Pix traz o identificador que leva do extrato ao título; sem ele, traz `***`, que todo banco \
                     aceita. Sim, onde não vem.",
                    "true",
                )
                .with_hint("Desmarque se um banco recusar os códigos; o extrato deixa de mostrar o título."),
            FieldSpec::new("bancoBoleto", "slip_bank", FieldType::Choice(SLIP_BANK))
                .with_texts(
                    "Banco dos boletos",
                    "O banco que cobra os boletos da conta; sem ele, a conta não emite boletos. A agência e a conta são as de \
                     cima, com o dígito.",
                    r#""SICOOB""#,
                )
                .with_hint("Em branco, a conta não emite boletos."),
            build_text_field(
                "carteira",
                "slip_wallet",
                10,
                "Carteira",
                "A carteira de cobrança, como o banco a escreve.",
                r#""1""#,
            ),
            build_text_field(
                "convenio",
                "slip_agreement",
                20,
                "Convênio ou código do beneficiário",
                "O número que o banco deu à associação: convênio, código do beneficiário, do cedente ou do cliente, com o \
                 dígito onde o banco o usa.",
                r#""1238798""#,
            )
            .with_hint("Está no contrato de cobrança; o nome varia com o banco."),
            build_text_field(
                "variacao",
                "slip_variation",
                10,
                "Variação, modalidade ou posto",
                "O que alguns bancos pedem além da carteira: a variação, a modalidade ou o posto.",
                r#""01""#,
            )
            .with_hint("Só alguns bancos pedem."),
            FieldSpec::new("primeiroNossoNumero", "slip_first_number", FieldType::Integer { least: 1, most: i32::MAX })
                .with_texts(
                    "Primeiro nosso número",
                    "De que número em diante os boletos são numerados, se outro sistema já usou os anteriores.",
                    "1",
                )
                .with_hint("Em branco, a partir de 1. Se vem de outro sistema, continue depois do último que ele usou."),
            build_text_field(
                "nomeBeneficiario",
                "slip_beneficiary",
                60,
                "Beneficiário",
                "O nome de quem recebe, como está no banco; obrigatório com o banco dos boletos.",
                r#""Associação Amparo""#,
            ),
            FieldSpec::new("documentoBeneficiario", "slip_document", FieldType::Document).with_texts(
                "CPF ou CNPJ do beneficiário",
                "O CPF ou CNPJ de quem recebe; obrigatório com o banco dos boletos.",
                r#""11.222.333/0001-81""#,
            ),
            build_text_field(
                "enderecoBeneficiario",
                "slip_address",
                120,
                "Endereço do beneficiário",
                "O endereço de quem recebe, em uma linha; obrigatório com o banco dos boletos.",
                r#""Rua das Flores, 10, Centro, Goiânia - GO, 74000-000""#,
            ),
            build_text_field(
                "mensagemBoleto",
                "slip_message",
                200,
                "Mensagem nos boletos",
                "O que cada boleto diz ao associado.",
                r#""Em dia, você tem proteção sem interrupção.""#,
            ),
        ],
    )
};

pub const SETTLEMENT_TYPE: Register = Register {
    about: "Como um título é dado por pago, e em que conta o dinheiro entra.",
    section: SECTION,
    columns: &["codContaFinanceira"],
    ..build_plain_register(
        words!("tipoLiquidacao", "codTipoLiquidacao", "tipo de liquidação", "tipos de liquidação", "o", "um"),
        ("tipoLiquidacao", "codTipoLiquidacao", "settlement_type"),
        "settlement_types",
        &[
            build_name_field("O nome do tipo.", r#""Depósito identificado""#),
            FieldSpec::new("codContaFinanceira", "money_account", FieldType::Reference("contaFinanceira"))
                .make_required()
                .with_texts("Conta", "A conta financeira em que o dinheiro entra, ou da qual sai.", "1"),
        ],
    )
};

pub const BANK_HOLIDAY: Register = Register {
    about: "Os feriados do município e do estado em que os bancos não abrem; os nacionais já são conhecidos.",
    section: SECTION,
    columns: &["data"],
    unique: &[require_unique(&["data"])],
    ..build_plain_register(
        words!("feriado", "codFeriado", "feriado", "feriados", "o", "um"),
        ("feriado", "codFeriado", "bank_holiday"),
        "bank_holidays",
        &[
            build_name_field("O nome do feriado.", r#""Aniversário da cidade""#),
            FieldSpec::new("data", "day", FieldType::Date)
                .make_required()
                .with_texts("Data", "O dia do feriado; cada ano tem o seu registro.", r#""25/01/2027""#)
                .with_hint(
                    "O que vence neste dia pode ser pago, sem multa nem juros, até o próximo dia útil.",
                ),
        ],
    )
};

pub const PLAN_PRICE: Register = Register {
    about: "A tabela de preços: quanto custa cada plano, por loja, tipo de veículo e faixa de valor, a partir de cada data.",
    section: SECTION,
    columns: &["validoDesde", "codLoja", "codTipoVeiculo", "valorDe", "valorAte", "valor"],
    filters: &["codPlano", "codLoja"],
    ..build_plain_register(
        words!("tabelaPreco", "codPreco", "preço da tabela", "preços da tabela", "o", "um"),
        ("tabelaPreco", "codPreco", "plan_price"),
        "plan_prices",
        &[
            FieldSpec::new("codPlano", "plan", FieldType::Reference("plano")).make_required().with_texts(
                "Plano",
                "O plano que tem este preço.",
                "1",
            ),
            FieldSpec::new("validoDesde", "valid_from", FieldType::Date)
                .make_required()
                .with_texts(
                    "Vale desde",
                    "O primeiro dia em que o preço vale. De dois preços para o mesmo caso, vale o mais novo.",
                    r#""01/01/2027""#,
                )
                .with_hint("Um preço mais novo para o mesmo caso toma o lugar deste."),
            FieldSpec::new("codLoja", "branch", FieldType::Reference("loja"))
                .with_texts(
                    "Loja",
                    "A loja em que o preço vale; todas, onde não vem. O preço de uma loja vem antes do preço de todas.",
                    "null",
                )
                .with_hint("Em branco, em todas. O preço de uma loja vem antes."),
            FieldSpec::new("codTipoVeiculo", "vehicle_type", FieldType::Reference("tipoVeiculo"))
                .with_texts(
                    "Tipo de veículo",
                    "O tipo de veículo que tem o preço; todos, onde não vem. O preço de um tipo vem antes do preço de todos.",
                    "null",
                )
                .with_hint("Em branco, para todos. O preço de um tipo vem antes."),
            FieldSpec::new("valorDe", "value_from", FieldType::Money)
                .with_texts(
                    "Valor protegido de",
                    "O menor valor protegido da faixa, ou, sem ele, o menor valor do veículo; o próprio valor está na faixa.",
                    "20000.01",
                )
                .with_hint("O valor protegido, ou o do veículo. Em branco, a faixa não tem começo."),
            FieldSpec::new("valorAte", "value_until", FieldType::Money)
                .with_texts(
                    "até",
                    "O maior valor da faixa; o próprio valor está na faixa.",
                    "30000",
                )
                .with_hint("Este valor ainda está na faixa. Em branco, ela não tem fim."),
            FieldSpec::new("valor", "price", FieldType::Money)
                .make_required()
                .with_texts(
                    "Preço",
                    "O preço mensal. Com 0, o plano não é cobrado neste caso, e a cobrança diz por quê.",
                    "129.9",
                )
                .with_hint("Por mês."),
        ],
    )
};

pub const DISCOUNT: Register = Register {
    about: "Os descontos que um benefício pode receber, e sobre o que cada um incide.",
    section: SECTION,
    columns: &["percentual", "valor", "natureza", "codPlano"],
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("desconto", "codDesconto", "desconto", "descontos", "o", "um"),
        ("desconto", "codDesconto", "discount"),
        "discounts",
        &[
            build_name_field("O nome do desconto, como o associado o lê na cobrança.", r#""Indicação de amigo""#),
            FieldSpec::new("percentual", "percentage", FieldType::Percent)
                .with_texts(
                    "Percentual",
                    "O percentual do que é cobrado na natureza do desconto. Informe o percentual ou o valor.",
                    "10",
                )
                .with_hint("Informe o percentual ou o valor, e só um dos dois."),
            FieldSpec::new("valor", "amount", FieldType::Money)
                .with_texts(
                    "Valor",
                    "O valor por mês. Nunca tira mais do que é cobrado. Informe o percentual ou o valor.",
                    "null",
                )
                .with_hint("Por mês, até o que é cobrado."),
            FieldSpec::new("natureza", "nature", FieldType::Choice(LEGAL_NATURE))
                .with_default(FieldDefault::Number(3))
                .make_fixed()
                .with_texts(
                    "Incide sobre",
                    "A única natureza de cobrança que o desconto diminui; a taxa de administração, onde não vem. Não muda depois \
                     de cadastrado.",
                    r#""ADMINISTRACAO""#,
                )
                .with_hint("O desconto não diminui outras cobranças. Não muda depois de cadastrado."),
            FieldSpec::new("codPlano", "plan", FieldType::Reference("plano"))
                .with_texts(
                    "Plano",
                    "O plano cuja cobrança o desconto diminui; a de todos, onde não vem.",
                    "null",
                )
                .with_hint("Em branco, todos os planos do benefício."),
        ],
    )
};

pub const CHARGING_RULE: Register = Register {
    about: "Como a mensalidade é cobrada: até que dia do mês se entra na cobrança, com que antecedência ela sai, e quando.",
    section: SECTION,
    columns: &["codGrupo", "diaCorte", "proporcionalAdesao", "diasUteisMinimos", "diaPreparo"],
    ..build_plain_register(
        words!("regraCobranca", "codRegraCobranca", "regra de cobrança", "regras de cobrança", "a", "uma"),
        ("regraCobranca", "codRegraCobranca", "charging_rule"),
        "charging_rules",
        &[
            build_name_field("O nome da regra.", r#""Regra do grupo""#),
            FieldSpec::new("codGrupo", "protection_group", FieldType::Reference("grupoProtecao"))
                .make_fixed()
                .with_texts(
                    "Grupo de proteção",
                    "O grupo de proteção que a regra cobra; sem ele, todos os que não têm regra própria. Não muda depois de \
                     cadastrada.",
                    "1",
                )
                .with_hint("Em branco, todos os grupos sem regra própria. Não muda depois de cadastrada."),
            FieldSpec::new("diaCorte", "cut_off_day", FieldType::Integer { least: 1, most: 31 })
                .with_default(FieldDefault::Number(25))
                .with_texts(
                    "Dia de corte",
                    "Quem adere até este dia entra na cobrança do mês seguinte; 25 onde não vem. Em um mês mais curto, \
                     o último dia.",
                    "20",
                )
                .with_hint("Quem adere até este dia do mês entra na cobrança do mês seguinte."),
            FieldSpec::new("proporcionalAdesao", "is_joining_prorated", FieldType::Flag)
                .with_default(FieldDefault::Flag(false))
                .with_texts(
                    "Proporcional na adesão",
                    "Se o mês da adesão é cobrado pelos dias em que o benefício esteve ativo, contando o primeiro e o último.",
                    "true",
                )
                .with_hint("Cobra o mês da adesão só pelos dias ativos."),
            FieldSpec::new("codTipoTitulo", "title_type", FieldType::Reference("tipoTitulo"))
                .with_default(FieldDefault::Number(1))
                .with_texts(
                    "Tipo de título",
                    "O tipo dos títulos da mensalidade, de lançamento CREDITO; 1 onde não vem.",
                    "1",
                ),
            FieldSpec::new("codItemCobranca", "charge_item", FieldType::Reference("itemCobranca"))
                .with_texts(
                    "Item do primeiro plano",
                    "O item de cobrança em que entra o primeiro plano de um benefício, se o plano não tem o seu; a taxa de \
                     administração, onde não vem.",
                    "null",
                )
                .with_hint("Em branco, a taxa de administração. O item do próprio plano vem antes."),
            FieldSpec::new("diasUteisMinimos", "minimum_bank_days", FieldType::Integer { least: 0, most: 30 })
                .with_default(FieldDefault::Number(5))
                .with_texts(
                    "Dias úteis até o vencimento",
                    "O menor número de dias úteis entre a emissão e o vencimento; 5 onde não vem.",
                    "7",
                )
                .with_hint("O menor prazo entre a emissão e o vencimento."),
            FieldSpec::new("diaPreparo", "preparation_day", FieldType::Integer { least: 1, most: 31 })
                .with_texts(
                    "Prepara no dia",
                    "O dia do mês em que a cobrança do mês seguinte é preparada sozinha; sem ele, alguém a prepara. A emissão \
                     sempre espera aprovação. Em um mês mais curto, o último dia.",
                    "26",
                )
                .with_hint("Em branco, alguém prepara a cobrança. A emissão sempre espera aprovação."),
        ],
    )
};
