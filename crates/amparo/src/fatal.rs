//! What ends a command: one clear sentence in Portuguese, and a non-zero exit.

use app::server_key::KeyError;
use storage::OpenError;

#[derive(Debug)]
pub struct Fatal(String);

impl Fatal {
    pub fn new(sentence: impl Into<String>) -> Fatal {
        Fatal(sentence.into())
    }

    pub fn sentence(&self) -> &str {
        &self.0
    }
}

impl From<OpenError> for Fatal {
    fn from(error: OpenError) -> Fatal {
        Fatal(match error {
            OpenError::BadAddress(why) => format!(
                "O endereço do banco de dados não serve ({why}); use sqlite:CAMINHO ou postgres://usuário:senha@servidor/base."
            ),
            OpenError::Absent(place) => {
                format!("Não há um banco de dados em {place}; `amparo migrate` cria um.")
            }
            OpenError::Unreachable { place, cause } => {
                format!("Não foi possível abrir o banco de dados em {place}: {cause}.")
            }
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
            OpenError::Migration(cause) => {
                format!("A migração do banco de dados falhou, e nada dela ficou: {cause}.")
            }
        })
    }
}

impl From<KeyError> for Fatal {
    fn from(error: KeyError) -> Fatal {
        Fatal(match error {
            KeyError::File { path, cause } => {
                format!("A chave do servidor em {} não pôde ser lida ou escrita: {cause}.", path.display())
            }
            KeyError::Malformed(path) => {
                format!(
                    "O arquivo {} não contém uma chave do servidor (64 dígitos hexadecimais).",
                    path.display()
                )
            }
            KeyError::Other(path) => format!(
                "A chave em {} não é a deste banco de dados; aponte a certa com --key-file ou AMPARO_KEY_FILE.",
                path.display()
            ),
            KeyError::Lost(path) => format!(
                "A chave do servidor não está em {}, e o banco de dados guarda segredos que só ela abre; traga o arquivo de volta da sua cópia.",
                path.display()
            ),
            KeyError::InUse(path) => format!(
                "A chave do servidor não está em {}, e outro processo atende este banco com a dele; copie de lá o arquivo.",
                path.display()
            ),
            KeyError::Storage(error) => return app::Error::from(error).into(),
        })
    }
}

impl From<app::Error> for Fatal {
    fn from(error: app::Error) -> Fatal {
        Fatal(match error {
            app::Error::Refused(rejections) => wire::refusal::texts(&rejections),
            app::Error::Storage(storage::Error::Unavailable(cause)) => {
                format!("O banco de dados não pôde ser usado agora: {cause}.")
            }
            app::Error::Storage(storage::Error::Unknown) => {
                "A conexão caiu na hora de gravar: o resultado é desconhecido; confira antes de repetir."
                    .to_owned()
            }
            app::Error::Storage(storage::Error::TooSlow) => {
                "O banco de dados demorou demais; nada foi gravado, tente de novo.".to_owned()
            }
            other => format!("Algo deu errado por dentro: {other}."),
        })
    }
}
