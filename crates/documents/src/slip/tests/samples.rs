//! Slips of all kinds.

use crate::itf_bars::BarcodeDigits;
use crate::slip_document::{ChargeGroupOnSlip, ChargeLineOnSlip, PartyOnSlip, SlipColours, SlipDocument};

pub const TYPED_LINE: &str = "00190.00009 01238.798076 77700.168188 1 16560000010120";
pub const PIX: &str = "00020126580014br.gov.bcb.pix0136a629532e-7693-4846-852d-1bbff817b5a85204000053039865406101.205802BR5925ASSOCIACAO DE PROTECAO VE6007GOIANIA62290525TIT000000000000000000012346304C7E1";

pub fn barcode() -> BarcodeDigits {
    BarcodeDigits::parse("00191165600000101200000001238798077770016818").unwrap()
}

pub fn usual_slip() -> SlipDocument<'static> {
    SlipDocument {
        bank_name: "Banco do Brasil",
        printed_bank_number: "001-9",
        typed_line: TYPED_LINE,
        barcode: barcode(),
        beneficiary: PartyOnSlip {
            name: "Associação Amparo de Proteção Veicular",
            document: "CNPJ 12.345.678/0001-95",
            address: &["Av. T-63, 1296, Setor Bueno", "Goiânia - GO", "CEP 74230-100"],
        },
        agency_and_account: "1234-5 / 123879-8",
        our_number: "12387980777700168",
        wallet: "18",
        payer: PartyOnSlip {
            name: "João Antônio da Conceição Araújo",
            document: "CPF 123.456.789-09",
            address: &["Rua das Acácias, 45, apto. 302", "Jardim América, Goiânia - GO", "CEP 74255-220"],
        },
        document_number: "48213",
        issued_on: "20/11/2026",
        processed_on: "20/11/2026",
        due_on: "10/12/2026",
        amount: "101,20",
        kind: "DS",
        accepted: false,
        charge_groups: &[
            ChargeGroupOnSlip {
                nature: "Taxa de administração",
                total: "59,90",
                lines: &[
                    ChargeLineOnSlip {
                        description: "Plano Ouro, Fiat Argo 1.0, placa RST1A23, 12/2026",
                        amount: "49,90",
                    },
                    ChargeLineOnSlip {
                        description: "Rastreador em comodato, placa RST1A23",
                        amount: "10,00",
                    },
                ],
            },
            ChargeGroupOnSlip {
                nature: "Rateio de eventos",
                total: "31,30",
                lines: &[ChargeLineOnSlip { description: "Rateio de 11/2026, cota 3", amount: "31,30" }],
            },
            ChargeGroupOnSlip {
                nature: "Assistência 24 horas",
                total: "10,00",
                lines: &[ChargeLineOnSlip { description: "Guincho 400 km", amount: "10,00" }],
            },
        ],
        instructions: &[
            "Após o vencimento, multa de 2,00% (R$ 2,02) e juros de 1,00% ao mês (R$ 0,03 por dia).",
            "Desconto de R$ 5,00 até 05/12/2026.",
            "Não receber após 30 dias do vencimento.",
        ],
        message: "Olá, João! Sua vistoria anual vence em janeiro: agende pelo aplicativo ou pelo telefone (62) 4000-0000 e mantenha a proteção do seu veículo em dia.",
        pix_code: Some(PIX),
        colours: Some(SlipColours { primary: [0x0B, 0x5C, 0x4A], secondary: [0xF2, 0xB7, 0x05] }),
    }
}

/// A text that is longer than every place.
pub const LONG: &str = "Associação Nacional de Benefícios Mútuos e Proteção Patrimonial dos Transportadores Rodoviários Autônomos de Cargas Pesadas, Veículos Utilitários, Motocicletas, Embarcações e Implementos do Estado do Rio Grande do Norte e Regiões Limítrofes – “Amparo” São José dos Ausentes";
pub const HOSTILE: &str =
    ")) Tj ET Q \\) (( \0\u{7}\u{1B}\r\n 👩‍👩‍👧 \u{202E}etihw العربية 日本語 <script> %PDF endstream endobj \\\\";

/// With one text in every place.
pub fn filled_slip<'t>(
    text: &'t str,
    lines: &'t [&'t str],
    groups: &'t [ChargeGroupOnSlip<'t>],
) -> SlipDocument<'t> {
    let party = PartyOnSlip { name: text, document: text, address: lines };
    SlipDocument {
        bank_name: text,
        printed_bank_number: text,
        typed_line: text,
        barcode: barcode(),
        beneficiary: party,
        agency_and_account: text,
        our_number: text,
        wallet: text,
        payer: party,
        document_number: text,
        issued_on: text,
        processed_on: text,
        due_on: text,
        amount: text,
        kind: text,
        accepted: true,
        charge_groups: groups,
        instructions: lines,
        message: text,
        pix_code: Some(text),
        colours: None,
    }
}
