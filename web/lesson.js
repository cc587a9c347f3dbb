// The script of lesson.html, as a course would write its own: it keeps the list of progress, from the events of the labs
// and from what they left in this browser. A course sends the event's detail to its server here, if it wants to.

const items = new Map([...document.querySelectorAll('#progress [data-lab]')].map((item) => [item.dataset.lab, item]));
const told = document.querySelector('#told');
/** The best result of each lab, which is also the one that a lab keeps. */
const best = new Map();

function show(lab) {
  const item = items.get(lab);
  if (!item) return;
  const { score, passed } = best.get(lab) ?? {};
  item.classList.toggle('passed', passed === true);
  item.querySelector('.state').textContent =
    score === undefined ? 'open' : `${passed ? 'passed' : 'not passed yet'}, ${Math.round(score * 100)}\u00a0%`;
}

function tell() {
  const passed = document.querySelectorAll('#progress .passed').length;
  told.textContent = `${passed} of ${items.size} labs passed.`;
}

/** What a lab left in this browser, if it is what a lab leaves. */
function earlier(lab) {
  try {
    const kept = JSON.parse(localStorage.getItem(`vitrine-lab-${lab}`));
    return kept.lab === lab && kept.score >= 0 && kept.score <= 1 && Array.isArray(kept.answers) ? kept : null;
  } catch {
    return null;
  }
}

for (const lab of items.keys()) {
  const result = earlier(lab);
  if (result) best.set(lab, result);
  show(lab);
}

document.addEventListener('vitrine-lab-result', ({ detail }) => {
  const { lab, score } = detail;
  if (!(best.get(lab)?.score > score)) best.set(lab, detail);
  show(lab);
  tell();
});

document.addEventListener('vitrine-lab-forgotten', ({ detail: { lab } }) => {
  best.delete(lab);
  show(lab);
  tell();
});
