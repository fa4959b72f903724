//! Servers with bad manners or odd data, as few lines of HTTP as do.

use super::Source;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Stands before a source, and now and then answers for it: 429, 500, nonsense, 401, or nothing at all.
pub struct Rude {
    pub address: String,
}

impl Rude {
    pub async fn before(source: &Source) -> Rude {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (behind, number) = (source.server.address, Arc::new(AtomicU64::new(0)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, behind, Arc::clone(&number)));
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

async fn pass(mut stream: TcpStream, behind: SocketAddr, number: Arc<AtomicU64>) {
    let Some(head) = head(&mut stream).await else { return };
    let number = number.fetch_add(1, Ordering::SeqCst);
    let rude = match number {
        // The door is left in peace: nobody is shut out for knocking.
        _ if head.starts_with("POST") => None,
        _ if number % 11 == 3 => Some("429 Too Many Requests\r\nRetry-After: 7"),
        _ if number % 11 == 5 => Some("500 Internal Server Error"),
        _ if number % 11 == 7 => return,
        _ if number % 13 == 9 => Some("200 OK\r\nContent-Type: text/html"),
        _ if number % 17 == 12 => Some("401 Unauthorized"),
        _ => None,
    };
    let answer = match rude {
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
    let _ = stream.write_all(&answer).await;
}

/// Another product, with data as it comes when nobody checks.
pub struct Odd {
    pub address: String,
}

impl Odd {
    pub async fn start() -> Odd {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream));
            }
        });
        Odd { address }
    }
}

async fn answer(mut stream: TcpStream) {
    let Some(head) = head(&mut stream).await else { return };
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match path {
        "/ext/evento?pagina=1" => ("500 Oops", "quebrou"),
        path => match odd(path) {
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", "nada"),
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
            ], "proximaPagina": false, "quantidade": "6"}"#
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
        "/ext/crm/negocio" => "[]",
        _ => return None,
    })
}
