//! Names of synthetic people and companies, common ones first. Any match with a real person is accidental.

use crate::dice::SeededDice;
use domain::{Email, Sex, fold_text};

/// A name in parts, from which mothers' names and e-mail addresses are derived.
pub struct PersonName {
    pub first: String,
    pub surnames: Vec<&'static str>,
}

impl PersonName {
    pub fn generate(dice: &mut SeededDice, sex: Sex) -> PersonName {
        let first = pick_first_name(dice, sex);
        let count = 1 + dice.pick_share([18, 62, 20]);
        let mut surnames: Vec<&str> = Vec::with_capacity(count);
        while surnames.len() < count {
            let next = pick_surname(dice);
            if !surnames.iter().any(|existing| strip_particle(existing) == strip_particle(next)) {
                surnames.push(next);
            }
        }
        PersonName { first, surnames }
    }

    /// A mother's name: the first surname of the child comes from her.
    pub fn generate_mother_name(&self, dice: &mut SeededDice) -> String {
        let (first, surname) = (pick_first_name(dice, Sex::Female), pick_surname(dice));
        let passed_on = self.surnames[0];
        if strip_particle(surname) == strip_particle(passed_on) || dice.roll_percent(30) {
            format!("{first} {passed_on}")
        } else {
            format!("{first} {surname} {passed_on}")
        }
    }

    pub fn full_name(&self) -> String {
        format!("{} {}", self.first, self.surnames.join(" "))
    }
}

fn pick_first_name(dice: &mut SeededDice, sex: Sex) -> String {
    let (common, second, rare) = match sex {
        Sex::Female => (FEMALE, SECOND_FEMALE, RARE_FEMALE),
        Sex::Male => (MALE, SECOND_MALE, RARE_MALE),
    };
    if dice.roll_percent(1) {
        return dice.pick(rare).to_owned();
    }
    let first = dice.pick_skewed(common);
    let second = dice.pick(second);
    if first != second && dice.roll_percent(25) { format!("{first} {second}") } else { first.to_owned() }
}

/// Mostly with its particle: one Silva in three is not a "da Silva".
fn pick_surname(dice: &mut SeededDice) -> &'static str {
    if dice.roll_percent(1) {
        return dice.pick(RARE_SURNAMES);
    }
    let surname = dice.pick_skewed(SURNAMES);
    if dice.roll_percent(33) { strip_particle(surname) } else { surname }
}

