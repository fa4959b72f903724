//! Benefit: the request to create or change one.

use super::VeiculoCampos;
use crate::input;
use crate::read::{BoundedInt, ScalarInput, TextOrNumber};
use domain::{
    BenefitCode, BoundedText, BranchCode, CardNumber, Date, Document, FieldCode, Money, NoteText, PlanCode,
    SellerCode, SituationCode,
};

input! {
    /// O valor de um campo adicional, apontado por `codCampo` ou por `nome`.
    pub struct CampoAdicionalInput = "CampoAdicionalInputTO" {
        /// Código do campo.
        code "codCampo": optional FieldCode = 3,
        /// Nome do campo.
        name "nome": optional BoundedText<200> = "Cor da placa",
        /// O valor: texto, número, true ou false, conforme o tipo do campo; `null` o limpa.
        value "valor": optional ScalarInput = "Cinza",
    }
}

input! {
    /// O que se envia de um benefício de qualquer tipo, além de quem ele é e da sua situação.
    pub struct BeneficioCampos = "BeneficioCamposTO" {
        /// Código do plano, que diz o tipo do benefício; obrigatório para criar.
        plan "codPlano": optional PlanCode = 10,
        /// Código da loja; a da pessoa, onde não vem.
        branch "codLoja": optional BranchCode = 1,
        /// Dia de vencimento, um dos dias da base.
        due_day "diaVencimento": optional i32 = 10,
        /// Número do cartão; criado pelo sistema onde não vem.
        card "numeroCartaoDesconto": optional CardNumber = "1234 56 7 890 123",
        /// Código do consultor.
        consultant "codConsultor": optional SellerCode = 1,
        /// Código do representante.
        representative "codRepresentante": optional SellerCode = 2,
        /// Data de adesão; onde não vem, um benefício novo já ativo tem a do dia.
        joined "dataAdesao": optional Date = "14/11/2026",
        /// Código do benefício no sistema de quem integra, texto ou número.
        integration_code "codigoIntegracao": optional TextOrNumber<100> = "B-0042",
        /// Uma observação, de até 4000 caracteres.
        note "observacao": optional NoteText = "Indicado por um associado.",
        /// Os campos adicionais a gravar; os outros ficam como estão.
        additional_fields "dadosAdicionais": optional Vec<CampoAdicionalInput> = [{"codCampo": 3, "valor": "Cinza"}],
    }
}

input! {
    /// Um benefício. Com `codBeneficio`, altera esse benefício, e o campo que não vem fica como está; sem ele, cria um.
    pub struct BeneficioInput = "BeneficioInputTO" {
        flat fields: BeneficioCampos,
        /// Código do benefício a alterar.
        code "codBeneficio": optional BenefitCode = 777,
        /// CPF ou CNPJ do titular, com ou sem máscara.
        document "cpfCnpj": required Document = "529.982.247-25",
        /// Nome da situação, em maiúsculas ou minúsculas, com ou sem acentos.
        situation "situacao": optional BoundedText<200> = "ATIVO",
        /// Em vez da situação: true para a situação ativa da base, false para a inativa.
        active "ativo": optional bool = true,
    }
}

input! {
    /// Um benefício veicular: o benefício e o seu veículo; para criar, informe a placa ou o chassi.
    pub struct BeneficioVeiculoInput = "BeneficioVeiculoInputTO" {
        flat benefit: BeneficioInput,
        flat vehicle: VeiculoCampos,
        /// Código do veículo na tabela Fipe.
        fipe "codigoFipe": optional BoundedText<20> = "001509-1",
    }
}

input! {
    /// Por que um benefício é cancelado. Nada disto é preciso, nem o próprio corpo.
    pub struct CancelamentoInput = "CancelamentoInputTO" {
        /// O motivo, que fica no histórico do benefício, de até 4000 caracteres.
        reason "motivo": optional NoteText = "Pedido do associado.",
    }
}

input! {
    /// O que muda de um benefício: o campo que não vem fica como está, e `null` o limpa. O titular fica, e a situação muda em
    /// `/gestao/beneficio/{codBeneficio}/situacao`.
    pub struct BeneficioAlteracaoInput = "BeneficioAlteracaoInputTO" {
        flat fields: BeneficioCampos,
        flat vehicle: VeiculoCampos,
        /// A versão que se viu do benefício; se já é outra, nada muda.
        version "versao": required BoundedInt<0, { i32::MAX }> = 1,
        /// Código do veículo na tabela Fipe.
        fipe "codigoFipe": optional BoundedText<20> = "001509-1",
    }
}

input! {
    /// Para que situação vai um benefício: pelo código ou pelo nome.
    pub struct SituacaoBeneficioInput = "SituacaoBeneficioInputTO" {
        /// Código da situação.
        code "codSituacao": optional SituationCode = 1,
        /// Nome da situação, em maiúsculas ou minúsculas, com ou sem acentos.
        name "situacao": optional BoundedText<200> = "ATIVO",
        /// O motivo, que fica no histórico; obrigatório para cancelar e para reativar.
        reason "motivo": optional NoteText = "Regularizou os pagamentos.",
        /// A versão que se viu do benefício; se vier e já for outra, nada muda.
        version "versao": optional BoundedInt<0, { i32::MAX }> = 1,
    }
}

input! {
    /// O que muda de um item: o campo que não vem fica como está.
    pub struct ItemAlteracaoInput = "ItemAlteracaoInputTO" {
        /// False retira o plano do benefício, que fica com ao menos um; true o devolve.
        active "ativo": optional bool = true,
        /// O valor, em reais.
        price "valor": optional Money = 150.55,
        /// Se o valor foi combinado e é cobrado como está; false o deixa à tabela de preços. Um `valor` que vem sem este
        /// campo é combinado.
        agreed "valorCombinado": optional bool = true,
        /// A versão que se viu do benefício; se vier e já for outra, nada muda.
        version "versao": optional BoundedInt<0, { i32::MAX }> = 1,
    }
}
