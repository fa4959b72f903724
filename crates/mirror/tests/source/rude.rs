//! Servers with bad manners or odd data, as few lines of HTTP as do.

use super::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Stands before a source, and now and then answers for it: 429, 500, nonsense, 401, or nothing at all. No path meets
/// the same of these twice, so that patience suffices in whatever order they are asked for. And whoever enters ends
/// the token that was given before.
pub struct Rude {
    pub address: String,
}

#[derive(Default)]
struct Manners {
    number: u64,
    met: BTreeSet<(String, &'static str)>,
    token: String,
}

impl Manners {
    /// What it answers itself; nothing at all where that is empty.
    fn instead(&mut self, head: &str) -> Option<&'static str> {
        let path = head.split(' ').nth(1).unwrap_or_default();
        let number = self.number;
        self.number += 1;
        if !head.contains(&format!("Bearer {}\r\n", self.token)) {
            return Some("401 Unauthorized");
        }
        let rude = match number {
            _ if number % 11 == 3 => "429 Too Many Requests\r\nRetry-After: 7",
            _ if number % 11 == 5 => "500 Internal Server Error",
            _ if number % 11 == 7 => "",
            _ if number % 13 == 9 => "200 OK\r\nContent-Type: text/html",
            _ if number % 17 == 12 => "401 Unauthorized",
            _ => return None,
        };
        self.met.insert((path.to_owned(), rude)).then_some(rude)
    }
}

impl Rude {
    pub async fn before(source: &Source) -> Rude {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (behind, manners) = (source.server.address, Arc::<Mutex<Manners>>::default());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, behind, Arc::clone(&manners)));
            }
        });
        Rude { address }
    }
}

/// The head of a request; nobody here sends a body.
async fn head(stream: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        read.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(read).ok()
}

async fn pass(mut stream: TcpStream, behind: SocketAddr, manners: Arc<Mutex<Manners>>) {
    let Some(head) = head(&mut stream).await else { return };
    // The door is left in peace: nobody is shut out for knocking.
    let enters = head.starts_with("POST");
    let rude = if enters { None } else { manners.lock().unwrap().instead(&head) };
    let answer = match rude {
        Some("") => return,
        Some(rude) => {
            format!("HTTP/1.1 {rude}\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<html>").into_bytes()
        }
        None => {
            let mut source = TcpStream::connect(behind).await.unwrap();
            let (line, rest) = head.split_once("\r\n").unwrap();
            source.write_all(format!("{line}\r\nConnection: close\r\n{rest}").as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            source.read_to_end(&mut answer).await.unwrap();
            answer
        }
    };
    if enters {
        let body = answer.iter().position(|byte| *byte == b'{').unwrap();
        let record: serde_json::Value = serde_json::from_slice(&answer[body..]).unwrap();
        record["authorizationToken"].as_str().unwrap().clone_into(&mut manners.lock().unwrap().token);
    }
    let _ = stream.write_all(&answer).await;
}

/// What it answers otherwise than it would: a status and a body for a path.
type Said = Arc<Mutex<BTreeMap<String, (&'static str, String)>>>;

/// Another product, with data as it comes when nobody checks.
pub struct Odd {
    pub address: String,
    said: Said,
}

impl Odd {
    pub async fn start() -> Odd {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let said = Said::default();
        let odd = Odd { address, said: Arc::clone(&said) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&said)));
            }
        });
        odd
    }

    /// From now on it answers so.
    pub fn says(&self, path: &str, body: &str) {
        self.said.lock().unwrap().insert(path.to_owned(), ("200 OK", body.to_owned()));
    }

    pub fn breaks(&self, path: &str) {
        self.said.lock().unwrap().insert(path.to_owned(), ("500 Oops", "quebrou".to_owned()));
    }

    /// The user may not ask for it.
    pub fn refuses(&self, path: &str) {
        self.said.lock().unwrap().insert(path.to_owned(), ("403 Forbidden", "sem permissão".to_owned()));
    }

    /// It answers as it would again.
    pub fn mends(&self, path: &str) {
        self.said.lock().unwrap().remove(path);
    }
}

