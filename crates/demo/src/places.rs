//! Places of the demo: the branches, the cities around each, their area codes and postal codes.

use crate::dice::SeededDice;
use domain::{Cep, Phone, PostalAddress};

pub struct SampleBranch {
    pub name: &'static str,
    /// Percentage of the members.
    pub share: u32,
    /// The largest first.
    pub cities: &'static [SampleCity],
}

#[derive(Clone, Copy)]
pub struct SampleCity {
    pub name: &'static str,
    pub state: &'static str,
    pub area_code: u32,
    /// Range of the first five digits of its postal codes.
    pub postal: (u32, u32),
}

const fn define_city(
    name: &'static str,
    state: &'static str,
    area_code: u32,
    first_cep: u32,
    last_cep: u32,
) -> SampleCity {
    SampleCity { name, state, area_code, postal: (first_cep, last_cep) }
}

/// The first is the initial branch of the tenant.
pub const BRANCHES: &[SampleBranch] = &[
    SampleBranch {
        name: "Matriz São Paulo",
        share: 38,
        cities: &[
            define_city("São Paulo", "SP", 11, 1_000, 5_999),
            define_city("Guarulhos", "SP", 11, 7_000, 7_399),
            define_city("Campinas", "SP", 19, 13_010, 13_139),
            define_city("Osasco", "SP", 11, 6_000, 6_299),
            define_city("São José dos Campos", "SP", 12, 12_200, 12_249),
            define_city("Ribeirão Preto", "SP", 16, 14_010, 14_109),
            define_city("Sorocaba", "SP", 15, 18_000, 18_109),
            define_city("Santos", "SP", 13, 11_000, 11_099),
        ],
    },
    SampleBranch {
        name: "Belo Horizonte",
        share: 24,
        cities: &[
            define_city("Belo Horizonte", "MG", 31, 30_110, 31_999),
            define_city("Uberlândia", "MG", 34, 38_400, 38_415),
            define_city("Contagem", "MG", 31, 32_000, 32_399),
            define_city("Juiz de Fora", "MG", 32, 36_000, 36_099),
            define_city("Montes Claros", "MG", 38, 39_400, 39_409),
            define_city("Divinópolis", "MG", 37, 35_500, 35_504),
        ],
    },
    SampleBranch {
        name: "Curitiba",
        share: 16,
        cities: &[
            define_city("Curitiba", "PR", 41, 80_010, 82_999),
            define_city("Londrina", "PR", 43, 86_000, 86_099),
            define_city("Maringá", "PR", 44, 87_000, 87_099),
            define_city("Ponta Grossa", "PR", 42, 84_000, 84_099),
            define_city("Cascavel", "PR", 45, 85_800, 85_824),
            define_city("Joinville", "SC", 47, 89_200, 89_239),
        ],
    },
    SampleBranch {
        name: "Salvador",
        share: 13,
        cities: &[
            define_city("Salvador", "BA", 71, 40_010, 41_999),
            define_city("Feira de Santana", "BA", 75, 44_000, 44_109),
            define_city("Vitória da Conquista", "BA", 77, 45_000, 45_099),
            define_city("Camaçari", "BA", 71, 42_800, 42_849),
            define_city("Ilhéus", "BA", 73, 45_650, 45_669),
        ],
    },
    SampleBranch {
        name: "Goiânia",
        share: 9,
        cities: &[
            define_city("Goiânia", "GO", 62, 74_000, 74_899),
            define_city("Brasília", "DF", 61, 70_000, 72_799),
            define_city("Aparecida de Goiânia", "GO", 62, 74_900, 74_999),
            define_city("Anápolis", "GO", 62, 75_000, 75_149),
            define_city("Rio Verde", "GO", 64, 75_900, 75_919),
        ],
    },
];

/// Street names, common ones first.
#[rustfmt::skip]
const STREETS: &[&str] = &[
    "das Flores", "Sete de Setembro", "Quinze de Novembro", "Tiradentes", "Santos Dumont", "Dom Pedro II",
    "Rui Barbosa", "Getúlio Vargas", "São José", "Santo Antônio", "Brasil", "Duque de Caxias",
    "Marechal Deodoro", "Floriano Peixoto", "Castro Alves", "José Bonifácio", "São João", "Bela Vista",
    "dos Andradas", "Treze de Maio", "Primeiro de Maio", "Princesa Isabel", "Barão do Rio Branco",
    "Machado de Assis", "das Palmeiras", "das Acácias", "dos Ipês", "Boa Esperança", "Minas Gerais",
    "Goiás", "Bahia", "Paraná", "Rio Grande do Sul", "Amazonas", "Ceará", "Pernambuco",
    "Vinte e Um de Abril", "Dois de Julho", "da Independência", "da Liberdade", "da República",
    "do Comércio", "das Laranjeiras", "do Rosário", "da Matriz", "São Pedro", "São Paulo", "Santa Rita",
    "Santa Luzia", "Padre Anchieta", "Visconde de Mauá", "Carlos Gomes", "Cândido Portinari",
    "Olavo Bilac", "Cecília Meireles", "Monteiro Lobato", "Assis Brasil", "Voluntários da Pátria",
    "do Contorno", "Afonso Pena", "Juscelino Kubitschek", "Presidente Vargas", "dos Bandeirantes",
    "das Hortênsias", "dos Girassóis", "das Orquídeas", "do Sol", "da Paz", "Beira Rio", "da Estação",
    "Nova", "Velha", "dos Operários", "dos Estudantes", "das Mangueiras", "do Cruzeiro",
    "Coronel Fagundes", "Doutor Arnaldo", "Professor Hermes", "Maestro Villa-Lobos",
];

