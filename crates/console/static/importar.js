// An import on its way: the page follows it without jumping. Without scripts it is loaded again every few seconds.
"use strict";
(() => {
  const sent = document.querySelector("form[data-envia]");
  if (sent) {
    sent.addEventListener("submit", () => {
      sent.querySelector("button").disabled = true;
      sent.querySelector(".sending").hidden = false;
    });
    // Whoever comes back finds the form as it was.
    window.addEventListener("pageshow", () => {
      sent.querySelector("button").disabled = false;
      sent.querySelector(".sending").hidden = true;
    });
  }

  const part = document.querySelector("[data-andamento]");
  if (!part) return;
  const look = async () => {
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html", "x-passivo": "1" } });
      if (answer.status >= 500) throw 0;
      const page = answer.ok && !answer.redirected && new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page && page.querySelector("[data-andamento]");
      // It came to its end, or whoever looks must enter again: another page.
      if (!next || next.dataset.andamento !== part.dataset.andamento) return location.reload();
      const [from, to] = [next, part].map((one) => one.querySelectorAll("progress, .number, .figure strong, .figure span"));
      to.forEach((one, at) => {
        if (one.matches("progress")) one.value = from[at].value;
        one.textContent = from[at].textContent;
      });
    } catch {
      // The server may be starting again; the next look tells.
    }
    setTimeout(look, 1000);
  };
  setTimeout(look, 1000);
})();
