//! The lines of sheets with open titles and opening balances.

use crate::input;
use crate::read::BoundedInt;
use domain::{
    BoundedText, CardNumber, Date, Document, Money, MoneyAccountCode, NoteText, PersonCode, Plate,
    TitleTypeCode,
};

input! {
    /// Um título em aberto, trazido de outro sistema.
    pub struct TituloImportadoInput = "TituloImportadoInputTO" {
        /// CPF ou CNPJ do associado.
        document "cpfCnpj": optional Document = "529.982.247-25",
        /// Código da pessoa, onde não vem o documento.
        person "codPessoa": optional PersonCode = 555,
        /// Código do tipo de título, que diz se é de crédito ou de débito.
        title_type "codTipoTitulo": required TitleTypeCode = 1,
        /// O valor do título, com o que já foi pago dele.
        amount "valor": required Money = 150.55,
        /// Data de vencimento.
        due "vencimento": required Date = "10/11/2026",
        /// Data de emissão; onde não vem, o vencimento, o pagamento ou hoje, o que for antes.
        issued "dataEmissao": optional Date = "01/11/2026",
        /// O que se cobra; onde não vem, o nome do tipo.
        description "descricao": optional BoundedText<200> = "Mensalidade de novembro",
        /// O número da parcela.
        instalment "parcela": optional BoundedInt<1, 999> = 3,
        /// De quantas parcelas.
        instalments "parcelas": optional BoundedInt<1, 999> = 12,
        /// O número sequencial do benefício.
        sequence "sequencial": optional BoundedInt<1, { i32::MAX }> = 1201,
        /// O cartão do benefício.
        card "numeroCartaoDesconto": optional CardNumber = "8000000000001201",
        /// A placa do veículo.
        plate "placa": optional Plate = "ABC1D23",
        /// Quanto do valor já foi pago no sistema antigo.
        paid "valorPago": optional Money = 50.00,
        /// Quando foi pago; onde não vem, a data de emissão.
        paid_on "dataPagamento": optional Date = "05/11/2026",
        /// Observação.
        note "observacao": optional NoteText = "Acordo de 2025.",
        /// O código que o título tem no sistema antigo, pelo qual é reconhecido.
        external_key "codigoExterno": optional BoundedText<100> = "BOL-000123",
    }
}

input! {
    /// O que um associado tinha de crédito, ou uma conta de dinheiro, quando o sistema antigo acabou.
    pub struct SaldoInicialInput = "SaldoInicialInputTO" {
        /// CPF ou CNPJ do associado.
        document "cpfCnpj": optional Document = "529.982.247-25",
        /// Código da pessoa, onde não vem o documento.
        person "codPessoa": optional PersonCode = 555,
        /// Código da conta ou do caixa.
        account "codContaFinanceira": optional MoneyAccountCode = 2,
        /// O saldo, sem o sinal.
        amount "valor": required Money = 150.55,
        /// Se o saldo está abaixo de zero.
        is_negative "negativo": optional bool = false,
        /// O dia do saldo; onde não vem, hoje.
        day "data": optional Date = "31/10/2026",
        /// Código do grupo de proteção; onde não vem, o da conta, ou o primeiro.
        group "codGrupo": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}