async fn answer(mut stream: TcpStream, said: Said) {
    let Some(head) = head(&mut stream).await else { return };
    let path = head.split(' ').nth(1).unwrap_or_default();
    let said = said.lock().unwrap().get(path).cloned();
    let (status, body) = match path {
        _ if said.is_some() => said.unwrap(),
        "/ext/administracao/vendedor" => ("500 Oops", "quebrou".to_owned()),
        path => match odd(path) {
            Some(body) => ("200 OK", body.to_owned()),
            None => ("404 Not Found", "nada".to_owned()),
        },
    };
    let answer =
        format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// What it answers: codes as texts, unknown situations, two with one document, a plate twice, nobody's rows.
fn odd(path: &str) -> Option<&'static str> {
    Some(match path {
        "/ext/autenticacao" => {
            r#"{"authorizationToken": "t", "codClienteSistema": "9", "nomeClienteSistema": "Estranha", "plano": [{"codPlano": 1, "nome": "Plano"}]}"#
        }
        "/ext/administracao/loja" => r#"[{"codigo": "4", "nome": "Única"}]"#,
        "/ext/beneficio/situacaoBeneficio" => {
            r#"[{"codSituacao": 30, "nome": "Vigente", "tipo": "Ativo", "corDestaque": "verde"}]"#
        }
        "/ext/associado?situacaoBeneficio=Todos&pagina=1" => {
            r#"{"itens": [
            {"codPessoa": "1", "codBeneficio": 1, "sequencial": "10", "nomePessoa": "Ana", "cpfCnpj": "52998224725", "codLoja": 4,
             "situacao": "Em cobrança especial", "tipoSituacao": "SUSPENSO", "tipoBeneficio": "Veicular", "dataCadastro": "2020-01-02T10:00:00",
             "dataAtualizacao": "03/01/2020", "planos": [{"codPlano": 77, "nome": "Plano Antigo", "valor": "1.050,90"}], "codConsultor": 0,
             "endereco": {"cep": "x", "uf": "ZZ", "numero": 12}, "telefoneCelular": "123", "sexo": "Feminino", "dataNascimento": "31/02/1980"},
            {"codPessoa": 2, "nomePessoa": "Bia", "cpfCnpj": "529.982.247-25", "codLoja": 4, "dataCadastro": "01/02/2020", "dataAtualizacao": "01/02/2020"},
            {"codPessoa": 3, "cpfCnpj": "111.111.111-11", "codLoja": 99, "nomeLoja": "Fechada", "email": "sem arroba"},
            {"nomePessoa": "De ninguém", "codBeneficio": 8},
            {"codPessoa": 4, "codBeneficio": 4, "sequencial": 11, "nomePessoa": "Duda", "codLoja": 4, "tipoBeneficio": "VEICULAR", "situacao": "VIGENTE", "placa": "ABC1D23"},
            {"codPessoa": 4, "codBeneficio": 5, "sequencial": 11, "nomePessoa": "Duda", "codLoja": 4, "tipoBeneficio": "VEICULAR", "situacao": "VIGENTE", "placa": "ABC-1D23"}
            ], "proximaPagina": "false", "quantidade": "6"}"#
        }
        path if path.starts_with("/ext/associado?situacaoBeneficio=Todos&dataAtualizacao=") => {
            r#"{"itens": [], "proximaPagina": false}"#
        }
        "/ext/beneficio/lista?pagina=1" => {
            r#"{"itens": [{"codBeneficio": 1, "diaVencimento": "10", "veiculo": {"placa": "XX", "marca": "FIAT", "anoModelo": "2020", "tipoVeiculo": "Nave", "valorVeiculo": "muito"}}]}"#
        }
        "/ext/beneficio/1/itens" => {
            r#"[{"codItem": 1, "codPlano": 77, "tipoBeneficio": "VEICULAR", "valor": 10}, {"codPlano": 3}]"#
        }
        "/ext/beneficio/1/dependentes" => {
            r#"[{"codDependente": 1, "nome": "Filho", "parentesco": "Filho", "cpf": "1"}, {}]"#
        }
        "/ext/associado/1/cartaoCredito" => {
            r#"[{"codCartao": 1, "bandeira": "Visa", "ultimosDigitos": "4111 1111 1111 1234", "validade": "1/2030"}]"#
        }
        // Never a supplier, and never a refusal.
        path if path.starts_with("/ext/administracao/fornecedor/") => "{}",
        "/ext/crm/negocio" => r#"[{"codNegocio": 1}, {"codNegocio": 2}, {"codNegocio": 2000000000}]"#,
        "/ext/crm/negocio/1" => {
            r#"{"codNegocio": 1, "sequencial": 1, "codFunil": 5, "codEtapa": 6, "codLoja": 4, "codUsuarioResponsavel": 1000, "nomeUsuarioResponsavel": "De lá",
             "lead": {"codLead": 1, "codPessoa": 50, "nomePessoa": "Lia", "codLoja": 4},
             "dependentes": [{"codDependente": 1, "nome": "Um"}, {"codDependente": 1, "nome": "O mesmo"}]}"#
        }
        "/ext/crm/negocio/2" => {
            r#"{"codNegocio": 2, "codFunil": 5, "codEtapa": 6, "codLoja": 4, "lead": {"codLead": 1, "codPessoa": 50, "nomePessoa": "Lia", "codLoja": 4}}"#
        }
        "/ext/crm/negocio/2000000000" => {
            r#"{"codNegocio": 2000000000, "sequencial": 1, "codFunil": 5, "codEtapa": 6, "codLoja": 4,
             "lead": {"codLead": 1, "codPessoa": 50, "nomePessoa": "Lia", "codLoja": 4}}"#
        }
        "/ext/evento?pagina=1" => {
            r#"[{"codEvento": 3, "protocolo": "2"}, {"codEvento": 2}, {"codEvento": 1}, {"protocolo": "9"}]"#
        }
        "/ext/evento/1" => r#"{"codEvento": 1, "protocolo": "2", "associado": {"codPessoa": 1}}"#,
        "/ext/evento/2" => {
            r#"{"codEvento": 2, "associado": {"codPessoa": 1, "nomePessoa": "Outra", "cpfCnpj": "11144477735"}}"#
        }
        "/ext/evento/3" => {
            r#"{"codEvento": 3, "protocolo": "x", "associado": {"codPessoa": 60}, "condutor": {"codPessoa": 60}}"#
        }
        _ => return None,
    })
}
