//! Why a bank refused something, or how a slip was settled or written off: codes of two characters, and what
//! they mean. The codes are FEBRABAN's (C047), which all banks but Itaú follow.

use super::return_columns::SlipOccurrence;
use crate::SlipBank;
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovementReason {
    /// Two characters, as in the file.
    pub code: String,
    /// A Portuguese sentence, also where the code is not known.
    pub sentence: Cow<'static, str>,
}

impl MovementReason {
    pub(super) fn find(bank: SlipBank, occurrence: SlipOccurrence, code: &str) -> MovementReason {
        let known = match occurrence {
            SlipOccurrence::RegistrationRejected | SlipOccurrence::InstructionRefused => match bank {
                SlipBank::Itau => find_itau_refusal(occurrence, code),
                _ => find_refusal(code),
            },
            SlipOccurrence::Settled | SlipOccurrence::SettledAfterWriteOff | SlipOccurrence::WrittenOff
                if bank != SlipBank::Itau =>
            {
                find_ending(bank, code)
            }
            SlipOccurrence::RegistrationConfirmed if code == "A4" => {
                Some("O pagador recebe seus boletos pelo DDA.")
            }
            _ => None,
        };
        let unknown = || Cow::Owned(format!("O banco informou o código {code}, que o sistema não conhece."));
        MovementReason { code: code.to_owned(), sentence: known.map_or_else(unknown, Cow::Borrowed) }
    }
}

fn find_refusal(code: &str) -> Option<&'static str> {
    find_format_refusal(code).or_else(|| find_title_refusal(code)).or_else(|| find_payer_refusal(code))
}

/// The file or the agreement is wrong.
fn find_format_refusal(code: &str) -> Option<&'static str> {
    Some(match code {
        "01" => "O código do banco é inválido.",
        "02" => "O código do registro é inválido.",
        "03" => "O código do segmento é inválido.",
        "04" => "A carteira não permite esta instrução.",
        "05" => "O código da instrução é inválido.",
        "06" => "O documento do beneficiário é inválido.",
        "07" => "A agência, a conta ou o dígito é inválido.",
        "08" => "O nosso número é inválido.",
        "09" => "O nosso número já foi usado.",
        "10" => "A carteira é inválida.",
        "11" => "A forma de cadastramento é inválida.",
        "12" => "O tipo de documento é inválido.",
        "13" => "O código de quem emite o boleto é inválido.",
        "14" => "O código de quem envia o boleto é inválido.",
        "15" => "As características da cobrança são incompatíveis entre si.",
        "42" => "O código de baixa é inválido.",
        "43" => "O prazo de baixa é inválido.",
        "44" => "O código da moeda é inválido.",
        "A6" => "O código do convênio é inválido ou foi encerrado.",
        _ => return None,
    })
}

/// The title is wrong, or its state does not allow the instruction.
fn find_title_refusal(code: &str) -> Option<&'static str> {
    Some(match code {
        "16" => "O vencimento é inválido.",
        "17" => "O vencimento é anterior à emissão.",
        "18" => "O vencimento está fora do prazo que o banco aceita.",
        "20" => "O valor do título é inválido.",
        "21" => "A espécie do título é inválida.",
        "22" => "A carteira não permite esta espécie de título.",
        "23" => "O aceite é inválido.",
        "24" => "A data de emissão é inválida.",
        "25" => "A data de emissão é posterior à entrada no banco.",
        "26" => "O código dos juros é inválido.",
        "27" => "O valor ou a taxa dos juros é inválida.",
        "28" => "O código do desconto é inválido.",
        "29" => "O desconto não é menor que o valor do título.",
        "30" => "O desconto não confere.",
        "31" => "O título já tem desconto.",
        "33" => "O valor do abatimento é inválido.",
        "34" => "O abatimento não é menor que o valor do título.",
        "37" => "O código de protesto é inválido.",
        "38" => "O prazo de protesto é inválido.",
        "40" => "O título já foi enviado a protesto.",
        "57" => "O código da multa é inválido.",
        "58" => "A data da multa é inválida.",
        "59" => "O valor ou o percentual da multa é inválido.",
        "60" => "O título não está registrado no banco.",
        "63" => "O título já está registrado no banco.",
        "79" => "A data dos juros é inválida.",
        "80" => "A data do desconto é inválida.",
        "85" => "O título tem um pagamento vinculado.",
        "86" => "O número do documento é inválido.",
        "A5" => "O título já foi liquidado.",
        "A7" => "O título já está na situação pedida.",
        _ => return None,
    })
}

