// The register of field inputs: each entry cites test cases that exist, or says why there is none. What a case tests is not
// looked at.
const path = 'docs/field-inputs.md';

/** Entries as { title, text }: from "- **title.**" to the next entry or heading. */
function entriesOf(text) {
  const begins = [...text.matchAll(/^- \*\*(.+?)\.\*\*/gm)];
  return begins.map((begin, i) => {
    const rest = text.slice(begin.index, begins[i + 1]?.index ?? text.length);
    return { title: begin[1], text: rest.split(/^#/m)[0] };
  });
}

/** Whether a test file has a string of that name; C++ may spell a long one in pieces. */
function hasCase(source, name) {
  const whole = source.replace(/"\s*\n\s*"/g, '');
  return ['"', "'", '`'].some((quote) => whole.includes(quote + name + quote));
}

/** Entries without a test or a reason, citations that lead nowhere, and numbers out of order. */
export function checkRegister(tree) {
  if (!tree.has(path)) return [`${path}: expected the register of field inputs`];
  const entries = entriesOf(tree.get(path));
  const problems = entries.length === 0 ? [`${path}: expected entries, found none`] : [];
  let last = 0;
  for (const { title, text } of entries) {
    const number = /^\d+$/.test(title) ? Number(title) : null;
    if (number !== null && number <= last) problems.push(`${path}: ${title}: expected a number above ${last}`);
    last = number ?? last;
    const citations = [...text.matchAll(/\]\(\.\.\/(tests\/[^)]+)\): "([^"]+)"/g)];
    if (citations.length === 0 && !/Not tried: \S/.test(text)) {
      problems.push(`${path}: ${title}: expected a test case, or 'Not tried:' and why`);
    }
    const links = text.match(/\]\(\.\.\/tests\//g) ?? [];
    if (links.length !== citations.length) problems.push(`${path}: ${title}: expected each test file with a case's name in quotes`);
    for (const [, file, name] of citations) {
      if (!tree.has(file)) problems.push(`${path}: ${title}: ${file} is not there`);
      else if (!hasCase(tree.get(file), name)) problems.push(`${path}: ${title}: ${file} has no case '${name}'`);
    }
  }
  return problems;
}
