"""What schemathesis cannot know of Amparo: which values lead somewhere, and how liberally a request is read."""

import base64
import json
import os
import re
import zlib
from datetime import date
from urllib.error import HTTPError
from urllib.parse import parse_qsl, quote, urlsplit
from urllib.request import Request, urlopen

import jsonschema_rs
import schemathesis

ADDRESS, TOKEN = os.environ["AMPARO_TEST_ADDRESS"], os.environ["AMPARO_TEST_TOKEN"]


# Values that lead somewhere. Random texts are no CPF and random codes name nothing, so most cases that fit the schema
# would be refused, and few answers seen.


@schemathesis.hook
def map_case(context, case):
    mode = case.meta.generation.mode if case.meta else None
    if mode is None or not mode.is_positive:
        return case
    chance = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode("utf-8", "replace"))
    if chance % 8 == 0:
        return case
    if isinstance(case.body, dict) and chance % 4:
        # Mostly something new: with what it needs, and without what few values fit.
        record = body_of(case)
        known, required = record.get("properties", {}), record.get("required", [])
        given = {name: value for name, value in case.body.items() if name not in NEEDED or value}
        case.body = {**{name: NEEDED[name] for name in NEEDED if name in known}, **given}
        for name in (*UNLIKELY, *(name for name, other in ALIASES.items() if other in known)):
            if name not in required:
                case.body.pop(name, None)
    if isinstance(case.body, list) and chance % 4:
        # Every kind of benefit has fields of its own: of few, all may fit.
        case.body = [{"codCampo": 1, **each} for each in case.body[:2] if isinstance(each, dict)]
    for place in ("path_parameters", "query", "body"):
        setattr(case, place, plausible(getattr(case, place), "", chance))
    stands = STANDS.get(case.operation.path)
    if stands and isinstance(case.body, dict):
        case.body = {"codSituacao": stands[chance % len(stands)], "motivo": "Pedido do associado."}
    if case.operation.path.endswith("/veicular") and isinstance(case.body, dict) and case.body.get("codPlano"):
        # The first plans of the demonstration are those of vehicles.
        case.body["codPlano"] = 1 + chance % 4
    if case.operation.path.endswith("/ganhar") and isinstance(case.body, dict) and chance % 2:
        # What was sold, a deal that nobody overwrote mostly knows.
        case.path_parameters, case.body = {"codNegocio": 1 + chance % 50}, {}
    if case.operation.path in TITLE_SITUATIONS and chance % 4:
        lead_to_title(case, chance)
    if case.operation.label == "POST /ext/financeiro/titulo" and isinstance(case.body, dict) and chance % 4:
        case.body["codBeneficio"] = 1 + chance % 50
        benefit = ask(f"/gestao/beneficio/{case.body['codBeneficio']}")
        case.body["codPessoa"] = benefit["codPessoa"] if benefit else 1
    if case.operation.path.endswith("/valorCombinado/tabela") and chance % 2:
        # What nobody agreed moves as it was seen.
        case.body = {"codPlano": 31337, "quantidade": 0, "total": 0, "totalTabela": 0}
    if case.operation.path.endswith("/revisao/{codBeneficio}/aplicar") and chance % 2:
        # What was seen is sent again.
        benefit = 1 + chance % 50
        seen = ask(f"/gestao/financeiro/revisao/{benefit}") or {}
        case.path_parameters = {"codBeneficio": benefit}
        case.body = {"conferencia": seen.get("conferencia")}
    if case.operation.path == "/gestao/exportacao/historico":
        # The demonstration has tens of thousands of changes of titles.
        case.query = {**(case.query or {}), "entidade": "Evento"}
    if case.operation.label == "PUT /gestao/contaFinanceira/{codContaFinanceira}" and chance % 2:
        # An account with a Pix key is of a bank, and names its receiver.
        case.path_parameters = {"codContaFinanceira": 1 + chance // 2 % 2}
        case.body = {"nome": f"Conta {chance % 1000}", "versao": 2}
    if case.operation.label == "POST /gestao/contaFinanceira" and isinstance(case.body, dict) and chance % 2:
        # Chance finds no agreement that a bank would have made.
        case.body = {**case.body, **SLIP_AGREEMENT}
    if case.operation.path == "/gestao/tabelaPreco/{codPreco}":
        prices = make_prices()
        case.path_parameters = {"codPreco": prices[chance // 2 % len(prices)]}
        if case.operation.method.upper() == "PUT" and chance % 2:
            case.body = {"valor": 1 + chance % 100000 / 100, "versao": version(case)}
    if case.operation.path == "/gestao/desconto/{codDesconto}" and chance % 2:
        granted_discount()
        case.path_parameters = {"codDesconto": 1}
    if case.operation.path.endswith("/desconto/{codConcessao}/encerrar"):
        case.path_parameters = granted_discount() or case.path_parameters
    if case.operation.path.endswith("/{codBeneficio}/desconto") and isinstance(case.body, dict):
        granted_discount()
        case.body["codDesconto"] = 1
    if case.operation.path == "/gestao/financeiro/cobranca" and isinstance(case.body, dict):
        case.body["mes"] = NEXT_MONTH
    state = RUN_STATES.get(case.operation.path)
    if state and chance % 2:
        case.path_parameters = {"codCobranca": find_run(state)}
    if case.operation.label == "POST /gestao/financeiro/titulo" and isinstance(case.body, dict) and chance % 4:
        # No title is due more than ten years ahead.
        case.body = {**case.body, "vencimento": "2027-02-10", "parcelas": 1 + chance % 3, "codTipoTitulo": 1 + chance % 7}
    if is_upload(case):
        # Random bytes are no picture; what becomes of those is told elsewhere.
        case.query, case.body = {"nome": "foto.png"}, PHOTO
    if is_sheet(case):
        case.query, case.body = {"tipo": "associados", "nome": "associados.csv"}, SHEET
    return case


def granted_discount():
    """A discount of the first benefit. The demonstration has none, so that the first is made and granted here."""
    path = "/gestao/financeiro/beneficio/1/desconto"
    if not ask(path):
        ask("/gestao/desconto", {"codDesconto": 1, "nome": "Cortesia", "percentual": 10})
        ask(path, {"codDesconto": 1, "desdeMes": "12/2026", "motivo": "Indicou um amigo."})
    granted = ask(path)
    return {"codBeneficio": 1, "codConcessao": granted[0]["codConcessao"]} if granted else None


def make_prices():
    """The codes of the first prices. The demonstration has none, so that they are made here."""
    path = "/gestao/tabelaPreco"
    for month in range(len(ask(path)["itens"]), 4):
        ask(path, {"codPlano": 1, "validoDesde": f"01/{month + 1:02}/2027", "valor": 129.9})
    return [price["codPreco"] for price in ask(path)["itens"][:4]]


# Of an account that has slips.
SLIP_AGREEMENT = {
    **{"tipo": "BANCO", "agencia": "9999", "conta": "1234567-8", "bancoBoleto": "SICOOB", "carteira": "1"},
    **{"convenio": "1234567", "variacao": "01", "primeiroNossoNumero": 1, "nomeBeneficiario": "Associação Teste"},
    **{"documentoBeneficiario": "11.222.333/0001-81", "enderecoBeneficiario": "Rua das Flores, 10, Goiânia - GO"},
    **{"mensagemBoleto": "Em dia, você tem proteção sem interrupção."},
}


PHOTO = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGO4IwIEdwAHIwIJaMWvLQAAAABJRU5ErkJggg==")


SHEET = "CPF;Nome;Loja\n529.982.247-25;Ana de Souza;1\n".encode()


@schemathesis.serializer("text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
def as_it_is(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def is_sheet(case):
    return "text/csv" in case.operation.definition.raw.get("requestBody", {}).get("content", {})


def is_upload(case):
    return "application/octet-stream" in case.operation.definition.raw.get("requestBody", {}).get("content", {})


NEEDED = {
    **{"codLoja": 1, "codPlano": 1, "placa": "", "lojas": [1]},
    **{"nome": "Maria Souza", "email": "maria@exemplo.com.br"},
}
# The situations that what is worked on is born with.
STANDS = {
    "/gestao/evento/{codEvento}/situacao": range(7, 13),
    "/gestao/vistoria/{codVistoria}/situacao": range(13, 18),
    "/gestao/helpDesk/{codHelpDesk}/situacao": range(18, 23),
    "/gestao/consulta/{codConsulta}/situacao": range(23, 28),
}
UNLIKELY = (
    *("codBeneficio", "codDependente", "codConsultor", "codRepresentante", "codUsuarioResponsavel", "codFunil"),
    *("dataEmissao", "dataPagamento", "codVeiculo", "codBeneficios"),
    *("ativo", "dadosAdicionais", "numeroCartaoDesconto", "motivoPerda"),
    *("codResponsavel", "relacionados", "cobra"),
    *("bancoBoleto", "carteira", "convenio", "variacao", "primeiroNossoNumero", "nomeBeneficiario"),
    *("documentoBeneficiario", "enderecoBeneficiario", "mensagemBoleto"),
    *("codRastreador", "codFornecedor", "proximas", "opcoes", "tamanhoMaximo", "dataRemocao"),
)
# One of two names for the same is enough, and two values would differ.
ALIASES = {"nomePessoa": "nome", "cpfCnpj": "documento", "telefones": "telefone"}


# What these change is found among the titles in this situation.
TITLE_SITUATIONS = {
    "/ext/financeiro/titulo/liquidar": ("credito", "Aberto"),
    "/ext/financeiro/titulo/{codTitulo}/pix": ("credito", "Aberto"),
    "/ext/financeiro/titulo/{codTitulo}/boleto": ("credito", "Aberto"),
    "/gestao/financeiro/titulo/{codTitulo}/receber": ("credito", "Aberto"),
    "/gestao/financeiro/titulo/{codTitulo}/vencimento": ("credito", "Aberto"),
    "/gestao/financeiro/titulo/{codTitulo}/cancelar": ("credito", "Aberto"),
    "/gestao/financeiro/titulo/{codTitulo}/liberar": ("debito", "Pendente"),
}


def lead_to_title(case, chance):
    """Names a title that can be changed so, and issues one where there is none."""
    kind, situation = TITLE_SITUATIONS[case.operation.path]
    # What was paid in part cannot be cancelled: that takes one of its own.
    is_cancelled = case.operation.path.endswith("/cancelar")
    # The oldest open titles have no slip.
    search = f"/ext/financeiro/titulo?tipo={kind}&situacao={situation}"
    search = "/ext/financeiro/titulo/boleto" if case.operation.label.startswith("GET ") else search
    titles = not is_cancelled and ask(search)["itens"]
    if not titles:
        new = {"codPessoa": 1, "codTipoTitulo": 1 if kind == "credito" else 7, "valor": 100}
        titles = ask("/gestao/financeiro/titulo", {**new, "aguardarLiberacao": situation == "Pendente"})
    place = case.path_parameters if "{codTitulo}" in case.operation.path else case.body
    if titles and isinstance(place, dict):
        place["codTitulo"] = titles[chance % len(titles)]["codTitulo"]


def ask(path, body=None):
    """What the server answers to a question of the hooks themselves."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(ADDRESS + path, headers=headers, data=data)) as answer:
            return json.load(answer)
    except HTTPError:
        return None


def body_of(case):
    """The record that the operation takes."""
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {}).get("application/json", {})
    return whole(content.get("schema", {}), case)


def whole(schema, case):
    """The schema of a record, where that names it, and may say what else the operation needs of it."""
    schema = schema["allOf"][0] if "allOf" in schema else schema
    if "$ref" not in schema:
        return schema
    return case.operation.schema.raw_schema["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Whoever fuzzes is user 1: nobody ends his sessions or takes his rights. And a key that was used with another body is
    refused before anything else is looked at."""
    if str((case.path_parameters or {}).get("codUsuario", "")).strip().lstrip("+0") == "1":
        case.path_parameters["codUsuario"] = 2
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and 0 < len(key) <= 255 and key.isascii() and key.isprintable():
        case.headers["Idempotency-Key"] = f"{zlib.crc32(repr(case.body).encode('utf-8', 'replace'))}"
    if isinstance(case.body, dict) and isinstance(case.body.get("versao"), int) and case.body["versao"] > 1:
        case.body["versao"] = version(case) or case.body["versao"]
    if case.operation.path.startswith("/gestao/contaFinanceira/") and isinstance(case.body, dict):
        # Without a key there is no Pix, which is a 503, and without an agreement no slip, which is a 409.
        pix = ("chavePix", "nomeRecebedor", "cidadeRecebedor", "ativo")
        for name in (*pix, *SLIP_AGREEMENT, "codGrupo"):
            case.body.pop(name, None)
    if case.operation.path == "/gestao/base" and isinstance(case.body, dict):
        # Nobody demands of him what he has not, nor closes what is called without a credential.
        if "admin" in str(case.body.get("segundoFatorObrigatorio")).lower():
            case.body["segundoFatorObrigatorio"] = ["operador"]
        if str(case.body.get("validacaoAberta")).strip().lower() == "false":
            case.body["validacaoAberta"] = True


# The month that is charged, and the states that a charging run must be in for what is done with it.
NEXT_MONTH = f"{date.today().month % 12 + 1:02}/{date.today().year + date.today().month // 12}"
RUN_STATES = {
    "/gestao/financeiro/cobranca/{codCobranca}/aprovar": "PREPARADA",
    "/gestao/financeiro/cobranca/{codCobranca}/descartar": "PREPARADA",
    "/gestao/financeiro/cobranca/{codCobranca}/desfazer": "EMITIDA",
}


def find_run(state):
    """A charging run in this state, or a new one, which the server prepares meanwhile."""
    path, bearer = f"{ADDRESS}/gestao/financeiro/cobranca", {"Authorization": f"Bearer {TOKEN}"}
    try:
        with urlopen(Request(path, headers=bearer)) as told:
            codes = [run["codCobranca"] for run in json.load(told) if run["situacao"] == state]
        if codes:
            return codes[-1]
        # A due day with few benefits.
        body = json.dumps({"mes": NEXT_MONTH, "diaVencimento": 5}).encode()
        headers = {**bearer, "Content-Type": "application/json"}
        with urlopen(Request(path, data=body, headers=headers)) as told:
            return json.load(told)["codCobranca"]
    except HTTPError:
        return 1


def version(case):
    """How often what is changed was changed so far. Who sends a 1 has not read it again."""
    record = re.match(r"/gestao/[^{]*\{[^}]*\}", case.operation.path)
    if record:
        path = quote(record[0].format(**case.path_parameters))
        return (ask(path) or {}).get("versao")


def plausible(value, name, chance):
    if isinstance(value, dict):
        return {key: plausible(each, key, chance + number) for number, (key, each) in enumerate(value.items())}
    if isinstance(value, list):
        return [plausible(each, name, chance + number) for number, each in enumerate(value)]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and name in ("valor", "valorPago"):
        return 1 + chance % 100000 / 100
    if isinstance(value, int) and not isinstance(value, bool):
        if name in ("diaVencimento", "dia"):
            return 5 + chance % 6 * 5
        if name == "versao":
            return 1 + chance % 4
        if name == "codUsuario":
            return 2 + chance % 3
        few = {"codBeneficio": 400, "codPessoa": 40, "codPlano": 12, "planos": 12, "codTipoTitulo": 8}.get(name, 4)
        return 1 + chance % few if name.startswith("cod") or name in ("planos", "lojas") else value
    if not isinstance(value, str):
        return value
    if name in ("valor", "valorPago") and re.fullmatch(r"[\d.,]+", value):
        return f"{1 + chance % 100000 / 100:.2f}".replace(".", ",")
    if name == "cnpjEmpresa":
        return "11.222.333/0001-81"
    if re.search("cpf|cnpj|documento|matricula", name, re.IGNORECASE):
        return cpf(chance % 30)
    if name in ("dataPrevista", "dataConsulta"):
        return f"{2020 + chance % 10}-11-20T14:30"
    if name == "validade":
        return f"{1 + chance % 12:02}/{2027 + chance % 9}"
    if name == "vencimento":
        return date(2030 + chance % 5, 1 + chance % 12, 1 + chance % 28).isoformat()
    if name in ("desdeMes", "ateMes"):
        return f"{1 + chance % 12:02}/{(2020 if name == 'desdeMes' else 2030) + chance % 9}"
    if name == "mes":
        return f"{1 + chance % 12:02}/{2015 + chance % 6}"
    if name.startswith(("data", "validade")):
        day = date(1950 + chance % 80, 1 + chance % 12, 1 + chance % 28)
        return day.isoformat() if re.search(r"\d{4}-", value) else day.strftime("%d/%m/%Y")
    if name == "chavePix":
        return "123e4567-e12b-12d1-a456-426655440000"
    if name in ("nomeRecebedor", "cidadeRecebedor"):
        return "Goiânia"
    if name == "placa":
        return f"ABC{chance % 10}D{chance // 10 % 90 + 10}"
    if name == "chassi":
        return f"9BW{chance % 1000000000:09}"
    if name == "numeroSerie":
        return f"SN{chance % 1000000000:09}"
    if name == "imei":
        return f"35{chance % 10000000000000:013}"
    if name in ("numero", "telefone"):
        return f"119{chance % 90000000 + 10000000}"
    if name in ("nome", "nomePessoa") and not value.isprintable():
        return "João da Silva"
    if name == "tipoVeiculo":
        return "Automóvel de passeio"
    if name.startswith("situacao") and value not in ("Aberto", "Ganho", "Perdido", "AGUARDANDO", "COBRADO", "DISPENSADO"):
        return ("ATIVO", "PENDENTE")[chance % 2]
    return value


def cpf(number):
    digits = [int(digit) for digit in f"{123456000 + number}"]
    for length in (10, 11):
        rest = sum(digit * weight for digit, weight in zip(digits, range(length, 1, -1))) * 10 % 11
        digits.append(rest % 10)
    return "".join(map(str, digits))


# What is answered 200 was described. A field or parameter that nobody knows is ignored, an empty one is as if not given, a
# number or a flag may stand in quotes, blanks around a text fall away, and of two parameters with one name the first
# counts (docs/wire-quirks.md); what is left must fit.


@schemathesis.check
def only_what_is_described_is_taken(ctx, response, case):
    if not 200 <= response.status_code < 300:
        return
    described = case.operation.definition.raw
    sent = response.request
    query = dict(reversed(parse_qsl(urlsplit(sent.url).query, keep_blank_values=True)))
    for parameter in described.get("parameters", []):
        name, schema = parameter["name"], parameter["schema"]
        if parameter["in"] == "query" and query.get(name, "").strip():
            fits(case, read(query[name], schema), schema, f"query {name}")
        # Without a credential, nobody looks at a key.
        if parameter["in"] == "header" and name in sent.headers and "Authorization" in sent.headers:
            fits(case, sent.headers[name], schema, f"header {name}")
    if "requestBody" in described and sent.body and not is_upload(case) and not is_sheet(case):
        schema = described["requestBody"]["content"]["application/json"]["schema"]
        body = json.loads(sent.body)
        if body == [] and not described["requestBody"]["required"]:
            return
        if case.operation.path in ("/ext/crm/negocio", "/ext/crm/negocio/{codNegocio}") and isinstance(body, dict):
            if case.operation.method.upper() == "PUT" or is_given(body.get("codLead")):
                body = {name: each for name, each in body.items() if name not in of_leads(case)}
        fits(case, read(body, schema, case), schema, "body")


def is_given(value):
    return value is not None and not (isinstance(value, str) and not value.strip())


def of_leads(case):
    """The fields of a lead, which count for nothing in a deal that has one. The branch is the deal's own."""
    return case.operation.schema.raw_schema["components"]["schemas"]["LeadInputTO"]["properties"].keys() - {"codLoja"}


def read(value, schema, case=None):
    """The value as the server reads it."""
    schema = whole(schema, case)
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if isinstance(value, dict) and "properties" in schema:
        taken = {key for key, each in schema["properties"].items() if not each.get("readOnly")}
        known = {key: each for key, each in value.items() if key in taken}
        given = {key: each for key, each in known.items() if not (isinstance(each, str) and not each.strip())}
        return {key: read(each, schema["properties"][key], case) for key, each in given.items()}
    if isinstance(value, list) and "items" in schema:
        return [read(each, schema["items"], case) for each in value]
    if not isinstance(value, str):
        return value
    text = value.strip()
    if "string" not in types:
        if "integer" in types and re.fullmatch(r"[+-]?\d+", text):
            return int(text)
        if "number" in types and re.fullmatch(r"\d+(\.\d+)?", text):
            return float(text)
        if "boolean" in types and text in ("true", "false"):
            return text == "true"
    return text


def fits(case, value, schema, where):
    whole = {**schema, "components": case.operation.schema.raw_schema["components"]}
    problems = [f"{where}: {error}" for error in jsonschema_rs.validator_for(whole).iter_errors(value)]
    assert not problems, "taken, but not as described: " + "; ".join(problems)


# What is not known is `null`: no field of an answer is ever left out.


@schemathesis.check
def no_field_is_left_out(ctx, response, case):
    if response.status_code == 200:
        content = case.operation.definition.raw["responses"]["200"].get("content", {})
        if "application/json" not in content:
            return
        content = content["application/json"]
        missing = sorted(set(left_out(response.json(), content.get("schema", {}), "", case)))
        assert not missing, "left out: " + ", ".join(missing)


def left_out(value, schema, where, case):
    schema = whole(schema, case)
    if isinstance(value, list):
        return [name for each in value for name in left_out(each, schema.get("items", {}), where + "[]", case)]
    if not isinstance(value, dict):
        return []
    found = []
    for name, told in schema.get("properties", {}).items():
        found += left_out(value[name], told, f"{where}.{name}", case) if name in value else [f"{where}.{name}"]
    return found


# An operation that needs no credential takes a token anyway, and refuses a wrong one.


@schemathesis.check
def open_operations_take_a_token(ctx, response, case):
    if case.operation.definition.raw.get("security") or response.status_code != 200:
        return
    if "Authorization" not in response.request.headers:
        # Without a credential nobody looks at a key, with one it may be refused.
        (case.headers or {}).pop("Idempotency-Key", None)
        known = case.call(headers={"Authorization": f"Bearer {TOKEN}"})
        assert known.status_code == 200, f"with a token: {known.status_code}"
        case.operation.validate_response(known)
        wrong = case.call(headers={"Authorization": "Bearer errado"})
        assert wrong.status_code == 401, f"with a wrong token: {wrong.status_code}"
        case.operation.validate_response(wrong)


# A run that never got past the first refusal has tested little.


# These need more that fits together than chance gives them; tests of their own see their answers.
HARD = {"POST /gestao/instalacao", "PUT /gestao/evento/{codEvento}", "PUT /gestao/importacao/{codImportacao}/colunas"}
# Only a title whose person has paid too much before has a credit, and only a line that waits is cancelled or gets a title.
HARD |= {
    "POST /gestao/financeiro/titulo/{codTitulo}/usarCredito",
    "POST /gestao/financeiro/lancamento/{codLancamento}/emitir",
    "PUT /gestao/financeiro/lancamento/{codLancamento}/cancelar",
}
# Only money that fits a person, their branch and a title that takes none becomes a credit, and only what is there goes back.
HARD |= {
    "POST /gestao/financeiro/credito",
    "POST /gestao/financeiro/credito/devolver",
    "PUT /gestao/financeiro/credito/{codCredito}/estornar",
}
# An import is asked for one thing after another.
HARD |= {
    f"POST /gestao/importacao/{{codImportacao}}/{step}"
    for step in ("conferir", "iniciar", "pausar", "retomar", "desfazer")
}


@schemathesis.check
class EveryOperationAnswers:
    def __init__(self):
        self.asked, self.answered = set(), set()

    def after_response(self, ctx, response, case):
        self.asked.add(case.operation.label)
        if response.status_code == 200:
            self.answered.add(case.operation.label)

    def after_run(self, ctx):
        never = sorted(self.asked - self.answered - HARD)
        assert not never, "never answered 200: " + ", ".join(never)
