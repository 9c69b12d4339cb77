{#- Everything here is an extra: the page works without it. Names of fields shadow properties of the form (`action`,
    `submit`, `elements`), so that only its camel-case methods are used. -#}
(() => {
const page = document, form = page.querySelector('form'), visit = form.querySelector('[name=visit]').value;

{#- Only previews are in a frame: nothing of them is counted, kept or sent. #}
const link = form.getAttribute('action'), isPreview = parent !== window;
{#- A phone before a code in a store is its owner's. #}
const isKiosk = form.hasAttribute('data-kiosk') && matchMedia('(min-width:37.5rem)').matches;
if (isPreview) form.addEventListener('submit', event => event.preventDefault());

{#- The beacon: the page was seen. Not while it is only rendered ahead, nor in a tab behind. #}
const seen = () => {
  if (isPreview || page.prerendering || page.visibilityState !== 'visible') return;
  page.removeEventListener('visibilitychange', seen);
  page.removeEventListener('prerenderingchange', seen);
  fetch(link + '/view', {
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

{#- Characters are counted as the service does. They are shown, and said aloud (after a pause), only when they run out. #}
for (const box of form.querySelectorAll('[data-most]')) {
  const most = +box.dataset.most, count = add(box.parentNode, 'p', 'count', ''), aloud = add(box.parentNode, 'p', 'vh', '');
  let wait;
  count.ariaHidden = 'true';
  aloud.setAttribute('role', 'status');
  const tell = () => {
    const left = most - [...box.value].length, text = left < 0 ? form.dataset.over : form.dataset.left;
    const said = text.replace('{}', Math.abs(left).toLocaleString(page.documentElement.lang));
    const near = left < most / 10 ? said : '';
    count.textContent = near;
    count.classList.toggle('over', left < 0);
    clearTimeout(wait);
    wait = setTimeout(() => { aloud.textContent = near; }, 1000);
  };
  box.addEventListener('input', tell);
  tell();
}

{#- A radio cannot be taken back by itself. #}
for (const group of form.querySelectorAll('[data-clear]')) {
  let clear;
  const offer = () => {
    if (clear || !group.querySelector(':checked')) return;
    clear = add(group, 'button', 'clear', form.dataset.clear);
    clear.type = 'button';
    clear.addEventListener('click', () => {
      group.querySelector(':checked').checked = false;
      form.dispatchEvent(new Event('input'));
      clear.remove();
      clear = null;
      group.querySelector('input').focus();
    });
  };
  group.addEventListener('change', offer);
  offer();
}

{#- Questions that are asked only beside certain answers to one before. What is not asked is not sent. #}
const asked = form.querySelectorAll('[data-if]');
const ask = () => {
  for (const question of asked) {
    const given = form.querySelectorAll(`[name="${question.dataset.if}"]:checked:not(:disabled)`);
    const values = JSON.parse(question.dataset.in);
    question.hidden = ![...given].some(({value}) => values.includes(value));
    for (const control of question.querySelectorAll('input, textarea')) control.disabled = question.hidden;
  }
};

{#- How far somebody has come in a long form. #}
const questions = [...form.querySelectorAll('.q')];
const done = questions.length > 5 && page.createElement('progress');
const count = () => {
  const open = questions.filter(({hidden}) => !hidden);
  const answered = open.filter(q => q.querySelector(':checked') || [...q.querySelectorAll('.box')].some(({value}) => value.trim()));
  done.max = open.length;
  done.value = answered.length;
  done.ariaValueText = `${answered.length} / ${open.length}`;
};
if (done) {
  done.className = 'done';
  done.ariaLabel = page.querySelector('h1').textContent;
  form.before(done);
}

{#- What was answered so far is kept on this device alone, until it is sent or for a week. A page that comes back with what was
    typed has it already. On a kiosk nothing is kept, and two minutes after the last touch the form is empty for whoever is next. #}
const kept = 'feedback ' + link, week = 6048e5, problem = page.querySelector('.notice'), isKept = !isPreview && !isKiosk;
const all = () => [...form.querySelectorAll('.q input, .q textarea')];
try {
  const {at, values} = JSON.parse(localStorage.getItem(kept)) || {};
  if (isKept && !problem && Date.now() - at < week) for (const control of all()) {
    const given = values.filter(([name]) => name === control.name).map(([, value]) => value);
    if (control.matches('.box')) control.value = given[0] || '';
    else control.checked = given.includes(control.value);
  }
} catch {}
const keep = () => {
  ask();
  if (done) count();
  if (!isKept) return;
  const values = all().filter(control => !control.disabled && (control.matches('.box') ? control.value : control.checked));
  try {
    localStorage.setItem(kept, JSON.stringify({at: Date.now(), values: values.map(({name, value}) => [name, value])}));
  } catch {}
};
form.addEventListener('input', keep);
form.addEventListener('submit', () => { try { localStorage.removeItem(kept); } catch {} });
ask();
if (done) count();

if (isKiosk) {
  let idle;
  const leave = () => {
    clearTimeout(idle);
    idle = setTimeout(() => location.replace(link), 12e4);
  };
  form.addEventListener('input', leave);
  if (problem) leave();
}

{#- What is answered anew is not wrong until it is judged again. #}
form.addEventListener('input', ({target}) => {
  const question = target.closest('.q.bad');
  if (!question) return;
  question.classList.remove('bad');
  question.querySelector('.err').remove();
  for (const marked of [question, ...question.querySelectorAll('[aria-invalid]')]) {
    marked.removeAttribute('aria-invalid');
    marked.removeAttribute('aria-describedby');
  }
});

if (problem) problem.focus();
})();
