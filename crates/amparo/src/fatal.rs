//! Errors that end a command: one clear sentence in Portuguese, and a non-zero exit code.

use app::lost_key::LostKeyError;
use backup::{BackupActionError, DamageCause};
use domain::DatabaseFault;
use exchange::archive::ArchiveError;
use storage::{AddressProblem, OpenError};
use vault::{KeyError, KeyFileError};

#[derive(Debug)]
pub struct FatalError(String);

impl FatalError {
    pub fn new(sentence: impl Into<String>) -> FatalError {
        FatalError(sentence.into())
    }

    pub fn sentence(&self) -> &str {
        &self.0
    }
}

impl From<OpenError> for FatalError {
    fn from(error: OpenError) -> FatalError {
        FatalError(match error {
            OpenError::BadAddress(why) => format!(
                "O endereço do banco de dados não serve: {}; use sqlite:CAMINHO ou postgres://usuário:senha@servidor/base.",
                describe_bad_address(&why)
            ),
            OpenError::Absent(place) => {
                format!("Não há um banco de dados em {place}; `amparo migrate` cria um.")
            }
            OpenError::Unreachable { place, cause } => {
                format!("Não foi possível abrir o banco de dados em {place}: {}.", describe_cause(&cause))
            }
            OpenError::TransactionPooler { place } => format!(
                "O endereço {place} passa por um PgBouncer (ou semelhante) que troca de conexão a cada transação; use pool_mode = session, ou o endereço do próprio PostgreSQL."
            ),
            OpenError::MigrationLocked { place, seconds, holder } => format!(
                "Há {seconds} segundos outro processo segura a trava das migrações em {place} ({holder}); espere que ele termine ou, se ele já não existe, encerre essa conexão no PostgreSQL (pg_terminate_backend)."
            ),
            OpenError::ReplacementUnfinished(place) => format!(
                "Em {place}, a volta a uma cópia foi interrompida, ou o arquivo do banco falta ao lado do seu -wal; não apague nada e repita `amparo backup restore`, ou devolva o arquivo."
            ),
            OpenError::InUse(place) => {
                format!(
                    "Outro servidor Amparo já atende o banco de dados em {place}; pare-o primeiro, ou use outro banco."
                )
            }
            OpenError::Newer { found, known } => format!(
                "O banco de dados está na versão {found}, mais nova que a {known} que este programa conhece; use a versão mais nova do Amparo."
            ),
            OpenError::Older { found, known } => format!(
                "O banco de dados está na versão {found} e este programa precisa da {known}; rode `amparo migrate`."
            ),
            OpenError::Altered(version) => format!(
                "A migração {version} deste banco de dados não é a que este programa conhece; use a versão do Amparo que o criou."
            ),
            OpenError::Migration { version, cause } => {
                format!(
                    "A migração {version} do banco de dados falhou, e nada dela ficou: {}.",
                    describe_cause(&cause)
                )
            }
            OpenError::Copy(cause) => {
                format!(
                    "Nada foi mudado: a cópia do banco de dados antes da migração não pôde ser feita: {}.",
                    describe_cause(&cause)
                )
            }
        })
    }
}

