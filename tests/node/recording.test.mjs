// The run that the page shows while its model loads is what the shipped bundle really makes, today.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { record, recordingFile } from '../../web/record.mjs';

/** The same without times, which no two runs share. */
function withoutTimes(value) {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'ms' ? undefined : inner)));
}

test('the recorded run is the one that the shipped bundle makes: same parts, tokens, probabilities, counts', async () => {
  const recorded = JSON.parse(await readFile(recordingFile, 'utf8'));
  assert.deepEqual(withoutTimes(recorded), withoutTimes(await record()), 'node web/record.mjs records it anew');
});

test('the recorded run ends by itself, and its proof found no bit that differs', async () => {
  const { completion, steps, result } = JSON.parse(await readFile(recordingFile, 'utf8'));
  assert.equal(completion.finish_reason, 'stop_token');
  assert.ok(steps.length > 10, `${steps.length} steps`);
  assert.equal(result.parity.differing_bits, 0);
  assert.equal(result.parity.tokens, result.ids.length);
});