fn find_payer_refusal(code: &str) -> Option<&'static str> {
    Some(match code {
        "45" => "Falta o nome do pagador.",
        "46" => "O CPF ou CNPJ do pagador é inválido.",
        "47" => "Falta o endereço do pagador.",
        "48" => "O CEP do pagador é inválido.",
        "49" => "O banco não encontrou o CEP do pagador.",
        "50" => "O CEP do pagador é de um banco correspondente.",
        "51" => "O CEP e a UF do pagador não combinam.",
        "52" => "A UF do pagador é inválida.",
        "53" => "O documento do sacador ou avalista é inválido.",
        "54" => "Falta o sacador ou avalista.",
        _ => return None,
    })
}

/// Itaú has tables of its own.
fn find_itau_refusal(occurrence: SlipOccurrence, code: &str) -> Option<&'static str> {
    if occurrence != SlipOccurrence::RegistrationRejected {
        return None;
    }
    Some(match code {
        "03" => "O CEP do pagador é inválido ou não tem agência cobradora.",
        "04" | "93" => "A UF do pagador é inválida.",
        "05" | "66" => "O vencimento está fora do prazo que o banco aceita.",
        "08" => "Falta o nome do pagador.",
        "09" => "A agência ou a conta foi encerrada.",
        "10" => "Falta o endereço do pagador.",
        "11" | "95" => "O CEP do pagador é inválido.",
        "13" | "94" => "O CEP e a UF do pagador não combinam.",
        "14" => "O nosso número já está registrado ou está fora da faixa.",
        "15" => "O nosso número está repetido no mesmo arquivo.",
        "19" => "A instrução é inválida.",
        "22" => "A conta não tem esta carteira.",
        "37" => "O CPF ou CNPJ do pagador é inválido.",
        "42" => "O nosso número está fora da faixa.",
        "61" => "Os juros são maiores que os permitidos.",
        "62" => "O desconto é maior que o valor do título.",
        "67" => "O valor do título é inválido.",
        "68" => "A carteira é inválida.",
        "91" | "92" => "O dígito da agência, da conta ou do nosso número é inválido.",
        "96" => "O endereço, o nome ou a cidade do pagador é inválida.",
        _ => return None,
    })
}

/// How a slip was settled or written off. Caixa has other places of payment.
fn find_ending(bank: SlipBank, code: &str) -> Option<&'static str> {
    Some(match (bank, code) {
        (SlipBank::Caixa, "02") => "Pago em casa lotérica.",
        (SlipBank::Caixa, "03") => "Pago em agência da Caixa.",
        (SlipBank::Caixa, "06") => "Pago pela internet.",
        (SlipBank::Caixa, "07") => "Pago em correspondente bancário.",
        (_, "01") => "Pago por saldo.",
        (_, "02") => "Pago por conta.",
        (_, "03") => "Pago em dinheiro no caixa do banco.",
        (_, "04") => "Pago em outro banco, pela compensação eletrônica.",
        (_, "05") => "Pago em outro banco, pela compensação convencional.",
        (_, "06") => "Pago por meio eletrônico.",
        (_, "07") => "Pago depois de feriado local.",
        (_, "08") => "Pago em cartório.",
        (_, "09") => "Baixado pelo banco.",
        (_, "10") => "Baixado por arquivo do beneficiário.",
        (_, "11") => "Baixado pelo beneficiário no site do banco.",
        (_, "12") => "Baixado pelo prazo do beneficiário.",
        (_, "13") => "Baixado pelo prazo do banco.",
        (_, "14") => "Baixado por protesto.",
        (_, "15") => "O título foi excluído.",
        (_, "30") => "Pago em cheque no caixa do banco.",
        (_, "31") => "Pago em banco correspondente.",
        (_, "32") => "Pago em terminal de autoatendimento.",
        (_, "33") => "Pago pela internet.",
        (_, "34") => "Pago pelo sistema do banco para empresas.",
        (_, "35") => "Pago em dinheiro em correspondente bancário.",
        (_, "36") => "Pago em cheque em correspondente bancário.",
        (_, "37") => "Pago pela central de atendimento do banco.",
        _ => return None,
    })
}
