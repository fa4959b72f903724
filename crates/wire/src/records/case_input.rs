//! Management: the requests and list filters for claims, inspections, tickets and appointments.

use super::{EnderecoInput, VeiculoInput};
use crate::input;
use crate::read::{BoundedInt, LenientMember, QueryDate};
use domain::{
    BenefitCode, BoundedText, BranchCode, ClaimCode, ClaimTypeCode, ClinicCode, Date, DependentCode,
    DoctorCode, InspectionTypeCode, Involved, NoteText, PersonCode, Priority, SituationCode, SituationKind,
    SpecialtyCode, TicketTypeCode, UserCode, WrittenMoment,
};

input! {
    /// O que eventos, vistorias, chamados e consultas têm em comum.
    pub struct CasoCampos = "CasoCamposTO" {
        /// Código do associado. Obrigatório para abrir; depois não muda.
        person "codPessoa": optional PersonCode = 1,
        /// Código de um benefício do associado.
        benefit "codBeneficio": optional BenefitCode = 1,
        /// Código da loja; onde não vem, a do benefício ou, sem ele, a do associado.
        branch "codLoja": optional BranchCode = 1,
        /// Código do usuário que cuida do registro, e que deve acessar a loja dele.
        responsible "codResponsavel": optional UserCode = 1,
        /// A versão que se altera, como foi lida. Obrigatória na alteração; ignorada na abertura.
        version "versao": optional i32 = 1,
    }
}

input! {
    /// Um evento. Para abrir, informe `codPessoa` e `codTipoEvento`; para alterar, `versao` e o que muda: o campo que não
    /// vem fica como está, e `null` o limpa.
    pub struct EventoGestaoInput = "EventoGestaoInputTO" {
        flat case: CasoCampos,
        /// Código do tipo de evento. Obrigatório para abrir.
        kind "codTipoEvento": optional ClaimTypeCode = 1,
        /// `Cliente` ou `Terceiro`; `Cliente`, onde não vem.
        involved "envolvido": optional Involved = "Cliente",
        /// `Baixa`, `Média`, `Alta` ou `Urgente`; `Média`, onde não vem.
        priority "prioridade": optional Priority = "Alta",
        /// O que aconteceu, em até 4000 caracteres.
        description "descricao": optional NoteText = "Colisão traseira, sem feridos.",
        /// Data em que aconteceu.
        happened "dataEvento": optional Date = "2026-11-13",
        /// Código da pessoa que conduzia o veículo.
        driver "codCondutor": optional PersonCode = 1,
        /// Onde aconteceu.
        place "local": optional EnderecoInput = {
            "logradouro": "Paulista",
            "tipoLogradouro": "Avenida",
            "numero": "1578",
            "bairro": "Bela Vista",
            "cidade": "São Paulo",
            "uf": "SP"
        },
        /// O veículo envolvido; na abertura, onde não vem, o do benefício, como está naquele momento.
        vehicle "veiculo": optional VeiculoInput = {"placa": "ABC1D23", "marca": "FIAT", "modelo": "ARGO 1.0", "cor": "Prata"},
        /// Os códigos dos eventos relacionados, que substituem os que havia.
        related "relacionados": optional Vec<ClaimCode> = [],
    }
}

input! {
    /// Algo que se confere em uma vistoria.
    pub struct ChecklistItemInput = "ChecklistItemInputTO" {
        /// O que se confere.
        item "item": required BoundedText<200> = "Pneus",
        /// Se está como deve; sem valor, ainda não foi visto.
        fits "conforme": optional bool = true,
        /// O que se observou.
        note "observacao": optional BoundedText<1000> = "Meia vida.",
    }
}

input! {
    /// Uma vistoria. Para abrir, informe `codPessoa` e `codTipoVistoria`; para alterar, `versao` e o que muda: o campo que
    /// não vem fica como está, e `null` o limpa.
    pub struct VistoriaGestaoInput = "VistoriaGestaoInputTO" {
        flat case: CasoCampos,
        /// Código do tipo de vistoria. Obrigatório para abrir.
        kind "codTipoVistoria": optional InspectionTypeCode = 1,
        /// Nome de quem faz a vistoria.
        inspector "vistoriador": optional BoundedText<200> = "Ana Prado",
        /// Para quando está marcada, com a hora; sem fuso, vale o da base.
        planned "dataPrevista": optional WrittenMoment = "2026-11-20T14:30",
        /// Onde será feita.
        place "local": optional BoundedText<300> = "Oficina Boa Rota, Avenida Paulista, 1578",
        /// Uma observação, de até 4000 caracteres.
        note "observacao": optional NoteText = "Levar o documento do veículo.",
        /// O que se confere, que substitui o que havia; na abertura, onde não vem, o que o tipo de vistoria manda conferir.
        checklist "checklist": optional Vec<ChecklistItemInput> = [{"item": "Pneus", "conforme": true, "observacao": "Meia vida."}],
    }
}

