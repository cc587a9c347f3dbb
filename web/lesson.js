// The script of lesson.html, as a course would write its own: it keeps the list of progress, from the events of the labs
// and from what they left in this browser. A course sends the event's detail to its server here, if it wants to.

const items = new Map([...document.querySelectorAll('#progress [data-lab]')].map((item) => [item.dataset.lab, item]));
const told = document.querySelector('#told');

function show({ lab, score, passed }) {
  const item = items.get(lab);
  if (!item) return;
  item.classList.toggle('passed', passed);
  item.querySelector('.state').textContent = `${passed ? 'passed' : 'not passed yet'}, ${Math.round(score * 100)} %`;
}

function earlier(lab) {
  try {
    return JSON.parse(localStorage.getItem(`vitrine-lab-${lab}`));
  } catch {
    return null;
  }
}

for (const lab of items.keys()) {
  const result = earlier(lab);
  if (result) show(result);
}

document.addEventListener('vitrine-lab-result', ({ detail }) => {
  show(detail);
  const passed = document.querySelectorAll('#progress .passed').length;
  told.textContent = `${passed} of ${items.size} labs passed.`;
});
