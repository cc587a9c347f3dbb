// What every token of a run cost in both lanes, as the table of a figure. Pure data.

import { fill, messages } from '../messages';
import type { TokenCost } from '../runs/run';
import type { FigureTable } from './figure';
import { bytes, count, magnitude, milliseconds, visible } from './format';

const texts = messages('lane-table', {
  caption: 'Every token in both lanes: the bits of its logits that differ, and what it cost, cached / full prefix',
  number: 'No',
  token: 'Token',
  bits: '\u0394 bits',
  work: 'Multiply-adds',
  time: 'Time',
  bytes: 'Bytes read',
  both: '{cached} / {full}',
});

export function laneTable(costs: readonly TokenCost[]): FigureTable {
  const both = (cached: string, full: string | null): string =>
    full === null ? cached : fill(texts.both, { cached, full });
  return {
    caption: texts.caption,
    head: [texts.number, texts.token, texts.bits, texts.work, texts.time, texts.bytes],
    rows: costs.map(({ step, cached, full }, index) => [
      count(index + 1),
      visible(step.piece),
      step.parity.differing_bits,
      both(magnitude(cached.multiply_adds), full && magnitude(full.multiply_adds)),
      both(milliseconds(cached.ms), full && milliseconds(full.ms)),
      both(bytes(cached.bytes_read), full && bytes(full.bytes_read)),
    ]),
  };
}