/// District names, common ones first.
#[rustfmt::skip]
const DISTRICTS: &[&str] = &[
    "Centro", "Jardim América", "Vila Nova", "Boa Vista", "Santa Mônica", "São José", "Jardim das Flores",
    "Vila Maria", "Bela Vista", "Santo Antônio", "Parque Industrial", "Cidade Nova", "Alto da Boa Vista",
    "Jardim Europa", "Vila Rica", "Nossa Senhora de Fátima", "Santa Cruz", "São Francisco",
    "Jardim Paulista", "Novo Horizonte", "Primavera", "Industrial", "Liberdade", "Planalto",
    "Vila Esperança", "Parque das Árvores", "Jardim Botânico", "Santa Luzia", "Bom Retiro", "Vila Isabel",
    "Lagoa Seca", "Monte Castelo", "Morada do Sol", "Recanto Verde", "Setor Sul", "Setor Oeste",
    "Água Verde", "Pituba", "Savassi", "Mooca",
];

/// Most streets are "Rua".
const STREET_KINDS: &[&str] = &["Rua", "Avenida", "Travessa", "Alameda", "Praça", "Estrada", "Rodovia"];
const STREET_SHARES: [u32; 7] = [66, 18, 5, 5, 3, 2, 1];

/// The index of a branch, and a city near it.
pub fn pick_home(dice: &mut SeededDice) -> (usize, SampleCity) {
    let branch = dice.pick_share(BRANCHES.iter().map(|branch| branch.share));
    (branch, dice.pick_skewed(BRANCHES[branch].cities))
}

pub fn generate_address(dice: &mut SeededDice, city: &SampleCity, kind: &str) -> PostalAddress {
    let (first_cep, last_cep) = city.postal;
    let cep = format!("{:05}{:03}", dice.roll_range(first_cep..last_cep + 1), dice.roll_range(0..900));
    PostalAddress {
        kind: Some(kind.to_owned()),
        street_kind: Some(STREET_KINDS[dice.pick_share(STREET_SHARES)].to_owned()),
        street: Some(dice.pick_skewed(STREETS).to_owned()),
        number: Some(if dice.roll_percent(3) {
            "S/N".to_owned()
        } else {
            dice.roll_range(1..3000).to_string()
        }),
        complement: pick_complement(dice),
        district: Some(pick_district(dice).to_owned()),
        city: Some(city.name.to_owned()),
        state: Some(city.state.to_owned()),
        cep: Some(Cep::parse(&cep).expect("eight digits are a CEP")),
    }
}

pub fn pick_district(dice: &mut SeededDice) -> &'static str {
    dice.pick_skewed(DISTRICTS)
}

fn pick_complement(dice: &mut SeededDice) -> Option<String> {
    match dice.pick_share([66, 20, 6, 4, 4]) {
        0 => None,
        1 => Some(format!("Apto {}{}", dice.roll_range(1..20), dice.roll_range(1..5))),
        2 => Some(format!("Casa {}", dice.roll_range(1..6))),
        3 => Some("Fundos".to_owned()),
        _ => Some(format!("Bloco {}", dice.pick(&["A", "B", "C", "D"]))),
    }
}

pub fn generate_mobile(dice: &mut SeededDice, city: &SampleCity) -> Phone {
    parse_phone(format!("{}9{}{}", city.area_code, dice.roll_range(6..10), dice.roll_digits(7)))
}

pub fn generate_landline(dice: &mut SeededDice, city: &SampleCity) -> Phone {
    parse_phone(format!("{}{}{}", city.area_code, dice.roll_range(2..6), dice.roll_digits(7)))
}

fn parse_phone(digits: String) -> Phone {
    Phone::parse(&digits).expect("an area code and eight or nine digits are a telephone")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::PhoneKind;

    #[test]
    fn the_branches_share_all_members_and_each_city_has_its_codes() {
        assert_eq!(BRANCHES.iter().map(|branch| branch.share).sum::<u32>(), 100);
        let mut dice = SeededDice::new(1, 1);
        for city in BRANCHES.iter().flat_map(|branch| branch.cities) {
            for _ in 0..50 {
                assert_eq!(generate_mobile(&mut dice, city).kind(), PhoneKind::Mobile);
                assert_eq!(generate_landline(&mut dice, city).kind(), PhoneKind::Landline);
                let cep = generate_address(&mut dice, city, "Residencial").cep.unwrap();
                let prefix: u32 = cep.as_str()[..5].parse().unwrap();
                assert!((city.postal.0..=city.postal.1).contains(&prefix), "{cep} in {}", city.name);
            }
        }
    }
}
