"use strict";
// What pages do beyond what the server draws: live figures and previews, hovering over charts, sorting, uploading. Without it they are
// complete.

// Parts with `data-live` are drawn again by the server each so many seconds, while somebody looks at them and is not about to use
// what is in them. `html` is what the server drew, which the page has changed since.
function keepLive(part, index, html) {
  const seconds = Number(part.dataset.live);
  if (!seconds) return;
  const isUsed = () => part.querySelector(".sure[open], input[placeholder]:not(:placeholder-shown)")
    || (part.contains(document.activeElement) && document.activeElement.matches("input, select, button, a, .sure summary"));
  setTimeout(async () => {
    let next = part;
    if (!document.hidden && !isUsed()) {
      try {
        const answer = await fetch(part.dataset.url ?? location.href, { headers: { accept: "text/html", "x-feedback-live": "1" } });
        if (answer.ok && !answer.redirected) {
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          renewAlerts(page);
          const drawn = page.querySelectorAll("[data-live]")[index];
          if (drawn && drawn.innerHTML !== html && !isUsed()) {
            html = drawn.innerHTML;
            const open = [...part.querySelectorAll("details")].map((details) => details.open);
            const scrolled = [...part.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
            const sorted = [...part.querySelectorAll("thead th")].map((head) => head.getAttribute("aria-sort"));
            if (part.dataset.url) drawn.dataset.url = part.dataset.url;
            part.replaceWith(drawn);
            drawn.querySelectorAll("details").forEach((details, place) => { details.open = open[place]; });
            next = drawn;
            enhance(drawn);
            drawn.querySelectorAll("thead th").forEach((head, place) => sortAs(head, sorted[place]));
            drawn.querySelectorAll(".scroll").forEach((box, place) => { box.scrollLeft = scrolled[place]; });
          } else if (drawn) {
            part.dataset.live = drawn.dataset.live;
          }
        }
      } catch {
        // The next round tries again.
      }
    }
    keepLive(next, index, html);
  }, 1000 * seconds);
}

// What all pages tell is as new as what was drawn last.
function renewAlerts(page) {
  const [shown, drawn] = [document.getElementById("alerts"), page.getElementById("alerts")];
  if (shown && drawn && shown.innerHTML !== drawn.innerHTML) shown.replaceWith(drawn);
}

// A chart tells the numbers of the day under the pointer, which are those of its table.
function hover(chart) {
  const rows = document.getElementById(chart.dataset.chart)?.tBodies[0].rows;
  const heads = document.getElementById(chart.dataset.chart)?.tHead.rows[0].cells;
  const drawing = chart.querySelector("svg");
  if (!rows?.length) return;
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  chart.append(tip);
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * rows.length);
    const cells = rows[Math.min(Math.max(place, 0), rows.length - 1)].cells;
    tip.textContent = [...cells].map((cell, index) => (index ? `${heads[index].textContent}: ` : "") + cell.textContent).join("\n");
    tip.hidden = false;
    const left = event.clientX - chart.getBoundingClientRect().left;
    const half = tip.offsetWidth / 2;
    tip.style.left = `${Math.min(Math.max(left, half), chart.clientWidth - half)}px`;
  });
  drawing.addEventListener("pointerleave", () => { tip.hidden = true; });
}

// Sorts by a head's column as its table was sorted before.
function sortAs(head, order) {
  const button = head.querySelector("button");
  if (!button || !order) return;
  button.click();
  if (order === "ascending") button.click();
}

// A column's head sorts by it, and again the other way round.
function sortable(table) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, index) => {
    if (head.textContent === "" || !body.rows.length || body.rows[0].cells[index].querySelector("svg")) return;
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[index].dataset.sort ?? row.cells[index].textContent;
      const compare = (one, other) => {
        const [a, b] = [key(one), key(other)];
        const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
        return down ? -order : order;
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}

// A file that was chosen or dropped is sent at once.
function upload(form) {
  const outcome = form.querySelector("#upload-outcome");
  const file = form.elements.file;
  const send = () => {
    if (!file.files.length) return;
    outcome.textContent = outcome.dataset.text;
    form.submit();
  };
  form.querySelector("button").hidden = true;
  file.addEventListener("change", send);
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    file.files = event.dataTransfer.files;
    send();
  });
}

// Countries have their names, in the language of the page.
function countryNames() {
  return new Intl.DisplayNames([document.documentElement.lang], { type: "region" });
}

function nameCountry(code) {
  try {
    code.textContent = countryNames().of(code.textContent);
  } catch {
    // What is no code stays as it is.
  }
}

function nameCountries(select) {
  const names = countryNames();
  const [none, ...countries] = select.options;
  for (const country of countries) country.textContent = `${names.of(country.value)} (+${country.dataset.dialled})`;
  countries.sort((one, other) => one.textContent.localeCompare(other.textContent));
  const { value } = select;
  select.replaceChildren(none, ...countries);
  select.value = value;
}

