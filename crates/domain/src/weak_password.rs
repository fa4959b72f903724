//! Passwords that are guessed first: sequences, common words with a number, and public facts about the owner. Words are
//! compared without case and accents, and digits that resemble letters are read as those letters.

use crate::fold_text;
use std::collections::BTreeSet;

/// Public facts about the owner of a password.
#[derive(Clone, Copy, Debug)]
pub struct PasswordOwner<'o> {
    pub email: &'o str,
    pub name: &'o str,
    /// The name of the owner's association.
    pub association: &'o str,
}

/// Fewer distinct characters than this are a pattern.
const FEWEST_SIGNS: usize = 5;
/// Digits only, up to this length, are likely a phone, a document or a date.
const LONGEST_NUMBER: usize = 15;
/// How many characters at each end of a password may count as decoration.
const DECORATION: usize = 12;
const ROWS: [&str; 5] =
    ["qwertyuiop", "asdfghjklç", "zxcvbnm", "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "1q2w3e4r5t6y7u8i9o0p"];

/// Folded and reduced to letters, in the form that [`extract_words`] produces.
const COMMON: &[&str] = &[
    "abracadabra",
    "abretesesamo",
    "acesso",
    "acessolivre",
    "administrador",
    "administrator",
    "admin",
    "adminadmin",
    "alterar",
    "altereasenha",
    "amizade",
    "amor",
    "amordaminhavida",
    "amoreterno",
    "amoremio",
    "amormeu",
    "amparo",
    "amparoamparo",
    "anjinho",
    "anjo",
    "associacao",
    "associado",
    "atletico",
    "bahia",
    "baseball",
    "batman",
    "bemvindo",
    "benfica",
    "bomdia",
    "botafogo",
    "brasil",
    "brasileiro",
    "cachorro",
    "carlos",
    "carolina",
    "cavalo",
    "changeme",
    "chocolate",
    "computador",
    "computer",
    "contrasenha",
    "corinthians",
    "coringao",
    "cruzeiro",
    "default",
    "deus",
    "deusefiel",
    "deusnocomando",
    "deusepai",
    "doutor",
    "dragon",
    "eduardo",
    "empresa",
    "entrar",
    "estrela",
    "eusoufeliz",
    "eusou",
    "eujesus",
    "eteamo",
    "euteamo",
    "familia",
    "felicidade",
    "fernanda",
    "flamengo",
    "flamengomengao",
    "fluminense",
    "football",
    "friends",
    "futebol",
    "gabriel",
    "gabriela",
    "gatinha",
    "goiania",
    "gremio",
    "guest",
    "iloveyou",
    "internacional",
    "internet",
    "jesus",
    "jesuscristo",
    "jesusteama",
    "lasanha",
    "letmein",
    "liberdade",
    "login",
    "loginlogin",
    "love",
    "lovelove",
    "lucas",
    "manutencao",
    "maria",
    "master",
    "mengao",
    "meuamor",
    "minhasenha",
    "minhavida",
    "monkey",
    "mudar",
    "mudarsenha",
    "mudei",
    "murilo",
    "mustang",
    "naosei",
    "nossasenhora",
    "novasenha",
    "obrigado",
    "opera",
    "operador",
    "palavrapasse",
    "palmeiras",
    "passe",
    "passw",
    "passwd",
    "password",
    "passwordpassword",
    "paulista",
    "pipoca",
    "pokemon",
    "porto",
    "portugal",
    "princesa",
    "princess",
    "provisoria",
    "qwerty",
    "qwertyuiop",
    "rafael",
    "recife",
    "rodrigo",
    "root",
    "rootroot",
    "salvador",
    "samsung",
    "santos",
    "saopaulo",
    "saudade",
    "secret",
    "segredo",
    "segura",
    "senha",
    "senhaboa",
    "senhadoadmin",
    "senhadificil",
    "senhaforte",
    "senhamaster",
    "senhanova",
    "senhapadrao",
    "senhaprovisoria",
    "senhasecreta",
    "senhasegura",
    "senhasenha",
    "senhateste",
    "servidor",
    "shadow",
    "sistema",
    "sportclub",
    "starwars",
    "sunshine",
    "superman",
    "suporte",
    "teamo",
    "teamomuito",
    "temporaria",
    "teste",
    "testando",
    "testeteste",
    "test",
    "trocar",
    "trocarsenha",
    "trustno",
    "tudobem",
    "user",
    "usuario",
    "vasco",
    "vascodagama",
    "vitoria",
    "welcome",
    "whatever",
];

/// Whether the password is a common guess for any user.
pub fn is_common_password(text: &str) -> bool {
    let plain: Vec<char> = fold_text(text).chars().filter(|sign| sign.is_alphanumeric()).collect();
    let signs: BTreeSet<char> = plain.iter().copied().collect();
    if signs.len() < FEWEST_SIGNS || is_sequence(&plain) {
        return true;
    }
    if plain.len() <= LONGEST_NUMBER && plain.iter().all(char::is_ascii_digit) {
        return true;
    }
    extract_words(text)
        .iter()
        .any(|word| COMMON.iter().any(|common| is_word_repeated(word, common)) || is_keyboard_row(word))
}

/// Whether the password consists of facts about its owner, with only digits and symbols around them.
pub fn is_personal_password(text: &str, owner: &PasswordOwner<'_>) -> bool {
    let known = owner.terms();
    let plain: String = fold_text(text).chars().filter(|sign| sign.is_alphanumeric()).collect();
    is_made_of(&plain, &known) || extract_words(text).iter().any(|word| is_made_of(word, &known))
}

impl PasswordOwner<'_> {
    /// The names and their words, without those too short to matter.
    fn terms(&self) -> Vec<String> {
        let plain =
            |text: &str| fold_text(text).chars().filter(|sign| sign.is_alphanumeric()).collect::<String>();
        let local = self.email.split('@').next().unwrap_or_default();
        let mut terms: Vec<String> = [self.email, local, self.name, self.association].map(plain).into();
        for source in [self.email, self.name, self.association] {
            terms.extend(source.split(|sign: char| !sign.is_alphanumeric()).map(plain));
        }
        terms.retain(|term| term.chars().count() >= 3);
        terms
    }
}

