//! A load of requests over loopback, as cheap as it gets: many connections on one thread, requests that were written
//! beforehand, and answers of which no more is read than their status and their length.

use std::cell::Cell;
use std::io::{Error, ErrorKind};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

/// How many connections ask at once.
pub const CONNECTIONS: usize = 64;

/// What one connection sends, one after another.
pub trait Requests {
    fn next(&mut self) -> &[u8];
}

/// Sends what the connections have to send until the time is over; gives answers per second.
pub fn run<R: Requests + 'static>(
    runtime: &Runtime,
    address: &str,
    span: Duration,
    requests: impl Fn(usize) -> R,
) -> f64 {
    LocalSet::new().block_on(runtime, async {
        let mut connections = Vec::with_capacity(CONNECTIONS);
        for number in 0..CONNECTIONS {
            let stream = TcpStream::connect(address).await.expect("the server takes connections");
            stream.set_nodelay(true).expect("a socket takes the option");
            connections.push((stream, requests(number)));
        }
        let (stop, begun) = (Rc::new(Cell::new(false)), Instant::now());
        let running: Vec<_> = connections
            .into_iter()
            .map(|(stream, requests)| tokio::task::spawn_local(converse(stream, requests, Rc::clone(&stop))))
            .collect();
        tokio::time::sleep(span).await;
        stop.set(true);
        let mut done = 0;
        for connection in running {
            let answered = connection.await.expect("a connection does not panic");
            done += answered.unwrap_or_else(|error| panic!("a request failed: {error}"));
        }
        done as f64 / begun.elapsed().as_secs_f64()
    })
}

async fn converse(
    mut stream: TcpStream,
    mut requests: impl Requests,
    stop: Rc<Cell<bool>>,
) -> Result<u64, Error> {
    let (mut buffer, mut done) = (vec![0; 16 << 10], 0);
    while !stop.get() {
        stream.write_all(requests.next()).await?;
        receive(&mut stream, &mut buffer).await?;
        done += 1;
    }
    Ok(done)
}

async fn receive(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<(), Error> {
    let (mut filled, mut whole) = (0, None);
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        filled += read;
        whole = whole.or_else(|| length(&buffer[..filled]));
        match whole {
            Some(whole) if filled >= whole => return check(&buffer[..filled]),
            Some(whole) if whole > buffer.len() => buffer.resize(whole, 0),
            None if filled == buffer.len() => return Err(Error::other("headers without an end")),
            _ => {}
        }
    }
}

/// How long the whole answer is, once all of its headers are there.
fn length(answer: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let value = answer[..head].windows(NAME.len()).position(|name| name.eq_ignore_ascii_case(NAME))?;
    let digits = answer[value + NAME.len()..head].iter().take_while(|byte| byte.is_ascii_digit());
    Some(head + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0')))
}

fn check(answer: &[u8]) -> Result<(), Error> {
    match answer.starts_with(b"HTTP/1.1 200") {
        true => Ok(()),
        false => Err(Error::other(String::from_utf8_lossy(answer).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_its_head_and_its_body() {
        assert_eq!(length(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"), Some(39 + 12));
        assert_eq!(length(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: y\r\n\r\n"), Some(44));
        assert_eq!(length(b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n"), None);
    }
}