// The editor of a form is drawn by the server, which knows what depends on what: again whenever a button adds, moves or removes
// something, and when a choice changes what is shown. Meanwhile nothing can be typed, so that nothing is lost.
function formEditor(form) {
  const changed = () => form.dispatchEvent(new Event("input", { bubbles: true }));
  const drawn = async (doing) => {
    const body = new URLSearchParams(new FormData(form));
    body.append("do", doing);
    const answer = await fetch(location.href, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const draft = page.getElementById("draft");
    if (!draft) throw new Error("not drawn");
    return draft;
  };
  // Where somebody was: the same control of the same question.
  const place = (control) => {
    const row = control?.closest(".field");
    if (!control?.name) return () => null;
    const within = (root) => (row ? root.querySelector(`#${CSS.escape(row.id)}`) : root);
    return () => within(form)?.querySelector(`[name="${CSS.escape(control.name)}"]`);
  };
  const redraw = async (doing) => {
    const again = place(document.activeElement);
    form.inert = true;
    try {
      form.querySelector("#draft").replaceWith(await drawn(doing));
    } catch {
      // What is there stays, and can be tried again.
    }
    form.inert = false;
    (form.querySelector("#draft [autofocus]") ?? again())?.focus();
    changed();
  };
  // Questions and choices are called by their texts elsewhere.
  const rename = async () => {
    try {
      const draft = await drawn("draw");
      for (const part of form.querySelectorAll(".condition")) {
        const other = draft.querySelector(`#${CSS.escape(part.parentElement.id)} .condition`);
        if (other && !part.contains(document.activeElement)) part.replaceWith(other);
      }
      const missing = draft.querySelectorAll(".missing");
      form.querySelectorAll(".missing").forEach((part, place) => { if (missing[place]) part.replaceWith(missing[place]); });
    } catch {
      // The next change tries again.
    }
  };
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=do]");
    if (!button) return;
    event.preventDefault();
    redraw(button.value);
  });
  form.addEventListener("change", ({ target }) => {
    if (target.matches("[name=type], [name=if], [name=language], [name=add_language]")) redraw("draw");
    else if (target.matches("[lang], [name=scale]")) rename();
  });
  // A list that was copied is as many choices.
  form.addEventListener("paste", (event) => {
    const lines = event.clipboardData.getData("text").split(/\r?\n/).filter((line) => line.trim());
    if (lines.length < 2 || !event.target.matches("[name^='option:']")) return;
    event.preventDefault();
    const choice = event.target.closest("li");
    event.target.value = lines[0].trim();
    lines.slice(1).reverse().forEach((line, number) => {
      const made = document.createElement("input");
      made.type = "hidden";
      made.name = `option:+${Date.now() % 1e9}${number}`;
      made.value = line.trim();
      choice.after(made);
    });
    redraw("draw");
  });
}

// A picture is put into its form as text, and shown.
function picture(part) {
  const [text, file] = part.querySelectorAll("input");
  const [image, none] = [part.querySelector("img"), part.querySelector("button")];
  const show = (url) => {
    text.value = url;
    image.src = url;
    image.hidden = none.hidden = !url;
  };
  file.addEventListener("change", () => {
    const chosen = file.files[0];
    const isLarge = chosen?.size > 100000;
    file.setCustomValidity(isLarge ? file.dataset.large : "");
    file.reportValidity();
    if (!chosen || isLarge) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => show(reader.result));
    reader.readAsDataURL(chosen);
  });
  none.addEventListener("click", () => {
    file.value = "";
    file.setCustomValidity("");
    show("");
  });
}

// A colour is picked, or typed as it is.
function colorPicker(picker) {
  const text = picker.form.elements.color;
  picker.hidden = false;
  picker.addEventListener("input", () => { text.value = picker.value; });
  text.addEventListener("input", () => { if (text.validity.valid && text.value) picker.value = text.value; });
}

// What is typed or chosen is drawn once somebody pauses.
function whileTyping(form, draw) {
  let wait;
  const changed = () => {
    clearTimeout(wait);
    wait = setTimeout(draw, 300);
  };
  form.addEventListener("input", changed);
  // Not every browser says of each choice that it is input.
  form.addEventListener("change", ({ target }) => { if (target.matches("select, [type=checkbox]")) changed(); });
}

// A campaign's preview is a part of its page. The request before is given up.
function previewPart(form) {
  const part = document.getElementById("previewed");
  let request = new AbortController();
  const draw = async () => {
    request.abort();
    request = new AbortController();
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.dataset.preview, { method: "POST", body, signal: request.signal });
      const drawn = await answer.text();
      if (answer.ok && !answer.redirected) part.innerHTML = drawn;
    } catch {
      // Given up, or the next one tries again.
    }
  };
  whileTyping(form, draw);
  if (!part.firstElementChild) draw();
  // A test and the start send what is stored.
  const changed = () => {
    const note = document.getElementById("save-first");
    if (note) note.textContent = note.dataset.text;
    document.querySelectorAll(".stored button").forEach((button) => {
      button.disabled = true;
      button.title = note?.dataset.text ?? "";
    });
  };
  for (const event of ["input", "change"]) form.addEventListener(event, changed, { once: true });
}