impl From<KeyError> for FatalError {
    fn from(error: KeyError) -> FatalError {
        FatalError(match error {
            KeyError::File(KeyFileError::File { path, cause }) => {
                format!(
                    "A chave do servidor em {} não pôde ser lida ou escrita: {}.",
                    path.display(),
                    describe_cause(&cause)
                )
            }
            KeyError::File(KeyFileError::Malformed(path)) => {
                format!(
                    "O arquivo {} não contém uma chave do servidor (64 dígitos hexadecimais).",
                    path.display()
                )
            }
            KeyError::OtherKey(path) => format!(
                "A chave em {} não é a deste banco de dados; aponte a certa com --key-file ou AMPARO_KEY_FILE ou, se ela foi trocada com `amparo key rotate`, copie o arquivo de outro servidor.",
                path.display()
            ),
            KeyError::KeyLost(path) => format!(
                "A chave do servidor não está em {}, e o banco de dados guarda segredos que só ela abre; traga o arquivo de volta da sua cópia ou, se ele se perdeu de vez, veja `amparo key replace`.",
                path.display()
            ),
            KeyError::InUse(path) => format!(
                "A chave do servidor não está em {}, e outro processo atende este banco com a dele; copie de lá o arquivo (um servidor que foi morto conta como no ar por meio minuto).",
                path.display()
            ),
            KeyError::NotLost(path) => format!(
                "A chave deste banco de dados está em {}: não há o que trocar, e nada foi mudado.",
                path.display()
            ),
            KeyError::NoKeyYet(path) => {
                format!("Ainda não há uma chave em {}; o servidor a cria ao iniciar.", path.display())
            }
            KeyError::NotTaken(processes) => format!(
                "Estes servidores ainda não têm a chave nova no arquivo deles: {}. Copie para lá o arquivo da chave desta máquina, \
                 com o mesmo dono, e repita o comando; até lá as duas chaves valem, e nada se perde.",
                processes.join(", ")
            ),
            KeyError::ConcurrentChange => {
                "Outro processo está trocando a chave; espere que ele termine e repita o comando.".to_owned()
            }
            KeyError::Seal(error) => return app::Error::from(error).into(),
            KeyError::Storage(error) => return app::Error::from(error).into(),
        })
    }
}

impl From<LostKeyError> for FatalError {
    fn from(error: LostKeyError) -> FatalError {
        match error {
            LostKeyError::Key(error) => error.into(),
            LostKeyError::Secrets(error) => error.into(),
        }
    }
}

impl From<ArchiveError> for FatalError {
    fn from(error: ArchiveError) -> FatalError {
        FatalError(match error {
            ArchiveError::File { path, cause } => {
                format!("O arquivo {path} não pôde ser lido ou escrito: {}.", describe_cause(&cause))
            }
            ArchiveError::FileExists(path) => format!("O arquivo {path} já existe; escolha outro nome."),
            ArchiveError::UnknownFormat(cause) => {
                format!("Este arquivo não é uma exportação do Amparo, ou está incompleto ({cause}).")
            }
            ArchiveError::NewerFormat { found, known } => format!(
                "Este arquivo é da versão {found} do formato, mais nova que a {known} que este programa conhece; use a versão mais nova do Amparo."
            ),
            ArchiveError::NewerSchema { found, known } => format!(
                "Este arquivo vem de um banco na versão {found}, mais nova que a {known} que este programa conhece; use a versão mais nova do Amparo."
            ),
            ArchiveError::Damaged { path, cause } => {
                format!("O arquivo {path} da exportação está danificado ({cause}); nada foi gravado.")
            }
            ArchiveError::BadRow { path, line, cause } => {
                format!(
                    "A linha {line} de {path}, na exportação, não serve: {cause}; nada foi gravado do arquivo."
                )
            }
            ArchiveError::TenantExists(tenant) => format!(
                "A base {tenant} já existe neste servidor, e uma associação trazida mantém o número dela; use um servidor sem essa base."
            ),
            ArchiveError::LoginsTaken(emails) => format!(
                "Estes e-mails já são de usuários de outra base deste servidor: {}. Troque-os lá e repita o comando.",
                emails.join(", ")
            ),
            ArchiveError::HostsTaken(hosts) => {
                format!(
                    "Estes nomes de servidor já levam a outra base: {}. Libere-os lá e repita o comando.",
                    hosts.join(", ")
                )
            }
            ArchiveError::OtherRestoreUnfinished(tenant) => format!(
                "A base {tenant} ficou pela metade, de outro arquivo: termine-a primeiro com o arquivo dela, ou descarte-a com `amparo bring --discard`."
            ),
            ArchiveError::NoUnfinishedRestore => {
                "Nenhuma base ficou pela metade neste servidor: não há o que descartar.".to_owned()
            }
            ArchiveError::ConcurrentRestore => {
                "Outro processo está trazendo esta base agora; espere que ele termine.".to_owned()
            }
            ArchiveError::Interrupted(cause) => {
                format!("O trabalho foi interrompido por dentro ({cause}); repita o comando.")
            }
            ArchiveError::App(error) => return error.into(),
        })
    }
}

