// What a row's cache holds, as a grid: a line for each layer and key/value head, a column for each position, and in each
// cell a square that is larger the longer the key is. A pure view of the engine's own lengths.

import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';

import type { CacheMap } from '../engine/protocol';
import { fill, messages } from '../messages';
import type { FigureTable } from './figure';
import { count } from './format';

const texts = messages('cache-grid', {
  label: 'The cache by layer, head and position: {filled} of {capacity} positions filled.',
  conclusion: '{filled} of {capacity} positions are filled: {cells} keys and as many values. The longest key, of {longest}, is in layer {layer}, counted from 0.',
  empty: 'No position is filled yet: {capacity} are free.',
  legend: 'a larger square is a longer key; a dot is a free place',
  caption: 'Lengths of the keys, by position',
  position: 'Position',
  cell: 'L{layer} H{head}',
});

const cell = 10;
/** Squares come in so many sizes. */
const sizes = 5;
/** At least so many positions are drawn, filled or free. */
const leastShown = 48;

/** Positions drawn: those that are filled and some that are free, never more than fit. */
export const shownPositions = ({ positions, capacity }: Pick<CacheMap, 'positions' | 'capacity'>): number =>
  Math.min(capacity, Math.max(leastShown, Math.ceil((positions + 1) / 16) * 16));

const square = (x: number, y: number, side: number): string =>
  `M${x + (cell - side) / 2} ${y + (cell - side) / 2}h${side}v${side}h${-side}z`;

/** One path for each size of square, so that thousands of cells stay few elements. */
function paths({ key_norms, positions }: CacheMap, shown: number): SVGTemplateResult[] {
  const lines = key_norms.flat();
  const longest = Math.max(...lines.flat(), Number.MIN_VALUE);
  const bySize = Array.from({ length: sizes }, () => '');
  let free = '';
  lines.forEach((lengths, line) => {
    for (let position = 0; position < shown; position += 1) {
      const y = line * cell + Math.floor(line / (key_norms[0]?.length ?? 1)) * 4;
      const x = position * cell;
      if (position >= positions) free += square(x, y, 1.5);
      else {
        const size = Math.min(sizes - 1, Math.floor((sizes * (lengths[position] ?? 0)) / longest));
        bySize[size] += square(x, y, 3 + (size * (cell - 4)) / (sizes - 1));
      }
    }
  });
  return [svg`<path class="free" d=${free}></path>`, ...bySize.map((d) => svg`<path class="filled" d=${d}></path>`)];
}

export function cacheGridView(map: CacheMap): TemplateResult {
  const shown = shownPositions(map);
  const layers = map.key_norms.length;
  const heads = map.key_norms[0]?.length ?? 1;
  const height = layers * heads * cell + (layers - 1) * 4;
  const label = fill(texts.label, { filled: count(map.positions), capacity: count(map.capacity) });
  return html`
    <div class="grid scroll" tabindex="0" role="group" aria-label=${label}>
      <svg viewBox="0 0 ${shown * cell} ${height}" role="img" aria-label=${label}>
        ${paths(map, shown)}
      </svg>
    </div>
    <p class="legend small soft"><bdi>${texts.legend}</bdi></p>
  `;
}

export function cacheGridConclusion(map: CacheMap): string {
  const capacity = count(map.capacity);
  if (map.positions === 0) return fill(texts.empty, { capacity });
  const longestOf = map.key_norms.map((heads) => Math.max(...heads.flat()));
  const longest = Math.max(...longestOf);
  return fill(texts.conclusion, {
    filled: count(map.positions),
    capacity,
    cells: count(map.key_norms.flat().length * map.positions),
    longest: longest.toPrecision(3),
    layer: longestOf.indexOf(longest),
  });
}

export function cacheGridTable({ key_norms, positions }: CacheMap): FigureTable {
  const columns = key_norms.flatMap((heads, layer) =>
    heads.map((lengths, head) => ({ name: fill(texts.cell, { layer, head }), lengths })),
  );
  return {
    caption: texts.caption,
    head: [texts.position, ...columns.map(({ name }) => name)],
    rows: Array.from({ length: positions }, (_, position) => [
      count(position),
      ...columns.map(({ lengths }) => (lengths[position] ?? 0).toPrecision(3)),
    ]),
  };
}
