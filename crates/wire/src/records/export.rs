//! Exports: the filters of each list.

use crate::input;
use crate::read::{BoundedInt, QueryDate};
use domain::{BranchCode, DeliveryState, Entity, PersonCode, ReceiverCode, Sheet, UserCode};

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