impl From<BackupActionError> for FatalError {
    fn from(error: BackupActionError) -> FatalError {
        FatalError(match error {
            BackupActionError::Destination(cause) => {
                format!("O lugar das cópias não pode ser usado: {}.", describe_cause(&cause))
            }
            BackupActionError::Busy => {
                "Outra cópia está sendo feita neste destino agora; espere que ela termine.".to_owned()
            }
            BackupActionError::NoBackup => "Não há nenhuma cópia aqui; confira a pasta.".to_owned(),
            BackupActionError::UnknownName(name) => {
                format!("Não há uma cópia {name}; veja as que há com `amparo backup list`.")
            }
            BackupActionError::SecretMissing => {
                "Estas cópias são cifradas; diga a frase (AMPARO_BACKUP_PASSPHRASE) ou o arquivo da chave (--backup-key-file)."
                    .to_owned()
            }
            BackupActionError::WrongSecret => {
                "A frase, ou o arquivo da chave, não é a que cifrou estas cópias.".to_owned()
            }
            BackupActionError::NotEncrypted => {
                "As cópias deste destino não são cifradas; para cifrar, use outra pasta ou outro prefixo. Se eram cifradas, alguém trocou o arquivo amparo-backup.json: não confie nelas."
                    .to_owned()
            }
            BackupActionError::NewerFormat { found, known } => format!(
                "Estas cópias são da versão {found} do formato, mais nova que a {known} que este programa conhece; use a versão mais nova do Amparo."
            ),
            BackupActionError::NewerSchema { found, known } => format!(
                "Esta cópia é de um banco na versão {found}, mais nova que a {known} que este programa conhece; use a versão mais nova do Amparo."
            ),
            BackupActionError::OtherEngine => {
                "Esta cópia é do outro banco de dados (SQLite ou PostgreSQL); volte a ela com o mesmo, e mude depois com `amparo export` e `amparo bring`."
                    .to_owned()
            }
            BackupActionError::HeadMissing => {
                "Neste destino há cópias, mas falta o arquivo amparo-backup.json, que diz como são cifradas; devolva-o ou use outro destino."
                    .to_owned()
            }
            BackupActionError::Damaged { path, cause } => match cause {
                DamageCause::Missing => format!("O arquivo {path} falta na cópia, e nada foi mudado; use outra cópia."),
                DamageCause::Altered => format!(
                    "O arquivo {path} está danificado: não é o que foi gravado; nada foi mudado, use outra cópia."
                ),
                DamageCause::Unusable(cause) => format!(
                    "O arquivo {path} está danificado ({}); nada foi mudado, use outra cópia.",
                    describe_cause(&cause)
                ),
            },
            BackupActionError::TargetExists(place) => format!(
                "Já há um banco de dados em {place}, e nada foi mudado; com o SQLite, --replace o põe de lado, e com o PostgreSQL crie um banco vazio e aponte para ele."
            ),
            BackupActionError::Key(error) => return error.into(),
            BackupActionError::OtherKey(path) => format!(
                "O arquivo {path} tem outra chave, e nada foi mudado; --replace o põe de lado."
            ),
            BackupActionError::File { path, cause } => {
                format!("O arquivo {path} não pôde ser lido ou escrito: {}.", describe_cause(&cause))
            }
            BackupActionError::ToolMissing(tool) => format!(
                "Falta o programa {tool}, do próprio PostgreSQL; no Debian, instale o pacote postgresql-client."
            ),
            BackupActionError::ToolFailed { tool, cause } => {
                format!("O programa {tool} falhou: {}.", describe_cause(cause.trim_end_matches('.')))
            }
            BackupActionError::Attachments(cause) => {
                format!("O lugar dos arquivos anexados não pode ser usado: {}.", describe_cause(&cause))
            }
            BackupActionError::Open(error) => return error.into(),
            BackupActionError::Storage(error) => return app::Error::from(error).into(),
            BackupActionError::Interrupted(cause) => {
                format!("A cópia foi interrompida: {}.", describe_cause(&cause))
            }
        })
    }
}

