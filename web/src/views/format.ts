// Numbers as the page writes them: grouped, with a unit, short enough for an instrument. Text in, nothing drawn.

import { fill } from '../messages';

/** Between a number and its unit, which belong on one line. */
const gap = '\u00a0';

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (value: number): string => grouped.format(value);

/** A sentence about one, or one about several, with `{n}` filled in: the words themselves are the caller's messages. */
export const counted = (value: number, one: string, other: string): string =>
  fill(value === 1 ? one : other, { n: count(value) });

/** "1 token", "2 tokens". */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Three significant figures at most, never in exponent form. */
function short(value: number): string {
  const rounded = Number(value.toPrecision(3));
  if (rounded === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded.toFixed(Math.min(digits, 3));
}

function scaled(value: number, base: number, units: readonly string[]): string {
  let rank = 0;
  let rest = value;
  // 999.5 would be written as "1000" of the smaller unit.
  while (rest >= base * 0.9995 && rank < units.length - 1) {
    rest /= base;
    rank += 1;
  }
  const text = rank === 0 ? grouped.format(rest) : short(rest);
  return units[rank] === '' ? text : `${text}${gap}${units[rank]}`;
}

/** Bytes in decimal units, as downloads and memory are sold. */
export const bytes = (value: number): string => scaled(value, 1000, ['B', 'kB', 'MB', 'GB']);

/** A count with K, M, G: multiply-adds, parameters. */
export const magnitude = (value: number): string => scaled(value, 1000, ['', 'K', 'M', 'G', 'T']);

export function milliseconds(value: number): string {
  return value < 999.5 ? `${short(value)}${gap}ms` : `${short(value / 1000)}${gap}s`;
}

/** "12x"; a plain x, since screen readers read the sign badly. */
export const ratio = (value: number): string => `${value < 9.95 ? value.toFixed(1) : grouped.format(value)}x`;

export const percent = (share: number): string => `${short(share * 100)}${gap}%`;

/** A token's spelling with its white space made visible; an empty one is a special token or half a character. */
export function visible(piece: string): string {
  if (piece === '') return '\u2205';
  return piece.replaceAll(' ', '\u2423').replaceAll('\n', '\u21b5').replaceAll('\t', '\u21e5');
}