pub fn strip_particle(surname: &'static str) -> &'static str {
    surname.rsplit_once(' ').map_or(surname, |(_, bare)| bare)
}

pub struct CompanyName {
    pub registered: String,
    pub trade: String,
}

impl CompanyName {
    pub fn generate(dice: &mut SeededDice) -> CompanyName {
        let (owner, trade) = (strip_particle(pick_surname(dice)), dice.pick(TRADES));
        let partner = strip_particle(pick_surname(dice));
        let owners = if owner != partner && dice.roll_percent(40) {
            format!("{owner} & {partner}")
        } else {
            owner.to_owned()
        };
        let form = ["Ltda", "ME", "EIRELI", "S.A."][dice.pick_share([60, 22, 12, 6])];
        CompanyName { registered: format!("{owners} {trade} {form}"), trade: format!("{trade} {owner}") }
    }
}

/// Female first names, most common first.
#[rustfmt::skip]
const FEMALE: &[&str] = &[
    "Maria", "Ana", "Francisca", "Antônia", "Adriana", "Juliana", "Márcia", "Fernanda", "Patrícia",
    "Aline", "Sandra", "Camila", "Amanda", "Bruna", "Jéssica", "Letícia", "Júlia", "Luciana", "Vanessa",
    "Mariana", "Gabriela", "Vera", "Vitória", "Larissa", "Cláudia", "Beatriz", "Luana", "Rita", "Sônia",
    "Renata", "Eliane", "Josefa", "Simone", "Natália", "Cristiane", "Carla", "Débora", "Rosângela",
    "Jaqueline", "Rosa", "Daniela", "Aparecida", "Marlene", "Terezinha", "Raimunda", "Andréia", "Fabiana",
    "Lúcia", "Raquel", "Ângela", "Rafaela", "Joana", "Luzia", "Elaine", "Daniele", "Regina", "Daiane",
    "Alessandra", "Isabela", "Tatiane", "Viviane", "Carolina", "Helena", "Sofia", "Laura", "Alice",
    "Valentina", "Heloísa", "Lívia", "Manuela", "Cecília", "Lorena", "Yasmin", "Isadora", "Bianca",
    "Priscila", "Tereza", "Ivone", "Neusa", "Conceição", "Marta", "Sueli", "Ivete", "Rosilene", "Kátia",
    "Mônica", "Flávia", "Roberta", "Michele", "Paula", "Denise", "Solange", "Célia", "Nair", "Olívia",
    "Emília", "Antonella", "Eloá", "Agatha", "Pérola", "Clarice", "Elisa", "Estela", "Iara", "Jussara",
    "Marisa", "Noemi", "Rute", "Ester", "Tainá", "Thaís", "Bárbara", "Milena", "Verônica", "Zilda",
];

/// Male first names, most common first.
#[rustfmt::skip]
const MALE: &[&str] = &[
    "José", "João", "Antônio", "Francisco", "Carlos", "Paulo", "Pedro", "Lucas", "Luiz", "Marcos", "Luís",
    "Gabriel", "Rafael", "Daniel", "Marcelo", "Bruno", "Eduardo", "Felipe", "Raimundo", "Rodrigo",
    "Manoel", "Mateus", "André", "Fernando", "Fábio", "Leonardo", "Gustavo", "Guilherme", "Leandro",
    "Tiago", "Anderson", "Ricardo", "Márcio", "Jorge", "Sebastião", "Alexandre", "Roberto", "Edson",
    "Diego", "Vítor", "Sérgio", "Cláudio", "Matheus", "Thiago", "Geraldo", "Adriano", "Luciano", "Júlio",
    "Renato", "Alex", "Vinícius", "Rogério", "Samuel", "Ronaldo", "Mário", "Flávio", "Douglas", "Igor",
    "Davi", "Manuel", "Jeferson", "Cícero", "Victor", "Miguel", "Robson", "Maurício", "Danilo", "Henrique",
    "Caio", "Reginaldo", "Joaquim", "Benedito", "Gilberto", "Marco", "Alan", "Nelson", "Cristiano",
    "Elias", "Wilson", "Valdir", "Emerson", "Luan", "David", "Renan", "Severino", "Fabrício", "Mauro",
    "Jonas", "Gilmar", "Jean", "Fabiano", "Wesley", "Diogo", "Adilson", "Jair", "Alessandro", "Everton",
    "Osvaldo", "Gilson", "Willian", "Joel", "Silvio", "Hélio", "Maicon", "Reinaldo", "Pablo", "Artur",
    "Vagner", "Valter", "Celso", "Ivan", "Cleiton", "Vanderlei", "Vicente", "Arthur", "Milton", "Domingos",
    "Wagner", "Sandro", "Moisés", "Edilson", "Ademir", "Adão", "Evandro", "Cesar", "Valmir", "Murilo",
    "Juliano", "Edvaldo", "Ailton", "Heitor", "Theo", "Bernardo", "Enzo", "Benício", "Otávio", "Bento",
    "Ravi", "Caetano", "Raul", "Nicolas", "Emanuel", "Augusto", "Breno", "Ícaro", "Jonathan", "Kaique",
    "Levi", "Noah", "Otto",
];

/// Second parts of double first names: Maria Eduarda, João Pedro.
#[rustfmt::skip]
const SECOND_FEMALE: &[&str] = &[
    "Eduarda", "Clara", "Luíza", "Cristina", "Beatriz", "Paula", "Carolina", "Vitória", "Helena", "Alice",
    "Cecília", "Fernanda", "Aparecida", "Lúcia", "Júlia", "Isabel", "Rita", "Regina", "Célia", "Laura",
    "Sofia", "Rosa",
];

#[rustfmt::skip]
const SECOND_MALE: &[&str] = &[
    "Pedro", "Henrique", "Gabriel", "Carlos", "Victor", "Eduardo", "Paulo", "Augusto", "Roberto",
    "Guilherme", "Miguel", "Felipe", "Antônio", "Luís", "Vinícius", "Otávio", "César", "Lucas", "Vicente",
    "Emanuel",
];

/// Surnames with their particles, most common first.
#[rustfmt::skip]
const SURNAMES: &[&str] = &[
    "da Silva", "dos Santos", "de Oliveira", "de Souza", "Rodrigues", "Ferreira", "Alves", "Pereira",
    "de Lima", "Gomes", "da Costa", "Ribeiro", "Martins", "de Carvalho", "de Almeida", "Lopes", "Soares",
    "Fernandes", "Vieira", "Barbosa", "da Rocha", "Dias", "Nascimento", "de Andrade", "Moreira", "Nunes",
    "Marques", "Machado", "Mendes", "de Freitas", "Cardoso", "Ramos", "Gonçalves", "Santana", "Teixeira",
    "de Araújo", "Pinto", "Cavalcante", "Monteiro", "Moura", "Batista", "Campos", "Borges", "de Castro",
    "Correia", "Cruz", "da Cunha", "Duarte", "de Farias", "Fonseca", "Garcia", "Guimarães", "de Jesus",
    "Leite", "Macedo", "Magalhães", "Medeiros", "de Melo", "Menezes", "Miranda", "Morais", "da Mota",
    "Neves", "Nogueira", "Pacheco", "de Paula", "Peixoto", "Pires", "Queiroz", "Reis", "de Sá", "Sales",
    "Sampaio", "Siqueira", "Tavares", "Torres", "Vasconcelos", "Viana", "Xavier", "Barros", "Bezerra",
    "Brito", "Caldeira", "Camargo", "Coelho", "Dantas", "Domingues", "Esteves", "Figueiredo", "Franco",
    "Furtado", "Galvão", "Henriques", "Leal", "Lacerda", "Loureiro", "Maciel", "Maia", "Marinho", "Matos",
    "Meireles", "Moraes", "Muniz", "Novaes", "Padilha", "Paiva", "Passos", "Pimentel", "Pontes", "Porto",
    "Prado", "Rangel", "Rezende", "Rios", "Salgado", "Sanches", "Saraiva", "Serra", "Simões", "Toledo",
    "Trindade", "Valente", "Vargas", "Veiga", "Ventura", "Vidal", "Assis", "Amaral", "Azevedo", "Bastos",
    "Bittencourt", "Braga", "Bueno", "Cabral", "Chaves", "Cordeiro", "Couto", "Drummond", "Fagundes",
    "Falcão", "Ferraz", "Fontes", "Frota", "Goulart", "Lemos", "Lobo", "Luz", "Mesquita", "Negrão",
    "Ornelas", "Parente", "Pedrosa", "Penteado", "Quintana", "Rosa", "Seixas", "Tenório", "Uchoa",
    "Vilela", "Zanetti",
];

/// Rare first names.
#[rustfmt::skip]
const RARE_FEMALE: &[&str] = &[
    "Abelardina", "Adalgisa", "Anunciata", "Belmira", "Capitolina", "Cremilda", "Diomira", "Edelvita",
    "Eufrásia", "Filomena", "Genoveva", "Hermengarda", "Hildegarda", "Idalina", "Jovelina", "Leocádia",
    "Ludovica", "Mafalda", "Natércia", "Ondina", "Petronilha", "Quitéria", "Rosalvina", "Saturnina",
    "Teodolinda", "Umbelina", "Valdomira", "Vitalina", "Zenaide", "Zulmira",
];

#[rustfmt::skip]
const RARE_MALE: &[&str] = &[
    "Abelardo", "Adamastor", "Anacleto", "Belarmino", "Crispim", "Deodato", "Dionísio", "Eleutério",
    "Epaminondas", "Fulgêncio", "Galdino", "Godofredo", "Hermenegildo", "Indalécio", "Jacinto", "Ladislau",
    "Leôncio", "Malaquias", "Nicanor", "Olegário", "Onofre", "Pacífico", "Policarpo", "Quirino",
    "Robervaldo", "Salustiano", "Teodorico", "Ulisses", "Venâncio", "Zoroastro",
];

/// Rare surnames.
#[rustfmt::skip]
const RARE_SURNAMES: &[&str] = &[
    "Abdalla", "Albernaz", "Baldassari", "Benvenuti", "Brandt", "Capistrano", "Dallagnol", "Eichenberg",
    "Fukushima", "Gasparetto", "Hofmann", "Imbassahy", "Jereissati", "Kowalski", "Lewandowski",
    "Malheiros", "Nakashima", "Okamoto", "Palhares", "Quaresma", "Rocco", "Schneider", "Takahashi",
    "Ubaldo", "Vanzolini", "Weber", "Yamada", "Zagallo", "Zimmermann", "Zuppani",
];

/// Business sectors in company names.
#[rustfmt::skip]
const TRADES: &[&str] = &[
    "Transportes", "Comércio de Alimentos", "Auto Peças", "Materiais de Construção", "Logística",
    "Confecções", "Mercearia", "Serviços de Limpeza", "Representações", "Restaurante", "Distribuidora",
    "Informática", "Móveis Planejados", "Papelaria", "Locadora de Veículos", "Padaria", "Farmácia",
    "Engenharia", "Contabilidade", "Gráfica",
];

/// Under a reserved top-level domain (RFC 2606).
const MAIL: &[&str] =
    &["correio", "caixa-postal", "provedor", "mensagem", "familia", "carta", "trabalho", "rede"];

/// An e-mail address based on the name, in `share` percent of the cases.
pub(super) fn generate_email(dice: &mut SeededDice, share: u32, first: &str, last: &str) -> Option<Email> {
    let plain = |text: &str| fold_text(text).split(' ').next().unwrap_or_default().to_owned();
    let (number, domain) = (dice.roll_range(1..1000), dice.pick_skewed(MAIL));
    let address = format!("{}.{}{number}@{domain}.example", plain(first), plain(last));
    dice.roll_percent(share).then(|| Email::parse(&address).expect("folded names make an address"))
}