impl From<app::Error> for FatalError {
    fn from(error: app::Error) -> FatalError {
        FatalError(match error {
            app::Error::Refused(rejections) => wire::refusal::render_rejections(&rejections),
            app::Error::NotFound { field, code } => {
                wire::refusal::render_rejection(&domain::Rejection::UnknownCode { field, code })
            }
            app::Error::Storage(storage::Error::DatabaseFault {
                fault: DatabaseFault::NoAccessLog,
                cause,
            }) => {
                format!("O registro de acessos a dados pessoais não abre: {}.", describe_cause(&cause))
            }
            app::Error::Storage(storage::Error::DatabaseFault { fault, .. }) => {
                wire::database_fault::describe_database_fault(fault).to_owned()
            }
            app::Error::Storage(storage::Error::Unavailable(cause)) => {
                format!("O banco de dados não pôde ser usado agora: {}.", describe_cause(&cause))
            }
            app::Error::Storage(storage::Error::Unknown) => {
                "A conexão caiu na hora de gravar: o resultado é desconhecido; confira antes de repetir."
                    .to_owned()
            }
            app::Error::Storage(storage::Error::TooSlow) => {
                "O banco de dados demorou demais; nada foi gravado, tente de novo.".to_owned()
            }
            app::Error::Files(cause) => {
                format!("O lugar dos arquivos anexados não pode ser usado: {}.", describe_cause(&cause))
            }
            app::Error::Storage(
                storage::Error::Broken(cause) | storage::Error::ReadOnlyTransaction(cause),
            ) => {
                format!("O banco de dados recusou o que lhe foi pedido: {}.", describe_cause(&cause))
            }
            other => format!("Algo deu errado por dentro: {other}."),
        })
    }
}

fn describe_bad_address(why: &AddressProblem) -> String {
    match why {
        AddressProblem::Scheme => "ele não começa nem por sqlite: nem por postgres://".to_owned(),
        AddressProblem::NoFile => "falta o arquivo depois de sqlite:".to_owned(),
        AddressProblem::NoHost => "falta o servidor depois de postgres://".to_owned(),
        AddressProblem::Unescaped => "escreva @ na senha como %40, : como %3A e / como %2F".to_owned(),
        AddressProblem::WeakProtection => {
            "sslmode=prefer e sslmode=allow deixam a senha sair sem proteção para outra máquina; escreva sslmode=verify-full, nada (é o mesmo) ou, numa rede de confiança, sslmode=disable".to_owned()
        }
        AddressProblem::Other(cause) => format!("o driver diz \"{cause}\""),
    }
}

