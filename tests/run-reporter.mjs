// A reporter of node --test that writes one line of JSON: how many tests passed, failed, were skipped, and which files
// had none. Not for reading: the spec reporter beside it is.
import { resolve } from 'node:path';

export default async function* report(events) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const files = new Map();
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    // Node stands a file that holds no test for a test that passes, named by its path.
    const stands = data.nesting === 0 && resolve(data.name) === data.file;
    files.set(data.file, (files.get(data.file) ?? 0) + (stands ? 0 : 1));
    if (type === 'test:fail') count.failed += 1;
    else if (stands) continue;
    else if (data.skip !== undefined || data.todo !== undefined) count.skipped += 1;
    else count.passed += 1;
  }
  const empty = [...files].filter(([, tests]) => tests === 0).map(([file]) => file);
  yield `${JSON.stringify({ ...count, files: files.size, empty })}\n`;
}