// What can stand in a campaign's texts becomes buttons that put it where the cursor was last, in the text or the reminder's.
function insertButtons(form) {
  let { text } = form.elements;
  text.setSelectionRange(text.value.length, text.value.length);
  form.addEventListener("focusin", ({ target }) => { if (target.matches("textarea")) text = target; });
  form.querySelectorAll("[data-insert]").forEach((shown) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = shown.textContent;
    button.addEventListener("click", () => {
      text.setRangeText(button.textContent, text.selectionStart, text.selectionEnd, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
      text.focus();
    });
    shown.replaceWith(button);
  });
}

// A form's preview is its public page. Each is drawn in a frame of its own, which leaves nothing in the history, and is shown where
// the one before was scrolled to. That which is still drawn is given up.
function previewFrame(button) {
  let shown = document.querySelector("iframe"), next, drawn = 0;
  const draw = () => {
    next?.remove();
    const frame = next = shown.cloneNode();
    frame.name = button.formTarget = `preview-${++drawn}`;
    frame.hidden = true;
    shown.after(frame);
    frame.addEventListener("load", () => {
      const { scrollY } = shown.contentWindow;
      shown.remove();
      frame.hidden = false;
      frame.contentWindow.scrollTo(0, scrollY);
      shown = frame;
      next = null;
    }, { once: true });
    button.form.requestSubmit(button);
  };
  button.hidden = true;
  whileTyping(button.form, draw);
  draw();
}

// Whoever leaves an editor is asked while it holds what is not saved: what was typed since, and all of one that came back with a fault.
function keepTyped(form) {
  let isTyped = document.querySelector("section.notice[role=alert]") !== null;
  for (const event of ["input", "change"]) form.addEventListener(event, () => { isTyped = true; });
  // A preview is sent too, elsewhere.
  form.addEventListener("submit", ({ submitter }) => { if (!submitter?.formTarget) isTyped = false; });
  addEventListener("beforeunload", (event) => { if (isTyped) event.preventDefault(); });
}

// A link is put where it can be pasted from. Pages that do not come over TLS may not.
function copyButton(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
  });
}

// A page is printed without the browser's menu.
function printButton(button) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// The code beside it as a picture of points, for programs that take no SVG.
function pngButton(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const image = document.querySelector(".qr img");
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1200;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const link = document.createElement("a");
    link.href = canvas.toDataURL("image/png");
    link.download = button.dataset.png;
    link.click();
  });
}

// Choosing in a filter shows it at once, unless the value that belongs to the choice is still to be typed.
function filter(form) {
  form.addEventListener("change", ({ target }) => {
    if (target.matches("select") && form.elements[target.dataset.wait]?.value !== "") form.requestSubmit();
  });
}

function enhance(part) {
  part.querySelectorAll("[data-chart]").forEach(hover);
  part.querySelectorAll("table.sortable").forEach(sortable);
  part.querySelectorAll("[data-country]").forEach(nameCountry);
}

// What was done is told once: the address forgets it, so that neither loading it again nor sharing it tells it anew.
const here = new URL(location.href);
if (here.searchParams.has("done")) {
  here.searchParams.delete("done");
  history.replaceState(history.state, "", here);
}

// Where no time zone is chosen yet, it is the browser's.
function guessZone(select) {
  if (select.value) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if ([...select.options].some((option) => option.value === timeZone)) select.value = timeZone;
}

// What is pressed next says what it does with the choice.
function lookAgain(select) {
  select.addEventListener("change", () => select.form.querySelector("button[value=look]").click());
}

document.querySelector(".side nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
const live = document.querySelectorAll("[data-live]");
const drawnLive = [...live].map((part) => part.innerHTML);
enhance(document);
document.querySelectorAll("form.filter:not([method=post])").forEach(filter);
document.querySelectorAll(".form-editor").forEach(formEditor);
document.querySelectorAll(".picture").forEach(picture);
document.querySelectorAll("input[type=color]").forEach(colorPicker);
document.querySelectorAll("select[name=time_zone]").forEach(guessZone);
document.querySelectorAll("select[data-look]").forEach(lookAgain);
document.querySelectorAll("[data-copy]").forEach(copyButton);
document.querySelectorAll("[data-print]").forEach(printButton);
document.querySelectorAll("[data-png]").forEach(pngButton);
document.querySelectorAll("#upload").forEach(upload);
document.querySelectorAll("select[data-countries]").forEach(nameCountries);
document.querySelectorAll("form[data-preview]").forEach(insertButtons);
document.querySelectorAll("form[data-preview]").forEach(previewPart);
document.querySelectorAll(".form-editor, form[data-preview], form:has(#draw)").forEach(keepTyped);
document.querySelectorAll("#draw").forEach(previewFrame);
live.forEach((part, index) => keepLive(part, index, drawnLive[index]));
// A page that the browser kept is asked for again: its reader may be signed out.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
