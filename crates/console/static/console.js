// Everything here only makes easier what works without it.
"use strict";
(() => {
  const find = document.querySelector("#busca");
  const help = document.querySelector("#ajuda");
  const isTyping = (at) => at.closest("input, textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && find && !isTyping(event.target)) {
      event.preventDefault();
      find.focus();
      find.select();
    }
    if (event.key === "?" && help && !isTyping(event.target)) location.assign(help.href);
    if (event.key === "Escape") document.querySelectorAll("details[open].pops").forEach((one) => one.removeAttribute("open"));
  });
  document.addEventListener("click", (event) => {
    document.querySelectorAll("details[open].pops").forEach((one) => one.contains(event.target) || one.removeAttribute("open"));
  });

  // Where the menu is a row, the place where one is stands in it.
  const here = document.querySelector(".side nav [aria-current]");
  const row = here && here.closest("nav");
  if (row && row.scrollWidth > row.clientWidth) row.scrollLeft = here.offsetLeft - row.offsetLeft - 24;

  // A filter that is chosen from a list is applied at once.
  document.querySelectorAll("form.filters select").forEach((select) => select.addEventListener("change", () => select.form.requestSubmit()));

  // Files are sent as soon as they are chosen; a photo as soon as it is taken.
  document.querySelectorAll("form[data-anexa]").forEach((form) => {
    const button = form.querySelector("button");
    form.addEventListener("change", () => form.requestSubmit());
    form.addEventListener("submit", () => {
      form.classList.add("sending");
      button.textContent = "Enviando…";
    });
  });

  // Masks: digits are dressed while they are typed, and only at the end of the text, so that nobody's cursor jumps.
  const dress = {
    documento: (digits) => (digits.length <= 11 ? fill("###.###.###-##", digits) : fill("##.###.###/####-##", digits)),
    telefone: (digits) => (digits.length <= 10 ? fill("(##)####-####", digits) : fill("(##)#####-####", digits)),
    cep: (digits) => fill("#####-###", digits),
    data: (digits) => fill("##/##/####", digits),
    ano: (digits) => digits.slice(0, 4),
    cartao: (digits) => fill("#### ## # ### ###", digits),
    dinheiro: (digits) => {
      const cents = digits.replace(/^0+/, "").padStart(3, "0");
      return cents.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ".") + "," + cents.slice(-2);
    },
    momento: (digits) => fill("##/##/#### ##:##", digits),
  };
  const fill = (mask, digits) => {
    let out = "", at = 0;
    for (const sign of mask) {
      if (at >= digits.length) break;
      out += sign === "#" ? digits[at++] : sign;
    }
    return out;
  };
  document.querySelectorAll("[data-mascara=placa], [data-mascara=maiusculas]").forEach((input) => {
    input.addEventListener("input", () => {
      const [from, to] = [input.selectionStart, input.selectionEnd];
      input.value = input.value.toUpperCase();
      input.setSelectionRange(from, to);
    });
  });
  document.querySelectorAll("[data-mascara]").forEach((input) => {
    const mask = dress[input.dataset.mascara];
    input.addEventListener("input", () => {
      if (!mask || input.selectionStart !== input.value.length || /[A-Za-z]/.test(input.value)) return;
      input.value = mask(input.value.replace(/\D/g, "")) || input.value;
    });
  });

  // Nothing typed is ever lost: a form that was left is offered again as it was, to whoever typed it and to nobody else.
  const own = `rascunho:${document.body.dataset.usuario}:`;
  Object.keys(sessionStorage).forEach((key) => key.startsWith("rascunho:") && !key.startsWith(own) && sessionStorage.removeItem(key));
  document.querySelectorAll("form[data-rascunho]").forEach((form) => {
    const key = own + location.pathname;
    const fields = () => [...form.elements].filter((one) => one.name && !["hidden", "password", "file"].includes(one.type));
    const kept = JSON.parse(sessionStorage.getItem(key) || "null");
    if (kept && !form.querySelector("[aria-invalid=true]")) {
      const differs = fields().some((one) => one.name in kept && (one.type === "checkbox" ? one.checked !== kept[one.name] : one.value !== kept[one.name]));
      const offer = document.querySelector("#rascunho");
      if (differs && offer) {
        offer.hidden = false;
        offer.querySelector("button").addEventListener("click", () => {
          fields().forEach((one) => {
            if (!(one.name in kept)) return;
            if (one.type === "checkbox") one.checked = kept[one.name];
            else one.value = kept[one.name];
          });
          offer.hidden = true;
        });
      }
    }
    form.addEventListener("input", () => {
      const all = Object.fromEntries(fields().map((one) => [one.name, one.type === "checkbox" ? one.checked : one.value]));
      sessionStorage.setItem(key, JSON.stringify(all));
    });
    form.addEventListener("submit", () => sessionStorage.removeItem(key));
  });

  // A colour is seen at once as the badge that it will be.
  document.querySelectorAll("[data-cor]").forEach((input) => {
    const badge = input.parentElement.querySelector("[data-amostra]");
    const name = input.form.elements.nome;
    const light = (at) => ((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))(parseInt(input.value.slice(at, at + 2), 16) / 255);
    const paint = () => {
      const all = 0.2126 * light(1) + 0.7152 * light(3) + 0.0722 * light(5);
      badge.style.background = input.value;
      badge.style.color = 1.05 / (all + 0.05) >= (all + 0.05) / 0.05 ? "#fff" : "#000";
      badge.textContent = (name && name.value.trim()) || "Assim";
      badge.hidden = false;
    };
    [input, name].forEach((one) => one && one.addEventListener("input", paint));
    paint();
  });

  // Something is on its way: the page looks again, unless somebody is in the middle of something. It asks as a script, so
  // that a page left open keeps no session going, and loads anew once there is something to see.
  document.querySelectorAll("[data-atualizar]").forEach((part) => {
    const again = () => setTimeout(look, 1000 * part.dataset.atualizar);
    const look = async () => {
      if (isTyping(document.activeElement)) return again();
      try {
        const answer = await fetch(location.href, { headers: { accept: "text/html", "x-passivo": "1" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = answer.ok && !answer.redirected && page.querySelector("[data-atualizar]");
        if (!next || next.innerHTML !== part.innerHTML) return location.reload();
      } catch {
        // The server may be starting again; the next look tells.
      }
      again();
    };
    again();
  });

  // Browsers allow it over HTTPS alone. Elsewhere a click selects the whole text.
  document.querySelectorAll("[data-copiar]").forEach((button) => {
    if (!navigator.clipboard) return;
    const text = document.getElementById(button.dataset.copiar).textContent;
    const told = button.parentElement.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      told.textContent = "";
      try {
        await navigator.clipboard.writeText(text.trim());
        told.textContent = "Copiado.";
      } catch {
        told.textContent = "O navegador não deixou copiar; selecione o texto.";
      }
    });
  });

  document.querySelectorAll("[data-imprimir]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  });
})();