input! {
    /// Um chamado do help desk. Para abrir, informe `codPessoa` e `codTipoHelpDesk`; para alterar, `versao` e o que muda: o
    /// campo que não vem fica como está, e `null` o limpa.
    pub struct HelpDeskGestaoInput = "HelpDeskGestaoInputTO" {
        flat case: CasoCampos,
        /// Código do tipo de chamado. Obrigatório para abrir.
        kind "codTipoHelpDesk": optional TicketTypeCode = 1,
        /// `Baixa`, `Média`, `Alta` ou `Urgente`; onde não vem, a do tipo de chamado.
        priority "prioridade": optional Priority = "Média",
        /// O que se pede, em até 4000 caracteres.
        description "descricao": optional NoteText = "Segunda via do boleto de novembro.",
    }
}

input! {
    /// Uma consulta médica. Para marcar, informe `codPessoa`; para alterar, `versao` e o que muda: o campo que não vem fica
    /// como está, e `null` o limpa.
    pub struct ConsultaGestaoInput = "ConsultaGestaoInputTO" {
        flat case: CasoCampos,
        /// Código do dependente do benefício que vai à consulta, se não é o próprio associado.
        dependent "codDependente": optional DependentCode = null,
        /// Código da especialidade; onde não vem, a do médico.
        specialty "codEspecialidade": optional SpecialtyCode = 1,
        /// Código da clínica; onde não vem, a do médico.
        clinic "codClinica": optional ClinicCode = 1,
        /// Código do médico.
        doctor "codMedico": optional DoctorCode = 1,
        /// Quando é a consulta, com a hora; sem fuso, vale o da base.
        at "dataConsulta": optional WrittenMoment = "2026-11-20T14:30",
        /// O endereço, em uma linha; onde não vem, o da clínica.
        address "endereco": optional BoundedText<500> = "Avenida Paulista, 1578, Bela Vista, São Paulo, SP",
        /// Uma observação, de até 4000 caracteres.
        note "observacao": optional NoteText = "Levar exames anteriores.",
    }
}

input! {
    /// Para que situação um registro vai. Informe `codSituacao` ou `situacao`.
    pub struct SituacaoInput = "SituacaoInputTO" {
        /// Código da situação.
        code "codSituacao": optional SituationCode = null,
        /// Nome da situação, em maiúsculas ou minúsculas, com ou sem acentos.
        name "situacao": optional String = "CANCELADO",
        /// Por que muda, em até 4000 caracteres. Obrigatório para cancelar e para reabrir o que está encerrado.
        reason "motivo": optional NoteText = "Pedido do associado.",
        /// A versão que se viu; se vier e não for a de agora, nada muda.
        version "versao": optional i32 = null,
    }
}

input! {
    /// Uma nota sobre um registro, ou uma mensagem ao associado.
    pub struct NotaInput = "NotaInputTO" {
        /// O texto, de até 4000 caracteres.
        text "texto": required NoteText = "O associado enviou as fotos.",
        /// Se é uma mensagem para o associado; false, onde não vem.
        to_member "paraAssociado": optional bool = false,
    }
}

input! {
    /// O que se procura; sem nada, todos os que o usuário pode ver.
    pub struct CasoQuery = "CasoQueryTO" {
        /// Código da situação.
        situation "codSituacao": optional SituationCode = 7,
        /// Nome da situação, em maiúsculas ou minúsculas, com ou sem acentos.
        situation_name "situacao": optional String = "ABERTO",
        /// Tipo da situação: ABERTO, ANDAMENTO, CONCLUIDO ou CANCELADO.
        situation_kind "tipoSituacao": optional LenientMember<SituationKind> = "ABERTO",
        /// `true`: só o que não está encerrado; `false`: só o que está.
        open "aberto": optional bool = true,
        /// `true`: só o que passou do prazo da sua situação; `false`: só o que não passou.
        late "atrasado": optional bool = false,
        /// Código do associado.
        person "codPessoa": optional PersonCode = 1,
        /// Código do benefício.
        benefit "codBeneficio": optional BenefitCode = 1,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// Código do usuário que cuida do registro.
        responsible "codResponsavel": optional UserCode = 1,
        /// Código do tipo de evento, de vistoria ou de chamado; nas consultas, o da especialidade.
        kind "codTipo": optional i32 = 1,
        /// `Baixa`, `Média`, `Alta` ou `Urgente`. Vistorias e consultas não têm prioridade.
        priority "prioridade": optional LenientMember<Priority> = "Alta",
        /// O protocolo, exato.
        protocol "protocolo": optional String = "1",
        /// Abertos nesta data ou depois (dd/MM/aaaa).
        opened_from "dataAberturaInicial": optional QueryDate = "01/01/2026",
        /// Abertos nesta data ou antes (dd/MM/aaaa).
        opened_to "dataAberturaFinal": optional QueryDate = "31/12/2026",
        /// Protocolo, CPF ou CNPJ, placa do benefício, ou nome do associado.
        filter "filtro": optional String = "maria souza",
        /// A página, a partir de 1, com 100 itens cada uma.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

input! {
    /// Que página do que está atrasado.
    pub struct AtrasadosQuery = "AtrasadosQueryTO" {
        /// A página, a partir de 1, com 100 itens cada uma.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}
