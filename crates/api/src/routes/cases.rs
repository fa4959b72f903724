//! The operations on cases. The four kinds share one life cycle, so their lines are written once.

use crate::gestao::caso;
use crate::gestao::{
    consulta::AppointmentResource, evento::ClaimResource, help_desk::TicketResource,
    vistoria::InspectionResource,
};
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, get, post, put};
use wire::records::{
    AtrasadosQuery, CasoItemTO, CasoQuery, ConsultaGestaoInput, ConsultaGestaoTO, EventoGestaoInput,
    EventoGestaoTO, HelpDeskGestaoInput, HelpDeskGestaoTO, HistoricoRegistroTO, ListPage, NotaInput,
    SituacaoInput, VistoriaGestaoInput, VistoriaGestaoTO,
};

macro_rules! operated {
    (
        $path:literal, $code:literal, $kind:ty, $input:ty => $record:ty, needs $needs:expr,
        $one:literal, $many:literal, $this:literal, $open:literal
    ) => {
        [
            get(concat!("/gestao/", $path), AllowedCallers::STAFF, caso::list_cases::<$kind>)
                .describe(DocsSection::Management, concat!("Pesquisar ", $many), concat!("Os registros de ", $many, " das lojas do usuário, o de abertura mais recente primeiro, em páginas de 100. Os parâmetros só restringem; `filtro` aceita protocolo, CPF ou CNPJ, placa ou nome do associado."))
                .with_query::<CasoQuery>()
                .with_answer::<ListPage<CasoItemTO>>(),
            post(concat!("/gestao/", $path), AllowedCallers::STAFF, caso::open_case::<$kind>)
                .describe(DocsSection::Management, concat!("Abrir ", $one), $open)
                .with_body::<$input>()
                .require_fields($needs)
                .with_answer::<$record>(),
            get(concat!("/gestao/", $path, "/{", $code, "}"), AllowedCallers::STAFF, caso::show_case::<$kind>)
                .describe(DocsSection::Management, concat!("Consultar ", $one), concat!("Tudo o que se sabe ", $this, ": a situação e o seu prazo, quem cuida, as notas e aonde pode ir daqui."))
                .with_answer::<$record>(),
            put(concat!("/gestao/", $path, "/{", $code, "}"), AllowedCallers::STAFF, caso::change_case::<$kind>)
                .describe(DocsSection::Management, concat!("Alterar ", $one), "O campo que não vem fica como está, e `null` o limpa. Informe em `versao` a versão que leu: se outra pessoa alterou o registro depois, nada muda, e a resposta (409) mostra o que foi enviado e o que está gravado. Cada campo alterado fica no histórico.")
                .with_body::<$input>()
                .require_fields(&["versao"])
                .with_answer::<$record>(),
            put(concat!("/gestao/", $path, "/{", $code, "}/situacao"), AllowedCallers::STAFF, caso::change_case_situation::<$kind>)
                .describe(DocsSection::Management, concat!("Mudar a situação ", $this), "Leva o registro a outra situação em uso, por código ou por nome. As situações dos tipos CONCLUIDO e CANCELADO encerram o registro, e as outras o reabrem. Cada mudança fica no histórico e avisa os receptores; ir à mesma situação não muda nada. Uma situação a que daqui não se pode ir é um 409.")
                .with_body::<SituacaoInput>()
                .with_answer::<$record>(),
            post(concat!("/gestao/", $path, "/{", $code, "}/nota"), AllowedCallers::STAFF, caso::add_case_note::<$kind>)
                .describe(DocsSection::Management, concat!("Anotar ", $one), "Acrescenta uma nota interna ou, com `paraAssociado`, uma mensagem ao associado. A versão do registro não muda.")
                .with_body::<NotaInput>()
                .with_answer::<$record>(),
            get(concat!("/gestao/", $path, "/{", $code, "}/historico"), AllowedCallers::STAFF, caso::show_case_history::<$kind>)
                .describe(DocsSection::Management, concat!("Histórico ", $this), "As mudanças de situação (quem, quando, de onde, para onde e por quê) e de campos (quem, quando, antes e depois), na ordem em que foram feitas.")
                .with_answer::<HistoricoRegistroTO>(),
        ]
    };
}

pub fn list_case_operations() -> Vec<ApiOperation> {
    let late = get("/gestao/atrasados", AllowedCallers::STAFF, caso::list_overdue_cases)
        .describe(DocsSection::Management, "O que está atrasado", "Os eventos, as vistorias, os chamados e as consultas das lojas do usuário que passaram do prazo da situação em que estão, o mais atrasado primeiro, em páginas de 100.")
        .with_query::<AtrasadosQuery>()
        .with_answer::<ListPage<CasoItemTO>>();
    let events = operated!(
        "evento", "codEvento", ClaimResource, EventoGestaoInput => EventoGestaoTO, needs &["codPessoa", "codTipoEvento"],
        "evento", "eventos", "do evento",
        "Abre um evento na situação em que os eventos começam, com um protocolo novo. O veículo é o do benefício, como está agora, se outro não for informado. O evento aparece também em `/ext/evento`."
    );
    let inspections = operated!(
        "vistoria", "codVistoria", InspectionResource, VistoriaGestaoInput => VistoriaGestaoTO, needs &["codPessoa", "codTipoVistoria"],
        "vistoria", "vistorias", "da vistoria",
        "Abre uma vistoria na situação em que as vistorias começam, com um protocolo novo e com o que o tipo de vistoria manda conferir."
    );
    let tickets = operated!(
        "helpDesk", "codHelpDesk", TicketResource, HelpDeskGestaoInput => HelpDeskGestaoTO, needs &["codPessoa", "codTipoHelpDesk"],
        "chamado", "chamados", "do chamado",
        "Abre um chamado na situação em que os chamados começam, com um protocolo novo e com a prioridade do seu tipo, se outra não for informada."
    );
    let appointments = operated!(
        "consulta", "codConsulta", AppointmentResource, ConsultaGestaoInput => ConsultaGestaoTO, needs &["codPessoa"],
        "consulta", "consultas", "da consulta",
        "Marca uma consulta na situação em que as consultas começam, com um protocolo novo. A especialidade e a clínica são as do médico, e o endereço o da clínica, se outros não forem informados."
    );
    let all = events.into_iter().chain(inspections).chain(tickets).chain(appointments);
    std::iter::once(late).chain(all).collect()
}
