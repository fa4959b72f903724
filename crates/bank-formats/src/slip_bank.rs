//! The banks whose slips are written and read here.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlipBank {
    BancoDoBrasil,
    Santander,
    Caixa,
    Bradesco,
    Itau,
    Sicredi,
    Sicoob,
}

impl SlipBank {
    pub const ALL: [SlipBank; 7] = [
        SlipBank::BancoDoBrasil,
        SlipBank::Santander,
        SlipBank::Caixa,
        SlipBank::Bradesco,
        SlipBank::Itau,
        SlipBank::Sicredi,
        SlipBank::Sicoob,
    ];

    /// The number in the payment system (COMPE), with which barcodes begin.
    pub const fn number(self) -> u16 {
        match self {
            SlipBank::BancoDoBrasil => 1,
            SlipBank::Santander => 33,
            SlipBank::Caixa => 104,
            SlipBank::Bradesco => 237,
            SlipBank::Itau => 341,
            SlipBank::Sicredi => 748,
            SlipBank::Sicoob => 756,
        }
    }

    pub fn from_number(number: u16) -> Option<SlipBank> {
        SlipBank::ALL.into_iter().find(|bank| bank.number() == number)
    }

    pub const fn name(self) -> &'static str {
        match self {
            SlipBank::BancoDoBrasil => "Banco do Brasil",
            SlipBank::Santander => "Santander",
            SlipBank::Caixa => "Caixa Econômica Federal",
            SlipBank::Bradesco => "Bradesco",
            SlipBank::Itau => "Itaú",
            SlipBank::Sicredi => "Sicredi",
            SlipBank::Sicoob => "Sicoob",
        }
    }

    /// The number with its check digit, as slips show it beside the logotype.
    pub const fn printed_number(self) -> &'static str {
        match self {
            SlipBank::BancoDoBrasil => "001-9",
            SlipBank::Santander => "033-7",
            SlipBank::Caixa => "104-0",
            SlipBank::Bradesco => "237-2",
            SlipBank::Itau => "341-7",
            SlipBank::Sicredi => "748-X",
            SlipBank::Sicoob => "756-0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_digits::compute_modulo_11_or_letter;

    #[test]
    fn a_bank_is_found_by_its_number() {
        for bank in SlipBank::ALL {
            assert_eq!(SlipBank::from_number(bank.number()), Some(bank));
            assert!(!bank.name().is_empty());
        }
        assert_eq!(SlipBank::from_number(999), None);
    }

    /// Caixa is printed with 0, although its sum is 10 as that of Sicredi, which is printed with X.
    #[test]
    fn the_printed_number_has_its_check_digit() {
        for bank in SlipBank::ALL {
            let digits = format!("{:03}", bank.number());
            let letter = if bank == SlipBank::Caixa { '0' } else { 'X' };
            let check = compute_modulo_11_or_letter(&digits, 9, letter);
            assert_eq!(bank.printed_number(), format!("{digits}-{check}"));
        }
    }
}
