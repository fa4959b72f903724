// Boards: cards are dragged, moved by keys or by a dialog; what others move is seen. See `board.rs`.
"use strict";
document.querySelectorAll("[data-quadro]").forEach((board) => {
  const notice = document.querySelector("#quadro-aviso");
  const dialog = document.querySelector("#quadro-mover");
  const [target, reason] = [dialog.querySelector("#quadro-para"), dialog.querySelector("#quadro-motivo")];
  const EVERY = 3000;
  let since = board.dataset.desde;
  let underWay = 0;

  const columns = () => [...board.querySelectorAll("[data-coluna]")];
  const column = (id) => board.querySelector(`[data-coluna="${id}"]`);
  const card = (id) => board.querySelector(`[data-cartao="${id}"]`);
  const of = (one) => one.closest("[data-coluna]");
  const title = (one) => one.querySelector(".title").textContent;
  const named = (one) => one.querySelector("[data-titulo]").textContent;
  const among = (list, id) => list.split(" ").includes(id);
  const mayMove = (from, to) => from !== to && among(to.dataset.de, from.dataset.coluna);
  const needsReason = (from, to) => among(to.dataset.motivo, from.dataset.coluna);

  document.querySelectorAll("[data-com-script]").forEach((one) => (one.hidden = false));
  board.classList.add("live");

  function tell(text, isWrong, undo) {
    notice.replaceChildren(text);
    notice.classList.toggle("wrong", !!isWrong);
    if (undo) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = "Desfazer";
      button.addEventListener("click", undo);
      notice.append(button);
    }
    notice.hidden = false;
  }

  // Puts a card into its place of a column, instead of what was there of it.
  function place(into, one) {
    const was = card(one.dataset.cartao);
    const hadFocus = was && was.contains(document.activeElement);
    if (was && was !== one) was.remove();
    const list = into.querySelector("[data-cartoes]");
    const sign = Number(into.dataset.ordem);
    const key = (other) => [Number(other.dataset.lugar), Number(other.dataset.cartao)];
    const [at, code] = key(one);
    const behind = [...list.children].find((other) => {
      if (other === one) return false;
      const [its, its_code] = key(other);
      return sign * (its - at || its_code - code) > 0;
    });
    list.insertBefore(one, behind || null);
    if (hadFocus) one.querySelector(".title").focus();
  }

  // Reads the page anew; what was told is told there too.
  const KEPT = "quadro-aviso";
  function again(problems = []) {
    if (problems.length) sessionStorage.setItem(KEPT, problems.join(" "));
    location.reload();
  }
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept) tell(kept, true);

  // Takes over what the server says of the board.
  function take(text) {
    const said = new DOMParser().parseFromString(text, "text/html").querySelector("[data-mudou]");
    const problems = said ? [...said.querySelectorAll("[data-problema]")].map((one) => one.textContent) : [];
    if (!said || said.hasAttribute("data-recarregar")) return (again(problems), problems);
    since = said.dataset.desde;
    said.querySelectorAll("[data-coluna]").forEach((now) => {
      const here = column(now.dataset.coluna);
      if (here) {
        for (const part of ["[data-total]", "[data-nota]"]) here.querySelector(part).textContent = now.querySelector(part).textContent;
      }
      now.querySelectorAll("[data-cartao]").forEach((one) => {
        const was = card(one.dataset.cartao);
        if (was && was.dataset.versao === one.dataset.versao && of(was) === here) return;
        if (here) place(here, document.adoptNode(one));
        else if (was) was.remove();
      });
    });
    return problems;
  }

  async function ask() {
    if (underWay || document.hidden) return;
    try {
      const join = board.dataset.mudancas.includes("?") ? "&" : "?";
      const answer = await fetch(`${board.dataset.mudancas}${join}desde=${since}`, { headers: { "x-quadro": "1" } });
      // Whoever must enter again is sent to the door.
      if (answer.redirected) return again();
      if (answer.ok && !underWay) take(await answer.text());
    } catch {
      // The next question may come through.
    }
  }
  setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", ask);

  // Moves a card and says so; what does not work is told, and the card goes where it is now.
  async function move(one, to, why, isUndo) {
    const [from, id, text] = [of(one), one.dataset.cartao, title(one)];
    const body = new URLSearchParams({ codigo: id, para: to.dataset.coluna, versao: one.dataset.versao, motivo: why, desde: since });
    const back = () => place(from, one);
    one.classList.add("moving");
    place(to, one);
    underWay += 1;
    try {
      const answer = await fetch(board.dataset.mover, { method: "POST", body, headers: { "x-quadro": "1" } });
      if (answer.redirected) return again([`${text} não foi movido: entre de novo e repita.`]);
      if (!answer.ok && answer.status !== 409) throw new Error(await answer.text());
      const problems = take(await answer.text());
      if (answer.ok) {
        const undo = !isUndo && mayMove(to, from) && (() => card(id) && move(card(id), from, needsReason(to, from) ? "Mudança desfeita." : "", true));
        tell(isUndo ? `Desfeito: ${text} voltou para ${named(to)}.` : `${text} agora está em ${named(to)}.`, false, undo);
      } else {
        if (card(id) === one) back();
        tell(problems.join(" "), true);
      }
    } catch (error) {
      back();
      tell(`Não foi possível mover ${text}. ${error instanceof TypeError ? "Confira a conexão e tente de novo." : error.message}`, true);
    } finally {
      underWay -= 1;
      one.classList.remove("moving");
    }
  }

  // The dialog: where to, and why.
  let moved = null;
  const demand = () => {
    const to = moved && column(target.value);
    reason.required = !!to && needsReason(of(moved), to);
  };
  function open(one, to) {
    const from = of(one);
    const ways = columns().filter((into) => mayMove(from, into));
    if (!ways.length) return tell("Daqui este cartão não vai a lugar nenhum.", true);
    moved = one;
    dialog.querySelector("h2").textContent = `Mover ${title(one)}`;
    target.replaceChildren(...ways.map((into) => new Option(named(into), into.dataset.coluna, false, into === to)));
    reason.value = "";
    demand();
    dialog.returnValue = "";
    dialog.showModal();
    (to ? reason : target).focus();
  }
  target.addEventListener("change", demand);
  dialog.addEventListener("close", () => {
    const one = moved;
    moved = null;
    if (!one) return;
    one.querySelector(".title").focus();
    if (dialog.returnValue === "mover") move(one, column(target.value), reason.value.trim(), false);
  });
  const go = (one, to) => (needsReason(of(one), to) ? open(one, to) : move(one, to, "", false));

  board.addEventListener("click", (event) => {
    const link = event.target.closest(".mover");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(link.closest("[data-cartao]"), null);
  });

  // Keys: arrows walk, with Shift they move.
  board.addEventListener("keydown", (event) => {
    const one = event.target.closest("[data-cartao]");
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const across = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const all = columns();
    if (!one) {
      const first = board.querySelector("[data-cartao] .title");
      if (event.target === board && first) (event.preventDefault(), first.focus());
      return;
    }
    event.preventDefault();
    const from = of(one);
    const cards = [...from.querySelectorAll("[data-cartao]")];
    const row = cards.indexOf(one);
    if (!across) return void cards[row + step]?.querySelector(".title").focus();
    const beside = step > 0 ? all.slice(all.indexOf(from) + 1) : all.slice(0, all.indexOf(from)).reverse();
    if (event.shiftKey) {
      const to = beside.find((into) => mayMove(from, into));
      if (to) go(one, to);
      else tell(`${title(one)} não pode ir para esse lado.`, true);
      return;
    }
    const next = beside.map((into) => [...into.querySelectorAll("[data-cartao]")]).find((list) => list.length);
    next?.[Math.min(row, next.length - 1)].querySelector(".title").focus();
  });

  // Dragging: with a mouse by the whole card, with a finger after it has rested on it, so that a board can be scrolled.
  let drag = null;
  const REST = 350;
  // The click that follows a drag opens nothing.
  let hasDropped = false;
  board.addEventListener("click", (event) => hasDropped && (event.preventDefault(), event.stopPropagation()), true);
  const begin = () => {
    const box = drag.one.getBoundingClientRect();
    drag.ghost = drag.one.cloneNode(true);
    drag.ghost.classList.add("ghost");
    drag.ghost.removeAttribute("data-cartao");
    drag.ghost.setAttribute("aria-hidden", "true");
    drag.ghost.style.width = `${box.width}px`;
    drag.off = [drag.x - box.left, drag.y - box.top];
    document.body.append(drag.ghost);
    drag.one.classList.add("lifted");
    columns().forEach((into) => into.classList.toggle("shut", into !== of(drag.one) && !mayMove(of(drag.one), into)));
    board.classList.add("dragging");
    if (navigator.vibrate && drag.touch) navigator.vibrate(10);
  };
  const follow = () => {
    drag.ghost.style.transform = `translate(${drag.x - drag.off[0]}px, ${drag.y - drag.off[1]}px)`;
    const under = document.elementFromPoint(drag.x, drag.y)?.closest("[data-coluna]");
    drag.over = under && board.contains(under) ? under : null;
    columns().forEach((into) => into.classList.toggle("over", into === drag.over && mayMove(of(drag.one), into)));
  };
  // At the edges the board goes along.
  const scroll = () => {
    if (!drag || !drag.ghost) return;
    const box = board.getBoundingClientRect();
    const by = drag.x < box.left + 48 ? -12 : drag.x > box.right - 48 ? 12 : 0;
    if (by) (board.scrollLeft += by, follow());
    drag.frame = requestAnimationFrame(scroll);
  };
  const end = (drop) => {
    const was = drag;
    drag = null;
    if (!was) return;
    clearTimeout(was.timer);
    cancelAnimationFrame(was.frame);
    board.classList.remove("dragging");
    columns().forEach((into) => into.classList.remove("over", "shut"));
    was.one.classList.remove("lifted");
    if (!was.ghost) return;
    was.ghost.remove();
    hasDropped = true;
    setTimeout(() => (hasDropped = false), 0);
    if (drop && was.over && was.one.isConnected && mayMove(of(was.one), was.over)) go(was.one, was.over);
  };
  board.addEventListener("dragstart", (event) => event.preventDefault());
  board.addEventListener("pointerdown", (event) => {
    const one = event.target.closest("[data-cartao]");
    if (!one || event.button !== 0 || event.target.closest(".mover")) return;
    drag = { one, id: event.pointerId, x: event.clientX, y: event.clientY, from: [event.clientX, event.clientY], touch: event.pointerType !== "mouse" };
    if (drag.touch) {
      drag.timer = setTimeout(() => drag && (begin(), follow(), scroll()), REST);
    }
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    [drag.x, drag.y] = [event.clientX, event.clientY];
    const far = Math.hypot(drag.x - drag.from[0], drag.y - drag.from[1]) > 6;
    if (!drag.ghost && far) {
      if (drag.touch) return end(false);
      begin();
      scroll();
    }
    if (drag.ghost) follow();
  });
  document.addEventListener("pointerup", (event) => drag && event.pointerId === drag.id && end(true));
  document.addEventListener("pointercancel", (event) => drag && event.pointerId === drag.id && end(false));
  document.addEventListener("touchmove", (event) => drag && drag.ghost && event.cancelable && event.preventDefault(), { passive: false });
  document.addEventListener("keydown", (event) => event.key === "Escape" && drag && end(false));
  board.addEventListener("contextmenu", (event) => drag && drag.touch && event.preventDefault());

  // More of a column once its end is seen.
  async function more(link) {
    link.remove();
    const answer = await fetch(link.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [into, got] = [of(link) || column(link.dataset.de), page.querySelector(`[data-coluna="${link.dataset.de}"]`)];
    if (!answer.ok || !got || !into) return void into?.querySelector(".tickets").append(link);
    got.querySelectorAll("[data-cartao]").forEach((one) => card(one.dataset.cartao) || place(into, document.adoptNode(one)));
    const next = got.querySelector("[data-mais]");
    if (next) {
      into.querySelector(".tickets").append(document.adoptNode(next));
      watch(next, into);
    }
  }
  const seen = new IntersectionObserver((all) => all.filter((one) => one.isIntersecting).forEach((one) => (seen.unobserve(one.target), more(one.target).catch(() => {}))));
  const watch = (link, into) => {
    link.dataset.de = into.dataset.coluna;
    seen.observe(link);
  };
  columns().forEach((into) => into.querySelectorAll("[data-mais]").forEach((link) => watch(link, into)));
});