/// Whether the text is a concatenation of terms.
fn is_made_of(text: &str, terms: &[String]) -> bool {
    // The positions up to which the text is made of terms.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for at in 0..text.len() {
        if !reached[at] {
            continue;
        }
        for term in terms.iter().filter(|term| text[at..].starts_with(term.as_str())) {
            reached[at + term.len()] = true;
        }
    }
    !text.is_empty() && reached[text.len()]
}

/// The letters of a password, with some or all digits and symbols at its ends removed: a digit there may stand for a
/// letter or for nothing.
fn extract_words(text: &str) -> BTreeSet<String> {
    let signs: Vec<char> = fold_text(text).chars().collect();
    let is_decoration = |sign: &&char| !sign.is_alphabetic();
    let before = signs.iter().take_while(is_decoration).count();
    let behind = signs.iter().rev().take_while(is_decoration).count();
    if before == signs.len() {
        return BTreeSet::new();
    }
    let mut words = BTreeSet::new();
    for start in before.saturating_sub(DECORATION)..=before {
        for without in behind.saturating_sub(DECORATION)..=behind {
            let middle = &signs[start..signs.len() - without];
            words.insert(middle.iter().filter_map(|sign| read_as_letter(*sign)).collect());
        }
    }
    words
}

/// The letter that a character is or resembles.
fn read_as_letter(sign: char) -> Option<char> {
    match sign {
        '0' => Some('o'),
        '1' | '!' => Some('i'),
        '3' => Some('e'),
        '4' | '@' => Some('a'),
        '5' | '$' => Some('s'),
        '7' => Some('t'),
        letter if letter.is_alphabetic() => Some(letter),
        _ => None,
    }
}

