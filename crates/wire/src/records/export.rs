//! Exports: the filters of each list.

use crate::input;
use crate::read::{BoundedInt, LenientMember, QueryDate};
use domain::finance::LaunchKind;
use domain::{
    BenefitCode, BranchCode, DeliveryState, Entity, Money, PersonCode, ReceiverCode, Sheet, UserCode,
};

input! {
    /// Como se quer o arquivo.
    pub struct ExportacaoQuery = "ExportacaoQueryTO" {
        /// O formato: csv ou xlsx; csv, onde não vem.
        format "formato": optional Sheet = "xlsx",
        /// Só estas colunas, pelos seus nomes, separados por vírgula; todas, onde não vem.
        columns "colunas": optional String = "nome,documento",
    }
}

input! {
    /// Que benefícios se quer. Nada é obrigatório.
    pub struct BeneficioExportacaoQuery = "BeneficioExportacaoQueryTO" {
        /// O nome da situação.
        situation "situacaoBeneficio": optional String = "Ativo",
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// Placa do veículo.
        plate "placa": optional String = "ABC1D23",
        /// Chassi do veículo.
        chassis "chassi": optional String = "9BWZZZ377VT004251",
        /// O número do benefício.
        sequence "sequencial": optional String = "77",
        /// O número do cartão.
        card "numeroCartaoDesconto": optional String = "1234567890123",
        /// Só os cadastrados neste mês.
        registered "entrada": optional String = "2026-11",
        /// Só os cancelados neste mês.
        cancelled "saida": optional String = "2026-11",
    }
}

input! {
    /// Que entregas se quer.
    pub struct EntregaExportacaoQuery = "EntregaExportacaoQueryTO" {
        /// Código do receptor.
        receiver "codReceptor": required ReceiverCode = 1,
        /// Só as que estão assim: pendente, entregue ou esgotada.
        state "estado": optional DeliveryState = "pendente",
        /// Só as desta entidade: Benefício, Evento, Vistoria, Help Desk ou Consulta.
        entity "entidade": optional Entity = "Benefício",
        /// Só as deste registro da entidade.
        record "codigoRegistro": optional BoundedInt<1, { i32::MAX }> = 77,
        /// Desde este dia.
        from "desde": optional QueryDate = "01/11/2026",
        /// Até este dia.
        to "ate": optional QueryDate = "30/11/2026",
    }
}

input! {
    /// Que registros da auditoria se quer. Nada é obrigatório.
    pub struct AuditoriaExportacaoQuery = "AuditoriaExportacaoQueryTO" {
        /// Só o que toca esta pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// Só o que fez este usuário.
        user "codUsuario": optional UserCode = 3,
        /// Desde este dia.
        from "de": optional QueryDate = "01/11/2026",
        /// Até este dia.
        to "ate": optional QueryDate = "30/11/2026",
    }
}

input! {
    /// Que títulos se quer. Nada é obrigatório.
    pub struct TituloExportacaoQuery = "TituloExportacaoQueryTO" {
        /// `Crédito` (o que se recebe), `Débito` (o que se paga) ou `Rateio`; todos, onde não vem.
        launch_kind "tipo": optional LenientMember<LaunchKind> = "Crédito",
        /// `Aberto`, `Pendente`, `Liquidado`, `Cancelado` ou `Vencido` (aberto e já vencido); vários, separados por vírgula.
        situation "situacao": optional String = "Aberto",
        /// CPF ou CNPJ da pessoa, com ou sem máscara.
        document "cpfCnpj": optional String = "529.982.247-25",
        /// A placa de um veículo protegido.
        plate "placa": optional String = "ABC1D23",
        /// Código da pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// Código do benefício.
        benefit "codBeneficio": optional BenefitCode = 777,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// O valor do título.
        amount "valor": optional Money = 150.55,
        /// Emitidos nesta data ou depois.
        issued_from "dataEmissaoInicial": optional QueryDate = "01/11/2026",
        /// Emitidos nesta data ou antes.
        issued_to "dataEmissaoFinal": optional QueryDate = "30/11/2026",
        /// Com vencimento nesta data ou depois.
        due_from "dataVencimentoInicial": optional QueryDate = "01/11/2026",
        /// Com vencimento nesta data ou antes.
        due_to "dataVencimentoFinal": optional QueryDate = "30/11/2026",
        /// Liquidados nesta data ou depois.
        settled_from "dataLiquidacaoInicial": optional QueryDate = "01/11/2026",
        /// Liquidados nesta data ou antes.
        settled_to "dataLiquidacaoFinal": optional QueryDate = "30/11/2026",
        /// Com um pagamento nesta data ou depois.
        paid_from "dataPagamentoInicial": optional QueryDate = "01/11/2026",
        /// Com um pagamento nesta data ou antes.
        paid_to "dataPagamentoFinal": optional QueryDate = "30/11/2026",
        /// Só os atrasados há pelo menos tantos dias.
        late_least "diasAtrasoMinimo": optional BoundedInt<1, 10000> = 31,
        /// Só os atrasados há no máximo tantos dias.
        late_most "diasAtrasoMaximo": optional BoundedInt<1, 10000> = 60,
    }
}
