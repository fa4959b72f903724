//! What is written is read back column by column, by means that the writer and the parser do not share.

mod remittances;
mod returns;

use crate::{SlipAgreement, SlipAgreementTexts, SlipBank};
use domain::Date;

fn day(text: &str) -> Date {
    Date::from_iso(text).unwrap()
}

fn parse_agreement(bank: SlipBank) -> SlipAgreement {
    let (agency, account, wallet, agreement, variation) = match bank {
        SlipBank::BancoDoBrasil => ("4042-8", "61900-0", "17", "1238798", "019"),
        SlipBank::Santander => ("0189", "01017417-9", "101", "739731", ""),
        SlipBank::Caixa => ("1825", "", "14", "245274-0", ""),
        SlipBank::Bradesco => ("1425-7", "238069-2", "09", "4711", ""),
        SlipBank::Itau => ("2545", "02366-1", "109", "", ""),
        SlipBank::Sicredi => ("1234", "12345-1", "1", "12345", "18"),
        SlipBank::Sicoob => ("4155-2", "12345-1", "1", "101060", "1"),
    };
    SlipAgreement::parse(&SlipAgreementTexts { bank, agency, account, wallet, agreement, variation }).unwrap()
}

/// The columns from `first` to `last`.
fn cut(line: &str, first: usize, last: usize) -> &str {
    &line[first - 1..last]
}
