//! How fast the real binary brings a sheet of members in: tried, new, once more, and taken back. Reading the file is part of it.

use domain::Cpf;
use std::error::Error;
use std::fmt::Write;
use std::process::{Command, Output};
use std::time::Instant;

pub struct Plan {
    pub binary: String,
    pub database: Option<String>,
    pub rows: u64,
}

pub fn run(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("associados.csv");
    std::fs::write(&file, sheet(plan.rows)?)?;
    let file = file.to_string_lossy().into_owned();
    let own = format!("sqlite:{}", folder.path().join("amparo.db").display());
    let database = plan.database.clone().unwrap_or(own);
    let key = folder.path().join("chave");
    let call = |arguments: &[&str]| -> Result<Output, Box<dyn Error>> {
        let binary = std::fs::canonicalize(&plan.binary)?;
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .args(["--database", &database, "--log-level", "warn"])
            .arg("--key-file")
            .arg(&key);
        Ok(command.output()?)
    };
    call(&["tenant", "create", "--name", "Medida"])?;
    println!("{:<34} {:>9} {:>10}", "members", "seconds", "rows/s");
    for (what, arguments) in [
        ("tried (dry run)", &["import", &file, "--kind", "associados", "--dry-run"][..]),
        ("new", &["import", &file, "--kind", "associados"]),
        ("once more, nothing changes", &["import", &file, "--kind", "associados"]),
        ("taken back", &["import", "--undo", "2"]),
    ] {
        let begun = Instant::now();
        let output = call(arguments)?;
        let seconds = begun.elapsed().as_secs_f64();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        println!("{what:<34} {seconds:>9.1} {:>10.0}", plan.rows as f64 / seconds);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = said
            .lines()
            .find(|line| line.contains(':') && line.contains("ações") || line.contains("criados"));
        println!("  {}", last.unwrap_or_else(|| said.lines().last().unwrap_or_default()));
    }
    Ok(())
}

/// A sheet as an association keeps it: a dozen columns, telephones, an address.
fn sheet(rows: u64) -> Result<String, Box<dyn Error>> {
    let names = ["Ana", "João", "Maria", "José", "Antônia", "Francisco", "Márcia", "Luís"];
    let surnames = ["Silva", "Souza", "Oliveira", "Santos", "Pereira", "Lima", "Araújo", "Gonçalves"];
    let mut text =
        "CPF;Nome completo;Data de nasc.;Sexo;Celular;E-mail;CEP;Rua;Número;Bairro;Cidade;UF\n".to_owned();
    for number in 1..=rows {
        let mut digits = [0; 9];
        for (at, digit) in format!("{:09}", number * 4999 % 1_000_000_000).bytes().enumerate() {
            digits[at] = digit - b'0';
        }
        let cpf = Cpf::with_check_digits(digits).ok_or("no document")?;
        let at = number as usize;
        writeln!(
            text,
            "{cpf};{} {} {};{:02}/{:02}/{};{};(11) 9{:04}-{:04};pessoa{number}@exemplo.com.br;01310-{:03};Avenida Paulista;{};Bela Vista;São Paulo;SP",
            names[at % 8],
            surnames[at / 8 % 8],
            surnames[at / 64 % 8],
            number % 28 + 1,
            number % 12 + 1,
            1950 + number % 50,
            if number % 2 == 0 { "F" } else { "M" },
            number / 10_000 % 10_000,
            number % 10_000,
            number % 1000,
            number % 2000,
        )?;
    }
    Ok(text)
}
