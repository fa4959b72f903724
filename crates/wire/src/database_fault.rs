//! The texts for database faults. None of them suggests a retry.

use domain::DatabaseFault;

/// One sentence that names the fault.
pub const fn describe_database_fault(fault: DatabaseFault) -> &'static str {
    match fault {
        DatabaseFault::ReadOnly => {
            "O banco de dados só aceita leituras, e nada pode ser gravado; avise quem cuida do servidor."
        }
        DatabaseFault::NoPermission => {
            "O banco de dados não permite esta operação ao usuário do servidor; avise quem cuida do servidor."
        }
        DatabaseFault::DiskFull => {
            "O disco do banco de dados está cheio, e nada pode ser gravado; avise quem cuida do servidor."
        }
        DatabaseFault::DiskError => {
            "O disco do banco de dados apresenta erros; avise quem cuida do servidor."
        }
        DatabaseFault::Damaged => "O banco de dados está danificado; avise quem cuida do servidor.",
        DatabaseFault::NoAnswer => {
            "O banco de dados não confirma gravações no momento; avise quem cuida do servidor se isso durar."
        }
        DatabaseFault::NoAccessLog => {
            "O registro de acessos a dados pessoais não abre, e sem ele nenhum dado pessoal é mostrado; avise quem cuida do servidor."
        }
    }
}