/// Translates the most frequent causes; others keep the system's text.
pub fn describe_cause(cause: &str) -> String {
    let known = [
        ("Connection refused", "nenhum servidor atende nesse endereço"),
        ("Connection reset", "o servidor fechou a conexão"),
        ("it belongs to another database", "o arquivo é de outro banco de dados"),
        ("no database there", "o arquivo não existe"),
        (
            "(53300)",
            "o servidor não aceita mais conexões agora; aumente max_connections, ou o limite do usuário",
        ),
        (
            "too many connections",
            "o servidor não aceita mais conexões agora; aumente max_connections, ou o limite do usuário",
        ),
        ("remaining connection slots", "o servidor não aceita mais conexões agora; aumente max_connections"),
        ("(53100)", "o disco do servidor está cheio"),
        ("(25006)", "o servidor só aceita leituras; aponte o que aceita gravações"),
        ("(57P03)", "o servidor ainda está iniciando, ou está parando"),
        ("failed to lookup address", "esse nome de servidor não existe"),
        ("does not answer", "o servidor não responde"),
        ("no answer from", "o servidor não responde"),
        ("(28P01)", "o servidor recusou o usuário ou a senha"),
        ("(28000)", "o servidor recusou o usuário"),
        ("(3D000)", "essa base não existe no servidor; crie-a antes"),
        ("(42501)", "o usuário não tem permissão para isso no servidor"),
        (
            "UnknownIssuer",
            "o certificado do servidor não é de uma autoridade conhecida; aponte a sua com --storage-ca-file ou, \
             numa rede de confiança, acrescente ?sslmode=disable ao endereço",
        ),
        (
            "offers no TLS",
            "o servidor não oferece TLS, exigido para outra máquina; ligue o TLS nele ou, numa rede de confiança, \
             acrescente ?sslmode=disable ao endereço",
        ),
        (
            "password in clear text",
            "o servidor pede a senha às claras numa conexão sem cifra; use scram-sha-256 no pg_hba.conf dele, ou ligue o TLS",
        ),
        ("not a database", "o arquivo não é um banco de dados SQLite"),
        ("unable to open", "o arquivo não pôde ser aberto; confira o caminho e as permissões"),
        ("database is locked", "outro programa o está usando"),
        ("database or disk is full", "o disco está cheio"),
        ("No space left", "o disco está cheio"),
        ("File too large", "o sistema não deixa o arquivo crescer mais"),
        ("Disk quota exceeded", "a cota de disco acabou"),
        ("disk I/O error", "o disco não lê ou não grava"),
        ("Input/output error", "o disco não lê ou não grava"),
        ("readonly database", "o arquivo do banco só pode ser lido; confira as permissões e o disco"),
        ("malformed", "o banco de dados está danificado; volte à sua última cópia de segurança"),
        ("no items found", "não há no arquivo o que se espera, em formato PEM"),
        ("peer sent no certificates", "não há um certificado no arquivo"),
        ("KeyMismatch", "a chave não é a do certificado"),
        ("Too many open files", "há arquivos demais abertos; aumente o limite (ulimit -n)"),
        ("timed out", "o servidor não responde"),
        ("No such file", "esse caminho não existe"),
        ("Not a directory", "uma parte desse caminho não é uma pasta"),
        ("Is a directory", "esse caminho é uma pasta"),
        ("Permission denied", "falta permissão nesse caminho"),
        ("Read-only file system", "esse caminho é só de leitura"),
    ];
    let found = known.into_iter().find(|(part, _)| cause.contains(part));
    found.map_or_else(|| strip_cause_prefixes(cause).to_owned(), |(_, text)| text.to_owned())
}

/// Removes the prefixes that our own layers add to a cause.
fn strip_cause_prefixes(cause: &str) -> &str {
    const WRAPPINGS: [&str; 5] = [
        "the place of the files cannot be used: ",
        "the database cannot be used now: ",
        "Generic LocalFileSystem error: ",
        "Generic S3 error: ",
        "defect: ",
    ];
    let bare =
        WRAPPINGS.into_iter().fold(cause, |text, wrapping| text.strip_prefix(wrapping).unwrap_or(text));
    bare.trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_causes_are_told_in_portuguese_and_others_as_they_are() {
        assert_eq!(
            describe_cause("error connecting: Connection refused (os error 111)"),
            "nenhum servidor atende nesse endereço"
        );
        assert_eq!(describe_cause("something else."), "something else");
        let full = "the place of the files cannot be used: Generic LocalFileSystem error: Unable to write: \
                    No space left on device (os error 28)";
        assert_eq!(describe_cause(full), "o disco está cheio");
        assert_eq!(describe_cause("Generic LocalFileSystem error: odd."), "odd");
        let role = "the database cannot be used now: too many connections for role \"amparo\" (53300)";
        assert!(describe_cause(role).starts_with("o servidor não aceita mais conexões"));
    }
}
