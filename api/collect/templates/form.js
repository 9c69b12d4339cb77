{#- Everything here is an extra: the page works without it. Names of fields shadow properties of the form (`action`,
    `submit`, `elements`), so that only its camel-case methods are used. -#}
(() => {
const page = document, form = page.querySelector('form'), visit = form.querySelector('[name=visit]').value;

{#- The beacon: the page was seen. Not while it is only rendered ahead, nor in a tab behind. #}
const seen = () => {
  if (page.prerendering || page.visibilityState !== 'visible') return;
  page.removeEventListener('visibilitychange', seen);
  page.removeEventListener('prerenderingchange', seen);
  fetch(form.getAttribute('action') + '/view', {
    method: 'POST', keepalive: true, headers: {'content-type': 'application/json'}, body: JSON.stringify({visit})
  }).catch(() => {});
};
page.addEventListener('visibilitychange', seen);
page.addEventListener('prerenderingchange', seen);
seen();

const add = (after, tag, name, text) => {
  const made = page.createElement(tag);
  made.className = name;
  made.textContent = text;
  after.append(made);
  return made;
};

{#- Characters are counted as the service does. A short text's are shown, and any are said aloud (after a pause), only when
    they run out. #}
for (const box of form.querySelectorAll('[data-most]')) {
  const most = +box.dataset.most, count = add(box.parentNode, 'p', 'count', ''), aloud = add(box.parentNode, 'p', 'vh', '');
  let wait;
  count.ariaHidden = 'true';
  aloud.setAttribute('role', 'status');
  const tell = () => {
    const left = most - [...box.value].length, number = Math.abs(left);
    const noun = `${number.toLocaleString('en')} character${number === 1 ? '' : 's'}`;
    const said = left < 0 ? `${noun} too many` : `${noun} left`;
    count.textContent = box.value && (box.rows || left < most / 5) ? said : '';
    count.classList.toggle('over', left < 0);
    clearTimeout(wait);
    wait = setTimeout(() => { aloud.textContent = left < most / 10 ? said : ''; }, 1000);
  };
  box.addEventListener('input', tell);
  tell();
}

{#- A radio cannot be taken back by itself. #}
for (const group of form.querySelectorAll('[data-clear]')) {
  let clear;
  const offer = () => {
    if (clear || !group.querySelector(':checked')) return;
    clear = add(group, 'button', 'clear', 'Clear this answer');
    clear.type = 'button';
    clear.addEventListener('click', () => {
      group.querySelector(':checked').checked = false;
      clear.remove();
      clear = null;
      group.querySelector('input').focus();
    });
  };
  group.addEventListener('change', offer);
  offer();
}

const problem = page.querySelector('.notice');
if (problem) problem.focus();
})();