fn is_word_repeated(word: &str, common: &str) -> bool {
    !word.is_empty()
        && word.len().is_multiple_of(common.len())
        && common.repeat(word.len() / common.len()) == word
}

/// Whether the word is a part of a keyboard row, in either direction.
fn is_keyboard_row(word: &str) -> bool {
    let back: String = word.chars().rev().collect();
    word.len() >= 4 && ROWS.iter().any(|row| row.contains(word) || row.contains(&back))
}

/// Whether nearly every character follows from the previous one: the next letter, digit or key, or a repetition.
fn is_sequence(signs: &[char]) -> bool {
    let pairs = signs.len().saturating_sub(1);
    let leaps = signs.windows(2).filter(|pair| !is_sequence_step(pair[0], pair[1])).count();
    leaps * 4 < pairs
}

fn is_sequence_step(one: char, other: char) -> bool {
    let next = u32::from(one).abs_diff(u32::from(other)) <= 1;
    // 9 is followed by 0.
    let around = matches!((one, other), ('9', '0') | ('0', '9'));
    let on_keys = ROWS.iter().any(|row| {
        let at = |sign| row.chars().position(|key| key == sign);
        at(one).zip(at(other)).is_some_and(|(one, other)| one.abs_diff(other) == 1)
    });
    next || around || on_keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_anybody_tries_first_is_common() {
        for weak in [
            "1234567890",
            "0987654321",
            "12345678901234567890",
            "abcdefghij",
            "jihgfedcba",
            "aaaaaaaaaa",
            "1212121212",
            "qwertyuiop",
            "poiuytrewq",
            "1q2w3e4r5t",
            "1qaz2wsx3edc",
            "abc1234567",
            "senha12345",
            "Senha@2026",
            "S3nh@12345",
            "$3nh4#2026",
            "123senha456",
            "senhasenhasenha",
            "Password123",
            "P@ssw0rd2026",
            "Flamengo10",
            "corinthians",
            "mudar12345",
            "Brasil2026!",
            "euteamo123",
            "52998224725",
            "11987654321",
            "administrador",
            "amparo2026",
            "Nossa Senhora",
        ] {
            assert!(is_common_password(weak), "{weak}");
        }
        for fine in [
            "amparo-demo",
            "senha de teste",
            "uma senha longa",
            "ãéíõúçâêîô",
            "o gato subiu no telhado",
            "correto cavalo bateria",
            "tk8ge-rvj9h-2mnpq-x7yzc",
            "Zk3!vB9q#L",
            "um dois três quatro",
            "outra senha longa",
            "minha senha é comprida",
        ] {
            assert!(!is_common_password(fine), "{fine}");
        }
    }

    #[test]
    fn what_is_known_of_the_owner_is_personal() {
        let owner = PasswordOwner {
            email: "maria.souza@exemplo.com.br",
            name: "Maria Conceição de Souza",
            association: "Associação Boa Vida",
        };
        for weak in [
            "maria.souza@exemplo.com.br",
            "maria.souza",
            "MariaSouza2026",
            "conceicao1234",
            "M4ria-S0uza",
            "boavida2026",
            "Associação Boa Vida",
            "souza-1234567",
            "2026souzamaria",
        ] {
            assert!(is_personal_password(weak, &owner), "{weak}");
        }
        for fine in ["maria vai à feira", "senha de teste", "souzalândia azul", "1234567890"] {
            assert!(!is_personal_password(fine, &owner), "{fine}");
        }
    }

    #[test]
    fn the_common_words_are_written_as_they_are_compared() {
        for common in COMMON {
            assert_eq!(&fold_text(common), common);
            assert!(common.chars().all(char::is_alphabetic), "{common}");
        }
    }

    #[test]
    fn a_long_text_of_signs_is_judged_quickly_and_without_a_panic() {
        for text in ["!".repeat(256), "ç@1".repeat(60), "ß".repeat(100), "１２３４５６７８９０".to_owned()]
        {
            let owner = PasswordOwner { email: "", name: "", association: "" };
            let _ = (is_common_password(&text), is_personal_password(&text, &owner));
        }
    }
}
