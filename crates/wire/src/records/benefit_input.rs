//! Benefit: what callers send to create or change one.

use super::VeiculoCampos;
use crate::input;
use crate::read::{Scalar, TextOrNumber};
use domain::{
    BenefitCode, BranchCode, CardNumber, Date, Document, FieldCode, Note, PlanCode, SellerCode, Text,
};

input! {
    /// O valor de um campo adicional, apontado por `codCampo` ou por `nome`.
    pub struct CampoAdicionalInput = "CampoAdicionalInputTO" {
        /// Código do campo.
        code "codCampo": optional FieldCode = 3,
        /// Nome do campo.
        name "nome": optional Text<200> = "Cor da placa",
        /// O valor: texto, número, true ou false, conforme o tipo do campo; `null` o limpa.
        value "valor": optional Scalar = "Cinza",
    }
}

input! {
    /// Um benefício. Com `codBeneficio`, altera esse benefício, e o campo que não vem fica como está; sem ele, cria um.
    pub struct BeneficioInput = "BeneficioInputTO" {
        /// Código do benefício a alterar.
        code "codBeneficio": optional BenefitCode = 777,
        /// Código do plano, que diz o tipo do benefício; obrigatório para criar.
        plan "codPlano": optional PlanCode = 10,
        /// Código da loja; a da pessoa, onde não vem.
        branch "codLoja": optional BranchCode = 1,
        /// CPF ou CNPJ do titular, com ou sem máscara.
        document "cpfCnpj": required Document = "529.982.247-25",
        /// Nome da situação, em maiúsculas ou minúsculas, com ou sem acentos.
        situation "situacao": optional Text<200> = "ATIVO",
        /// Em vez da situação: true para a situação ativa da base, false para a inativa.
        active "ativo": optional bool = true,
        /// Dia de vencimento, um dos dias da base.
        due_day "diaVencimento": optional i32 = 10,
        /// Número do cartão; criado pelo sistema onde não vem.
        card "numeroCartaoDesconto": optional CardNumber = "1234 56 7 890 123",
        /// Código do consultor.
        consultant "codConsultor": optional SellerCode = 1,
        /// Código do representante.
        representative "codRepresentante": optional SellerCode = 2,
        /// Data de adesão.
        joined "dataAdesao": optional Date = "14/11/2026",
        /// Código do benefício no sistema de quem integra, texto ou número.
        integration_code "codigoIntegracao": optional TextOrNumber<100> = "B-0042",
        /// Uma observação, de até 4000 caracteres.
        note "observacao": optional Note = "Indicado por um associado.",
        /// Os campos adicionais a gravar; os outros ficam como estão.
        additional_fields "dadosAdicionais": optional Vec<CampoAdicionalInput> = [{"codCampo": 3, "valor": "Cinza"}],
    }
}

input! {
    /// Um benefício veicular: o benefício e o seu veículo; para criar, informe a placa ou o chassi.
    pub struct BeneficioVeiculoInput = "BeneficioVeiculoInputTO" {
        flat benefit: BeneficioInput,
        flat vehicle: VeiculoCampos,
        /// Código do veículo na tabela Fipe.
        fipe "codigoFipe": optional Text<20> = "001509-1",
    }
}

input! {
    /// Por que um benefício é cancelado. Nada disto é preciso, nem o próprio corpo.
    pub struct CancelamentoInput = "CancelamentoInputTO" {
        /// O motivo, que fica no histórico do benefício, de até 4000 caracteres.
        reason "motivo": optional Note = "Pedido do associado.",
    }
}
